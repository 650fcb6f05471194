import { join } from "node:path";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { compareCodeUnits, isRecord } from "../../lib/core/json.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { createDevice } from "../../lib/ota-device/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../shared/runtime.ts";
import { UnreadableVector } from "./scenario.ts";

/** Result of a staging. */
export interface StageOutcome {
  readonly ok: boolean;
  readonly code?: string;
  /** Requests in order: address, range, condition. */
  readonly asked: readonly string[];
  /** Whether each pause between two attempts was within its bounds, if given. */
  readonly waited?: boolean;
  /** All files below the root: path, a space, SHA-256. Random ids are `<id>`. */
  readonly files: readonly string[];
}

type Input = Readonly<Record<string, unknown>>;

/** Unlike any pause between two attempts: the deadline of a stalled server. */
const STALL_MS = 12_347;

/** Stages on a disk of its own, from a server that follows its script (INTERPRETING.md). */
export async function replayStage(input: Input): Promise<StageOutcome> {
  const { op, request, free, pauses } = input;
  const runtime = await loadRuntime();
  const folder = await runtime.files.makeTemporaryDirectory("slipway-replay-");
  const [root, embedded] = [join(folder, "root"), join(folder, "embedded")];
  const server = createServer(input["server"]);
  const files: Files = typeof free === "number"
    ? { ...runtime.files, freeSpace: () => Promise.resolve(free) }
    : runtime.files;
  try {
    await lay(files, root, input["disk"]);
    await lay(files, embedded, input["embedded"]);
    const device = createDevice({
      ...runtime,
      ...server,
      files,
      root,
      embedded,
      stallMs: STALL_MS,
    });
    if (op !== "stageUpdate" && op !== "stageUpdateDelta") {
      throw new UnreadableVector(`op ${JSON.stringify(op)} is not a staging`);
    }
    const result = await device[op](request as never); // the device validates it
    return {
      ok: result.ok,
      ...(!result.ok && { code: result.code }),
      asked: server.asked,
      ...(pauses !== undefined && { waited: isWithin(server.waited, pauses) }),
      files: (await filesIn(files, root)).sort(compareCodeUnits),
    };
  } finally {
    await runtime.files.remove(folder);
  }
}

/** Whether there were as many pauses as there are bounds, each within its own. */
function isWithin(waited: readonly number[], bounds: unknown): boolean {
  if (!Array.isArray(bounds)) throw new UnreadableVector("pauses is not a list");
  return bounds.length === waited.length && waited.every((ms, i) => {
    const [least, most] = Array.isArray(bounds[i]) ? bounds[i] : [];
    return ms >= Number(least) && ms <= Number(most);
  });
}

/**
 * Creates a network that answers by a script, and a clock on which every pause ends immediately.
 */
function createServer(
  script: unknown,
): { fetch: Fetch; clock: Clock; asked: string[]; waited: number[] } {
  if (!isRecord(script)) throw new UnreadableVector("server is not an object");
  const asked: string[] = [];
  const waited: number[] = [];
  const answered = new Map<string, number>();
  const stalls: (() => void)[] = [];
  const stall = () => new Promise<never>(() => stalls.shift()?.());
  return {
    asked,
    waited,
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (ms !== STALL_MS) return resolve(void waited.push(ms));
          stalls.push(resolve);
          signal?.addEventListener("abort", () => {
            const at = stalls.indexOf(resolve);
            if (at >= 0) stalls.splice(at, 1);
            reject(signal.reason);
          }, { once: true });
        }),
    },
    async fetch(url, init) {
      const headers = new Headers(init?.headers);
      const words = [url, headers.get("range"), headers.get("if-range")];
      asked.push(words.filter((word) => word !== null).join(" "));
      const answers = script[url];
      if (!Array.isArray(answers)) throw new UnreadableVector(`nothing answers ${url}`);
      const n = answered.get(url) ?? 0;
      answered.set(url, n + 1);
      const answer: unknown = answers[n] ?? answers.at(-1);
      if (!isRecord(answer)) throw new UnreadableVector("an answer is not an object");
      return await respond(url, answer, stall);
    },
  };
}

/** Answers a request, with as much of the body as scripted. */
async function respond(url: string, answer: Input, stall: () => Promise<never>): Promise<Response> {
  const { status, headers = {}, body = "", ending = "end" } = answer;
  const end = async () => {
    if (ending === "stall") await stall();
    if (ending === "lost") throw new TypeError("the connection was lost");
  };
  if (typeof status !== "number") {
    await end();
    throw new UnreadableVector("an answer without a status ends neither lost nor in a stall");
  }
  const bytes = Uint8Array.from(atob(String(body)), (letter) => letter.charCodeAt(0));
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => bytes.length > 0 ? controller.enqueue(bytes) : undefined,
    async pull(controller) {
      await end();
      controller.close();
    },
  }, { highWaterMark: 0 });
  const response = new Response([204, 304].includes(status) ? null : stream, {
    status,
    headers: isRecord(headers)
      ? Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      : {},
  });
  return Object.defineProperty(response, "url", { value: answer["url"] ?? url });
}

/** Lays files below a folder. */
async function lay(files: Files, folder: string, tree: unknown = {}): Promise<void> {
  await files.makeDirectory(folder);
  if (!isRecord(tree)) throw new UnreadableVector("a disk is not an object");
  for (const [path, text] of Object.entries(tree)) {
    if (typeof text !== "string") throw new UnreadableVector(`${path} is not text`);
    await files.makeDirectory(join(folder, path, ".."));
    await files.write(join(folder, path), encodeUtf8(text));
  }
}

async function filesIn(files: Files, folder: string, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(join(folder, prefix)) ?? []) {
    const path = `${prefix}${name}`;
    if (kind === "directory") found.push(...await filesIn(files, folder, `${path}/`));
    else {
      const bytes = await files.read(join(folder, path), 2 ** 24);
      found.push(`${path.replace(DRAWN, "<id>")} ${await sha256Hex(bytes ?? new Uint8Array())}`);
    }
  }
  return found;
}

const DRAWN = /(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g;
