import { type JobRegistry, type Services, wholeJson } from "../agent/mod.ts";
import type { JobAuthor } from "../core/jobs.ts";
import type { Changes, EditorChange } from "../editor/ports/mod.ts";

/** How much is kept for those who come back. */
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

/** Something of the simulated phone has changed: its state tells what. */
interface PhoneChange {
  readonly kind: "phone";
}

type OwnChange = EditorChange | JobChange | PhoneChange;

/** A change as it is sent. */
export interface LoggedChange {
  readonly seq: number;
  readonly kind: OwnChange["kind"];
  /** All of it as JSON. */
  readonly text: string;
}

/**
 * The newest changes of one service, numbered: of its editor, its simulated phone, and jobs as they begin and end. Each is
 * written as JSON once, however many read; a reader holds nothing but its place.
 */
export class ChangeLog {
  /** Another one in each log: a number means nothing in another. */
  readonly epoch: string = crypto.randomUUID().slice(0, 8);
  readonly #kept: LoggedChange[] = [];
  readonly #waiting = new Set<() => void>();
  #characters = 0;
  #lastSeq = 0;

  /** Follows them from now on, for as long as they are. */
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

  /** The changes after a number, oldest first; `null` where some of them are no longer kept. */
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
