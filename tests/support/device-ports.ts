import { FileError } from "../../lib/core/file-error.ts";
import type { JsonObject, JsonValue } from "../../lib/core/json.ts";
import { TimeoutError, withTimeout } from "../../lib/core/timeout.ts";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import { messageOf } from "../../lib/core/result.ts";
import { PowerCut } from "./power-cut-files.ts";

// The calls of a native core to a test: its files, its network and its clock, one call at a time.

/** A port that the test supplies in place of the program's own disk, network or clock. */
export type SuppliedPort = "files" | "http" | "clock";

/** Answers the port calls of one device. */
export interface DevicePorts {
  /** @returns The members of the answer: `value`, or `error`. */
  answer(call: number, port: string, method: string, args: JsonObject): Promise<JsonObject>;
  /** Cancels a call to the network or the clock, which is then answered immediately. */
  cancel(call: number): void;
  /** The power cut that a call met: the process of the device is dead from then on. */
  readonly cut: PowerCut | null;
  /** Closes every open handle. */
  close(): void;
}

/** The signal of calls that nothing cancels; creating one takes longer than most calls. */
const UNHEARD = new AbortController().signal;

type Method = (args: JsonObject, signal: AbortSignal) => Promise<JsonValue>;

/**
 * Answers from the ports that a device was built with; looks them up at each call, since a test may
 * replace them.
 */
export function createDevicePorts(options: DeviceOptions): DevicePorts {
  const handles = new Map<number, AsyncIterator<Uint8Array>>();
  const streams = new Map<number, Stream>();
  const calls = new Map<number, AbortController>();
  let opened = 0;
  let cut: PowerCut | null = null;
  const { files, clock } = options;

  const methods: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
    files: {
      async stat({ path }) {
        const stat = await files.stat(text(path));
        if (stat === null) return null;
        const { kind, size, mtimeMs, changedMs, inode } = stat;
        return {
          kind,
          size,
          mtimeMs,
          ...(changedMs !== undefined && { changedMs }),
          ...(inode !== undefined && { inode }),
        };
      },
      async list({ path }) {
        const entries = await files.list(text(path));
        return entries && entries.map(({ name, kind }) => ({ name, kind }));
      },
      read: async ({ path, maxBytes }) => coded(await files.read(text(path), Number(maxBytes))),
      readRange: async ({ path, offset, length }) =>
        coded(await files.readRange(text(path), Number(offset), Number(length))),
      async openRead({ path }) {
        const stream = await files.openRead(text(path));
        if (stream === null) return null;
        handles.set(++opened, stream[Symbol.asyncIterator]());
        return opened;
      },
      async readChunk({ handle }) {
        const next = await handles.get(Number(handle))?.next();
        return next === undefined || next.done ? null : coded(next.value);
      },
      async closeRead({ handle }) {
        const chunks = handles.get(Number(handle));
        handles.delete(Number(handle));
        await chunks?.return?.();
        return null;
      },
      write: ({ path, body, createNew, sync }) =>
        files.write(text(path), decoded(body), writeOptions({ createNew, sync })),
      writeAtomic: ({ path, body, createNew }) =>
        files.writeAtomic(text(path), decoded(body), writeOptions({ createNew })),
      append: async ({ path, body }) => {
        await files.append(text(path), decoded(body));
        return null;
      },
      makeDirectory: async ({ path }) => (await files.makeDirectory(text(path)), null),
      rename: async ({ from, to }) => (await files.rename(text(from), text(to)), null),
      link: async ({ from, to }) => (await files.link(text(from), text(to)), null),
      copy: async ({ from, to }) => (await files.copy(text(from), text(to)), null),
      remove: async ({ path }) => (await files.remove(text(path)), null),
      sync: async ({ path }) => (await files.sync(text(path)), null),
      freeSpace: ({ path }) => files.freeSpace(text(path)),
    },
    http: {
      async open({ url, headers, timeoutMs }, cancelled) {
        const abort = new AbortController();
        const signal = anyOf(cancelled, abort.signal);
        const init = { signal, cache: "no-store", headers: textsOf(headers) } as const;
        const id = ++opened;
        try {
          const limit = { timeoutMs, signal: cancelled };
          const response = await inTime(() => options.fetch(text(url), init), limit);
          streams.set(id, { reader: response.body?.getReader(), abort });
          return {
            stream: id,
            status: response.status,
            headers: Object.fromEntries(response.headers),
            url: response.url,
          };
        } catch (thrown) {
          abort.abort();
          throw thrown;
        }
      },
      async read({ stream, timeoutMs }, signal) {
        const reader = streams.get(Number(stream))?.reader;
        if (reader === undefined) return null;
        const { value } = await inTime(() => reader.read(), { timeoutMs, signal });
        return coded(value ?? null);
      },
      close({ stream }) {
        end(Number(stream));
        return Promise.resolve(null);
      },
    },
    clock: {
      now: () => Promise.resolve(clock.now()),
      monotonic: () => Promise.resolve(clock.monotonic()),
      sleep: async ({ ms }, signal) => (await clock.sleep(Number(ms), signal), null),
    },
  };

  return {
    async answer(call, port, method, args) {
      try {
        const run = methods[port]?.[method];
        if (run === undefined) throw new Error(`The protocol has no ${port}.${method}`);
        if (port === "files") return { value: await run(args, UNHEARD) };
        const abort = new AbortController();
        calls.set(call, abort);
        return { value: await run(args, anyOf(abort.signal, options.signal)) };
      } catch (thrown) {
        if (thrown instanceof PowerCut) cut = thrown;
        return { error: errorOf(thrown, port) };
      } finally {
        calls.delete(call);
      }
    },
    cancel: (call) => calls.get(call)?.abort(),
    get cut() {
      return cut;
    },
    close() {
      for (const call of calls.values()) call.abort();
      for (const id of [...streams.keys()]) end(id);
      for (const chunks of handles.values()) void chunks.return?.();
      handles.clear();
    },
  };

  /** A deadline is measured by the clock of the test. */
  function inTime<T>(
    work: () => Promise<T>,
    { timeoutMs, signal }: { timeoutMs: JsonValue | undefined; signal: AbortSignal },
  ): Promise<T> {
    const limit = typeof timeoutMs === "number" ? { timeoutMs } : {};
    return withTimeout(work, { clock, signal, ...limit });
  }

  function end(id: number): void {
    const stream = streams.get(id);
    streams.delete(id);
    stream?.abort.abort();
    stream?.reader?.cancel().catch(() => undefined); // it has ended already
  }
}

function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}

/** An answer that is read. */
interface Stream {
  readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly abort: AbortController;
}

function errorOf(thrown: unknown, port: string): JsonObject {
  const message = messageOf(thrown);
  if (thrown instanceof FileError) return { code: thrown.code, path: thrown.path, message };
  if (thrown instanceof TimeoutError) return { code: "timeout", message };
  return { code: port === "http" ? "network" : "other", path: "", message };
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError(`Expected a text, got ${String(value)}`);
  return value;
}

function textsOf(value: JsonValue | undefined): Record<string, string> {
  const entries = Object.entries(typeof value === "object" ? value ?? {} : {});
  return Object.fromEntries(entries.map(([name, one]) => [name, String(one)]));
}

function writeOptions(
  { createNew, sync }: {
    readonly createNew?: JsonValue | undefined;
    readonly sync?: JsonValue | undefined;
  },
): { createNew?: boolean; sync?: boolean } {
  return { ...(createNew === true && { createNew }), ...(sync === true && { sync }) };
}

/** Bytes as the protocol carries them. */
export function coded(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** {@linkcode coded}, read back. */
export function decoded(value: JsonValue | undefined): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text(value), "base64"));
}
