import type { JsonValue } from "../../core/json.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { readAtMost } from "../../core/bytes.ts";
import { ok, type Result } from "../../core/result.ts";
import { withTimeout } from "../../core/timeout.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { WebSockets } from "../../ports/web-sockets.ts";
import {
  EVALUATION_MS,
  evaluationScript,
  evaluationTimeout,
  readEvaluation,
} from "../evaluation/evaluation.ts";
import { DeviceLog } from "../logs/device-log.ts";
import type { Evaluated } from "../types/device.ts";
import { DevtoolsClient } from "./client.ts";
import { consoleLine, exceptionText } from "./console-events.ts";

const MAX_LIST_BYTES = 1024 * 1024;
/** Timeout for a page list and for a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** How much longer than its script's timeout an evaluation may take, in milliseconds. */
const GRACE_MS = 2_000;
const BOUNDS = { maxMessageBytes: 8 * 1024 * 1024, idleMs: 30_000 };
/** Minimum interval of log lines about dropped events, in milliseconds. */
const DROPPED_MS = 10_000;
/** How V8 reports a terminated script; "Internal error" if the script's value is a promise. */
const STOPPED = /terminated|: Internal error$/i;
const DROPPED =
  "Lines are missing here: the page wrote more into its console than is read of a device";
const PAGE_PATH = /^\/devtools\/page\/[A-Za-z0-9_-]{1,100}$/;

/** Ports of page sessions. */
export interface DevtoolsPorts {
  readonly fetch: Fetch;
  readonly webSockets: WebSockets;
  readonly clock: Pick<Clock, "monotonic" | "now" | "sleep">;
}

/** A page that a web view shows. */
export interface ListedPage {
  /** The path of its socket. */
  readonly path: string;
  /** Whether it reports itself visible. */
  readonly isSeen: boolean;
}

/**
 * Lists the pages behind a port of this machine that forwards to a web view; empty if it does not
 * answer.
 */
export async function listPages(
  port: number,
  { fetch, clock }: DevtoolsPorts,
  signal: AbortSignal,
): Promise<readonly ListedPage[]> {
  try {
    const listed = await withTimeout(async (ending) => {
      const init = { signal: ending, redirect: "error" } as const;
      const { body } = await fetch(`http://127.0.0.1:${port}/json/list`, init);
      return body === null ? null : await readAtMost(body, MAX_LIST_BYTES, ending);
    }, { clock, timeoutMs: CONNECT_MS, signal });
    const pages = parseJson(listed);
    return (Array.isArray(pages) ? pages : []).flatMap(readPage);
  } catch {
    signal.throwIfAborted();
    return []; // no answer, an incomplete or a late one: adb forwards to whatever listens
  }
}

function readPage(page: unknown): readonly ListedPage[] {
  if (!isRecord(page) || page["type"] !== "page") return [];
  const { webSocketDebuggerUrl: url, description } = page;
  // Only the path of the address is used: the host and port are known.
  const path = typeof url === "string" && URL.canParse(url) ? new URL(url).pathname : "";
  if (!PAGE_PATH.test(path)) return [];
  // Android's web views describe themselves in JSON.
  const described = typeof description === "string" ? parseJson(description) : null;
  const { attached, visible, empty } = isRecord(described) ? described : {};
  return [{ path, isSeen: attached !== false && visible !== false && empty !== true }];
}

/** A page of a web view that is debugged; its console is recorded as long as the page exists. */
export class PageSession {
  readonly ended: Promise<unknown>;
  readonly #client: DevtoolsClient;

  private constructor(client: DevtoolsClient) {
    this.#client = client;
    this.ended = client.ended;
  }

  /** Connects to a page. @param log Receives its console output, including earlier output. */
  static async open(
    port: number,
    path: string,
    { ports, log, signal }: {
      readonly ports: DevtoolsPorts;
      readonly log: DeviceLog;
      readonly signal: AbortSignal;
    },
  ): Promise<Result<PageSession, Problem>> {
    const connected = await ports.webSockets.connect(`ws://127.0.0.1:${port}${path}`, {
      ...BOUNDS,
      timeoutMs: CONNECT_MS,
    });
    if (!connected.ok) {
      const { message } = connected.error;
      return refuse(422, "page-gone", message, "See that the app is open, and call it again");
    }
    // Earlier output is sent again to each new session; after that, each line arrives once.
    const before = new DeviceLog();
    let into = before;
    let saidAt = -Infinity;
    const { clock } = ports;
    const client = new DevtoolsClient(connected.value, {
      clock,
      onEvent(method, params) {
        const line = consoleLine(method, params);
        if (line !== null) into.push(line);
      },
      onDropped() {
        if (clock.monotonic() - saidAt < DROPPED_MS) return;
        saidAt = clock.monotonic();
        into.push({ t: Math.round(clock.now()), level: "warn", text: DROPPED });
      },
    });
    for (const method of ["Runtime.enable", "Log.enable"]) {
      const enabled = await client.call(method, {}, { timeoutMs: CONNECT_MS, signal });
      if (enabled.ok) continue;
      client.close();
      return enabled;
    }
    // The console and the log of the browser come one after the other.
    log.merge(before.all().toSorted((a, b) => a.t - b.t));
    into = log;
    return ok(new PageSession(client));
  }

  /** Evaluates an expression, and stops one that does not end. */
  async evaluate(expression: string, signal: AbortSignal): Promise<Result<Evaluated, Problem>> {
    const answer = await this.#client.call("Runtime.evaluate", {
      expression: evaluationScript(expression),
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
      timeout: EVALUATION_MS,
    }, { timeoutMs: EVALUATION_MS + GRACE_MS, signal });
    if (!answer.ok) {
      if (answer.error.code === "page-timeout") {
        await this.#client.call("Runtime.terminateExecution", {}, { timeoutMs: GRACE_MS, signal });
        return evaluationTimeout();
      }
      const isStopped = STOPPED.test(answer.error.detail);
      return isStopped ? evaluationTimeout() : answer;
    }
    const { result, exceptionDetails } = answer.value;
    if (exceptionDetails !== undefined) {
      const text = exceptionText(exceptionDetails);
      if (STOPPED.test(text)) return evaluationTimeout();
      return ok({ value: text satisfies JsonValue, truncated: false, threw: true });
    }
    return readEvaluation(isRecord(result) ? result["value"] : null);
  }

  /** Waits until the page's output so far has arrived. */
  async settle(signal: AbortSignal): Promise<Result<null, Problem>> {
    const answer = await this.#client.call("Runtime.evaluate", { expression: "0" }, {
      timeoutMs: GRACE_MS,
      signal,
    });
    // The output of a busy page has already arrived.
    return answer.ok || answer.error.code === "page-timeout" ? ok(null) : answer;
  }

  close(): void {
    this.#client.close();
  }
}
