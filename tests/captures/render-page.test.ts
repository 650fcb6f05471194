import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { withCaptureWorld } from "./capture-world.ts";
import { answer, ask, joined, noProgram, pngOf, pngWith, withFakeBrowser } from "./fake-page.ts";

// The page that draws, played by a test: what it is let do, and what it may post. The browser is a
// program that never does anything.

const TOKEN = "a-token-that-nobody-can-guess";

test("the page that draws comes with a ticket that is good once, and without it sees nothing (CAP-1)", () =>
  withFakeBrowser(async ({ call, service }, opened) => {
    const drawing = call("render_scene");
    const address = await opened();
    const strange = new URL(address);
    strange.hash = "#00000000-0000-4000-8000-000000000000";
    assert.equal((await ask(strange)).status, 403);
    for (const path of ["work", "content/game.json", "captures/0001-scene.png"]) {
      assert.equal((await fetch(new URL(`./${path}`, address))).status, 403, path);
    }
    assert.equal((await fetch(new URL("./answers/1", address), { method: "POST" })).status, 403);
    const page = await joined(address);
    assert.equal((await ask(address)).status, 403);
    const { task } = await page.next();
    assert.deepEqual([task.kind, task.screen], ["draw", { width: 320, height: 200 }]);
    const html = await (await fetch(address)).text();
    assert.ok(!html.includes(address.hash.slice(1)));
    await service.close();
    assert.deepEqual((await drawing).body.code, "closed");
  }));

test("a service with a token lets the page that draws in by its ticket, and by it alone", () =>
  withFakeBrowser(async ({ call, service, url }, opened) => {
    const drawing = call("render_scene");
    const address = await opened();
    assert.ok(!address.href.includes(TOKEN));
    for (const path of ["api/scene-state", "api/captures/0001-scene.png"]) {
      assert.equal((await fetch(`${url}/${path}`)).status, 401, path);
    }
    assert.equal((await fetch(new URL("./work", address))).status, 403);
    const page = await joined(address);
    assert.equal((await page.next()).task.kind, "draw");
    assert.equal((await page.get("/api/scene-state")).status, 401);
    const foreign = { "sec-fetch-site": "cross-site" };
    assert.equal((await fetch(address, { headers: foreign })).status, 403);
    await service.close();
    assert.equal((await drawing).body.code, "closed");
  }, { token: TOKEN }));

test("the page that draws reads assets of the project, and no other file", () =>
  withFakeBrowser(async ({ call, root, service }, opened) => {
    mkdirSync(join(root, "assets", ".hidden"));
    writeFileSync(join(root, "assets", ".hidden", "a.json"), "{}");
    writeFileSync(join(root, "..", "outside.json"), "{}");
    symlinkSync(join(root, "..", "outside.json"), join(root, "assets", "link.json"));
    const drawing = call("render_scene");
    const page = await joined(await opened());
    for (
      const [path, status] of [
        ["content/game.json", 200],
        ["content/assets/scenes/main.scene.json", 200],
        ["content/project.config.json", 404],
        ["content/assets/.hidden/a.json", 404],
        ["content/assets/../project.config.json", 404],
        ["content/assets/%2e%2e/project.config.json", 404],
        ["content/assets/..%2fproject.config.json", 404],
        ["content/assets/link.json", 403],
        ["captures/..%2f..%2foutside.json", 404],
        ["runtime/..%2fpackage.json", 404],
      ] as const
    ) assert.equal((await page.get(`./${path}`)).status, status, path);
    await service.close();
    await drawing;
  }));

for (
  const [name, body, status, code] of [
    ["no head", new Blob(["x"]), 503, "bad-render-answer"],
    ["no picture", answer({}), 422, "not-drawn"],
    ["an error", answer({ error: "no WebGL" }), 422, "not-drawn"],
    ["text for a picture", answer({}, new Uint8Array(40)), 503, "bad-render-answer"],
    [
      "a picture that says to be 65,535 pixels wide and high",
      answer({}, pngWith(65_535, 65_535, [new Uint8Array(9)])),
      503,
      "bad-render-answer",
    ],
    ["a picture of another size", answer({}, pngOf(321, 200)), 422, "not-drawn"],
    [
      "more bytes than it says",
      new Blob([answer({}, pngOf(320, 200)), "x"]),
      503,
      "bad-render-answer",
    ],
    [
      "three pictures",
      answer({}, pngOf(320, 200), pngOf(1, 1), pngOf(1, 1)),
      503,
      "bad-render-answer",
    ],
  ] as const
) {
  test(`a page that posts ${name} is refused, and nothing is kept (CAP-6)`, () =>
    withFakeBrowser(async ({ call, root }, opened) => {
      const drawing = call("render_scene");
      const page = await joined(await opened());
      const { id } = await page.next();
      await (await page.post(id, body)).body?.cancel();
      const reported = await drawing;
      assert.deepEqual(
        [reported.status, reported.body.code],
        [status, code],
        JSON.stringify(reported.body),
      );
      assert.ok(!existsSync(join(root, ".captures")));
      assert.equal((await page.post(id, body)).status, 404);
    }));
}

test("a page that posts more than an answer may have is stopped", () =>
  withFakeBrowser(async ({ call }, opened) => {
    const drawing = call("render_scene");
    const page = await joined(await opened());
    const { id } = await page.next();
    const chunk = new Uint8Array(1024 * 1024);
    const much = new Blob(Array.from({ length: 97 }, () => chunk));
    const { status } = await page.post(id, much);
    assert.equal(status, 413);
    assert.equal((await drawing).body.code, "bad-render-answer");
  }));

test("a capture folder that leads out of the project is not written (CAP-7)", () =>
  withFakeBrowser(async ({ call, root }, opened) => {
    const outside = join(root, "..", "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, ".captures"));
    const drawing = call("render_scene");
    const page = await joined(await opened());
    const { id } = await page.next();
    await page.post(id, answer({}, pngOf(320, 200)));
    const { status, body } = await drawing;
    assert.deepEqual([status, body.code], [403, "outside-project"]);
    assert.ok(!existsSync(join(outside, ".gitignore")));
  }));

test("render_scene without a browser says how to get one", () =>
  withCaptureWorld(async ({ call }) => {
    const { status, body } = await call("render_scene");
    assert.deepEqual([status, body.code], [503, "no-browser"]);
    assert.match(body.hint, /SVC_CHROMIUM/);
  }, noProgram));

test("compare_captures names a capture that is not there before it starts a browser", () =>
  withCaptureWorld(async ({ call }) => {
    for (
      const before of [".captures/0009-scene.png", "assets/scenes/main.scene.json", "../x.png"]
    ) {
      const { status, body } = await call("compare_captures", { before, after: before });
      assert.deepEqual([status, body.code], [404, "no-such-capture"], before);
    }
  }, noProgram));

test("a page that draws is known among cookies of its name that other ports have set", () =>
  withCaptureWorld(async ({ url, call }) => {
    const refused = await call("render_scene");
    const [address = ""] = /http:\S+/.exec(refused.body.hint) ?? [];
    const { cookie } = await joined(new URL(address));
    const [name = ""] = cookie.split("=");
    const asked = await fetch(new URL("/render/presence", url), {
      headers: { cookie: `${name}=somebody; ${cookie}` },
    });
    assert.equal(asked.status, 200);
    await asked.body?.cancel();
  }, noProgram));
