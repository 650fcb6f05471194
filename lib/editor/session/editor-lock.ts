import { eventLoopTurn } from "../../core/cooperative.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { err, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";

/** How long a change waits for its turn, in milliseconds: less than clients wait for an answer. */
export const LOCK_DEADLINE_MS = 30_000;

/** The call that has the lock. */
interface Holder {
  readonly name: string;
  /** Milliseconds since the epoch: for people. */
  readonly since: number;
  /** The same moment on the clock that never goes back. */
  readonly at: number;
}

interface Waiter {
  readonly name: string;
  readonly begin: () => void;
}

/**
 * One change of the project at a time, in the order in which they came (TOOL-10). Nobody waits for
 * ever: after {@linkcode LOCK_DEADLINE_MS} a waiter hears who has the lock.
 */
export class EditorLock {
  readonly #clock: Clock;
  readonly #released: () => void;
  readonly #waiting: Waiter[] = [];
  #holder: Holder | null = null;

  /** @param released Told when a work has ended, before the next one begins. */
  constructor(clock: Clock, released: () => void = () => {}) {
    this.#clock = clock;
    this.#released = released;
  }

  /** Whether somebody changes the project now. */
  get isHeld(): boolean {
    return this.#holder !== null;
  }

  /**
   * Runs `work` alone; the lock is free again when it ends, however it ends.
   *
   * @param name Who asks, for those who wait.
   * @returns What `work` returns; 409 `editor-busy` after the deadline, 409 `cancelled` for who was
   * aborted before its turn. Neither has begun.
   */
  async hold<T>(
    name: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | Result<never, Problem>> {
    const refused = await this.#enter(name, signal);
    if (refused !== null) return err(refused);
    try {
      return await work();
    } finally {
      this.#released();
      const next = this.#waiting.shift();
      this.#holder = next === undefined ? null : this.#held(next.name);
      next?.begin();
    }
  }

  #enter(name: string, signal: AbortSignal | undefined): Promise<Problem | null> {
    if (signal?.aborted === true) return Promise.resolve(cancelled(name));
    if (this.#holder === null) {
      this.#holder = this.#held(name);
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const ended = new AbortController();
      const end = (why: Problem | null) => {
        if (ended.signal.aborted) return;
        ended.abort();
        signal?.removeEventListener("abort", abort);
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(why);
      };
      const waiter: Waiter = { name, begin: () => end(null) };
      const abort = () => end(cancelled(name));
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiter);
      void this.#deadline(ended.signal).then(() => end(this.#busy(name)));
    });
  }

  #held(name: string): Holder {
    return { name, since: this.#clock.now(), at: this.#clock.monotonic() };
  }

  async #deadline(ended: AbortSignal): Promise<void> {
    const start = this.#clock.monotonic();
    while (!ended.aborted) {
      const left = LOCK_DEADLINE_MS - (this.#clock.monotonic() - start);
      if (left <= 0) return;
      await this.#clock.sleep(left, ended).then(() => {}, () => {});
      // A clock that stands still must not keep everything else from running.
      await eventLoopTurn();
    }
  }

  #busy(name: string): Problem {
    const { name: holder, since, at } = this.#holder ?? this.#held("nobody");
    const seconds = Math.round((this.#clock.monotonic() - at) / 1000);
    return problem(
      409,
      "editor-busy",
      `Cannot run ${name}: ${holder} has changed the project for ${seconds} s, since ` +
        `${new Date(since).toISOString()}, and has not ended`,
      "Nothing was done: call it again later",
    );
  }
}

function cancelled(name: string): Problem {
  return problem(
    409,
    "cancelled",
    `The call of ${name} was cancelled before its turn`,
    "Nothing was done: call it again to have an answer",
  );
}

/**
 * A part of an editor as those see it who do not hold the lock: each of its `changes` waits for its
 * turn.
 *
 * @param instead Members that are something else to them.
 */
export function inTurn<Part extends object>(
  part: Part,
  lock: EditorLock,
  { changes, instead = {} }: {
    readonly changes: readonly (keyof Part & string)[];
    readonly instead?: Partial<Part>;
  },
): Part {
  return new Proxy(part, {
    get(target, name) {
      const source = Object.hasOwn(instead, name) ? instead : target;
      const member: unknown = Reflect.get(source, name, source);
      if (typeof member !== "function") return member;
      const call = (...given: unknown[]): unknown => Reflect.apply(member, source, given);
      return changes.some((change) => change === name)
        ? (...given: unknown[]) => lock.hold(String(name), async () => await call(...given))
        : call;
    },
  });
}
