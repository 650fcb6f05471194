import { test } from "node:test";
import assert from "node:assert/strict";
import { decodeUtf8, encodeUtf8 } from "../../lib/core/bytes.ts";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import type { Result } from "../../lib/core/result.ts";
import { assetBytes, assetText } from "../../lib/editor/files/asset-text.ts";
import { badModel, type GltfFailure } from "../../lib/editor/gltf/container.ts";
import { MODEL_LIMITS } from "../../lib/editor/gltf/limits.ts";
import { type ImportedModel, importModel } from "../../lib/editor/gltf/model.ts";
import { openModel } from "../../lib/editor/gltf/open-model.ts";
import { bytesOfDataUri } from "../../lib/editor/gltf/resources.ts";
import { glb, type Gltf, packed, type TestAccessor, TRIANGLE, triangleGlb } from "./glb.ts";
import { PNG } from "./png.ts";

// A file of a few hundred bytes may say anything; what an import does follows from bounds.

interface Importing {
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  readonly name?: string;
}

function importing(
  bytes: Uint8Array<ArrayBuffer>,
  { now = () => 0, signal, name = "thing" }: Importing = {},
): Promise<Result<ImportedModel, GltfFailure>> {
  let guids = 0;
  return importModel({
    name,
    bytes,
    now,
    signal,
    newGuid: () => `00000000-0000-4000-8000-${String(++guids).padStart(12, "0")}`,
    readBeside: (path) => Promise.resolve(badModel(`no ${path}`)),
  });
}

async function imported(bytes: Uint8Array<ArrayBuffer>, more?: Importing): Promise<ImportedModel> {
  const outcome = await importing(bytes, more);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

const many = <T>(length: number, item: T) => Array.from({ length }, () => item);

/** A model with these accessors and a clip of these channels, all of them of node 0. */
function animated(
  accessors: readonly TestAccessor[],
  channels: readonly Gltf[],
  nodes: readonly Gltf[] = [{ name: "Top" }],
): Uint8Array<ArrayBuffer> {
  const { json, bytes } = packed(accessors);
  const samplers = [{ input: 0, output: 1 }];
  return glb({ ...json, nodes, animations: [{ samplers, channels }] }, bytes);
}

const { nodeDepth, emptyElements, elements, keys, extensions, chunks } = MODEL_LIMITS;
const times = (count: number): TestAccessor => ({
  data: Float32Array.from({ length: count }, (_none, index) => index),
  type: "SCALAR",
});
const places = (count: number): TestAccessor => ({
  data: new Float32Array(count * 3),
  type: "VEC3",
});
const moves = { sampler: 0, target: { node: 0, path: "translation" } };
const empty = (count: number) => ({ componentType: 5126, count, type: "VEC3" });
const drawn = (accessor: Gltf, more: Gltf = {}) =>
  triangleGlb([{ mesh: 0 }], { accessors: [accessor], ...more });

/** Overlapping pictures, each a byte shorter than the one before. */
function overlapping(count: number, shorter: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4_000);
  bytes.set(PNG);
  return glb({
    buffers: [{ byteLength: bytes.length }],
    bufferViews: Array.from({ length: count }, (_none, index) => ({
      buffer: 0,
      byteLength: bytes.length - index * shorter,
    })),
    images: Array.from({ length: count }, (_none, index) => ({ bufferView: index })),
  }, bytes);
}

const TOO_MUCH: readonly (readonly [string, () => Uint8Array<ArrayBuffer>, RegExp])[] = [
  ...(["nodes", "meshes", "materials", "images", "accessors", "animations", "skins"] as const).map(
    (list) =>
      [
        `more ${list} than any model has`,
        () => glb({ [list]: many(MODEL_LIMITS[list] + 1, {}) }),
        new RegExp(`^${list}: found ${MODEL_LIMITS[list] + 1}, expected at most`),
      ] as const,
  ),
  [
    "more primitives than any model has",
    () => glb({ meshes: many(11, { primitives: many(10_000, {}) }) }),
    /^meshes\[\]\.primitives of all together: found 110000, expected at most 100000/,
  ],
  [
    "names of extensions",
    () => glb({ extensionsUsed: many(extensions + 1, "X") }),
    /^extensionsUsed: found 257, expected at most 256/,
  ],
  [
    "nodes that lie too deep",
    () =>
      triangleGlb(
        Array.from({ length: nodeDepth + 1 }, (_none, index) =>
          index === nodeDepth ? {} : { children: [index + 1] }),
      ),
    /is at depth 251, expected at most 250/,
  ],
  [
    "chunks",
    () => {
      const model = triangleGlb([]);
      const bytes = new Uint8Array(model.length + chunks * 8);
      bytes.set(model);
      new DataView(bytes.buffer).setUint32(8, bytes.length, true);
      return bytes;
    },
    /more than 100 chunks/,
  ],
  [
    "positions without bytes",
    () => drawn(empty(80_000_000)),
    /^numbers of accessors that have no bufferView: found 240000000, expected at most 1000000/,
  ],
  [
    "sparse positions without a bufferView",
    () =>
      drawn({
        ...empty(emptyElements),
        sparse: {
          count: 1,
          indices: { bufferView: 0, componentType: 5125 },
          values: { bufferView: 0, byteOffset: 4 },
        },
      }),
    /have no bufferView: found 3000000/,
  ],
  [
    "the same numbers, again and again",
    () => {
      const { json, bytes } = packed([places(10_000), times(10_000)]);
      const channels = many(Math.ceil(elements / 20_000) + 1, moves);
      const samplers = [{ input: 1, output: 0 }];
      return glb({ ...json, nodes: [{}], animations: [{ samplers, channels }] }, bytes);
    },
    /^elements of the accessors that it uses: found 100020000, expected at most 100000000/,
  ],
  [
    "keys",
    () => animated([times(1_000), places(1_000)], many(Math.ceil(keys / 3_000) + 1, moves)),
    /^keys of all animations together: found 4005000, expected at most 4000000/,
  ],
  [
    "text, by one long path of names",
    () => {
      const long = "n".repeat(120);
      const deep = Array.from(
        { length: nodeDepth },
        (_none, index) =>
          index === nodeDepth - 1 ? { name: long } : { name: long, children: [index + 1] },
      );
      const target = { node: nodeDepth - 1, path: "translation" };
      return animated([times(1), places(1)], many(1_000, { sampler: 0, target }), deep);
    },
    /found more than 16777216 bytes of JSON in all/,
  ],
  [
    "pictures that overlap",
    () => overlapping(100, 1),
    /^bytes of pictures in it: found \d+, expected at most \d+/,
  ],
];

for (const [what, bytes, message] of TOO_MUCH) {
  test(`importModel() refuses ${what}, naming what was found and the bound`, async () => {
    const outcome = await importing(bytes());
    assert.match(outcome.ok ? "" : outcome.error.message, message);
  });
}

test("importModel() takes positions without bytes, up to the bound", async () => {
  const { bounds } = await imported(drawn(empty(1_000)));
  assert.deepEqual(bounds, { min: [0, 0, 0], max: [0, 0, 0] });
});

test("importModel() writes a picture once, however many images and views name it", async () => {
  for (const bytes of [overlapping(50, 0), overlapping(1, 0)]) {
    const { files, warnings } = await imported(bytes);
    assert.equal(files.filter(({ path }) => path.startsWith("textures/")).length, 1);
    assert.deepEqual(warnings, []);
  }
});

test("importModel() of equal names looks each up a few times, not as often as there are names", async () => {
  const lower = String.prototype.toLowerCase;
  let folded = 0;
  const count = 1_500;
  const model = glb({ materials: many(count, { name: "Mesh" }), nodes: [] });
  String.prototype.toLowerCase = function () {
    folded++;
    return lower.call(this);
  };
  try {
    const { files } = await imported(model);
    assert.equal(new Set(files.map(({ path }) => path)).size, files.length);
    assert.ok(files.some(({ path }) => path === `materials/Mesh-${count}.material.json`));
  } finally {
    String.prototype.toLowerCase = lower;
  }
  assert.ok(folded < count * 12, `${folded} for ${count} names`);
});

test("importModel() measures once what many meshes draw", async () => {
  const count = 300;
  const order = { data: new Uint32Array(100_000), type: "SCALAR" } as const;
  const { json, bytes } = packed([TRIANGLE, order]);
  const primitives = [{ attributes: { POSITION: 0 }, indices: 1 }];
  let looks = 0;
  await imported(
    glb({
      ...json,
      meshes: many(count, { primitives }),
      nodes: Array.from({ length: count }, (_none, mesh) => ({ mesh })),
    }, bytes),
    { now: () => looks++ * 0 },
  );
  assert.ok(looks < count * 8, `${looks} looks`); // 100,000 indices are a dozen looks
});

const CROWD = triangleGlb(Array.from({ length: 5_000 }, (_none, index) => ({
  name: "Mesh",
  ...(index % 2 === 0 && { mesh: 0 }),
})));

test("importModel() lets others have their turn all along", async () => {
  let [turns, looks, done] = [0, 0, false];
  const tick = () => {
    turns++;
    if (!done) setTimeout(tick, 0);
  };
  setTimeout(tick, 0);
  await imported(CROWD, { now: () => looks++ * 10 }); // each look at the clock is a slice later
  done = true;
  // 5,000 nodes are read, checked, named, placed and written, a few hundred at a time.
  assert.ok(looks > 100, `${looks} looks`);
  assert.ok(turns > 50, `${turns} turns in ${looks} looks`);
});

for (const at of [1, 20, 60]) {
  test(`importModel() ends at the ${at}. look at the clock when it is aborted there`, async () => {
    const abort = new AbortController();
    const reason = new Error("no longer wanted");
    let looks = 0;
    const now = () => {
      if (++looks === at) abort.abort(reason);
      return 0;
    };
    await assert.rejects(
      importing(CROWD, { now, signal: abort.signal }),
      (thrown) => thrown === reason,
    );
    assert.ok(looks <= at + 1, `${looks} looks`);
  });
}

test("importModel() leaves characters that are not seen out of every name, and says so", async () => {
  const { json, bytes } = packed([TRIANGLE, times(1), places(1)]);
  const hidden = (name: string) => `${name}\u202e\u200b\ufeff\u{e0041}`;
  const { files, root, warnings } = await imported(
    glb({
      ...json,
      meshes: [{
        name: hidden("Mesh"),
        primitives: [{ attributes: { POSITION: 0 }, targets: [{ POSITION: 0 }] }],
        extras: { targetNames: [hidden("Smile")] },
      }],
      extensionsUsed: [hidden("X_thing")],
      nodes: [{ name: hidden("Node"), mesh: 0 }],
      materials: [{ name: hidden("Wood") }],
      animations: [{
        name: hidden("Walk"),
        samplers: [{ input: 1, output: 2 }],
        channels: [moves],
      }],
    }, bytes),
    { name: hidden("thing") },
  );
  assert.deepEqual(files.map(({ path }) => path), [
    "materials/Wood.material.json",
    "meshes/Mesh.mesh.json",
    "animations/Walk.anim.json",
    "thing.animset.json",
    "thing.glb",
    "thing.prefab.json",
  ]);
  for (const { path, bytes } of files.filter(({ path }) => path.endsWith(".json"))) {
    assert.doesNotMatch(new TextDecoder().decode(bytes), /\p{Default_Ignorable_Code_Point}/u, path);
  }
  const metas = JSON.stringify(files.map(({ meta }) => meta));
  assert.doesNotMatch(metas, /\p{Default_Ignorable_Code_Point}/u);
  assert.deepEqual([root.name, root.children?.[0]?.name], ["thing", "Node"]);
  assert.match(warnings.join("\n"), /5 of its names have invisible characters \(U\+202E\)/);
});

test("bytesOfDataUri() reads base64 in pieces, with white space in it", () => {
  const bytes = Uint8Array.from({ length: 200_001 }, (_none, index) => index * 7);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const spaced = `data:application/octet-stream;base64,${base64.slice(0, 10)}\n${base64.slice(10)}`;
  assert.deepEqual(runAtOnce(bytesOfDataUri(spaced)), bytes);
  assert.equal(runAtOnce(bytesOfDataUri(`data:;base64,${base64}=A`)), null);
});

test("assetBytes() is no longer than it may be", () => {
  const content = {
    list: Array.from({ length: 100 }, (_none, index) => ({ t: index, a: [index] })),
  };
  const text = assetText(content);
  assert.equal(decodeUtf8(runAtOnce(assetBytes(content, text.length)) ?? new Uint8Array()), text);
  assert.equal(runAtOnce(assetBytes(content, text.length - 1)), null);
});

test("openModel() gives others their turn while it parses the JSON of a model (decision 153)", () => {
  const extras = Array.from({ length: 200_000 }, (_, n) => n);
  const bytes = encodeUtf8(JSON.stringify({ asset: { version: "2.0" }, extras }));
  let turns = 0;
  const work = openModel(bytes);
  let step = work.next();
  for (; step.done !== true; step = work.next()) turns++;
  assert.ok(step.value.ok);
  assert.ok(turns >= bytes.length / (128 * 1024) - 1, `${turns} turns`);
});
