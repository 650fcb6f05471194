import { runAtOnce } from "../../lib/core/cooperative.ts";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { meshesAlone } from "../../lib/editor/gltf/mod.ts";
import { bringIn } from "../support/bring-in.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { type ProjectService, withProjectService } from "../support/project-service.ts";
import { pictureByLoader } from "./loader-pictures.ts";
import { scenePath, type Sketch, VIEWPORT, withPicturePage, writeProject } from "./picture-site.ts";
import type { WebView } from "./web-views.ts";

const AT = { rx: 25, ry: 40 };
const SUN = { rx: -40, ry: 30, intensity: 2 };
const AMBIENT = 1.5;
/** Mean difference of a channel in the pixels that show something, of 255. */
const MOST_MEAN = 1;
/** The same for a model if the import warns that something is lost. */
const MOST_MEAN_OF_LOSSY = 3;
/** Share of those pixels that differ by more than 32: edges, which are smoothed in two ways. */
const MOST_FAR = 0.01;

interface Framed {
  readonly file: string;
  readonly scene: string;
  /** Whether the import warns that something is lost. */
  readonly isLossy: boolean;
  readonly eye: Readonly<Record<"x" | "y" | "z" | "fov" | "near" | "far", number>>;
}

/** Imports a model, and makes a scene with nothing else in it. */
async function framed(
  { call, editor }: ProjectService,
  { file, root, name }: { readonly file: string; readonly root: string; readonly name: string },
): Promise<Framed> {
  const scene = scenePath(name);
  assert.ok((await editor.editing.openScene(scene, { source: "agent" })).ok);
  const made = await call("import_file", { file: bringIn(root, file) });
  assert.equal(made.status, 200, made.text);
  const placed = await editor.prefabs.instantiate({
    prefab: made.body.prefab.guid,
    transform: AT,
    source: "agent",
  });
  assert.ok(placed.ok);
  const { entities } = await editor.sceneState();
  const drawn = new Set(
    entities.filter(({ traits }) => traits["Renderable3D"]).map(({ id }) => id),
  );
  const boxes = [...await editor.worldBounds()].flatMap(([id, box]) => drawn.has(id) ? [box] : []);
  const low = [0, 1, 2].map((axis) => Math.min(...boxes.map(({ min }) => min[axis] ?? 0)));
  const high = [0, 1, 2].map((axis) => Math.max(...boxes.map(({ max }) => max[axis] ?? 0)));
  const [x = 0, y = 0, z = 0] = low.map((least, axis) => (least + (high[axis] ?? 0)) / 2);
  const size = Math.max(...low.map((least, axis) => (high[axis] ?? 0) - least));
  const eye = { x, y, z: z + size * 1.6, fov: 45, near: size / 50, far: size * 20 };
  const { fov, near, far } = eye;
  const edited = await call("svc_scene_edit", {
    ops: [{
      op: "create",
      name: "Eye",
      layer: "3d",
      traits: { Transform: { x, y, z: eye.z }, Camera: { fov, near, far, priority: 9 } },
    }],
  });
  assert.equal(edited.status, 200, edited.text);
  assert.equal((await call("save_scene")).status, 200);
  return { file, scene, eye, isLossy: made.body.warnings !== undefined };
}

/** The address at which the page reads the model file itself. */
function addressOf(n: number): string {
  return `/models/${n}.glb`;
}

/** Reduces an imported model as a build does. */
function leaveMeshesAlone(path: string): void {
  const bytes = new Uint8Array(readFileSync(path));
  const all = new Set(Array.from({ length: 1_000 }, (_, mesh) => mesh));
  const smaller = runAtOnce(meshesAlone(bytes, all));
  if (smaller !== null) writeFileSync(path, smaller);
}

/**
 * Fails if an imported model is not drawn as three.js' own loader draws the file.
 *
 * @param ticks Steps to make before the picture: an animated model is then in its first animation.
 */
export async function compareWithLoader(
  open: WebView["open"],
  files: readonly string[],
  ticks = 0,
): Promise<void> {
  await withFolder(async (root) => {
    const { intensity, ...turn } = SUN;
    const lights: readonly Sketch[] = [
      { name: "Sun", traits: { Transform: turn, Light: { intensity } } },
      { name: "All around", traits: { Light: { kind: "ambient", intensity: AMBIENT } } },
    ];
    writeProject(root, Object.fromEntries(files.map((_file, n) => [`model-${n}`, lights])));
    const all: Framed[] = [];
    await withProjectService(root, async (service) => {
      for (const [n, file] of files.entries()) {
        all.push(await framed(service, { file, root, name: `model-${n}` }));
      }
    });
    for (const path of Object.keys(treeOf(root)).filter((path) => path.endsWith(".glb"))) {
      leaveMeshesAlone(join(root, path));
    }
    const differences: string[] = [];
    const others = Object.fromEntries(files.map((file, n) => [addressOf(n), file]));
    await open((page) =>
      withPicturePage(root, page, async (run) => {
        for (const [n, { file, scene, eye, isLossy }] of all.entries()) {
          const seconds = ticks > 0 ? (ticks - 1) / 60 : null;
          const view = { ...VIEWPORT, at: AT, eye, sun: SUN, ambient: AMBIENT, seconds };
          const reference = `${addressOf(n)}.png`;
          others[reference] = await pictureByLoader(file, view, () =>
            run(
              `const reference = await drawByLoader(args);
               const png = pngOf(reference.canvas);
               reference.dispose();
               return png;`,
              { ...view, url: addressOf(n) },
            ));
          const found = await run(
            `const game = await openGame({ ...args, after: globalThis.before ?? null });
             globalThis.before = game;
             if (args.ticks > 0) await game.running.steps(args.ticks, new AbortController().signal);
             await game.whenLoaded();
             const mine = pixelsOf(game.canvas);
             game.canvas.remove(); // else the browser keeps compositing it
             const theirs = await pixelsAt(args.reference);
             return { ...difference(mine, theirs), warnings: game.warnings };`,
            { ...VIEWPORT, scene, reference, ticks },
          );
          const { seen, mean, far, warnings } = JSON.parse(JSON.stringify(found));
          const mostMean = isLossy ? MOST_MEAN_OF_LOSSY : MOST_MEAN;
          const isLike = seen > 500 && mean <= mostMean && far <= MOST_FAR &&
            warnings.length === 0;
          if (!isLike) {
            differences.push(`${file}: ${JSON.stringify({ seen, mean, far, warnings })}`);
          }
        }
      }, { others })
    );
    assert.deepEqual(differences, []);
  });
}
