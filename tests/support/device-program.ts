import { createInterface } from "node:readline";
import process from "node:process";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { messageOf } from "../../lib/core/result.ts";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import { createDevice, type Device } from "../../lib/ota-device/device.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { FileBody, Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { coded, decoded } from "./device-ports.ts";

// The reference device behind the protocol of the native ones: JSON lines in, JSON lines out. The
// suites run over it as over Swift and Java, which shows that the protocol changes nothing.

/** A port call that the test refused. */
interface Refusal {
  readonly code: string;
  readonly path?: string;
  readonly message: string;
}

const waiting = new Map<number, (answer: JsonObject) => void>();
let calls = 0;

function print(message: JsonObject): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function call(
  port: "files" | "http" | "clock",
  method: string,
  args: JsonObject,
  signal?: AbortSignal | null,
): Promise<JsonValue> {
  const id = ++calls;
  const giveUp = () => print({ cancel: id }); // it is answered all the same
  const answer = await new Promise<JsonObject>((resolve) => {
    waiting.set(id, resolve);
    print({ call: id, port, method, args });
    if (signal?.aborted) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
  signal?.removeEventListener("abort", giveUp);
  if (!isRecord(answer["error"])) return answer["value"] ?? null;
  const { code, path = "", message } = answer["error"] as unknown as Refusal;
  throw port === "files"
    ? new FileError(code as FileErrorCode, path, message)
    : new TypeError(message);
}

async function bytesOf(body: FileBody): Promise<string> {
  if (body instanceof Uint8Array) return coded(body) ?? "";
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks).toString("base64");
}

function bytes(value: JsonValue): Uint8Array<ArrayBuffer> | null {
  return value === null ? null : decoded(value);
}

/** The files of the test, over the line. */
const files: Partial<Files> = {
  stat: async (path) => await call("files", "stat", { path }) as never,
  list: async (path) => await call("files", "list", { path }) as never,
  read: async (path, maxBytes) => bytes(await call("files", "read", { path, maxBytes })),
  readRange: async (path, offset, length) =>
    bytes(await call("files", "readRange", { path, offset, length })),
  async openRead(path) {
    const handle = await call("files", "openRead", { path });
    if (handle === null) return null;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const chunk = bytes(await call("files", "readChunk", { handle }));
        if (chunk !== null) return controller.enqueue(chunk);
        await call("files", "closeRead", { handle });
        controller.close();
      },
      cancel: async () => void await call("files", "closeRead", { handle }),
    }, { highWaterMark: 0 });
  },
  write: async (path, body, { createNew = false, sync = false } = {}) =>
    Number(await call("files", "write", { path, body: await bytesOf(body), createNew, sync })),
  writeAtomic: async (path, body) =>
    Number(await call("files", "writeAtomic", { path, body: await bytesOf(body) })),
  append: async (path, chunk) => {
    await call("files", "append", { path, body: await bytesOf(chunk) });
  },
  makeDirectory: async (path) => void await call("files", "makeDirectory", { path }),
  rename: async (from, to) => void await call("files", "rename", { from, to }),
  link: async (from, to) => void await call("files", "link", { from, to }),
  copy: async (from, to) => void await call("files", "copy", { from, to }),
  remove: async (path) => void await call("files", "remove", { path }),
  sync: async (path) => void await call("files", "sync", { path }),
  freeSpace: async (path) => Number(await call("files", "freeSpace", { path })),
};

/** The network of the test; the reference measures deadlines itself. */
async function fetch(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const opened = await call("http", "open", { url, headers }, init.signal) as JsonObject;
  const { stream = 0, status } = opened;
  const close = () => call("http", "close", { stream }).catch(() => undefined);
  init.signal?.addEventListener("abort", close, { once: true });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = bytes(await call("http", "read", { stream }));
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: async () => void await close(),
  }, { highWaterMark: 0 });
  const response = new Response([204, 304].includes(Number(status)) ? null : body, {
    status: Number(status),
    headers: opened["headers"] as Record<string, string>,
  });
  return Object.defineProperty(response, "url", { value: opened["url"] });
}

/** The clock of the test as of its last answer; the program asks it before it reads each line. */
function createRemoteClock(): Clock & { look(): Promise<void> } {
  let [now, monotonic] = [0, 0];
  const look = async () => {
    [now, monotonic] = [
      Number(await call("clock", "now", {})),
      Number(await call("clock", "monotonic", {})),
    ];
  };
  return {
    look,
    now: () => now,
    monotonic: () => monotonic,
    async sleep(ms, signal) {
      await call("clock", "sleep", { ms }, signal).then(look, (thrown) => {
        throw signal?.aborted ? signal.reason : thrown;
      });
    },
  };
}

let device: Device | null = null;
let cancel = new AbortController();
let clock: (Clock & { look?: () => Promise<void> }) | null = null;

async function open(opening: JsonObject): Promise<void> {
  const runtime = await loadRuntime();
  const { root, embedded, publicKey, app, channel, stallMs, pid, isAlive } = opening;
  const supplies = opening["supplies"] as string[];
  const alive = new Set(isAlive as number[] | undefined ?? []);
  cancel = new AbortController();
  clock = supplies.includes("clock") ? createRemoteClock() : runtime.clock;
  const options: DeviceOptions = {
    ...runtime,
    files: supplies.includes("files") ? { ...runtime.files, ...files } : runtime.files,
    ...(supplies.includes("http") && { fetch }),
    clock,
    root: String(root),
    signal: cancel.signal,
    ...(typeof embedded === "string" && { embedded }),
    ...(typeof publicKey === "string" && {
      trusted: {
        publicKey,
        ...(typeof app === "string" && { app }),
        ...(typeof channel === "string" && { channel }),
      },
    }),
    ...(typeof stallMs === "number" && { stallMs }),
    ...(typeof pid === "number" && { host: { pid } }),
    ...(isAlive !== undefined && { isAlive: (other: number) => alive.has(other) }),
  };
  device = createDevice(options);
  await device.addListener(
    "otaProgress",
    (progress) => print({ event: "otaProgress", progress: progress as unknown as JsonObject }),
  );
}

async function run(op: string, request: never): Promise<unknown> {
  await clock?.look?.();
  if (device === null) throw new Error("Nothing is open: send `open` first");
  const { folderOf, ...operations } = device;
  if (op === "folderOf") {
    const { name, target } = request as { name: string; target: never };
    return folderOf(name, target);
  }
  const operation = Reflect.get(operations, op);
  if (typeof operation !== "function") throw new Error(`The device has no ${op}`);
  return await operation(request);
}

async function hear(line: string): Promise<void> {
  const message = JSON.parse(line) as JsonObject;
  const { id = 0, op, request } = message;
  if (op === "cancel") return cancel.abort(); // before the next line is answered
  if (isRecord(message["open"])) return await open(message["open"] as JsonObject);
  const returned = message["return"];
  if (typeof returned === "number") {
    waiting.get(returned)?.(message);
    waiting.delete(returned);
    return;
  }
  try {
    const answer = await run(String(op), (request ?? {}) as never);
    print({ id, answer: (answer ?? null) as JsonValue });
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "other";
    print({ id, error: { code, message: messageOf(thrown) } });
  }
}

let opened = Promise.resolve(); // later requests wait for `open`
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.startsWith('{"open"')) opened = opened.then(() => hear(line));
  else if (line.startsWith('{"return"') || line.endsWith('"cancel"}')) void hear(line);
  else void opened.then(() => hear(line));
}).on("close", () => process.exit(0));
