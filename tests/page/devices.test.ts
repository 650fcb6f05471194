import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// The dialog of devices in Chromium: the simulated phone takes an update by the real client in the real
// game, and survives a bad one.

const skip = NO_CHROMIUM;
const SCENE = "assets/scenes/plain.scene.json";

/** A game that little has to be drawn of: software draws it here. */
function plainGame(root: string): void {
  const config = join(root, "project.config.json");
  const { ota: _none, ...settings } = JSON.parse(readFileSync(config, "utf8"));
  writeFileSync(config, JSON.stringify({ ...settings, startScene: SCENE, editScene: SCENE }));
  const traits = { UIElement: { padding: 32 }, Text: { text: "Plain" } };
  const camera = { Transform: { z: 5 }, Camera: {} };
  writeFileSync(
    join(root, SCENE),
    JSON.stringify({
      schema: 1,
      name: "Plain",
      entities: [
        { guid: "2f0c3567-fd0c-8f92-afa5-f11a1184b874", name: "Eye", layer: "3d", traits: camera },
        { guid: "f220404b-f282-803f-8b3a-b0964257d2ce", name: "Word", layer: "ui", traits },
      ],
    }),
  );
}

/** A service of a user who has no phone yet. */
async function ofNewUser(root: string, folder: string): Promise<Service> {
  const runtime = await loadRuntime();
  return await serviceOf(
    { ...runtime, host: { ...runtime.host, userData: join(folder, "me") } },
    root,
  );
}

/** Without transitions: axe waits for their end, and a machine under load draws few frames. */
const WORLD = { prepare: plainGame, open: ofNewUser, reducedMotion: "reduce" } as const;

async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Devices" }).click();
  const dialog = page.getByRole("dialog", { name: "Devices" });
  await dialog.getByRole("region", { name: "What comes next" }).waitFor();
  return dialog;
}

/** Presses the button of the next step, which it waits for. */
async function press(dialog: Locator, label: string): Promise<void> {
  const next = dialog.getByRole("region", { name: "What comes next" });
  await next.getByRole("button", { name: label, exact: true }).click();
}

/** The value of a version's row. */
function version(dialog: Locator, title: string): Locator {
  return dialog.locator(".phone-versions > div", { hasText: title }).locator("dd > bdi");
}

/** What the framed game says: of a broken version, of slow drawing, of requests of a killed launch. */
const SAID =
  /is not JSON at|cannot be started|broken|fewer pixels|(Failed to|sync) fetch|Failed to (execute 'json'|load resource)|found status 404/;

test(
  "a newcomer presses one button after the other, and sees an update taken and a bad one survived",
  { skip },
  async () => {
    await withEditorPage(async ({ page, root }) => {
      const dialog = await openDialog(page);
      await press(dialog, "With the project's own updates"); // it has none: where they are set up
      await dialog.getByText("The apps of this project do not look for updates yet").waitFor();
      await dialog.getByRole("button", { name: "Set up updates" }).click();
      await page.getByRole("dialog", { name: "Publish" }).getByText("What is missing").waitFor();
      await page.keyboard.press("Escape");
      await openDialog(page);
      await press(dialog, "Try updates");
      await press(dialog, "Publish v2");
      await press(dialog, "Check for an update");
      await press(dialog, "Restart into v2");
      await dialog.getByText("Plays v2").waitFor();
      const frame = page.frameLocator("iframe[title='The game on the simulated phone']");
      await frame.locator("#game").waitFor();
      await press(dialog, "Restart the app");
      await press(dialog, "Publish v3, a broken one");
      assert.equal(await version(dialog, "Active").textContent(), "v2");
      await press(dialog, "Check for an update");
      await press(dialog, "Restart into v3");
      await dialog.getByText("v3 did not start").first().waitFor();
      await press(dialog, "Open it again: 2 of 3");
      await press(dialog, "Open it again: 3 of 3");
      await press(dialog, "Open it once more");
      await dialog.getByText("Plays v2").waitFor();
      assert.equal(await version(dialog, "Quarantined").textContent(), "v3");
      const log = dialog.getByRole("log", { name: "What happened" });
      await log.getByText("v3 is refused: this phone has quarantined it").first().waitFor();
      await press(dialog, "Publish v4");
      await press(dialog, "Check for an update");
      await dialog.getByRole("button", { name: "Restart into v4" }).waitFor();
      assert.equal(existsSync(join(root, "dist")), false);
    }, { ...WORLD, says: SAID });
  },
);

test(
  "the client in the game takes an update by itself; a reload and a closed dialog change nothing",
  { skip },
  async () => {
    await withEditorPage(async ({ page, agent }) => {
      let dialog = await openDialog(page);
      await press(dialog, "Try updates");
      await dialog.getByRole("button", { name: "Publish v2" }).waitFor();
      await agent("phone_do", { action: "publish" }); // as an agent does: it is seen here
      await dialog.getByText("v2 is published", { exact: false }).first().waitFor();
      await dialog.getByRole("button", { name: "Restart", exact: true }).click();
      await dialog.getByRole("button", { name: "Restart into v2" }).waitFor();

      await page.reload();
      dialog = await openDialog(page);
      await press(dialog, "Restart into v2");
      await dialog.getByText("Plays v2").waitFor();
      await dialog.getByRole("button", { name: "Close Devices" }).click();
      await dialog.waitFor({ state: "detached" });
      dialog = await openDialog(page);
      await dialog.getByText("Plays v2").waitFor();
      const { versions } = await agent("phone_state");
      assert.deepEqual([versions.pending, versions.confirmed, versions.attempts], ["v2", 1, 1]);

      await dialog.getByLabel("Break the next start").check();
      await dialog.getByRole("button", { name: "Restart", exact: true }).click();
      await dialog.getByText("v2 did not start").first().waitFor();
      await dialog.getByLabel("Network").uncheck();
      await dialog.getByRole("button", { name: "Check", exact: true }).click();
      const log = dialog.getByRole("log", { name: "What happened" });
      await log.getByText("No update could be read").first().waitFor();
      await dialog.getByRole("button", { name: "Go back", exact: true }).click();
      await dialog.getByText("Plays v1, as installed").waitFor();
      await dialog.getByRole("button", { name: "Kill", exact: true }).click();
      await dialog.getByText("App closed").waitFor();
    }, { ...WORLD, says: SAID });
  },
);

test("the phone with an app, an update and a story keeps nobody out", { skip }, async () => {
  await withEditorPage(async ({ page, agent }) => {
    for (const action of ["start", "publish", "check", "kill"]) await agent("phone_do", { action });
    const dialog = await openDialog(page);
    await dialog.getByText("App closed").waitFor();
    assert.equal(await version(dialog, "Pending").textContent(), "v2");
    await assertAccessible(page, "dialog");
  }, WORLD);
});

for (const host of ["127.0.0.1", "localhost"]) {
  test(`a game on the phone has none of the editor's cookies on ${host}`, { skip }, async () => {
    await withEditorPage(async ({ page, url, agent }) => {
      await page.goto(url.replace("127.0.0.1", host));
      await agent("phone_do", { action: "start" });
      const dialog = await openDialog(page);
      await dialog.locator("iframe").waitFor();
      await until("the page has the frame of the phone", () => page.frames().length === 2);
      await page.frames()[1]?.evaluate(`{
        for (let n = 0; n < 180; n++) {
          document.cookie = "lax" + n + "=" + "x".repeat(4000) + "; Path=/";
          document.cookie = "none" + n + "=" + "x".repeat(4000) + "; Path=/; SameSite=None; Secure";
        }
      }`);
      const again = await page.reload();
      assert.equal(again?.status(), 200);
      await openDialog(page);
    }, { ...WORLD, says: SAID });
  });
}

test("no page but the editor's can frame the phone, or ask its device", { skip }, async () => {
  await withEditorPage(async ({ page, url, agent }) => {
    const { page: address } = await agent("phone_do", { action: "start" });
    const { origin } = new URL(address);
    const editor = await fetch(`${url}/`, { headers: { accept: "text/html" } });
    await editor.body?.cancel();
    const policy = editor.headers.get("content-security-policy") ?? "";
    assert.ok(policy.split("; ").includes(`frame-src ${origin}`), policy);
    const browser = page.context().browser();
    assert.ok(browser !== null);
    const other = await browser.newPage();
    other.setDefaultTimeout(UNTIL_MS);
    const refused: string[] = [];
    other.on("console", (message) => refused.push(message.text()));
    await other.route("http://evil.test/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body:
          `<iframe src="${address}"></iframe><script src="${address}.phone/bridge.js"></script>`,
      }));
    await other.goto("http://evil.test/");
    const asked = await other.evaluate(
      `Promise.all([
        fetch(${JSON.stringify(`${address}.phone/native`)}, {
          method: "POST", headers: { "content-type": "application/json" },
          body: '{"method":"getState"}',
        }).then(() => "read", () => "nothing"),
        fetch(${JSON.stringify(`${address}.phone/native`)}, {
          method: "POST", mode: "no-cors", body: '{"method":"revert","request":{"name":"game"}}',
        }).then(({ type }) => type, () => "nothing"),
        fetch(${JSON.stringify(`${origin}/`)}).then(() => "read", () => "nothing"),
      ])`,
    );
    assert.equal(Array.isArray(asked) && asked.includes("read"), false, String(asked));
    assert.equal(await other.evaluate("typeof Capacitor"), "undefined");
    assert.equal(other.frames().some((frame) => frame.url().startsWith(origin)), false);
    await other.close();
    const { boot } = await agent("phone_state");
    assert.equal(boot.kind, "starting");
    assert.ok(refused.length > 0);
  }, WORLD);
});

test("a person lets apps in for five minutes, sees until when, and lets none in again", {
  skip,
}, async () => {
  await withEditorPage(async ({ page, agent }) => {
    const dialog = await openDialog(page);
    await dialog.getByText("Connect a device").click();
    await dialog.getByText("may connect for 5 minutes once you allow it").waitFor();
    await dialog.getByRole("button", { name: "Allow apps" }).click();
    await dialog.getByText(/^Apps may connect until \d\d:\d\d/).waitFor();
    const { open } = await agent("device_list");
    assert.equal(open.by, "pairing");
    assert.ok(open.secondsLeft > 240 && open.secondsLeft <= 300, String(open.secondsLeft));
    await assertAccessible(page, "dialog");
    await dialog.getByRole("button", { name: "Stop allowing" }).click();
    await dialog.getByRole("button", { name: "Allow apps" }).waitFor();
    assert.equal((await agent("device_list")).open, undefined);
    await agent("device_list", { pair: "open" }); // as an agent does: it is seen here
    await dialog.getByText(/^Apps may connect until/).waitFor();
  }, WORLD);
});

test(
  "the list says what to do where no device is connected, and refuses a wrong code",
  { skip },
  async () => {
    await withEditorPage(async ({ page }) => {
      const dialog = await openDialog(page);
      await dialog.getByText("No device is connected.").waitFor();
      await dialog.getByText("Connect a device").click();
      await dialog.getByLabel("Pairing code").fill("<b>0000</b>");
      await dialog.getByRole("button", { name: "Pair" }).click();
      await dialog.getByRole("alert").waitFor();
      assert.equal(await dialog.getByRole("alert").locator("b").count(), 0);
      await assertAccessible(page, "dialog");
    }, { ...WORLD, says: /Failed to load resource/ });
  },
);
