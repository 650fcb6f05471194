import { turnsBetween } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MessageSocket } from "../../ports/web-sockets.ts";
import { EventBudget } from "./event-budget.ts";

/** Members of a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** Options of a call. */
export interface CommandOptions {
  /** The longest that the page may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Clock for timeouts, and for measuring what a page sends. */
export type DevToolsClock = Pick<Clock, "monotonic" | "sleep">;

/** Start of an answer in every implementation of the protocol; other messages are events. */
const ANSWER = '{"id":';

/** A page that is debugged, over the DevTools protocol. */
export class DevtoolsClient {
  /** Resolves when the page has disconnected. */
  readonly ended: Promise<unknown>;
  readonly #socket: MessageSocket;
  readonly #clock: DevToolsClock;
  readonly #onEvent: (method: string, params: Fields) => void;
  readonly #onDropped: () => void;
  readonly #waiting = new Map<number, (message: Fields | null) => void>();
  #last = 0;
  #hasEnded = false;

  constructor(
    socket: MessageSocket,
    { clock, onEvent, onDropped }: {
      readonly clock: DevToolsClock;
      readonly onEvent: (method: string, params: Fields) => void;
      /** Called for each event that is dropped unread: too large, or too many of them. */
      readonly onDropped: () => void;
    },
  ) {
    this.#socket = socket;
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#onDropped = onDropped;
    this.ended = this.#read();
  }

  /**
   * Calls a method of the protocol.
   *
   * @returns 422 `page-refused` with the page's message, `page-gone` or `page-timeout`.
   */
  async call(
    method: string,
    params: Fields,
    { timeoutMs, signal }: CommandOptions,
  ): Promise<Result<Fields, Problem>> {
    if (this.#hasEnded) return pageGone();
    const id = ++this.#last;
    const answered = new Promise<Fields | null>((resolve) => this.#waiting.set(id, resolve));
    try {
      const message = await withTimeout(() => {
        this.#socket.send(JSON.stringify({ id, method, params }));
        return answered;
      }, { clock: this.#clock, timeoutMs, signal });
      if (message === null) return pageGone();
      const { result, error } = message;
      if (isRecord(result)) return ok(result);
      const words = isRecord(error) ? error["message"] : undefined;
      const said = typeof words === "string" ? words.slice(0, 300) : "nothing";
      const hint = "See that the game's page is open, and call it again";
      return refuse(422, "page-refused", `The page answered ${method} with: ${said}`, hint);
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      const detail = `The page did not answer ${method} within ${timeoutMs / 1000} s`;
      return refuse(422, "page-timeout", detail, "See that the app is open and in front");
    } finally {
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#socket.close();
  }

  async #read(): Promise<void> {
    const budget = new EventBudget(this.#clock);
    const othersTurn = turnsBetween(() => this.#clock.monotonic());
    for (;;) {
      const message = await this.#socket.receive();
      if (message === null) break;
      await othersTurn();
      const isAwaited = this.#waiting.size > 0 && typeof message === "string" &&
        message.startsWith(ANSWER);
      if (!isAwaited && !budget.take(message.length)) {
        this.#onDropped();
        continue;
      }
      const parsed = typeof message === "string" ? parseJson(message) : null;
      if (!isRecord(parsed)) continue;
      const { id, method, params } = parsed;
      if (typeof id === "number") this.#waiting.get(id)?.(parsed);
      else if (typeof method === "string" && isRecord(params)) this.#onEvent(method, params);
    }
    this.#hasEnded = true;
    for (const end of this.#waiting.values()) end(null);
  }
}

function pageGone(): Result<never, Problem> {
  const detail = "The debugged page has closed";
  return refuse(422, "page-gone", detail, "See that the app is open, and call it again");
}
