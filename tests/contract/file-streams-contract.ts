import assert from "node:assert/strict";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { comesTrue, countedAbort, withoutProc } from "./conditions.ts";

const MIB = 1024 * 1024;
const TOTAL = 64 * MIB;

/** What a file system promises about streams. */
export function fileStreamsContract(createFiles: () => Files): void {
  const files = createFiles();
  bounded(files);
  ending(files);
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
          assert.ok(await comesTrue(() => timesOpen(path) === 0), "the file is still open");
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
        assert.ok(await comesTrue(() => timesOpen(path) === 0), "the file is still open");
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
      const opened = files.openRead(join(folder, "file"), AbortSignal.abort(reason));
      await assert.rejects(opened, (thrown) => thrown === reason);
    }));
}
