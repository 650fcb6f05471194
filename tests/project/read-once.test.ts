import assert from "node:assert/strict";
import { test } from "node:test";
import { readOnce } from "../../lib/project/building/plan/read-once.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const { files } = await loadRuntime();

test("readOnce() asks once for each path, and says what was there then", () =>
  withFolder(async (root) => {
    writeTree(root, { "a.txt": "one" });
    const asked: string[] = [];
    const watched = readOnce({
      ...files,
      realPath(path) {
        asked.push(`realPath ${path}`);
        return files.realPath(path);
      },
      read(path, ...rest) {
        asked.push(`read ${path}`);
        return files.read(path, ...rest);
      },
    });
    const path = `${root}/a.txt`;
    const readTwice = async (maxBytes: number) => {
      const first = await watched.read(path, maxBytes);
      writeTree(root, { "a.txt": "two" });
      const second = await watched.read(path, maxBytes);
      writeTree(root, { "a.txt": "one" });
      return [first, second].map((bytes) => new TextDecoder().decode(bytes ?? undefined));
    };
    assert.deepEqual(await readTwice(100), ["one", "one"]);
    assert.equal(await watched.realPath(path), await watched.realPath(path));
    assert.deepEqual(asked, [`read ${path}`, `realPath ${path}`]);
    // Where links are refused nothing is taken from another read.
    await watched.read(path, 100, undefined, "refused");
    assert.equal(asked.length, 3);
  }));

test("readOnce() keeps no content of a file that may be large", () =>
  withFolder(async (root) => {
    writeTree(root, { "a.txt": "one" });
    let reads = 0;
    const watched = readOnce({
      ...files,
      read(...asked) {
        reads++;
        return files.read(...asked);
      },
      readRange(...asked) {
        reads++;
        return files.readRange(...asked);
      },
    });
    const path = `${root}/a.txt`;
    for (const [maxBytes, times] of [[1024 * 1024, 1], [1024 * 1024 + 1, 2]] as const) {
      reads = 0;
      for (let again = 0; again < 2; again++) await watched.read(path, maxBytes);
      assert.equal(reads, times, `read() of at most ${maxBytes} bytes`);
      reads = 0;
      for (let again = 0; again < 2; again++) await watched.readRange(path, 0, maxBytes);
      assert.equal(reads, times, `readRange() of at most ${maxBytes} bytes`);
    }
  }));
