import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { getBounds, Logger, type Node, Verbosity, WebIO } from "@gltf-transform/core";
import { ok, type Result } from "../../lib/core/result.ts";
import { type ImportedModel, importModel } from "../../lib/editor/gltf/model.ts";
import { badModel, type GltfFailure } from "../../lib/editor/gltf/container.ts";
import { isDataUri, pathOfUri } from "../../lib/editor/gltf/resources.ts";
import { entityName, fileName, UniqueNames } from "../../lib/editor/gltf/names.ts";
import { rotationToMatrix, transformFields } from "../../lib/editor/gltf/transforms.ts";
import type { PrefabEntity } from "../../lib/editor/gltf/nodes.ts";
import { multiply, place, rotationOf, transpose } from "../../lib/game/geometry/math.ts";
import type { Entity } from "../../lib/editor/ports/mod.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { rounds, stride } from "../support/rounds.ts";
import { glb, type Gltf, packed, type TestAccessor, TRIANGLE, triangleGlb } from "./glb.ts";
import { PNG } from "./png.ts";
import { PROFILE_MODELS } from "./profile-models.ts";

type Outcome = Result<ImportedModel, GltfFailure>;

/** Imports bytes; files beside the model by path. */
function importing(
  bytes: Uint8Array<ArrayBuffer>,
  beside: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {},
): Promise<Outcome> {
  let guids = 0;
  return importModel({
    name: "thing",
    bytes,
    newGuid: () => `00000000-0000-4000-8000-${String(++guids).padStart(12, "0")}`,
    now: () => 0,
    readBeside: (path) => {
      const found = beside[path];
      return Promise.resolve(found === undefined ? badModel(`no ${path}`) : ok(found));
    },
  });
}

async function imported(bytes: Uint8Array<ArrayBuffer>): Promise<ImportedModel> {
  const outcome = await importing(bytes);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

/** The content of a file that an import made. */
// deno-lint-ignore no-explicit-any
function contentOf({ files }: ImportedModel, ending: string): any {
  const file = files.find(({ path }) => path.endsWith(ending));
  if (file === undefined) throw new Error(`No ${ending} in ${files.map(({ path }) => path)}`);
  return JSON.parse(new TextDecoder().decode(file.bytes));
}

/** The fewest digits that are the same float of 32 bits. */
function short(value: number): number {
  const digits = [6, 7, 8, 9].find((many) =>
    Math.fround(Number(value.toPrecision(many))) === value
  );
  return Number(value.toPrecision(digits));
}

/** The tree as entities of a scene, with the node names that lead to each. */
function flattened(root: PrefabEntity): readonly Entity[] {
  const entities: Entity[] = [];
  const add = ({ name, layer, traits, children = [] }: PrefabEntity, parentId: number | null) => {
    const id = entities.length + 1;
    entities.push({ id, guid: String(id), name, parentId, layer, traits });
    for (const child of children) add(child, id);
  };
  add(root, null);
  return entities;
}

/** The box around all vertices, each taken through the entities' own Transforms. */
function prefabBounds(
  root: PrefabEntity,
  nodes: readonly Node[],
): { min: number[]; max: number[] } {
  const entities = flattened(root).slice(1);
  const places = worldPlaces(flattened(root));
  const [min, max] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  assert.equal(entities.length, nodes.length);
  for (const [index, entity] of entities.entries()) {
    const mesh = nodes[index]?.getMesh();
    assert.equal(mesh !== null && mesh !== undefined, entity.traits["Renderable3D"] !== undefined);
    const affine = places.get(entity.id)?.affine;
    if (!mesh || affine === undefined) continue;
    for (const primitive of mesh.listPrimitives()) {
      const [positions, indices] = [primitive.getAttribute("POSITION"), primitive.getIndices()];
      if (positions === null) continue;
      const count = indices === null ? positions.getCount() : indices.getCount();
      for (let i = 0; i < count; i++) {
        const vertex = indices === null ? i : indices.getScalar(i);
        const [x = 0, y = 0, z = 0] = positions.getElement(vertex, []);
        const point = place(affine, [x, y, z]);
        for (const axis of [0, 1, 2] as const) {
          min[axis] = Math.min(min[axis] ?? 0, point[axis]);
          max[axis] = Math.max(max[axis] ?? 0, point[axis]);
        }
      }
    }
  }
  return { min, max };
}

/** The nodes of the default scene, parents before children, in the order of the file. */
function nodesInOrder(roots: readonly Node[]): readonly Node[] {
  return roots.flatMap((node) => [node, ...nodesInOrder(node.listChildren())]);
}

async function assertSameBounds(bytes: Uint8Array<ArrayBuffer>, label: string): Promise<void> {
  const io = new WebIO().setLogger(new Logger(Verbosity.SILENT));
  const document = await io.readBinary(bytes);
  const scene = document.getRoot().getDefaultScene() ?? document.getRoot().listScenes()[0];
  if (scene === undefined) throw new Error(`${label}: no scene`);
  const expected = getBounds(scene);
  const { root, bounds } = await imported(bytes);
  const found = prefabBounds(root, nodesInOrder(scene.listChildren()));
  for (const [what, box] of [["prefab", found], ["model", bounds ?? found]] as const) {
    for (const side of ["min", "max"] as const) {
      for (const axis of [0, 1, 2] as const) {
        const [is, should] = [box[side][axis] ?? NaN, expected[side][axis] ?? NaN];
        const near = is === should || Math.abs(is - should) <= 1e-4 * Math.max(1, Math.abs(should));
        assert.ok(near, `${label}: ${side}[${axis}] of the ${what} is ${is}, expected ${should}`);
      }
    }
  }
}

for (const folder of ["lib/editor/sample/assets/models"]) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".glb"))) {
    test(`importModel() of ${file} has the bounds of gltf-transform`, async () => {
      await assertSameBounds(new Uint8Array(readFileSync(join(folder, file))), file);
    });
  }
}

test("importModel() of each real model has the bounds of gltf-transform", async () => {
  const every = stride(8);
  for (const [index, file] of PROFILE_MODELS.entries()) {
    if (index % every === 0) await assertSameBounds(new Uint8Array(readFileSync(file)), file);
  }
});

const unit = fc.double({ min: -1, max: 1, noNaN: true });
const quaternion = fc.tuple(unit, unit, unit, unit).map((q) => {
  const length = Math.hypot(...q);
  return length < 1e-3 ? [0, 0, 0, 1] : q.map((part) => part / length);
});
const extent = fc.double({ min: -50, max: 50, noNaN: true });
const factor = fc.oneof(
  fc.double({ min: 0.01, max: 4, noNaN: true }),
  fc.double({ min: -4, max: -0.01, noNaN: true }),
);
const node = fc.record({
  translation: fc.tuple(extent, extent, extent),
  rotation: quaternion,
  scale: fc.tuple(factor, factor, factor),
}, { requiredKeys: [] });

test("importModel() of random trees has the bounds of gltf-transform", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 8 }), async (nodes) => {
      // Each node below the one before: what one does to all others adds up.
      const chain = nodes.map((one, index) => ({
        ...one,
        mesh: 0,
        ...(index + 1 < nodes.length && { children: [index + 1] }),
      }));
      await assertSameBounds(
        triangleGlb(chain, { scenes: [{ nodes: [0] }], scene: 0 }),
        JSON.stringify(chain),
      );
    }),
    { numRuns: rounds(60, 2_000) },
  );
});

test("importModel() takes matrices apart: turned, scaled, mirrored, flattened", async () => {
  const matrices: Record<string, number[]> = {
    turned: [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1],
    scaled: [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1],
    mirrored: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1],
    "turned half about x": [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1],
    "turned half about y": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1],
  };
  for (const [label, matrix] of Object.entries(matrices)) {
    const bytes = triangleGlb([{ mesh: 0, matrix }], { scenes: [{ nodes: [0] }] });
    await assertSameBounds(bytes, label);
  }
  const flat = await imported(
    triangleGlb([{ mesh: 0, matrix: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1] }]),
  );
  assert.deepEqual(flat.root.children?.[0]?.traits["Transform"], { x: 9, sy: 0 });
});

test("transformFields() keeps a rotation, also near a right angle about y", () => {
  for (const degrees of [89.99, 89.9999, 90, 90.0001, -90, -89.99999, 45]) {
    for (const [x, z] of [[0, 0], [30, 40], [-170, 100]] as const) {
      const expected = rotationOf([x, degrees, z]);
      const half = (angle: number) => angle * Math.PI / 360;
      // The quaternion of Rx·Ry·Rz.
      const [sx, cx] = [Math.sin(half(x)), Math.cos(half(x))];
      const [sy, cy] = [Math.sin(half(degrees)), Math.cos(half(degrees))];
      const [sz, cz] = [Math.sin(half(z)), Math.cos(half(z))];
      const rotation = [
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz + sx * sy * cz,
        cx * cy * cz - sx * sy * sz,
      ];
      const fields = transformFields({ translation: [0, 0, 0], rotation, scale: [1, 1, 1] });
      const angle = (name: string) => Number(fields[name] ?? 0);
      const found = rotationOf([angle("rx"), angle("ry"), angle("rz")]);
      const rest = multiply(transpose(expected), found);
      for (const [index, value] of rest.entries()) {
        assert.ok(Math.abs(value - (index % 4 === 0 ? 1 : 0)) < 1e-7, `${x} ${degrees} ${z}`);
      }
    }
  }
  assert.deepEqual(rotationToMatrix([0, 0, 0, 0]), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
});

test("importModel() gives siblings names of their own and cleans them", async () => {
  const { root } = await imported(
    triangleGlb([
      { name: "Wheel" },
      { name: "Wheel" },
      { name: "wheel" },
      { name: "  " },
      { name: "a/b" },
      { name: "Räder 🛞" },
      { name: "two\nlines" },
      { name: "do\u202eor\u200b" },
    ]),
  );
  assert.deepEqual(
    root.children?.map(({ name }) => name),
    ["Wheel", "Wheel 2", "wheel 3", "Node 3", "a-b", "Räder 🛞", "two lines", "door"],
  );
});

test("UniqueNames() never gives a name twice, whatever is asked for", () => {
  fc.assert(fc.property(fc.array(fc.constantFrom("a", "a 2", "A", "b", "a 3")), (requested) => {
    const names = new UniqueNames();
    const given = requested.map((name) => names.take(name).toLowerCase());
    assert.equal(new Set(given).size, given.length);
  }));
});

const FILE_NAMES: readonly (readonly [string | undefined, string])[] = [
  [undefined, "x"],
  ["", "x"],
  ["../../etc/passwd", "etc-passwd"],
  ["..", "x"],
  [".hidden", "hidden"],
  ["Über Größe", "Über Größe"],
  ["a\u0000b", "a b"],
  ["con:aux*?", "con-aux"],
  ["x".repeat(300), "x".repeat(60)],
  ["\ud83d", "x"],
  ["con", "_con"],
  ["COM1.old", "_COM1.old"],
  ["console", "console"],
  ["gnp\u202e.exe", "gnp.exe"],
  ["a\u200b\ufeff\u{e0041}b", "ab"],
];
for (const [name, expected] of FILE_NAMES) {
  test(`fileName() of ${JSON.stringify(name)?.slice(0, 20)}`, () => {
    assert.equal(fileName(name, "x"), expected);
  });
}

test("entityName() leaves no lone surrogate where it cuts", () => {
  const name = entityName(`${"a".repeat(119)}🛞`, "x");
  assert.equal(name, "a".repeat(119));
});

test("importModel() shares a mesh between nodes and measures what is drawn of it", async () => {
  const positions: TestAccessor = {
    data: new Float32Array([0, 0, 0, 1, 0, 0, 0, 2, 0, 99, 99, 99]), // the last is never drawn
    type: "VEC3",
  };
  const { json, bytes } = packed([positions, { data: new Uint16Array([0, 1, 2]), type: "SCALAR" }]);
  const model = await imported(glb({
    ...json,
    materials: [{ name: "Paint", pbrMetallicRoughness: { baseColorFactor: [1, 0.5, 0, 1] } }],
    meshes: [{
      name: "Part",
      primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }],
    }],
    nodes: [{ mesh: 0 }, { mesh: 0, translation: [10, 0, 0] }],
  }, bytes));
  const mesh = contentOf(model, "Part.mesh.json");
  assert.deepEqual(mesh.bounds, { min: [0, 0, 0], max: [1, 2, 0] });
  assert.equal(mesh.mesh, 0);
  const [first, second] = model.root.children ?? [];
  const drawn = first?.traits["Renderable3D"];
  assert.deepEqual(second?.traits["Renderable3D"], drawn);
  const meshFile = model.files.find(({ path }) => path === "meshes/Part.mesh.json");
  assert.equal(drawn?.["model"], meshFile?.meta?.["guid"]);
  assert.deepEqual(meshFile?.meta?.["bounds"], mesh.bounds, "layout reads it from the sidecar");
  const paint = model.files.find(({ path }) => path === "materials/Paint.material.json");
  assert.equal(drawn?.["material"], paint?.meta?.["guid"]);
  assert.deepEqual(mesh.primitives, [{
    vertices: 4,
    triangles: 1,
    material: paint?.meta?.["guid"],
  }]);
  assert.equal(contentOf(model, "Paint.material.json").color, "#ffbc00");
  assert.deepEqual(model.bounds, { min: [0, 0, 0], max: [11, 2, 0] });
});

test("importModel() reads sparse, interleaved and normalized positions", async () => {
  const { json, bytes } = packed([
    TRIANGLE,
    { data: new Uint16Array([2]), type: "SCALAR" },
    { data: new Float32Array([0, 8, 0]), type: "VEC3" },
  ]);
  const [first] = json["accessors"] as Gltf[];
  const sparse = {
    count: 1,
    indices: { bufferView: 1, componentType: 5123 },
    values: { bufferView: 2 },
  };
  const meshes = [{ primitives: [{ attributes: { POSITION: 0 } }] }];
  const nodes = [{ mesh: 0 }];
  const over = await imported(
    glb({ ...json, accessors: [{ ...first, sparse }], meshes, nodes }, bytes),
  );
  assert.deepEqual(over.bounds?.max, [1, 8, 0]);
  const alone = { componentType: 5126, count: 3, type: "VEC3", sparse };
  const fromZero = await imported(glb({ ...json, accessors: [alone], meshes, nodes }, bytes));
  assert.deepEqual(fromZero.bounds, { min: [0, 0, 0], max: [0, 8, 0] });

  const woven = packed([{
    data: new Float32Array([0, 0, 0, 7, 1, 0, 0, 7, 0, 2, 0, 7]), // a number between the points
    type: "VEC4",
  }]);
  const interleaved = await imported(glb({
    buffers: woven.json["buffers"],
    bufferViews: [{ buffer: 0, byteLength: 48, byteStride: 16 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3" }],
    meshes,
    nodes,
  }, woven.bytes));
  assert.deepEqual(interleaved.bounds?.max, [1, 2, 0]);

  const quantized = packed([{
    data: new Int16Array([0, 0, 0, 32767, 0, 0, 0, -32767, 0]),
    type: "VEC3",
    normalized: true,
  }]);
  const complete = await imported(glb({ ...quantized.json, meshes, nodes }, quantized.bytes));
  assert.deepEqual(complete.bounds, { min: [0, -1, 0], max: [1, 0, 0] });
});

test("importModel() makes tracks of all three interpolations, with tangents and weights", async () => {
  const half = Math.SQRT1_2;
  const { json, bytes } = packed([
    TRIANGLE,
    { data: new Float32Array([0, 1, 2]), type: "SCALAR" },
    { data: new Float32Array([0, 0, 0, 0, 3, 0, 0, 0, 0]), type: "VEC3" },
    {
      data: new Float32Array([0, 0, 0, 1, 0, half, 0, half, 0, 1, 0, 0]),
      type: "VEC4",
    },
    {
      data: new Float32Array([
        9,
        9,
        9,
        1,
        1,
        1,
        9,
        9,
        9,
        8,
        8,
        8,
        2,
        1,
        1,
        8,
        8,
        8,
        7,
        7,
        7,
        3,
        1,
        1,
        7,
        7,
        7,
      ]),
      type: "VEC3",
    },
    { data: new Float32Array([0, 1, 0]), type: "SCALAR" },
  ]);
  const model = await imported(glb({
    ...json,
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, targets: [{ POSITION: 0 }] }] }],
    nodes: [{ name: "Arm", children: [1], mesh: 0 }, { name: "Hand" }],
    animations: [{
      name: "Wave",
      samplers: [
        { input: 1, output: 2, interpolation: "STEP" },
        { input: 1, output: 3 },
        { input: 1, output: 4, interpolation: "CUBICSPLINE" },
        { input: 1, output: 5 },
      ],
      channels: [
        { sampler: 0, target: { node: 1, path: "translation" } },
        { sampler: 1, target: { node: 1, path: "rotation" } },
        { sampler: 2, target: { node: 0, path: "scale" } },
        { sampler: 3, target: { node: 0, path: "weights" } },
      ],
    }],
  }, bytes));
  const { length, tracks } = contentOf(model, "Wave.anim.json");
  assert.equal(length, 2);
  const track = (field: string) =>
    tracks.find((one: { field: string }) => one.field === `Transform.${field}`);
  assert.deepEqual(track("y"), {
    target: "Arm/Hand",
    field: "Transform.y",
    keys: [
      { t: 0, value: 0, ease: "step" },
      { t: 1, value: 3, ease: "step" },
      { t: 2, value: 0, ease: "step" },
    ],
  });
  assert.deepEqual(track("x").keys, [{ t: 0, value: 0 }], "what never changes has one key");
  assert.deepEqual(track("rotation").keys, [
    { t: 0, value: [0, 0, 0, 1] },
    { t: 1, value: [0, Math.fround(half), 0, Math.fround(half)].map(short) },
    { t: 2, value: [0, 1, 0, 0] },
  ]);
  assert.deepEqual(track("sx").keys, [
    { t: 0, value: 1, ease: "cubic", inTangent: 9, outTangent: 9 },
    { t: 1, value: 2, ease: "cubic", inTangent: 8, outTangent: 8 },
    { t: 2, value: 3, ease: "cubic", inTangent: 7, outTangent: 7 },
  ]);
  assert.deepEqual(tracks.at(-1), {
    target: "Arm",
    field: "Morph.w0",
    keys: [{ t: 0, value: 0 }, { t: 1, value: 1 }, { t: 2, value: 0 }],
  });
  assert.deepEqual(model.warnings, []);
  const set = model.files.find(({ path }) => path === "thing.animset.json");
  assert.equal(model.root.traits["Animator"]?.["animset"], set?.meta?.["guid"]);
  assert.deepEqual(Object.keys(contentOf(model, ".animset.json").clips), ["Wave"]);
});

test("importModel() makes cameras that wait, and lights", async () => {
  const { root } = await imported(glb({
    cameras: [
      { type: "perspective", perspective: { yfov: Math.PI / 4, znear: 0.5 } },
      { type: "orthographic", orthographic: { xmag: 4, ymag: 3, znear: 0, zfar: 20 } },
    ],
    extensions: {
      KHR_lights_punctual: {
        lights: [
          { type: "spot", color: [1, 0, 0], intensity: 20, range: 7, spot: {} },
          { type: "directional" },
        ],
      },
    },
    nodes: [
      { camera: 0 },
      { camera: 1 },
      { extensions: { KHR_lights_punctual: { light: 0 } } },
      { extensions: { KHR_lights_punctual: { light: 1 } } },
    ],
  }));
  const traits = root.children?.map((child) => child.traits) ?? [];
  assert.deepEqual(traits[0]?.["Camera"], { active: false, near: 0.5, far: 10_000, fov: 45 });
  assert.deepEqual(traits[1]?.["Camera"], {
    active: false,
    near: 0.0001,
    far: 20,
    projection: "orthographic",
    size: 6,
  });
  assert.deepEqual(traits[2]?.["Light"], {
    kind: "spot",
    color: "#ff0000",
    intensity: 20,
    range: 7,
    angle: 90,
  });
  assert.deepEqual(traits[3]?.["Light"], { kind: "directional", color: "#ffffff", intensity: 1 });
});

test("importModel() refuses a required extension by name, with what unpacks it", async () => {
  for (
    const [name, next] of [
      ["KHR_draco_mesh_compression", /gltf-transform copy/],
      ["EXT_meshopt_compression", /gltf-transform copy/],
      ["KHR_texture_basisu", /gltf-transform ktxdecompress/],
      ["ACME_spinning", /Export the model again without it/],
    ] as const
  ) {
    const outcome = await importing(triangleGlb([{ mesh: 0 }], { extensionsRequired: [name] }));
    assert.ok(!outcome.ok, name);
    assert.match(outcome.error.message, new RegExp(name));
    assert.match(`${outcome.error.message} ${outcome.error.next}`, next);
  }
});

test("importModel() says by name which extensions it keeps and drops", async () => {
  const model = await imported(triangleGlb([{ mesh: 0 }], {
    extensionsUsed: ["KHR_texture_transform", "ACME_spinning", "KHR_materials_unlit"],
    extensionsRequired: ["KHR_texture_transform"],
  }));
  assert.deepEqual(model.warnings, [
    "thing: its extensions ACME_spinning, KHR_texture_transform (offset, rotation and scale of " +
    "textures) were dropped; it keeps KHR_materials_unlit",
  ]);
  const facts = model.files.find(({ path }) => path === "thing.glb")?.meta?.["model"];
  assert.deepEqual(facts, {
    nodes: 1,
    meshes: 1,
    materials: 0,
    textures: 0,
    animations: 0,
    skins: 0,
    extensionsKept: ["KHR_materials_unlit"],
    extensionsDropped: ["ACME_spinning", "KHR_texture_transform"],
  });
});

test("importModel() takes the picture that most can read, of several forms of it", async () => {
  const model = await imported(glb({
    extensionsUsed: ["KHR_texture_basisu"],
    images: [{ uri: `data:image/png;base64,${btoa(String.fromCharCode(...PNG))}` }, {
      uri: "data:image/ktx2;base64,AAAA",
    }],
    textures: [{ source: 0, extensions: { KHR_texture_basisu: { source: 1 } } }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
  }));
  const png = model.files.find(({ path }) => path.endsWith(".png"));
  assert.equal(contentOf(model, ".material.json").texture, png?.meta?.["guid"]);
});

test("importModel() measures meshes whose fallback is there, and others by what they say", async () => {
  const said = { componentType: 5126, count: 300, type: "VEC3", min: [-1, 0, -2], max: [1, 3, 2] };
  const draco = { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: 0 } } };
  const packedOnly = await imported(glb({
    extensionsUsed: ["KHR_draco_mesh_compression"],
    buffers: [{ byteLength: 4 }],
    bufferViews: [{ buffer: 0, byteLength: 4 }],
    accessors: [said, { componentType: 5125, count: 900, type: "SCALAR" }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, extensions: draco }] }],
    nodes: [{ mesh: 0 }],
  }, new Uint8Array(4)));
  assert.deepEqual(packedOnly.bounds, { min: [-1, 0, -2], max: [1, 3, 2] });
  assert.ok(packedOnly.warnings.some((one) => /compressed \(KHR_draco/.test(one)));
  assert.equal(contentOf(packedOnly, ".mesh.json").primitives[0].triangles, 300);

  const { json, bytes } = packed([TRIANGLE]);
  const complete = await imported(glb({
    ...json,
    extensionsUsed: ["KHR_draco_mesh_compression"],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, extensions: draco }] }],
    nodes: [{ mesh: 0 }],
  }, bytes));
  assert.deepEqual(complete.bounds, { min: [0, 0, 0], max: [1, 2, 0] });

  const meshopt = await imported(glb({
    extensionsUsed: ["EXT_meshopt_compression"],
    buffers: [
      { byteLength: 4 },
      { byteLength: 3600, extensions: { EXT_meshopt_compression: { fallback: true } } },
    ],
    bufferViews: [{
      buffer: 1,
      byteLength: 3600,
      extensions: { EXT_meshopt_compression: { buffer: 0, byteLength: 4, count: 300 } },
    }],
    accessors: [{ ...said, bufferView: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [{ mesh: 0 }],
  }, new Uint8Array(4)));
  assert.deepEqual(meshopt.bounds, packedOnly.bounds);
});

/** A `.gltf` with its buffer and its picture beside it. */
function externalGltf(bufferUri: string, imageUri: string): Uint8Array<ArrayBuffer> {
  const { json } = packed([TRIANGLE]);
  return new TextEncoder().encode(JSON.stringify({
    asset: { version: "2.0" },
    ...json,
    buffers: [{ uri: bufferUri, byteLength: 36 }],
    images: [{ uri: imageUri }],
    textures: [{ source: 0 }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
  }));
}

test("importModel() keeps the files of a .gltf where it looks for them", async () => {
  const { bytes } = packed([TRIANGLE]);
  const outcome = await importing(externalGltf("my%20data/part.bin", "./tex/wood.png"), {
    "my data/part.bin": new Uint8Array(bytes),
    "tex/wood.png": PNG,
  });
  if (!outcome.ok) throw new Error(outcome.error.message);
  const model = outcome.value;
  assert.deepEqual(model.bounds?.max, [1, 2, 0]);
  const paths = model.files.map(({ path }) => path);
  for (const path of ["my data/part.bin", "tex/wood.png", "thing.gltf", "thing.prefab.json"]) {
    assert.ok(paths.includes(path), path);
  }
  const texture = model.files.find(({ path }) => path === "tex/wood.png");
  assert.equal(contentOf(model, ".material.json").texture, texture?.meta?.["guid"]);
  assert.equal(model.files.find(({ path }) => path.endsWith(".bin"))?.meta, null);
});

test("importModel() takes buffers and pictures out of data URIs", async () => {
  const { bytes } = packed([TRIANGLE]);
  const base64 = (data: Uint8Array) => btoa(String.fromCharCode(...data));
  const model = await imported(
    externalGltf(
      `data:application/octet-stream;base64,${base64(bytes)}`,
      `data:image/png;base64,${base64(PNG)}`,
    ),
  );
  assert.deepEqual(model.bounds?.max, [1, 2, 0]);
  const picture = model.files.find(({ path }) => path.startsWith("textures/"));
  assert.equal(picture?.path, "textures/image.png");
  assert.deepEqual(picture?.bytes, PNG);
  assert.equal(isDataUri("data:,x"), true);
});

for (
  const uri of [
    "../../x.bin",
    "..%2F..%2Fx.bin",
    "/etc/passwd",
    "C:/x.bin",
    "a\\..\\x.bin",
    "http://example.com/x.bin",
    "file:///etc/passwd",
    "%zz",
    "a/../../x.bin",
    "x.png.meta.json",
    ".env",
    "./.env",
    "%2Eenv",
    "parts/.git/config",
    "parts/%2e%65nv",
    "con.bin",
    "NUL",
    "a:b.bin",
    "x.bin.",
    "x%20",
    "a\u202enib.bin",
    "",
  ]
) {
  test(`importModel() refuses a buffer at ${JSON.stringify(uri)}`, async () => {
    let read = "";
    const outcome = await importModel({
      name: "thing",
      bytes: externalGltf(uri, "wood.png"),
      newGuid: () => "",
      now: () => 0,
      readBeside: (path) => {
        read = path;
        return Promise.resolve(ok(new Uint8Array(36)));
      },
    });
    assert.equal(outcome.ok, false);
    assert.equal(read, "", "nothing was read");
  });
}

test("pathOfUri() answers a path below the model's folder", () => {
  assert.deepEqual(pathOfUri("./a%20b/c.bin"), ok("a b/c.bin"));
});

const GOOD = triangleGlb([{ mesh: 0 }]);
const cut = (length: number) => GOOD.slice(0, length);
const patched = (offset: number, value: number) => {
  const bytes = GOOD.slice();
  new DataView(bytes.buffer).setUint32(offset, value, true);
  return bytes;
};
const changed = (json: Gltf) => triangleGlb([{ mesh: 0 }], json);
const view = { buffer: 0, byteLength: 36 };
const accessor = { bufferView: 0, componentType: 5126, count: 3, type: "VEC3" };

const BROKEN: readonly (readonly [string, Uint8Array<ArrayBuffer>, RegExp])[] = [
  ["nothing", new Uint8Array(0), /it is empty, expected "glTF"/],
  ["a header alone", cut(12), /ends in its header/],
  ["a file cut off", cut(GOOD.length - 10), /is truncated/],
  ["bytes after the end", new Uint8Array([...GOOD, 0, 0, 0, 0]), /something follows/],
  ["another version", patched(4, 1), /version 1, expected 2/],
  ["a chunk that is too long", patched(12, 1_000_000), /chunk 0 says that it has 1000000/],
  ["a first chunk that is no JSON", patched(16, 0x004e4942), /not JSON/],
  ["JSON that is none", new TextEncoder().encode("{"), /does not parse/],
  ["JSON that is no UTF-8", new Uint8Array([0x7b, 0xff]), /not UTF-8/],
  ["a list", new TextEncoder().encode("[]"), /like neither glTF nor GLB/],
  ["another format", new TextEncoder().encode("ply\n"), /like neither glTF nor GLB/],
  ["glTF 1", changed({ asset: { version: "1.0" } }), /is glTF 1\.0/],
  ["a node that is its own child", changed({ nodes: [{ children: [0] }] }), /cycle/],
  [
    "a ring of nodes",
    changed({ nodes: [{ children: [1] }, { children: [2] }, { children: [0] }] }),
    /cycle/,
  ],
  [
    "a node with two parents",
    changed({ nodes: [{ children: [2] }, { children: [2] }, {}] }),
    /is a child of nodes\[0\] already/,
  ],
  ["a child that is not there", changed({ nodes: [{ children: [9] }] }), /nodes\[9\]/],
  ["a mesh that is not there", changed({ nodes: [{ mesh: 4 }] }), /meshes\[4\]/],
  ["a matrix of 15 numbers", changed({ nodes: [{ matrix: Array(15).fill(0) }] }), /16 finite/],
  ["a node in the scene twice", changed({ scenes: [{ nodes: [0, 0] }] }), /twice/],
  ["a view beyond its buffer", changed({ bufferViews: [{ ...view, byteLength: 40 }] }), /byte 40/],
  ["an accessor beyond its view", changed({ accessors: [{ ...accessor, count: 4 }] }), /byte 48/],
  ["a count below 0", changed({ accessors: [{ ...accessor, count: -1 }] }), /-1/],
  ["an accessor of no type", changed({ accessors: [{ ...accessor, type: "VEC9" }] }), /VEC9/],
  ["a component of no type", changed({ accessors: [{ ...accessor, componentType: 1 }] }), /type 1/],
  [
    "more numbers than fit",
    changed({ accessors: [{ componentType: 5126, count: 1e9, type: "MAT4" }, accessor] }),
    /more than 1073741824 bytes/,
  ],
  [
    "a buffer without bytes",
    changed({ buffers: [{ byteLength: 36 }, { byteLength: 8 }] }),
    /no bytes/,
  ],
  ["a buffer that is too short", changed({ buffers: [{ byteLength: 999 }] }), /has 36/],
  [
    "a vertex that is not there",
    glb(
      {
        ...packed([TRIANGLE, { data: new Uint16Array([0, 1, 7]), type: "SCALAR" }]).json,
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
        nodes: [{ mesh: 0 }],
      },
      packed([TRIANGLE, { data: new Uint16Array([0, 1, 7]), type: "SCALAR" }]).bytes,
    ),
    /draws vertex 7, but it has only 3/,
  ],
  [
    "nodes that lie too deep",
    triangleGlb(Array.from({ length: 300 }, (_, i) => i < 299 ? { children: [i + 1] } : {})),
    /depth \d+, expected at most/,
  ],
  [
    "a million nodes",
    changed({ nodes: Array(100_001).fill({}) }),
    /found 100001, expected at most 100000/,
  ],
];
for (const [label, bytes, message] of BROKEN) {
  test(`importModel() refuses ${label}, naming it`, async () => {
    const outcome = await importing(bytes);
    assert.equal(outcome.ok, false);
    if (!outcome.ok) assert.match(outcome.error.message, message);
  });
}

test("importModel() answers whatever becomes of a model's bytes, and never throws", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(GOOD.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      async (changes) => {
        const bytes = GOOD.slice();
        for (const [offset, value] of changes) bytes[offset] = value;
        const outcome = await importing(bytes);
        if (!outcome.ok) assert.notEqual(outcome.error.message, "");
      },
    ),
    { numRuns: rounds(300, 20_000) },
  );
});
