import assert from "node:assert/strict";
import { test } from "node:test";
import { unitsOf } from "../../lib/page/model/drop-import.ts";
import { lineOf } from "../../lib/page/model/journal.ts";

const GUID = "0f0e0d0c-0b0a-4908-8706-050403020100";

const dropped = (path: string, text = "") => ({ path, file: new Blob([text]) });

test("files that a dropped .gltf names come with it, all others by themselves", async () => {
  const gltf = JSON.stringify({
    buffers: [{ uri: "chair.bin" }, { uri: "data:application/octet-stream;base64,AA==" }],
    images: [{ uri: "maps/wood%20dark.png" }, { uri: "../out.png" }, { bufferView: 0 }],
  });
  const units = await unitsOf([
    dropped("chair/chair.bin"),
    dropped("chair/chair.gltf", gltf),
    dropped("chair/maps/wood dark.png"),
    dropped("other.png"),
    dropped("broken.gltf", "{"),
  ]);
  assert.deepEqual(units.map(({ main, beside }) => [main.path, beside.map(({ path }) => path)]), [
    ["chair/chair.gltf", ["chair/chair.bin", "chair/maps/wood dark.png"]],
    ["other.png", []],
    ["broken.gltf", []],
  ]);
});

test("a journal's line names the entities of its event, and cuts what is long", () => {
  const line = lineOf("journal", {
    seq: 3,
    t: 1,
    tick: 60,
    type: "@contact",
    payload: { a: GUID, b: GUID, note: "x".repeat(1_000_000) },
  });
  assert.deepEqual([line?.key, line?.tick, line?.guids], ["journal 3", 60, [GUID]]);
  assert.ok((line?.text.length ?? 0) <= 301);
  assert.equal(lineOf("journal", { tick: 1 }), null);
});
