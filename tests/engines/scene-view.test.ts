import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import type { EmbeddedEditor } from "../../lib/editor/mod.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import type { Handler } from "../../lib/http/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { serviceOf } from "../support/service.ts";
import { until, UNTIL_MS, UNTIL_SOURCE } from "../support/until.ts";
import { withChromiumContext } from "./chromium-context.ts";
import { findChromium } from "./web-views.ts";

// The view of an editor's page, in Chromium, over the routes of a real service.

const { skip } = findChromium();
const source = "agent";
const MADE = { width: 800, height: 450 };

interface World {
  readonly page: Page;
  readonly editor: EmbeddedEditor;
  readonly root: string;
  edit(...ops: EditOp[]): Promise<readonly number[]>;
  /** Runs a script in the page with what `scene-view-page.tsx` gives, and `until`. */
  // deno-lint-ignore no-explicit-any
  run(script: string, args?: unknown): Promise<any>;
}

let bundled: Promise<string> | undefined;

function bundle(): Promise<string> {
  return bundled ??= build({
    entryPoints: ["tests/engines/scene-view-page.tsx"],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "silent",
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? "");
}

/** A page beside the service's own, of the same origin. */
function withTestPage(handler: Handler, script: string): Handler {
  const style = "body { margin: 0 } main { position: relative; width: 800px; height: 600px }";
  const html = `<!doctype html><style>${style}</style><main></main>` +
    `<script type="module" src="/test/page.js"></script>`;
  return (request, peer) => {
    const { pathname } = new URL(request.url);
    const [body, type] = pathname === "/test/page.js"
      ? [script, "text/javascript"]
      : pathname === "/test/"
      ? [html, "text/html"]
      : [null, ""];
    if (body === null) return handler(request, peer);
    return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  };
}

async function withView(
  work: (world: World) => Promise<void>,
  { scene }: { readonly scene?: readonly object[] } = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "project");
    cpSync("lib/editor/sample", root, { recursive: true });
    if (scene !== undefined) {
      const entities = scene.map((one, n) => ({
        guid: `00000000-0000-4000-8000-${String(n + 1).padStart(12, "0")}`,
        name: `Entity ${n + 1}`,
        layer: "3d",
        ...one,
      }));
      const path = join(root, "assets/scenes/test.scene.json");
      writeFileSync(path, JSON.stringify({ schema: 1, name: "Test", entities }));
      const config = join(root, "project.config.json");
      const settings = JSON.parse(readFileSync(config, "utf8"));
      const opened = { ...settings, editScene: "assets/scenes/test.scene.json" };
      writeFileSync(config, JSON.stringify(opened));
    }
    const service = await serviceOf(await loadRuntime(), root);
    const editor = service.services.editor as EmbeddedEditor;
    const serve = await loadServe();
    const handler = withTestPage(service.handler, await bundle());
    const server = await serve(handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(server.ok);
    const { url } = server.value;
    const complaints: string[] = [];
    try {
      await withChromiumContext(async (context) => {
        const page = await context.newPage();
        page.setDefaultTimeout(UNTIL_MS);
        page.on("pageerror", ({ message }) => complaints.push(message));
        await page.goto(`${url}/test/`);
        await page.waitForFunction("globalThis.page !== undefined");
        await work({
          page,
          editor,
          root,
          async edit(...ops) {
            const done = await editor.editing.edit({ ops, source });
            assert.ok(done.ok && done.value.ok, JSON.stringify(done));
            return done.value.value.created.map(({ id }) => id);
          },
          run: (script, args = null) =>
            page.evaluate(
              `(async (args) => { ${UNTIL_SOURCE} const { open, colorAt, host } = page; ${script} })(${
                JSON.stringify(args)
              })`,
            ),
        });
      }, { draws: true, viewport: { width: 800, height: 600 } });
    } finally {
      await server.value.close();
      await service.close();
    }
    assert.deepEqual(complaints, []);
  });
}

const box = (x: number, more: object = {}, color = "red") => ({
  traits: { Transform: { x, ...more }, Renderable3D: { mesh: "box" } },
  name: color,
});
const BOXES = [
  { traits: { Transform: { z: 10 }, Camera: { fov: 60 } } },
  { traits: { Light: { kind: "ambient", intensity: 3 } } },
  box(0),
  box(3, { y: 1 }),
  box(0, { z: -2 }),
  {
    layer: "ui",
    name: "Panel",
    traits: {
      UIElement: {
        width: 100,
        widthUnit: "px",
        height: 40,
        heightUnit: "px",
        background: "#ff0000",
      },
    },
  },
];
const CAMERA = { position: [0, 0, 10], target: [0, 0, 0], fov: 60 };

test("SceneView shows an edited scene, and what is edited", { skip }, async () => {
  await withView(async ({ run, edit }) => {
    await run(`globalThis.it = await open("3d", args.made); it.view.camera = args.camera`, {
      made: MADE,
      camera: CAMERA,
    });
    const color = async (x: number, y: number): Promise<number> =>
      (await run("return await colorAt(it.view, args[0], args[1])", [x, y]))[0];
    const empty = await color(50, 50);
    assert.ok(await color(400, 300) > empty + 50, "a box in the middle");
    // It moves: what it covered is empty, but for the box behind it.
    await edit({ op: "set", id: 3, trait: "Transform", fields: { y: 3 } });
    await edit({ op: "delete", id: 5 });
    const at = () => run("await it.settled(); return it.view.measures.project([0, 3, 0])");
    await run("await until('the view has both edits', () => it.view.rev >= args)", 2);
    const { x, y } = await at();
    assert.ok(await color(x, y) > empty + 50, "it is seen where it has moved to");
    assert.ok(Math.abs(await color(400, 300) - empty) < 10, "and not where it was");
    // A new one, and a trait that comes.
    const [made = 0] = await edit({ op: "create", name: "New", parentId: null });
    await edit({ op: "addTrait", id: made, trait: "Transform", fields: { x: -3 } });
    await edit({ op: "addTrait", id: made, trait: "Renderable3D", fields: { mesh: "box" } });
    await run("await until('the view has the new entity', () => it.view.rev >= args)", 5);
    const left = await run("return it.view.measures.project([-3, 0, 0])");
    assert.ok(await color(left.x, left.y) > empty + 50, "a new one is seen");
    assert.equal(await run("return it.view.measures.pick(args.x, args.y)", left), made);
  }, { scene: BOXES });
});

test(
  "SceneView tries values on, which are no edit, and lays a grid below the scene",
  { skip },
  async () => {
    await withView(async ({ run }) => {
      await run(`globalThis.it = await open("3d", args.made); it.view.camera = args.camera`, {
        made: MADE,
        camera: CAMERA,
      });
      const color = async (x: number, y: number): Promise<number> =>
        (await run("return await colorAt(it.view, args[0], args[1])", [x, y]))[0];
      const tryAt = (y: number) =>
        run(
          `const { entities } = await (await fetch("/api/whole/scene")).json();
         const box = entities.find(({ id }) => id === 4);
         box.traits.Transform = { ...box.traits.Transform, y: args };
         it.view.preview([box]);
         return [it.view.rev, it.view.measures.places(4).own.affine.offset[1]];`,
          y,
        );
      const { x, y } = await run(
        "await it.view.whenLoaded(); return it.view.measures.project([3, 1, 0])",
      );
      assert.ok(await color(x, y) > 50);
      assert.deepEqual(await tryAt(-4), [0, -4]);
      assert.ok(await color(x, y) < 10, "it is seen elsewhere");
      assert.deepEqual(await tryAt(1), [0, 1]);
      assert.ok(await color(x, y) > 50);
      // The x axis goes through (1.5, 0, 0), where nothing stands.
      const axis = await run(
        `it.view.camera = { ...args, position: [0, 6, 10] };
       await it.view.whenLoaded();
       return it.view.measures.project([1.5, 0, 0]);`,
        CAMERA,
      );
      assert.ok(await color(axis.x, axis.y) < 10);
      await run("it.view.ground = true");
      assert.ok(await color(axis.x, axis.y) > 60, "red");
    }, { scene: BOXES });
  },
);

test(
  "SceneView.reload() draws changed assets anew while the old stay, and leaves the rest as it is",
  { skip },
  async () => {
    await withView(async ({ run }) => {
      const seen = await run(
        `const tool = async (name, args) => {
         const response = await fetch("/api/tools/" + name, {
           method: "POST",
           headers: { "content-type": "application/json", "x-svc-caller": "human" },
           body: JSON.stringify(args),
         });
         const answer = await response.json();
         if (!response.ok) throw new Error(JSON.stringify(answer));
         return answer;
       };
       const paint = (color) => ({ schema: 1, color, unlit: true });
       const path = "assets/materials/paint.material.json";
       await tool("create_asset", { path, content: paint("#ff0000") });
       const { view, settled } = await open("3d", args.made);
       view.camera = args.camera;
       await tool("svc_scene_edit", {
         ops: [{ op: "set", id: 3, trait: "Renderable3D", fields: { material: path } }],
       });
       await until("the view has the edit", () => view.rev >= 1);
       const canvas = () => host.querySelector("canvas");
       const first = canvas();
       const red = await colorAt(view, 400, 300);
       // What the new canvas shows as it takes the place of the old: WebGL's pixels are read in that turn.
       const shown = [];
       new MutationObserver(() => {
         const copy = new OffscreenCanvas(1, 1).getContext("2d");
         const { width, height } = canvas();
         copy.drawImage(canvas(), width / 2, height / 2, 1, 1, 0, 0, 1, 1);
         shown.push(copy.getImageData(0, 0, 1, 1).data[1]);
       }).observe(first.parentElement, { childList: true });
       const stays = async (change) => {
         await change();
         await view.reload();
         await settled();
         return canvas() === first;
       };
       return {
         red,
         timeline: await stays(() => tool("create_asset", {
           path: "assets/timelines/a.timeline.json",
           content: { schema: 1, length: 1, tracks: [] },
         })),
         material: await stays(() => tool("write_asset", { asset: path, content: paint("#00ff00") })),
         green: await colorAt(view, 400, 300),
         canvases: host.querySelectorAll("canvas").length,
         shown,
       };`,
        { made: MADE, camera: CAMERA },
      );
      assert.ok(seen.red[0] > 150 && seen.red[1] < 90, `${seen.red}`);
      assert.ok(seen.green[1] > 150 && seen.green[0] < 90, `${seen.green}`);
      assert.deepEqual(
        { timeline: seen.timeline, material: seen.material, canvases: seen.canvases },
        { timeline: true, material: false, canvases: 2 },
      );
      assert.ok(seen.shown.length > 0 && seen.shown[0] > 150, `green at once: ${seen.shown}`);
    }, { scene: BOXES });
  },
);

test("SceneView draws only when something has changed", { skip }, async () => {
  await withView(async ({ run }) => {
    const [before, after, moved] = await run(
      `const it = await open("3d", args.made);
       it.view.camera = args.camera;
       await it.view.whenLoaded();
       const turn = async (n) => { for (; n > 0; n--) await new Promise(requestAnimationFrame); };
       await turn(10);
       const before = it.frames();
       await turn(20);
       const after = it.frames();
       it.view.camera = { ...args.camera, fov: 40 };
       await turn(10);
       return [before, after, it.frames()];`,
      { made: MADE, camera: CAMERA },
    );
    assert.equal(after, before);
    assert.equal(moved, after + 1);
  }, { scene: BOXES });
});

test(
  "SceneView.pick() finds what is in front, and project() and ray() are inverse",
  { skip },
  async () => {
    await withView(async ({ run }) => {
      const found = await run(
        `const { view } = globalThis.it = await open("3d", args.made);
       view.camera = args.camera;
       await view.whenLoaded();
       const at = (point) => { const { x, y } = view.measures.project(point); return view.measures.pick(x, y); };
       const ray = view.measures.ray(400, 300);
       const behind = view.measures.project([0, 0, 11]);
       const front = at([0, 0, 0.5]);
       view.camera = { ...args.camera, position: [0, 0, -10] };
       return { front, right: (view.camera = args.camera, at([3, 1, 0])), nothing: view.measures.pick(5, 5),
         back: (view.camera = { ...args.camera, position: [0, 0, -10] }, await view.whenLoaded(), view.measures.pick(400, 300)),
         behind, ray, place: view.measures.places(4).own.affine.offset, gone: view.measures.places(99),
         box: view.measures.box(4), none: view.measures.box(1) };`,
        { made: MADE, camera: CAMERA },
      );
      assert.deepEqual([found.front, found.right, found.nothing, found.back], [3, 4, null, 5]);
      assert.equal(found.behind, null);
      assert.deepEqual(found.ray.origin, [0, 0, 10]);
      assert.ok(found.ray.direction[2] < -0.999);
      assert.deepEqual(found.place, [3, 1, 0]);
      assert.deepEqual([found.box.affine.offset, found.box.bounds.max], [[3, 1, 0], [
        0.5,
        0.5,
        0.5,
      ]]);
      assert.equal(found.none, null, "a camera draws nothing");
      assert.equal(found.gone, null);
    }, { scene: BOXES });
  },
);

test("SceneView.pick() tells instances apart, also those that have moved", { skip }, async () => {
  const many = Array.from({ length: 20 }, (_, n) => box(n * 2 - 19, { y: 0 }));
  await withView(async ({ run, edit }) => {
    const find = () =>
      run(
        `const { view } = it;
         await view.whenLoaded();
         return Array.from({ length: 20 }, (_, n) => {
           const { x, y } = view.measures.project([n * 2 - 19, args, 0]);
           return view.measures.pick(x, y);
         });`,
        0,
      );
    await run(`globalThis.it = await open("3d", args.made); it.view.camera = args.camera`, {
      made: MADE,
      camera: { ...CAMERA, position: [0, 0, 40] },
    });
    const first = Array.from({ length: 20 }, (_, n) => n + 1);
    assert.deepEqual(await find(), first);
    await edit({ op: "set", id: 1, trait: "Transform", fields: { y: 5 } });
    await edit({ op: "delete", id: 7 });
    await run("await until('the view has both edits', () => it.view.rev >= 2)");
    assert.deepEqual(await find(), first.map((id) => id === 1 || id === 7 ? null : id));
  }, { scene: many });
});

test(
  "SceneView lays the UI out as the editor does, in the middle of its host",
  { skip },
  async () => {
    await withView(async ({ run, editor }) => {
      editor.view.change({ viewport: MADE }, source);
      const { entries } = await editor.layoutBounds();
      const panel = entries.find(({ name }) => name === "Panel");
      const { rect, found, beside, game, point } = await run(
        `const { view } = await open("ui", args.made);
       await view.whenLoaded();
       const rect = view.measures.rect(6);
       const found = view.measures.pick(rect.x + 5, rect.y + 5);
       const beside = view.measures.pick(rect.x + rect.w + 30, rect.y + 5);
       view.mode = "game";
       await view.whenLoaded();
       return { rect, found, beside, game: view.measures.pick(400, 300), point: view.measures.toGame(rect.x, rect.y) };`,
        { made: MADE },
      );
      const { x, y, w, h } = panel?.rect ?? { x: NaN, y: NaN, w: NaN, h: NaN };
      assert.deepEqual(rect, { x, y: y + (600 - 450) / 2, w, h });
      assert.deepEqual([found, beside], [6, null]);
      assert.equal(game, 3, "what is below the UI is found through it");
      assert.deepEqual(point, { x, y });
    }, { scene: BOXES });
  },
);

test(
  "SceneView follows the editor's game to the bit, and shows the scene again",
  { skip },
  async () => {
    await withView(async ({ run, editor }) => {
      const opened = await editor.editing.openScene("assets/scenes/menu.scene.json", { source });
      assert.ok(opened.ok);
      await run(`globalThis.it = await open("game", { width: 1280, height: 720 })`);
      const step = async (ticks: number) =>
        assert.ok((await editor.play.step(ticks, { source })).ok);
      await step(56);
      await editor.play.input({ kind: "key", code: "Enter", phase: "press" }, source);
      await step(100);
      await editor.play.input({ kind: "key", code: "ArrowUp", phase: "down" }, source);
      await step(300);
      const saved = await editor.play.saveRound("rounds/a.round.json", source);
      assert.ok(saved.ok);
      const [tick, hash, isLost] = await run(
        `const tick = await until("the view is at tick 456", async () => {
         await it.settled();
         const tick = await it.view.advanceTo(0);
         return tick >= 456 && tick;
       });
       return [tick, await it.view.hash(), it.view.isLost];`,
      );
      assert.deepEqual([tick, hash, isLost], [456, saved.value.hash, false]);
      assert.notEqual(editor.identity().playing, "assets/scenes/menu.scene.json");
      await editor.play.stop("human");
      await run("await until('the view has stopped following', () => !it.view.isFollowing)");
      assert.equal(await run("return await it.view.hash()"), null);
      await run("it.close(); if (host.children.length > 0) throw new Error('it left something')");
    });
  },
);

test("SceneView reads assets again that have changed", { skip }, async () => {
  await withView(async ({ run, editor }) => {
    const red = { path: "assets/view.material.json", content: { color: "#ff0000" } };
    const made = await editor.authoring.create({ ...red, source });
    assert.ok(made.ok, JSON.stringify(made));
    const { guid } = made.value;
    const fields = { material: guid };
    const done = await editor.editing.edit({
      ops: [{ op: "set", id: 3, trait: "Renderable3D", fields }],
      source,
    });
    assert.ok(done.ok && done.value.ok);
    await run(`globalThis.it = await open("3d", args.made); it.view.camera = args.camera`, {
      made: MADE,
      camera: CAMERA,
    });
    const color = (): Promise<readonly number[]> => run("return await colorAt(it.view, 400, 300)");
    const [r = 0, , b = 0] = await color();
    assert.ok(r > b + 50, `${r} ${b}`);
    const blue = { color: "#0000ff" };
    const written = await editor.authoring.write({ name: guid, content: blue, source });
    assert.ok(written.ok);
    await until("the box is blue", async () => {
      await run("await it.settled()");
      const [red = 0, , blue = 0] = await color();
      return blue > red + 50;
    });
  }, { scene: BOXES });
});
