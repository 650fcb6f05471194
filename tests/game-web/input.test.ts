import { test } from "node:test";
import assert from "node:assert/strict";
import type { InputEvent } from "../../lib/game/types/mod.ts";
import { bundle } from "../engines/engine.ts";
import { openChromium, openWebKit } from "../engines/web-views.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import type { Page } from "../support/webdriver.ts";

// A stage of 800 × 600 pixels of the game in a box of 400 × 300 that begins at 20, 10; around it the page
// could scroll.
const HTML = `<!doctype html><body style="margin: 0; height: 5000px">
<div id="stage" style="position: absolute; left: 20px; top: 10px; width: 800px; height: 600px;
  transform: scale(0.5); transform-origin: 0 0; background: silver"><canvas></canvas>
  <button id="own" style="position: absolute; left: 600px; top: 500px">Own</button></div>
<input id="field" style="position: absolute; left: 20px; top: 400px">
<script src="/listen.js"></script>`;

/** What a test asks of the page. */
interface Heard {
  /** What the game was told since the last time. */
  heard(): Promise<readonly InputEvent[]>;
  run(script: string): Promise<unknown>;
  readonly page: Page;
}

const chromium = openChromium();

function inPage(
  work: (heard: Heard) => Promise<void>,
  { open } = chromium,
): Promise<void> {
  return open(async (page) => {
    const script = await bundle(
      `import { listen } from "./lib/game-web/input/mod.ts";
       let heard = [];
       globalThis.pads = [];
       Object.defineProperty(navigator, "getGamepads", { value: () => globalThis.pads });
       globalThis.listening = listen(document.getElementById("stage"), {
         screen: () => ({ width: 800, height: 600 }),
         take: (event) => heard.push(event),
       });
       globalThis.takeHeard = () => heard.splice(0);`,
      "es2022",
    );
    const site = new Map([
      ["/", textAnswer(HTML, { headers: { "content-type": "text/html" } })],
      ["/listen.js", textAnswer(script, { headers: { "content-type": "text/javascript" } })],
    ]);
    const server = await startHostileServer((path) => site.get(path));
    try {
      await page.navigate(`${server.origin}/`);
      const run = (body: string) =>
        page.executeAsync(
          `arguments[0](await_(() => { ${body} })); function await_(f) { return f(); }`,
          [],
        );
      await work({
        page,
        run,
        async heard() {
          return JSON.parse(String(await run("return JSON.stringify(takeHeard());")));
        },
      });
    } finally {
      await server.close();
    }
  });
}

/** A finger of its own, with what it does. */
function finger(id: string, actions: readonly unknown[]): unknown {
  return { type: "pointer", id, parameters: { pointerType: "touch" }, actions };
}

/** The mouse, with what it does. */
function mouse(actions: readonly unknown[]): unknown {
  return { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
}

/** The keyboard, with what it does. */
function keyboard(actions: readonly unknown[]): unknown {
  return { type: "key", id: "keyboard", actions };
}

const move = (x: number, y: number) => ({ type: "pointerMove", x, y, duration: 0 });
const PRESS = { type: "pointerDown", button: 0 };
const LIFT = { type: "pointerUp", button: 0 };
const WAIT = { type: "pause" };
/** The arrow up, as WebDriver names it. */
const ARROW_UP = "\uE013";

test("listen(): the mouse is told in the game's pixels while its main button is down", {
  skip: chromium.skip,
}, () =>
  inPage(async ({ page, heard }) => {
    await page.perform([mouse([move(120, 60), PRESS, move(140, 60), move(15, 5), LIFT])]);
    assert.deepEqual(await heard(), [
      { kind: "pointer", phase: "down", x: 200, y: 100, id: 0 },
      { kind: "pointer", phase: "move", x: 240, y: 100, id: 0 },
      { kind: "pointer", phase: "move", x: -10, y: -10, id: 0 },
      { kind: "pointer", phase: "up", x: -10, y: -10, id: 0 },
    ]);
    const right = { type: "pointerDown", button: 2 };
    await page.perform([mouse([move(120, 60), right, { type: "pointerUp", button: 2 }])]);
    assert.deepEqual(await heard(), [], "the other buttons are not the game's");
  }));

test("listen(): fingers are told apart, and the smallest free number is taken", {
  skip: chromium.skip,
}, () =>
  inPage(async ({ page, heard }) => {
    await page.perform([
      finger("one", [move(120, 60), PRESS, WAIT, WAIT, LIFT, WAIT, move(130, 60), PRESS, LIFT]),
      finger("two", [WAIT, WAIT, move(220, 160), PRESS, WAIT, WAIT, WAIT, WAIT, LIFT]),
    ]);
    const reported = (await heard()).map((event) =>
      event.kind === "pointer" ? `${event.phase} ${event.id} ${event.x},${event.y}` : event.kind
    );
    assert.deepEqual(reported.filter((one) => one.endsWith("200,100") || one.includes("400,300")), [
      "down 0 200,100",
      "down 1 400,300",
      "up 0 200,100",
      "up 1 400,300",
    ]);
    assert.ok(reported.includes("down 0 220,100"), reported.join("; "));
  }));

test("listen(): keys are told once, and keep the page from scrolling; typing is typing", {
  skip: chromium.skip,
}, () =>
  inPage(async ({ page, heard, run }) => {
    const key = (value: string) => [{ type: "keyDown", value }, { type: "keyUp", value }];
    await page.perform([keyboard([
      { type: "keyDown", value: ARROW_UP },
      { type: "keyDown", value: ARROW_UP },
      { type: "keyUp", value: ARROW_UP },
      ...key(" "),
      ...key("w"),
    ])]);
    const keys = (code: string) => [
      { kind: "key", code, phase: "down" },
      { kind: "key", code, phase: "up" },
    ];
    assert.deepEqual(await heard(), [...keys("ArrowUp"), ...keys("Space"), ...keys("KeyW")]);
    assert.equal(await run("return scrollY;"), 0);
    await run('document.getElementById("field").focus();');
    await page.perform([keyboard([...key("w"), ...key("a")])]);
    assert.deepEqual(await heard(), []);
    assert.equal(await run('return document.getElementById("field").value;'), "wa");
    await run('document.getElementById("field").blur();');
    await page.perform([keyboard([
      { type: "keyDown", value: "\uE009" },
      ...key("k"),
      { type: "keyUp", value: "\uE009" },
    ])]);
    assert.deepEqual(await heard(), keys("ControlLeft"), "a command is the browser's");
  }));

test(
  "listen(): the wheel is told in pixels, and does not scroll",
  { skip: chromium.skip },
  () =>
    inPage(async ({ page, heard, run }) => {
      await page.perform([{
        type: "wheel",
        id: "wheel",
        actions: [{ type: "scroll", x: 120, y: 60, deltaX: 0, deltaY: 120, duration: 0 }],
      }]);
      assert.deepEqual(await heard(), [{ kind: "wheel", x: 200, y: 100, dy: 120 }]);
      assert.equal(await run("return scrollY;"), 0);
    }),
);

test("listen(): what is held is let go when the page loses the focus or is hidden", {
  skip: chromium.skip,
}, () =>
  inPage(async ({ page, heard, run }) => {
    for (const leaving of ['new Event("blur")', 'new Event("pagehide")']) {
      await page.perform([
        mouse([move(120, 60), PRESS]),
        keyboard([WAIT, WAIT, { type: "keyDown", value: "w" }]),
      ]);
      await heard();
      await run(`dispatchEvent(${leaving});`);
      assert.deepEqual(await heard(), [
        { kind: "pointer", phase: "cancel", x: 200, y: 100, id: 0 },
        { kind: "key", code: "KeyW", phase: "up" },
      ]);
      await page.perform([mouse([LIFT]), keyboard([{ type: "keyUp", value: "w" }])]);
      assert.deepEqual(await heard(), [], "it was let go already");
    }
  }));

test(
  "listen(): what the page has above the stage is the page's",
  { skip: chromium.skip },
  () =>
    inPage(async ({ page, heard, run }) => {
      await run('document.getElementById("own").onclick = () => { globalThis.clicked = true; };');
      await page.perform([finger("one", [move(330, 268), PRESS, LIFT])]);
      assert.deepEqual(await heard(), []);
      assert.equal(await run("return globalThis.clicked;"), true);
    }),
);

test(
  "listen(): a gamepad is told when it changes, in steps of 1/128",
  { skip: chromium.skip },
  () =>
    inPage(async ({ heard, run }) => {
      const pad = (buttons: readonly number[], axes: readonly number[], mapping = "standard") =>
        run(`pads = [{ connected: true, mapping: "${mapping}", axes: ${JSON.stringify(axes)},
        buttons: Array.from({ length: 17 }, (_none, i) => ({ pressed: ${
          JSON.stringify(buttons)
        }.includes(i) })) }];
        dispatchEvent(new Event("gamepadconnected"));
        listening.poll(); listening.poll();`);
      await pad([], [0.05, -0.04, 0, 0]);
      assert.deepEqual(await heard(), [], "a stick trembles at rest");
      await pad([0, 16], [0.502, -1.2, 0, 0.333]);
      assert.deepEqual(await heard(), [
        { kind: "gamepad", id: 0, buttons: [0, 16], axes: [0.5, -1, 0, 43 / 128] },
      ]);
      await pad([0, 16], [0.503, -1, 0, 0.334]);
      assert.deepEqual(await heard(), [], "less than a step is no change");
      await run("pads = []; listening.poll();");
      assert.deepEqual(await heard(), [
        { kind: "gamepad", id: 0, buttons: [], axes: [0, 0, 0, 0] },
      ], "it was pulled out");
      await pad([1], [1, 0, 0, 0], "");
      assert.deepEqual(await heard(), [], "nobody knows what another mapping means");
    }),
);

const webkit = openWebKit();

test("listen(): in WebKit too", { skip: webkit.skip }, () =>
  inPage(async ({ page, heard }) => {
    await page.perform([mouse([move(120, 60), PRESS, move(140, 60), LIFT])]);
    await page.perform([keyboard([
      { type: "keyDown", value: ARROW_UP },
      { type: "keyUp", value: ARROW_UP },
    ])]);
    assert.deepEqual(await heard(), [
      { kind: "pointer", phase: "down", x: 200, y: 100, id: 0 },
      { kind: "pointer", phase: "move", x: 240, y: 100, id: 0 },
      { kind: "pointer", phase: "up", x: 240, y: 100, id: 0 },
      { kind: "key", code: "ArrowUp", phase: "down" },
      { kind: "key", code: "ArrowUp", phase: "up" },
    ]);
  }, webkit));
