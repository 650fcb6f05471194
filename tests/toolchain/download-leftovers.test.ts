import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { withFolder } from "../support/folder.ts";
import { BODY, hashOf, noise, OTHER, run, serving, startFaultServer } from "./download-world.ts";

// What a download makes of what it finds on the disk.

const server = await startFaultServer();
afterTests(() => server.close());

const url = () => `${server.origin}/files/tool.tar.gz`;
const CUT = 400_000;

test("download() asks for nothing when the file is there, and cleans up beside it", () =>
  withFolder(async (folder) => {
    const to = join(folder, "tool");
    writeFileSync(to, BODY);
    writeFileSync(`${to}.part`, "old");
    writeFileSync(`${to}.part.json`, "old");
    server.answer(serving());
    const { result } = await run(url(), to);
    assert.deepEqual(result, { ok: true, value: { path: to, bytes: BODY.length, fetched: 0 } });
    assert.equal(server.seen.length, 0);
    assert.deepEqual(readdirSync(folder), ["tool"]);
  }));

test("download() replaces a file with a wrong hash, and says so", () =>
  withFolder(async (folder) => {
    const to = join(folder, "tool");
    writeFileSync(to, OTHER);
    server.answer(serving());
    const { result, log } = await run(url(), to);
    assert.ok(result.ok);
    assert.equal(hashOf(readFileSync(to)), hashOf(BODY));
    assert.match(log.join("\n"), /found SHA-256 .*downloaded again/);
  }));

/** What may lie on the disk from an earlier run; only the bytes are ever believed, by their hash. */
const LEFT: readonly (readonly [
  name: string,
  part: Uint8Array | null,
  note: unknown,
  ranges: readonly (number | null)[],
])[] = [
  ["a part and its note", BODY.subarray(0, CUT), {}, [CUT]],
  ["a part that is whole", BODY, {}, []],
  ["a whole part of another file", OTHER, {}, [null]],
  ["a part of another file", OTHER.subarray(0, CUT), {}, [CUT, null]],
  ["a part without a note", BODY.subarray(0, CUT), null, [null]],
  ["a damaged note", BODY.subarray(0, CUT), "{", [null]],
  ["a note of a later kind", BODY.subarray(0, CUT), { schema: 2 }, [null]],
  ["a note of another address", BODY.subarray(0, CUT), { origin: "https://a.org/x" }, [null]],
  ["a note with a header in it", BODY.subarray(0, CUT), { validator: "a\r\nb: c" }, [null]],
  ["a part that is too large", noise(700_002), {}, [null]],
  ["a note without a part", null, {}, [null]],
  ["a tag that no longer holds", BODY.subarray(0, CUT), { validator: '"old"' }, [CUT]],
];

for (const [name, part, note, ranges] of LEFT) {
  test(`download() finds ${name}`, () =>
    withFolder(async (folder) => {
      const to = join(folder, "tool");
      if (part !== null) writeFileSync(`${to}.part`, part);
      if (note !== null) {
        const complete = { schema: 1, origin: url(), validator: '"one"', total: BODY.length };
        writeFileSync(
          `${to}.part.json`,
          typeof note === "string" ? note : JSON.stringify({ ...complete, ...note as object }),
        );
      }
      server.answer(serving());
      const { result } = await run(url(), to);
      assert.ok(result.ok, JSON.stringify(result));
      assert.equal(hashOf(readFileSync(to)), hashOf(BODY));
      assert.deepEqual(readdirSync(folder), ["tool"]);
      assert.deepEqual(
        server.seen.map(({ range }) => range ?? null),
        ranges.map((from) => from === null ? null : `bytes=${from}-`),
      );
    }));
}
