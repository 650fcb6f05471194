import assert from "node:assert/strict";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readFileName } from "../../lib/editor/files/asset-types.ts";
import { type AssetScan, rescanFiles, scanAssets } from "../../lib/editor/assets/assets.ts";
import { guidFromName, guidsIn, guidsOf, isGuid } from "../../lib/core/guid.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { glb, packed, TRIANGLE } from "./glb.ts";
import { withFolder } from "./project-folder.ts";
import { guid } from "./scenes.ts";

async function scanning(
  content: Readonly<Record<string, unknown>>,
  check: (scan: AssetScan) => void | Promise<void>,
  prepare: (root: string) => void = () => {},
): Promise<void> {
  await withFolder(content, async (root, files) => {
    prepare(root);
    await check(await scanAssets(files, root));
  });
}

const paths = (scan: AssetScan) => scan.assets.map(({ path }) => path);

/** The first 24 bytes of a PNG of 300 × 2 pixels. */
const PNG = Uint8Array.of(
  ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
  ...[0, 0, 1, 44, 0, 0, 0, 2],
);

test("scanAssets() lists assets by path, with the sidecar's guid and type", async () => {
  await scanning({
    "assets/b.png": PNG,
    "assets/b.png.meta.json": { guid: guid(1), type: "sprite" },
    "assets/a/boat.prefab.json": "{}",
    "assets/readme.txt": "no asset",
    "elsewhere/c.png": PNG,
  }, async (scan) => {
    assert.deepEqual(scan.assets, [
      {
        guid: await guidFromName("asset", "assets/a/boat.prefab.json"),
        path: "assets/a/boat.prefab.json",
        name: "boat",
        type: "prefab",
        size: 2,
      },
      {
        guid: guid(1),
        path: "assets/b.png",
        name: "b",
        type: "sprite",
        size: 24,
        pixels: { width: 300, height: 2 },
      },
    ]);
    assert.deepEqual(scan.details.get(guid(1)), { pixels: { width: 300, height: 2 } });
    assert.deepEqual(scan.warnings, []);
  });
});

test("scanAssets() passes over hidden, built and foreign folders", async () => {
  await scanning({
    "assets/.cache/a.png": PNG,
    "assets/dist/b.png": PNG,
    "assets/node_modules/c.png": PNG,
    "assets/.hidden.png": PNG,
    "assets/d.png": PNG,
  }, (scan) => assert.deepEqual(paths(scan), ["assets/d.png"]));
});

test("scanAssets() of nothing changed is the scan before; of something changed it is as a fresh one", async () => {
  await withFolder({
    "assets/a.png": PNG,
    "assets/b.png": PNG,
    "assets/notes.txt": "",
  }, async (root, files) => {
    const before = await scanAssets(files, root);
    assert.equal(await scanAssets(files, root, before), before);
    rmSync(join(root, "assets/a.png"));
    writeFileSync(join(root, "assets/b.png.meta.json"), JSON.stringify({ type: "sprite" }));
    writeFileSync(join(root, "assets/c.png.meta.json"), "{}");
    const after = await scanAssets(files, root, before);
    assert.deepEqual(after, await scanAssets(files, root));
    assert.deepEqual(after.assets.map(({ path, type }) => [path, type]), [
      ["assets/b.png", "sprite"],
    ]);
  });
});

test("scanAssets() finds nothing where there is no folder of assets", async () => {
  await scanning(
    { "a.txt": "" },
    ({ assets, details, warnings }) =>
      assert.deepEqual({ assets, details, warnings }, {
        assets: [],
        details: new Map(),
        warnings: [],
      }),
  );
});

const WARNED: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
  ["a sidecar that is no JSON", { "assets/a.wav": "", "assets/a.wav.meta.json": "{" }, /not JSON/],
  [
    "a sidecar that is no object",
    { "assets/a.wav": "", "assets/a.wav.meta.json": [] },
    /a list of 0/,
  ],
  [
    "a guid that is none",
    { "assets/a.wav": "", "assets/a.wav.meta.json": { guid: "x" } },
    /guid "x"/,
  ],
  [
    "a type that is none",
    { "assets/a.wav": "", "assets/a.wav.meta.json": { type: "x" } },
    /type "x"/,
  ],
  ["an image that is no PNG", { "assets/a.png": "GIF89a" }, /found no PNG header/],
  [
    "an image without width",
    { "assets/a.png": PNG.with(18, 0).with(19, 0) },
    /found no PNG header/,
  ],
  ["a model without bounds", { "assets/a.glb": "" }, /found nothing as "bounds"/],
  [
    "bounds that are inside out",
    {
      "assets/a.glb": "",
      "assets/a.glb.meta.json": { bounds: { min: [1, 0, 0], max: [0, 1, 1] } },
    },
    /found an object as "bounds"/,
  ],
  [
    "a font that is damaged",
    { "assets/a.font.json": { size: 0 } },
    /size: found 0, expected a number > 0/,
  ],
];

for (const [what, content, warning] of WARNED) {
  test(`scanAssets() warns of ${what} and lists the asset`, async () => {
    await scanning(content, (scan) => {
      assert.equal(scan.assets.length, 1);
      assert.equal(scan.warnings.length, 1);
      assert.match(scan.warnings[0] ?? "", warning);
    });
  });
}

test("scanAssets() warns of a sidecar without its asset", async () => {
  await scanning({ "assets/a.png.meta.json": {} }, (scan) => {
    assert.deepEqual(scan.warnings, ['Found sidecar "assets/a.png.meta.json" without its asset']);
    assert.deepEqual(scan.assets, []);
  });
});

test("scanAssets() gives the later of two equal guids the one of its path", async () => {
  const meta = { guid: guid(1) };
  await scanning({
    "assets/a.wav": "",
    "assets/a.wav.meta.json": meta,
    "assets/b.wav": "",
    "assets/b.wav.meta.json": meta,
  }, async (scan) => {
    const derived = await guidFromName("asset", "assets/b.wav");
    assert.deepEqual(scan.assets.map((asset) => asset.guid), [guid(1), derived]);
    assert.match(scan.warnings.join(), /"assets\/b\.wav" has the guid of "assets\/a\.wav"/);
  });
});

const linkTests = { skip: withoutPosixFiles };

test(
  "scanAssets() follows links inside the project and refuses all others",
  linkTests,
  async () => {
    await withFolder({ "secret.png": PNG }, async (outside) => {
      await scanning(
        { "assets/real/a.png": PNG },
        (scan) => {
          assert.deepEqual(paths(scan), [
            "assets/again/a.png",
            "assets/one.png",
            "assets/real/a.png",
          ]);
          assert.deepEqual(scan.warnings, [
            'Skipped "assets/again/up": the link leads back to a folder above it',
            'Skipped "assets/broken.png": the target of the link does not exist',
            'Skipped "assets/itself.png": it cannot be followed (other)',
            'Skipped "assets/out": the link leads out of the project',
            'Skipped "assets/real/up": the link leads back to a folder above it',
            'Skipped "assets/secret.png": the link leads out of the project',
          ]);
        },
        (root) => {
          symlinkSync(join(outside, "secret.png"), join(root, "assets/secret.png"));
          symlinkSync(outside, join(root, "assets/out"));
          symlinkSync(join(root, "assets/real"), join(root, "assets/again"));
          symlinkSync("real/a.png", join(root, "assets/one.png"));
          symlinkSync("nowhere", join(root, "assets/broken.png"));
          symlinkSync("itself.png", join(root, "assets/itself.png"));
          symlinkSync(join(root, "assets"), join(root, "assets/real/up"));
        },
      );
    });
  },
);

// BUILD-11
test("guidsOf() finds each UUID of a long text, also between two pieces, with a turn before each", async () => {
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const piece = 1024 * 1024;
  for (const at of [0, piece - 36, piece - 18, piece - 1, piece, 3 * piece - 9]) {
    let turns = 0;
    const turn = () => Promise.resolve(void turns++);
    const text = `${"-".repeat(at)}${guid(1)}${"-".repeat(3 * piece - at)}${guid(2)}${guid(1)}`;
    assert.deepEqual([...await guidsOf(text, turn)], [guid(1), guid(2)], `${at}`);
    assert.equal(turns, 4);
  }
});

test("guidsIn() finds each UUID of a text, whatever stands around it", () => {
  const [one, two] = [
    "0a1b2c3d-1111-4222-8333-0123456789ab",
    "ffffffff-eeee-4ddd-8ccc-bbbbbbbbbbbb",
  ];
  const text = `${one}${two}"${"-".repeat(40)}${one.toUpperCase()} ab${two}-x a-b ${one.slice(1)}`;
  assert.deepEqual([...guidsIn(text)], [one, two, two]);
  assert.deepEqual([...guidsIn(one.slice(1)), ...guidsIn("-"), ...guidsIn("")], []);
});

test("guidFromName() is a version 8 UUID of its name and namespace alone", async () => {
  const one = await guidFromName("asset", "assets/a.png");
  assert.ok(isGuid(one));
  assert.match(one, /^.{14}8.{4}[89ab]/);
  assert.equal(one, await guidFromName("asset", "assets/a.png"));
  assert.notEqual(one, await guidFromName("entity", "assets/a.png"));
});

for (
  const [fileName, name, type] of [
    ["crate.png", "crate", "texture"],
    ["Crate.PNG", "Crate", "texture"],
    ["boat.v2.material.json", "boat.v2", "material"],
    ["main.scene.json", "main", "scene"],
    ["notes.txt", "notes", undefined],
    ["data.json", "data", undefined],
    ["x.constructor", "x", undefined],
  ] as const
) {
  test(`readFileName() of ${fileName}`, () => {
    assert.deepEqual(readFileName(fileName), { name, type });
  });
}

test("rescanFiles() looks at what came, changed and went, and at nothing outside", () =>
  withFolder(
    { "secret.png": PNG },
    (outside, files) =>
      withFolder({ "assets/a.png": PNG, "assets/b.png": PNG }, async (root) => {
        const first = await scanAssets(files, root);
        writeFileSync(join(root, "assets/c.png"), PNG);
        writeFileSync(join(root, "assets/a.png.meta.json"), "{");
        rmSync(join(root, "assets/b.png"));
        symlinkSync(join(outside, "secret.png"), join(root, "assets/out.png"));
        const paths = ["assets/a.png", "assets/b.png", "assets/c.png", "assets/out.png"];
        const next = await rescanFiles(files, root, { scan: first, paths });
        assert.deepEqual(next.assets.map(({ path }) => path), ["assets/a.png", "assets/c.png"]);
        assert.match(next.warnings.join(), /not JSON/);
        const complete = await scanAssets(files, root);
        assert.deepEqual(next.assets, complete.assets);
        assert.deepEqual(next.details, complete.details);
      }),
  ));

test("scanAssets() measures models and meshes that tell it themselves", async () => {
  const { json, bytes } = packed([{ ...TRIANGLE, min: [0, 0, 0], max: [1, 2, 0] }]);
  const reported = glb({
    ...json,
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [{ mesh: 0, translation: [5, 0, 0] }],
  }, bytes);
  const mesh = { schema: 1, positions: [[0, 0, 0], [0, 0, 4]], triangles: [] };
  await scanning({ "assets/a.glb": reported, "assets/b.mesh.json": mesh }, (scan) => {
    assert.deepEqual(scan.warnings, []);
    assert.deepEqual(scan.assets.map(({ guid }) => scan.details.get(guid)?.bounds), [
      { min: [5, 0, 0], max: [6, 2, 0] },
      { min: [0, 0, 0], max: [0, 0, 4] },
    ]);
  });
});
