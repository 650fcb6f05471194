import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { DeflateThread } from "../../adapters/deno/deflate-thread.ts";
import { encodeUtf8, viewOf } from "../../lib/core/bytes.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { adapter } from "./adapter.ts";

const onDeno = "Deno" in globalThis;
const CHILD_MS = 120_000;
const NEEDS_DENO = { skip: onDeno ? false : "only Deno deflates on the calling thread" };

const { deflate, deflateStream, crc32 } = adapter.createDeflating();
const noise = crypto.getRandomValues(new Uint8Array(40_000));

const CONTENTS = [
  ["nothing", new Uint8Array()],
  ["one byte", Uint8Array.of(7)],
  ["text", encodeUtf8("for (const ship of harbor.ships) ship.sail();\n".repeat(2_000))],
  ["noise", noise],
  ["a megabyte of zeros", new Uint8Array(1 << 20)],
  ["a part of a buffer", noise.subarray(1_001, 30_000)],
] as const;

/** Three: more than is deflated without a thread. */
function megabytes(): Uint8Array<ArrayBuffer> {
  return encodeUtf8("for (const ship of harbor.ships) ship.sail();\n".repeat(1 << 16));
}

async function inflated(bytes: Uint8Array<ArrayBuffer>, format: "deflate-raw" | "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

for (const [name, bytes] of CONTENTS) {
  for (const [framing, format] of [["raw", "deflate-raw"], ["gzip", "gzip"]] as const) {
    test(`Deflating.deflate() of ${name}, ${framing}, inflates to the same`, async () => {
      assert.deepEqual(await inflated(await deflate(bytes, framing), format), bytes);
    });
  }
}

for (const [name, bytes] of [...CONTENTS, ["three megabytes", megabytes()]] as const) {
  test(`Deflating.deflateStream() of ${name} inflates to the same`, async () => {
    const stream = await deflateStream();
    const deflated = new Blob([bytes]).stream().pipeThrough(stream);
    const packed = new Uint8Array(await new Response(deflated).arrayBuffer());
    assert.equal(Buffer.compare(await inflated(packed, "deflate-raw"), bytes), 0);
  });
}

test("Deflating.deflate() answers each of many callers with what is theirs", async () => {
  const texts = Array.from(
    { length: 60 }, // together more than is deflated without a thread
    (_, at) => encodeUtf8(`const harbor = ${at};\n`.repeat(7_000)),
  );
  const all = await Promise.all(texts.map((text, at) => deflate(text, at % 2 ? "raw" : "gzip")));
  for (const [at, packed] of all.entries()) {
    assert.deepEqual(await inflated(packed, at % 2 ? "deflate-raw" : "gzip"), texts[at]);
  }
});

test("Deflating leaves the bytes that it is given as they were", async () => {
  const bytes = megabytes();
  for (const _ of [1, 2]) await deflate(bytes, "raw");
  assert.equal(Buffer.compare(bytes, megabytes()), 0);
});

for (
  const [name, rights, skip] of [
    ["that deflates on a thread ends once nobody waits for it", ["-A"], false],
    [
      "that may start no thread deflates without one",
      ["--no-prompt"],
      !onDeno && "Deno has rights",
    ],
  ] as const
) {
  test(`a process ${name}`, { skip }, () => {
    const args = onDeno
      ? ["run", ...rights, "--no-check", "tests/contract/deflate-child.ts"]
      : ["dist/tests/contract/deflate-child.js"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      timeout: CHILD_MS,
    });
    assert.deepEqual([status, stdout.trim()], [0, "1"], stderr);
  });
}

/** Deflates six megabytes by an adapter that is loaded from there. @returns Threads, and what Deno says. */
async function deflateFrom(from: string, folder: string) {
  const script = join(folder, "script.ts");
  writeFileSync(
    script,
    `import process from "node:process";
    let threads = 0;
    process.on("worker", () => threads++);
    const { createDeflating } = await import("${from}/adapters/deno/deflating.ts");
    const { deflate } = createDeflating();
    for (const _ of Array(6)) await deflate(new Uint8Array(1 << 20), "raw");
    console.log(threads);`,
  );
  const args = ["run", "-A", "--no-check", "--quiet", `--reload=${from}`, script];
  const ran = await promisify(execFile)(process.execPath, args, { timeout: CHILD_MS });
  return [ran.stdout.trim(), ran.stderr];
}

test(
  "Deflating of a package that is loaded over the network has a thread",
  NEEDS_DENO,
  () =>
    withFolder(async (folder) => {
      const server = createServer(({ url }, response) => {
        response.setHeader("content-type", "application/typescript");
        response.end(readFileSync(join(packageRoot(), url ?? "")));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      try {
        const address = server.address();
        assert.ok(address !== null && typeof address === "object");
        const from = `http://127.0.0.1:${address.port}`;
        assert.deepEqual(await deflateFrom(from, folder), ["1", ""]);
      } finally {
        server.close();
      }
    }),
);

test(
  "Deflating of a bundle, which lacks the worker's file, does without and says nothing",
  NEEDS_DENO,
  () =>
    withFolder(async (folder) => {
      const parts = ["deno/deflating.ts", "deno/deflate-thread.ts", "node/deflating.ts"];
      const read = (part: string) => readFileSync(join(packageRoot(), "adapters", part), "utf8");
      writeTree(
        folder,
        Object.fromEntries(parts.map((part) => [`adapters/${part}`, read(part)])),
      );
      assert.deepEqual(await deflateFrom(pathToFileURL(folder).href, folder), ["0", ""]);
    }),
);

test("Deflating.deflate() gives bytes of their own, equal for equal content", async () => {
  const [, text] = CONTENTS[2];
  const all = await Promise.all(Array.from({ length: 20 }, () => deflate(text, "raw")));
  const [first] = all;
  assert.ok(first !== undefined && first.length < text.length / 10);
  for (const one of all) assert.deepEqual(one, first);
  assert.equal(first.byteLength, first.buffer.byteLength, "no larger buffer is kept");
});

test("Deflating.crc32() is that of a gzip member, whole or in pieces", async () => {
  assert.equal(crc32(encodeUtf8("123456789"), 0), 0xcbf43926);
  const trailer = viewOf((await deflate(noise, "gzip")).slice(-8));
  assert.equal(crc32(noise, 0), trailer.getUint32(0, true));
  assert.equal(crc32(noise.subarray(999), crc32(noise.subarray(0, 999), 0)), crc32(noise, 0));
  assert.equal(crc32(new Uint8Array(), 5), 5);
});

test("DeflateThread releases an abandoned stream while others continue", NEEDS_DENO, async () => {
  const thread = new DeflateThread();
  const [abandoned, other] = [await thread.openStream(), await thread.openStream()];
  await abandoned.next(noise);
  const begun = await other.next(noise);
  abandoned.abandon();
  await assert.rejects(abandoned.end(), /has no stream \d+: it was abandoned/);
  const rest = [await other.next(noise), await other.end()];
  const packed = new Uint8Array(await new Blob([begun, ...rest]).arrayBuffer());
  const twice = await inflated(packed, "deflate-raw");
  assert.equal(Buffer.compare(twice, Buffer.concat([noise, noise])), 0);
});

/** A module of the thread under which zlib fails at a chunk of one byte. */
function failingModule(): URL {
  const worker = pathToFileURL(join(packageRoot(), "adapters/deno/deflate-worker.ts")).href;
  const script = `const { CompressionStream: Real } = globalThis;
    globalThis.CompressionStream = class {
      constructor(format) {
        const real = new Real(format);
        const failing = new TransformStream({
          transform(chunk, controller) {
            if (chunk.length === 1) throw new Error("zlib failed");
            controller.enqueue(chunk);
          },
        });
        this.writable = failing.writable;
        this.readable = failing.readable.pipeThrough(real);
      }
    };
    await import(${JSON.stringify(worker)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

test("DeflateThread outlives zlib's failure within a stream", NEEDS_DENO, async () => {
  const thread = new DeflateThread(failingModule);
  const [failing, other] = [await thread.openStream(), await thread.openStream()];
  const begun = [await other.next(noise)];
  await failing.next(noise);
  await assert.rejects(failing.next(Uint8Array.of(7)), /zlib failed/);
  await assert.rejects(failing.next(noise), /has no stream \d+/, "it was released");
  const rest = [await other.next(noise), await other.end()];
  const packed = new Uint8Array(await new Blob([...begun, ...rest]).arrayBuffer());
  const twice = await inflated(packed, "deflate-raw");
  assert.equal(Buffer.compare(twice, Buffer.concat([noise, noise])), 0);
});

test("Deflating.deflateStream() abandons a stream that is no longer read", async () => {
  for (const end of ["cancel", "abort"] as const) {
    const { readable, writable } = await deflateStream();
    const written = writable.getWriter();
    const reader = readable.getReader();
    // Not awaited: under Node 20 an abort alone keeps no process alive until it is done.
    const ended = [
      written.write(noise),
      end === "cancel" ? reader.cancel() : written.abort(new Error("stopped")),
    ];
    for (const end of ended) end.catch(() => undefined);
  }
  assert.ok((await deflate(megabytes(), "raw")).length > 0);
});
