import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { createFiles } from "../../adapters/node/files.ts";
import { openProject } from "../../lib/project/open.ts";
import { buoy, hull, type Point } from "../../scripts/sample/glb.ts";
import { sampleFiles } from "../../scripts/sample/files.ts";
import { stillClock } from "./project-folder.ts";

const SAMPLE = resolve("lib/editor/sample");

async function openSample(root: string) {
  const opened = await openProject({ files: createFiles(), clock: stillClock, root });
  assert.ok(opened.ok, opened.ok ? "" : opened.error.detail);
  return opened.value;
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

test("the sample's generated files are what scripts/sample/ makes", async () => {
  for (const [path, bytes] of await sampleFiles()) {
    const committed = readFileSync(join(SAMPLE, path));
    assert.ok(committed.equals(bytes), `${path} is not up to date: run scripts/make-sample.ts`);
  }
});

test("openProject() opens the sample whole and says so", async () => {
  const { config, editor } = await openSample(SAMPLE);
  assert.equal(config.name, "Harbor Run");
  assert.deepEqual(editor.identity(), {
    editor: "slipway",
    project: "Harbor Run",
    root: SAMPLE,
    scenePath: "assets/scenes/harbor.scene.json",
  });
  const { entities, rev } = await editor.sceneState();
  assert.equal(rev, 0);
  assert.equal(entities.length, 195);
  assert.deepEqual(countBy(entities.map(({ layer }) => layer)), { "3d": 123, "2d": 16, ui: 56 });
  const assets = await editor.assets();
  assert.deepEqual(countBy(assets.map(({ type }) => type)), {
    animation: 3,
    animset: 1,
    audio: 8,
    environment: 3,
    font: 1,
    material: 12,
    mesh: 1,
    model: 3,
    particle: 3,
    prefab: 2,
    scene: 4,
    script: 2,
    sprite: 15,
    texture: 8,
  });
  const lines = await editor.consoleEntries();
  assert.deepEqual(lines.map(({ level, text }) => `${level}: ${text}`), [
    "info: Found 66 assets",
    'info: Loaded scene "Harbor Run" from assets/scenes/harbor.scene.json: 195 entities ' +
    "(123 3d, 16 2d, 56 ui)",
  ]);
});

test("the sample's hulls and buoys are closed, and look outwards", () => {
  for (const mesh of [hull(4, 1.75, 0.75), buoy(0.5, 1.5)]) {
    const edges = new Set(
      mesh.triangles.flatMap(([a, b, c]) => [`${a} ${b}`, `${b} ${c}`, `${c} ${a}`]),
    );
    const open = [...edges].filter((edge) => !edges.has(edge.split(" ").reverse().join(" ")));
    assert.deepEqual(open, []);
    // Six times the volume: more than nothing where the triangles look outwards.
    const volume = mesh.triangles.reduce((sum, corners) => {
      const at = (i: number): Point => mesh.points[i] ?? [0, 0, 0];
      const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [
        at(corners[0]),
        at(corners[1]),
        at(corners[2]),
      ];
      return sum + ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    }, 0);
    assert.ok(volume > 0, `${volume}`);
  }
});

test("the sample's index is small and its full dump over the cap", async () => {
  const { entities } = await (await openSample(SAMPLE)).editor.sceneState();
  const index = entities.map(({ traits, ...rest }) => ({ ...rest, traits: Object.keys(traits) }));
  assert.ok(JSON.stringify(index).length < 30_000);
  assert.ok(JSON.stringify(entities).length > 60_000);
});

test("the sample's layout has what is off the screen and what has no size", async () => {
  const { editor } = await openSample(SAMPLE);
  const layout = await editor.layoutBounds({ overlaps: true });
  assert.deepEqual(countBy(layout.entries.map(({ layer }) => layer)), {
    "3d": 84,
    "2d": 16,
    ui: 49,
  });
  assert.deepEqual(
    layout.entries.filter(({ zeroSize }) => zeroSize).map(({ name }) => name),
    ["Start Line", "Hint Anchor"],
  );
  assert.equal(layout.overlaps?.length, layout.overlapsCount);
  assert.equal((await editor.layoutBounds()).overlapsCount, layout.overlapsCount);
  const banner = layout.entries.find(({ name }) => name === "Finish Banner");
  assert.deepEqual(banner?.rect, { x: 384, y: -224, w: 512, h: 128 });
  const pause = layout.entries.find(({ name }) => name === "Pause");
  assert.deepEqual(pause?.rect, { x: 1123, y: 0, w: 157, h: 88 });
});

test("the sample is sound but for what is planted in it", async () => {
  const { ok, findings } = await (await openSample(SAMPLE)).editor.diagnose();
  assert.equal(ok, true);
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [
    ["zero-scale", 1],
    ["off-screen", 4],
    ["zero-size", 2],
    ["script-not-run", 5],
    ["out-of-view", 36],
  ]);
});

test("the sample's transforms follow an edit", async () => {
  const { editor } = await openSample(SAMPLE);
  const id = (name: string) =>
    editor.document.entities().find((entity) => entity.name === name)?.id ?? 0;
  const before = (await editor.worldTransforms()).get(id("Cabin"))?.position;
  editor.document.setFields(id("Runner"), "Transform", { x: 10 });
  const after = (await editor.worldTransforms()).get(id("Cabin"))?.position;
  assert.deepEqual([before?.[0], after?.[0]], [0, 10]);
  assert.equal((await editor.worldTransforms()).has(id("HUD")), false);
});
