import { type JobRegistry, type Services, wholeJson } from "../agent/mod.ts";
import type { JobAuthor } from "../core/jobs.ts";
import type { Changes, EditorChange } from "../editor/ports/mod.ts";

/** Bounds of the changes kept for readers that reconnect. */
const MAX_CHANGES = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** A job begins, or has ended. */
interface JobChange extends Partial<JobAuthor> {
  readonly kind: "job";
  readonly job: string;
  /** Kind and subject of the work: `install java`. */
  readonly name: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
}

/** A change of the simulated phone; its state has the details. */
interface PhoneChange {
  readonly kind: "phone";
}

type OwnChange = EditorChange | JobChange | PhoneChange;

/** A change as it is sent. */
export interface LoggedChange {
  readonly seq: number;
  readonly kind: OwnChange["kind"];
  /** The change as JSON. */
  readonly text: string;
}

/**
 * The newest changes of one service, numbered: of its editor, its simulated phone, and its jobs as
 * they start and end. Each is serialized once for all readers; a reader keeps only its position.
 */
export class ChangeLog {
  /** Identity of the log: a number of one log is invalid in another. */
  readonly epoch: string = crypto.randomUUID().slice(0, 8);
  readonly #kept: LoggedChange[] = [];
  readonly #waiting = new Set<() => void>();
  #characters = 0;
  #lastSeq = 0;

  /** Follows the sources for their lifetime. */
  constructor(
    changes: Changes,
    { jobs, phone }: Pick<Services, "phone"> & { readonly jobs: Pick<JobRegistry, "subscribe"> },
  ) {
    changes.subscribe((change) => this.#push(change));
    phone?.subscribe(() => this.#push({ kind: "phone" }));
    jobs.subscribe?.(({ id, kind, key, state, source, by }) =>
      this.#push({
        kind: "job",
        job: id,
        name: `${kind} ${key}`,
        state,
        ...(source !== undefined && { source }),
        ...(by !== undefined && { by }),
      })
    );
  }

  /** The number of the newest change; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /**
   * Returns the changes after a number, oldest first, or `null` if some of them are no longer kept.
   */
  after(seq: number): readonly LoggedChange[] | null {
    const skipped = seq - (this.#lastSeq - this.#kept.length);
    return skipped < 0 || seq > this.#lastSeq ? null : this.#kept.slice(skipped);
  }

  /** Waits for a change after a number, or the signal. */
  async grown(seq: number, signal: AbortSignal): Promise<void> {
    while (this.#lastSeq <= seq && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }

  #push(change: OwnChange): void {
    const text = wholeJson(change);
    this.#kept.push({ seq: ++this.#lastSeq, kind: change.kind, text });
    this.#characters += text.length;
    while (this.#kept.length > MAX_CHANGES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#kept.shift()?.text.length ?? 0;
    }
    for (const wake of [...this.#waiting]) wake();
  }
}
