import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { withChromiumPhone } from "../engines/phone-page.ts";
import { withChromiumContext } from "../engines/chromium-context.ts";
import { findChromium } from "../engines/web-views.ts";
import { withoutAdb } from "../devices/device-world.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";

// The dialog of devices in one Chromium, on a page of another as the phone: over the real adb, and over
// the bridge in that page.

const skip = findChromium().skip || withoutAdb;
const HELD = { width: 400, height: 720, ratio: 2, rotation: 0 } as const;

/** Where a point of the phone's screen, in its own pixels, is in the page that shows it. */
async function pointOf(picture: Locator, x: number, y: number): Promise<[number, number]> {
  const box = await picture.boundingBox();
  assert.ok(box);
  const { width, height, ratio } = HELD;
  return [
    box.x + (x * ratio + 0.5) * box.width / (width * ratio),
    box.y + (y * ratio + 0.5) * box.height / (height * ratio),
  ];
}

test(
  "a connected device is seen live, touched, read and asked; it goes away and comes back (DEV-46)",
  { skip },
  () =>
    withChromiumPhone(async ({ url, ids, phone, adb, evaluate, page: app }) => {
      await phone.hold(HELD);
      phone.log = " 1763888000.000  4321  4321 I ActivityManager: <b>native</b> line\n";
      const complaints: string[] = [];
      await withChromiumContext(async (context) => {
        const page = await context.newPage();
        page.setDefaultTimeout(UNTIL_MS);
        page.on("pageerror", ({ message }) => complaints.push(message));
        await page.goto(`${url}/`);
        await page.getByRole("button", { name: "Devices" }).click();
        const dialog = page.getByRole("dialog", { name: "Devices" });
        const heard = async () => {
          const found: unknown = await evaluate("heard.map(([type, , x, y]) => [type, x, y])");
          return Array.isArray(found) ? found : [];
        };
        for (const transport of ["adb", "bridge"] as const) {
          await dialog.getByRole("button", { name: `${transport} · ready` }).click();
          const picture = dialog.getByRole("img", { name: /^Screen of/ });
          await picture.waitFor();

          // It is live: what the phone shows next is seen without anybody asking.
          const before = await picture.getAttribute("src");
          await evaluate(`document.body.style.background = "${transport}"; null`);
          await until("the picture of the phone has changed", async () =>
            await picture.getAttribute("src") !== before);

          // A tap hits what is pointed at, a drag goes from there to there.
          await evaluate("heard.length = 0; null");
          await page.mouse.click(...await pointOf(picture, 120, 300));
          await until("the phone has received the tap", async () =>
            (await heard()).length === 2);
          for (const [, x, y] of await heard()) {
            assert.ok(Math.hypot(x - 240, y - 600) < 5, `${transport}: ${x} ${y}`);
          }
          await evaluate("heard.length = 0; null");
          await page.mouse.move(...await pointOf(picture, 100, 200));
          await page.mouse.down();
          await page.mouse.move(...await pointOf(picture, 300, 500));
          await page.mouse.up();
          await until("the phone has received the drag", async () => (await heard()).length === 2);
          const [down, up] = await heard();
          assert.ok(Math.hypot(down[1] - 200, down[2] - 400) < 5, `${transport}: ${down}`);
          assert.ok(Math.hypot(up[1] - 600, up[2] - 1000) < 5, `${transport}: ${up}`);

          // A line is evaluated there; what it prints is read, as text.
          const line = dialog.getByLabel("JavaScript to evaluate in the game's page");
          await line.fill(`console.warn("<i>from ${transport}</i>"); innerWidth * 2`);
          await line.press("Enter");
          await dialog.getByRole("log", { name: "Answers" }).getByText("800").waitFor();
          const lines = dialog.getByRole("log", { name: "Lines" });
          await lines.getByText(`<i>from ${transport}</i>`).first().waitFor();
          await line.fill("throw new Error('not so')");
          await line.press("Enter");
          await dialog.locator(".device-answers .level-error", { hasText: "not so" }).waitFor();
          if (transport === "adb") {
            await dialog.getByRole("tab", { name: "Native log" }).click();
            await lines.getByText("<b>native</b> line").waitFor();
          }
          await assertAccessible(page, "dialog");
        }

        // The page of the bridge is left: a browser keeps it, frozen. It is there again once that is.
        const home = await evaluate("location.href");
        await app.send("Page.navigate", { url: "about:blank" });
        await dialog.getByText("It is not connected any more").waitFor();
        await app.send("Page.navigate", { url: home });
        await dialog.getByRole("img", { name: /^Screen of/ }).waitFor();

        // The phone is unplugged while it is looked at, and plugged in again.
        await dialog.getByRole("button", { name: "adb · ready" }).click();
        await dialog.getByRole("img", { name: /^Screen of/ }).waitFor();
        adb.unplug(phone);
        await dialog.getByText("It is not connected any more").waitFor();
        await dialog.getByRole("button", { name: "adb · ready" }).waitFor({ state: "detached" });
        adb.phones.push(phone);
        await dialog.getByRole("img", { name: /^Screen of/ }).waitFor();
        assert.equal(ids.adb, phone.serial);
      }, { viewport: { width: 1280, height: 720 }, reducedMotion: "reduce" });
      assert.deepEqual(complaints, []);
    }),
);
