import assert from "node:assert/strict";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { getHeapSpaceStatistics } from "node:v8";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutProc } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { countedAbort } from "./conditions.ts";

const MIB = 1024 * 1024;
const TOTAL = 64 * MIB;

/** What a file system promises about streams. */
export function fileStreamsContract(createFiles: () => Files): void {
  const files = createFiles();
  bounded(files);
  ending(files);
}

/** Bytes of objects that only a full garbage collection removes. */
function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")
    ?.space_used_size ?? 0;
}

/** How often this process has a file open, though it may have been removed since. */
function timesOpen(path: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).replace(/ \(deleted\)$/, "") === path;
    } catch {
      return false; // closed since it was listed
    }
  }).length;
}

function bounded(files: Files): void {
  test("Files stream 64 MB in and out within 150 MB of memory", () =>
    withFolder(async (folder) => {
      const path = join(folder, "big");
      const before = process.memoryUsage().rss;
      let most = 0;
      const measure = () => most = Math.max(most, process.memoryUsage().rss - before);
      let made = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (made === TOTAL) return controller.close();
          controller.enqueue(new Uint8Array(MIB).fill(made / MIB));
          made += MIB;
          measure();
        },
      }, { highWaterMark: 0 });
      assert.equal(await files.writeAtomic(path, body), TOTAL);

      let read = 0;
      for await (const chunk of await files.openRead(path) ?? []) {
        assert.equal(chunk[0], Math.floor(read / MIB));
        read += chunk.length;
        measure();
      }
      assert.equal(read, TOTAL);
      assert.ok(most < 150 * MIB, `grew by ${Math.round(most / MIB)} MB`);
    }));

  test("Files.write() takes no more from its source than it has written", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      let made = 0;
      let ahead = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (made > 0) ahead = Math.max(ahead, made - statSync(path).size);
          if (made === 8 * MIB) return controller.close();
          controller.enqueue(new Uint8Array(MIB / 4));
          made += MIB / 4;
        },
      }, { highWaterMark: 0 });
      await files.write(path, body);
      assert.ok(ahead <= MIB, `${ahead} bytes were taken that were not written`);
    }));

  test("Files.readChunks() gives a file's bytes in order, and takes one chunk's memory", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      const bytes = Uint8Array.from({ length: MIB + 1 }, (_, at) => at % 251);
      writeTree(folder, { file: bytes, empty: "" });
      const read = new Uint8Array(bytes.length);
      const buffers = new Set<ArrayBuffer>();
      let at = 0;
      for (const _ of ["once", "again"]) {
        at = 0;
        for await (const chunk of await files.readChunks(path) ?? []) {
          read.set(chunk, at);
          at += chunk.length;
          buffers.add(chunk.buffer);
        }
        assert.equal(at, bytes.length);
        assert.deepEqual(read, bytes);
      }
      assert.equal(buffers.size, 1);
      for await (const _ of await files.readChunks(join(folder, "empty")) ?? []) assert.fail();
    }));

  test("Files.readChunks() leaves nothing that waits for a full garbage collection", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      writeTree(folder, { file: "sail();" });
      const readAll = async (times: number) => {
        for (let time = 0; time < times; time++) {
          for await (const _ of await files.readChunks(path) ?? []);
        }
      };
      await readAll(1_000); // what stays is made once
      const before = oldBytes();
      await readAll(6_000);
      // Below 0 after a full collection. When each read left something, it was 16 MB.
      const left = oldBytes() - before;
      assert.ok(left < 8 * MIB, `${left} bytes`);
    }));

  test("Files.readChunks() of two files at once mixes no bytes", () =>
    withFolder(async (folder) => {
      writeTree(folder, { ones: new Uint8Array(MIB).fill(1), twos: new Uint8Array(MIB).fill(2) });
      await Promise.all(["ones", "twos"].map(async (name, index) => {
        for await (const chunk of await files.readChunks(join(folder, name)) ?? []) {
          await new Promise(setImmediate); // the other one reads meanwhile
          assert.ok(chunk.every((byte) => byte === index + 1), name);
        }
      }));
    }));

  test("Files.write() asks for a chunk when the one before is written", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      const chunk = new Uint8Array(1000);
      const body = async function* () {
        for (let made = 0; made < 5; made++) {
          assert.equal(made === 0 ? 0 : statSync(path).size, made * chunk.length);
          yield await Promise.resolve(chunk.fill(made));
        }
      };
      assert.equal(await files.write(path, body()), 5 * chunk.length);
      const written = await files.read(path, MIB);
      assert.deepEqual([0, 1000, 2000, 3000, 4000].map((at) => written?.[at]), [0, 1, 2, 3, 4]);
    }));

  test("Files.write() of chunks that fail leaves no file", () =>
    withFolder(async (folder) => {
      const reason = new Error("no more");
      const body = async function* () {
        yield await Promise.resolve(new Uint8Array(1000));
        throw reason;
      };
      const written = files.write(join(folder, "file"), body());
      await assert.rejects(written, (thrown) => thrown === reason);
      assert.deepEqual(readdirSync(folder), []);
    }));

  test("Files.openRead() reads only what is asked for", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: new Uint8Array(4 * MIB) });
      const reader = (await files.openRead(join(folder, "file")))?.getReader();
      const first = await reader?.read();
      assert.ok(first !== undefined && !first.done);
      assert.ok(first.value.length > 0 && first.value.length <= MIB, String(first.value.length));
      await reader?.cancel();
    }));
}

function ending(files: Files): void {
  const size = 2 * MIB;

  /** Opens a file as a stream and lets the test end it; then the file must be closed. */
  function closes(
    name: string,
    end: (stream: ReadableStream<Uint8Array>, abort: AbortController) => Promise<void>,
  ): void {
    test(
      `Files.openRead() closes the file when ${name}`,
      { skip: withoutProc },
      () =>
        withFolder(async (folder) => {
          writeTree(folder, { file: new Uint8Array(size) });
          const path = join(folder, "file");
          const { abort, listening } = countedAbort();
          const stream = await files.openRead(path, abort.signal);
          assert.ok(stream);
          assert.deepEqual([timesOpen(path), listening()], [1, 1]);
          await end(stream, abort);
          await until("the file is closed", () => timesOpen(path) === 0);
          assert.equal(listening(), 0);
        }),
    );
  }

  closes("it was read to its end", async (stream) => {
    let read = 0;
    for await (const chunk of stream) read += chunk.length;
    assert.equal(read, size);
  });
  closes("its reader cancels in the middle", async (stream) => {
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
  });
  closes("its reader leaves the loop", async (stream) => {
    for await (const _ of stream) break;
  });
  closes("it is cancelled before anything was read", (stream) => stream.cancel());
  closes("it is aborted between reads", async (stream, abort) => {
    const reader = stream.getReader();
    await reader.read();
    const reason = new Error("enough");
    abort.abort(reason);
    await assert.rejects(reader.read(), (thrown) => thrown === reason);
  });
  closes("it is aborted during a read", async (stream, abort) => {
    const reader = stream.getReader();
    const read = reader.read();
    const reason = new Error("enough");
    abort.abort(reason);
    await assert.rejects(read, (thrown) => thrown === reason);
  });
  closes("it is aborted after it was cancelled", async (stream, abort) => {
    await stream.cancel();
    abort.abort();
  });

  const leaving: Readonly<
    Record<string, (chunks: AsyncIterable<Uint8Array>, abort: AbortController) => Promise<void>>
  > = {
    "it was read to its end": async (chunks) => {
      let read = 0;
      for await (const chunk of chunks) read += chunk.length;
      assert.equal(read, size);
    },
    "its reader leaves the loop": async (chunks) => {
      for await (const _ of chunks) break;
    },
    "it is aborted between two chunks": async (chunks, abort) => {
      const reason = new Error("enough");
      const read = async () => {
        for await (const _ of chunks) abort.abort(reason);
      };
      await assert.rejects(read, (thrown) => thrown === reason);
    },
  };
  for (const [name, leave] of Object.entries(leaving)) {
    test(
      `Files.readChunks() closes the file when ${name}`,
      { skip: withoutProc },
      () =>
        withFolder(async (folder) => {
          writeTree(folder, { file: new Uint8Array(size) });
          const path = join(folder, "file");
          const abort = new AbortController();
          const chunks = await files.readChunks(path, abort.signal);
          assert.ok(chunks);
          assert.equal(timesOpen(path), 1);
          await leave(chunks, abort);
          assert.equal(timesOpen(path), 0);
        }),
    );
  }

  test(
    "Files.openRead() that is aborted while it opens throws the reason and closes the file",
    { skip: withoutProc },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "x" });
        const path = join(folder, "file");
        const { abort, listening } = countedAbort();
        const opened = files.openRead(path, abort.signal);
        const reason = new Error("enough");
        abort.abort(reason);
        await assert.rejects(opened, (thrown) => thrown === reason);
        await until("the file is closed", () => timesOpen(path) === 0);
        assert.equal(listening(), 0);
      }),
  );

  test(
    "Files.write() closes and removes what was aborted",
    { skip: withoutProc },
    () =>
      withFolder(async (folder) => {
        const path = join(folder, "new");
        const abort = new AbortController();
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (timesOpen(path) === 1) abort.abort();
            controller.enqueue(new Uint8Array(1000));
          },
        });
        await assert.rejects(files.write(path, body, { signal: abort.signal }), {
          name: "AbortError",
        });
        assert.equal(timesOpen(path), 0);
        assert.deepEqual(readdirSync(folder), []);
      }),
  );

  test("Files.openRead() of twenty files under one signal warns of no leak", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      const { signal } = new AbortController();
      const warnings: string[] = [];
      const hear = ({ message }: Error) => void warnings.push(message);
      process.on("warning", hear);
      const open = () => files.openRead(join(folder, "file"), signal);
      const streams = await Promise.all(Array.from({ length: 20 }, open));
      await Promise.all(streams.map((stream) => stream?.cancel()));
      await new Promise(setImmediate); // a warning is told in a later turn
      process.off("warning", hear);
      assert.deepEqual(warnings, []);
    }));

  test("Files.openRead() under a signal that was aborted before opens nothing", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      const reason = new Error("too late");
      const path = join(folder, "file");
      for (const open of [files.openRead, files.readChunks]) {
        await assert.rejects(
          open(path, AbortSignal.abort(reason)),
          (thrown) => thrown === reason,
        );
      }
    }));
}
