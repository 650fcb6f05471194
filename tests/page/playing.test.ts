import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "esbuild";
import type { Handler } from "../../lib/http/mod.ts";
import type { EmbeddedEditor } from "../../lib/editor/mod.ts";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// The viewport while the editor plays, with its view at hand: a game that is played along is the same to
// the bit, which no picture proves.

const skip = NO_CHROMIUM;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["tests/page/viewport-page.tsx"],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** The service of a project, with a page of the viewport alone at `/test/`. */
async function open(root: string): Promise<Service> {
  const service = await serviceOf(await loadRuntime(), root);
  const files: Readonly<Record<string, readonly [string, string]>> = {
    "/test/": [
      "text/html",
      `<!doctype html><link rel="stylesheet" href="/test/page.css">` +
      `<style>body { margin: 0; height: 100vh; display: flex }</style>` +
      `<link rel="icon" href="data:,"><script type="module" src="/test/page.js"></script>`,
    ],
    "/test/page.js": ["text/javascript", await bundle()],
    "/test/page.css": ["text/css", readFileSync("lib/page/viewport/viewport.css", "utf8")],
  };
  const handler: Handler = (request, peer) => {
    const [type, body] = files[new URL(request.url).pathname] ?? [];
    if (type === undefined) return service.handler(request, peer);
    return Promise.resolve(new Response(body ?? "", { headers: { "content-type": type } }));
  };
  return { ...service, services: service.services, handler };
}

interface ViewportWorld extends EditorWorld {
  /** Runs a script with the viewport's `view`. */
  // deno-lint-ignore no-explicit-any
  run(script: string): Promise<any>;
  readonly editor: EmbeddedEditor;
}

function withViewport(work: (world: ViewportWorld) => Promise<void>): Promise<void> {
  return withEditorPage(async (world) => {
    const { page, url, service } = world;
    await page.goto(`${url}/test/`);
    await page.waitForFunction("viewport.view?.rev > -1");
    await work({
      ...world,
      editor: service.services.editor as EmbeddedEditor,
      run: (script) => page.evaluate(`(async () => { const { view } = viewport; ${script} })()`),
    });
  }, { open });
}

/** Counts the frames that the page asks for while ten of a test are shown. */
const FRAMES_ASKED = `
  const { requestAnimationFrame: ask } = globalThis;
  let asked = 0;
  globalThis.requestAnimationFrame = (show) => (asked++, ask(show));
  for (let n = 0; n < 10; n++) await new Promise((shown) => ask(shown));
  globalThis.requestAnimationFrame = ask;
  return asked;`;

test(
  "a game is played along to the bit, by a person's keys and an agent's steps",
  { skip },
  () =>
    withViewport(async ({ page, agent, run, editor }) => {
      const isAt = (tick: number) =>
        until(`the view is at tick ${tick}`, async () =>
          await run("return await view.advanceTo(0)") === tick);
      await agent("play_control", { action: "play" });
      await until("the view follows the game", () =>
        run("return view.isFollowing && view.mode === 'game'"));
      await page.getByRole("main").focus();
      await page.keyboard.down("ArrowUp");
      await until("the game has passed tick 120", async () =>
        (await agent("get_editor_state")).tick > 120);
      await page.keyboard.up("ArrowUp");
      await page.keyboard.press("Space");
      await until("the round has recorded the keys", () => {
        const round = editor.play.round();
        return round.ok && round.value.events.length >= 4;
      });
      await agent("play_control", { action: "pause" });
      await agent("step_play", { ticks: 100 });
      const { tick } = await agent("get_editor_state");
      await isAt(tick);
      const saved = await editor.play.saveRound("rounds/a.round.json", "agent");
      assert.ok(saved.ok);
      assert.equal(await run("return await view.hash()"), saved.value.hash);
      assert.equal(saved.value.ticks, tick);
      assert.ok(saved.value.events >= 4, `${saved.value.events} events of the person`);
      assert.equal(await run("return view.isLost"), false);
      // What was seen before is seen again.
      await agent("play_control", { action: "stop" });
      await until("the view shows the scene again", () =>
        run("return !view.isFollowing && view.mode === '3d' && view.camera !== null"));
      await until("the page asks for no frame of a game that stands", async () =>
        await run(FRAMES_ASKED) === 0);
    }),
);

test("a pointer plays the game in its own pixels; keys are the page's again after Escape", {
  skip,
}, () =>
  withViewport(async ({ page, agent, run, editor }) => {
    const opened = await editor.editing.openScene("assets/scenes/menu.scene.json", {
      source: "agent",
    });
    assert.ok(opened.ok);
    await agent("play_control", { action: "play" });
    await until("the view follows the game", () => run("return view.isFollowing"));
    const { handles } = await agent("handles", { kind: "button" });
    const button = handles.find((one: { onScreen: boolean }) => one.onScreen);
    const { left, top, scale } = await run(
      `const a = view.measures.toGame(0, 0), b = view.measures.toGame(100, 0);
       return { left: -a.x * 100 / (b.x - a.x), top: -a.y * 100 / (b.x - a.x), scale: 100 / (b.x - a.x) };`,
    );
    await page.mouse.move(left + button.x * scale, top + button.y * scale);
    await page.mouse.down();
    await until("the round has recorded the pointer", () => {
      const round = editor.play.round();
      const events = round.ok ? round.value.events : [];
      return events.some(([, { kind }]) => kind === "pointer");
    });
    await page.mouse.up();
    const pointed = () => {
      const round = editor.play.round();
      assert.ok(round.ok);
      return round.value.events.flatMap(([, event]) => event.kind === "pointer" ? [event] : []);
    };
    await until("the round has recorded that the pointer is up", () =>
      pointed().at(-1)?.phase === "up");
    const [first] = pointed();
    assert.ok(
      first && Math.hypot(first.x - button.x, first.y - button.y) < 2,
      JSON.stringify(first),
    );
    assert.equal(
      await run("return document.activeElement === document.querySelector('main')"),
      true,
    );
    await page.keyboard.press("Escape");
    assert.equal(await run("return document.activeElement === document.body"), true);
  }));

test(
  "a moment of an animation is shown while it is looked at, and no longer",
  { skip },
  () =>
    withViewport(async ({ agent, run, editor }) => {
      const { entities } = await editor.sceneState();
      const animated = entities.find(({ traits }) => traits["Timeline"] !== undefined) ??
        entities.find(({ traits }) => traits["Animator"] !== undefined);
      assert.ok(animated);
      const pose = await editor.poses.at({ entity: animated.id, time: 0.4 });
      assert.ok(pose.ok && pose.value.values.length > 0, JSON.stringify(pose));
      const [one] = pose.value.values.filter(({ traits }) => traits["Transform"] !== undefined);
      assert.ok(one);
      const placeOf = () => run(`return JSON.stringify(view.measures.places(${one.id}).own)`);
      const before = await placeOf();
      await run(`viewport.posed.value = { entity: ${animated.id}, time: 0.4 }`);
      await until("the view shows the posed entity", async () => await placeOf() !== before);
      await run("viewport.posed.value = null");
      await until("the view shows the entity without the pose", async () =>
        await placeOf() === before);
      assert.equal((await agent("get_history")).undoTotal, 0);
    }),
);

test("what an agent focuses on comes into sight; a game that is off record is shown as told", {
  skip,
}, () =>
  withViewport(async ({ page, agent, run, editor }) => {
    const { entities } = await editor.sceneState();
    const tower = entities.find(({ name }) => name === "Tower");
    assert.ok(tower);
    await agent("focus_entity", { id: tower.id });
    const isInSight = () =>
      run(
        `const { x, y } = view.measures.project(view.measures.places(${tower.id}).own.affine.offset) ?? {};
        return Math.hypot(x - view.size.width / 2, y - view.size.height / 2) < 60`,
      );
    await until("the focused entity is in the middle", isInSight);
    await agent("play_control", { action: "play" });
    await until("the view follows the game", () => run("return view.isFollowing"));
    const path = "assets/materials/off-record.material.json";
    const made = await editor.authoring.create({
      path,
      content: { color: "#ff0000" },
      source: "agent",
    });
    assert.ok(made.ok, JSON.stringify(made));
    await page.getByText("This game cannot be reproduced from its input").waitFor();
    await until("the view has stopped following the game", () =>
      run("return !view.isFollowing && view.mode === 'game'"));
    await agent("play_control", { action: "stop" });
    await until("the view shows the scene again", () =>
      run("return view.mode === '3d'"));
    await until("the focused entity is in the middle again", isInSight); // from where it was looked at before
  }));
