/**
 * One piece of work that several callers wait for. It is cancelled when the last of them stops
 * waiting.
 */
export class SharedWork<T> {
  readonly #abort = new AbortController();
  readonly #outcome: Promise<T>;
  #waiting = 0;
  #ended = false;

  /** Starts the work; its signal is aborted when no caller waits any more. */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#outcome = Promise.resolve()
      .then(() => work(this.#abort.signal))
      .finally(() => this.#ended = true);
    this.#outcome.catch(() => undefined); // waiting callers get the error
  }

  /** Whether the work was cancelled: no caller can join it. */
  get abandoned(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Whether it has ended or was cancelled. */
  get over(): boolean {
    return this.#ended || this.abandoned;
  }

  /**
   * Waits for the outcome.
   *
   * @param signal Ends only this wait, with its reason.
   */
  async wait(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    try {
      return await unlessAborted(this.#outcome, signal);
    } finally {
      if (--this.#waiting === 0 && !this.#ended) {
        this.#abort.abort(new DOMException("All callers have cancelled", "AbortError"));
      }
    }
  }
}

/** Runs work, or joins the work of the same key that runs. */
export type Sharing<T> = (
  key: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** Shares one run of the work among all concurrent callers with the same key. */
export function createSharing<T>(): Sharing<T> {
  const running = new Map<string, SharedWork<T>>();
  return async (key, work, signal) => {
    const known = running.get(key);
    const joined = known !== undefined && !known.over ? known : new SharedWork(work);
    running.set(key, joined);
    try {
      return await joined.wait(signal);
    } finally {
      if (running.get(key) === joined && joined.over) running.delete(key);
    }
  };
}

/** The work's outcome, or the signal's reason as soon as it is aborted: not all work looks at it. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return await work;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
