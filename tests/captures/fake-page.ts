import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { PNG_SIGNATURE } from "../../lib/core/png.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { type CaptureWorld, withCaptureWorld } from "./capture-world.ts";

// A page that draws, played by a test.

/** Runs `work` with a service whose browser is the test itself. */
export function withFakeBrowser(
  work: (world: CaptureWorld, address: () => Promise<URL>) => Promise<void>,
  { token, clock }: { readonly token?: string; readonly clock?: Runtime["clock"] } = {},
): Promise<void> {
  let opened: (address: URL) => void = () => {};
  const address = new Promise<URL>((resolve) => opened = resolve);
  return withCaptureWorld((world) => work(world, () => address), (runtime) => ({
    ...runtime,
    ...(clock !== undefined && { clock }),
    // Every path is a program: a browser is found wherever it is looked for.
    syncStat: () => ({ kind: "file", executable: true, size: 1 }),
    processes: {
      run({ args, heldInput, signal }) {
        // Where there is no pipe for it, the address is the last argument.
        const asked = heldInput === undefined ? null : JSON.parse(heldInput.replace("\0", ""));
        opened(new URL(asked === null ? args.at(-1) ?? "" : asked.params.url));
        return new Promise((resolve) =>
          signal?.addEventListener(
            "abort",
            () =>
              resolve({ kind: "killed", by: "cancel", stdout: "", stderr: "", truncated: false }),
          )
        );
      },
    },
  }), token);
}

/** A page that joined. */
export interface JoinedPage {
  /** Says that it is open, as long as it is not closed. */
  attend(): Promise<void>;
  /** What its requests are known by. */
  readonly cookie: string;
  /** Closes it. */
  close(): void;
  get(path: string): Promise<Response>;
  /** The number of the next task, and what it is. */
  // deno-lint-ignore no-explicit-any
  next(): Promise<{ readonly id: string; readonly task: any }>;
  post(id: string, body: BodyInit): Promise<Response>;
}

/** Asks to be let in with the ticket of an address. */
export async function ask(address: URL): Promise<Response> {
  return await fetch(new URL("./join", address), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ticket: address.hash.slice(1) }),
  });
}

/** A page that has opened an address. */
export async function joined(address: URL): Promise<JoinedPage> {
  const response = await ask(address);
  assert.equal(response.status, 204);
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  const headers = { cookie, "x-svc-caller": "agent" };
  const get = (path: string) => fetch(new URL(path, address), { headers });
  const window = new AbortController();
  // Held: what is collected closes its connection.
  let presence: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    cookie,
    get,
    async attend() {
      const { signal } = window;
      const stream = await fetch(new URL("./presence", address), { headers, signal });
      assert.equal(stream.status, 200);
      presence = stream.body?.getReader();
      await presence?.read();
    },
    close() {
      // Deno closes the connection of a body that is cancelled; an abort alone leaves it open for a while.
      presence?.cancel().catch(() => {});
      window.abort();
    },
    next: async () => await (await get("./work")).json(),
    post: (id, body) =>
      fetch(new URL(`./answers/${id}`, address), { method: "POST", headers, body }),
  };
}

/** The answer of a page: a head, and files. */
export function answer(report: object, ...files: readonly Uint8Array<ArrayBuffer>[]): Blob {
  const head = JSON.stringify({ sizes: files.map(({ length }) => length), report });
  return new Blob([`${head}\n`, ...files]);
}

/** A PNG file of a size, all of one colour. */
export function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return pngWith(width, height, [deflateSync(rows)]);
}

/** A black PNG file as phones save their screens: three bytes a pixel. */
export function screenPngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  return pngWith(width, height, [deflateSync(Buffer.alloc((3 * width + 1) * height))], [8, 2]);
}

/** A PNG file that says a size, with such chunks of pixels. @param kind Depth and kind of colour. */
export function pngWith(
  width: number,
  height: number,
  pixels: readonly Uint8Array[],
  kind: readonly [depth: number, color: number] = [1, 0], // a bit a pixel, grey
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set(kind, 8);
  return new Uint8Array(Buffer.concat([
    PNG_SIGNATURE,
    pngChunk("IHDR", header),
    ...pixels.map((data) => pngChunk("IDAT", data)),
    pngChunk("IEND", new Uint8Array()),
  ]));
}

/** A chunk of a PNG file, with its checksum. */
export function pngChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return new Uint8Array(Buffer.concat([length, body, checksum]));
}

/** Opens a window. @param url Of the service. */
export async function windowAt(url: string): Promise<JoinedPage> {
  const headers = { "content-type": "application/json" };
  const reported = await fetch(`${url}/api/captures/window`, {
    method: "POST",
    headers,
    body: "{}",
  });
  const page = await joined(new URL((await reported.json()).url));
  await page.attend();
  return page;
}

/** A machine without any program. */
export const noProgram = (runtime: Runtime): Runtime => ({
  ...runtime,
  syncStat: () => ({ kind: "missing", executable: false, size: 0 }),
});
