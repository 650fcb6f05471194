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
  /** The same time on the monotonic clock. */
  readonly at: number;
}

interface Waiter {
  readonly name: string;
  readonly begin: () => void;
}

/** Callbacks of a lock. */
export interface LockTurns {
  /** Called before work starts. */
  readonly begun?: () => void;
  /** Called when work has ended, before the next one starts. */
  readonly released?: () => void;
}

/**
 * Serializes changes of the project, in their order of arrival (TOOL-10). After {@linkcode
 * LOCK_DEADLINE_MS} a waiter is refused with the name of the holder.
 */
export class EditorLock {
  readonly #clock: Clock;
  readonly #turns: Required<LockTurns>;
  readonly #waiting: Waiter[] = [];
  #holder: Holder | null = null;

  /** A free lock. */
  constructor(clock: Clock, { begun = () => {}, released = () => {} }: LockTurns = {}) {
    this.#clock = clock;
    this.#turns = { begun, released };
  }

  /** Whether a change of the project is in progress. */
  get isHeld(): boolean {
    return this.#holder !== null;
  }

  /**
   * Runs `work` exclusively; releases the lock when it returns or throws.
   *
   * @param name The caller, for others that wait.
   * @returns The result of `work`; 409 `editor-busy` after the deadline, 409 `cancelled` if aborted
   * before its turn. In both cases the work has not started.
   */
  async hold<T>(
    name: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | Result<never, Problem>> {
    const refused = await this.#enter(name, signal);
    if (refused !== null) return err(refused);
    try {
      this.#turns.begun();
      return await work();
    } finally {
      this.#turns.released();
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
      // A clock whose sleep resolves immediately must not block other work.
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
    "Nothing was done: call it again",
  );
}

/**
 * Wraps a part of an editor for callers that do not hold the lock: each of its `changes` waits for
 * its turn.
 *
 * @param instead Members that are replaced.
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
