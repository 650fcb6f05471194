import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { pngFile } from "../../lib/core/png-file.ts";
import { PINS } from "../../lib/toolchain/mod.ts";
import { type PngPixels, pngPixels } from "../support/png-pixels.ts";
import { until } from "../support/until.ts";
import { openDialogService } from "./dialog-service.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// What the page looks like, panel by panel, in both themes. Compared is how bright each part of it is,
// not each pixel: another machine has other letters. `SLIPWAY_PICTURES=write` takes the pictures as they
// are from then on; whole ones lie in `.cache/page-pictures` after each run.

const skip = NO_CHROMIUM;
const KNOWN = join("tests", "page", "pictures");
const WHOLE = join(".cache", "page-pictures");
/** The one that README shows. */
const SHOWN = { name: "scene-dark", path: join("lib", "page", "page.jpg") };
const WRITES = process.env["SLIPWAY_PICTURES"] === "write";
/** A part of the picture is so many pixels wide and high. */
const PART = 16;
/** Of 255, what the parts may differ by: in the mean, and how many of a hundred by more than is far. */
const MOST = { mean: 4, far: 48, farPercent: 2 };

/** What is looked at, by name: how one gets there from the one before. */
const VIEWS: Readonly<Record<string, (world: EditorWorld) => Promise<void>>> = {
  async scene({ page }) {
    await page.getByPlaceholder("Search, t:Trait").fill("Runner");
    await page.getByRole("treeitem", { name: "Runner", exact: true }).click();
    await page.getByPlaceholder("Search, t:Trait").fill("");
    await page.getByRole("button", { name: "Frame the selection" }).click();
  },
  ...Object.fromEntries(
    ["Console", "Activity", "Diagnose", "Journal", "Watch", "Timeline"].map((name) => [
      name.toLowerCase(),
      async ({ page }: EditorWorld) => {
        await page.getByRole("tab", { name }).click();
        await page.getByRole("region", { name }).waitFor();
      },
    ]),
  ),
  async "flat layer"({ page }) {
    await page.getByRole("tab", { name: "Assets" }).click();
    await page.getByRole("button", { name: "2D", exact: true }).click();
  },
  async "ui layer"({ page }) {
    await page.getByRole("button", { name: "UI", exact: true }).click();
  },
  async game({ agent }) {
    await agent("play_control", { action: "play" });
    const { tick } = await agent("play_control", { action: "pause" });
    if (tick < 90) await agent("step_play", { ticks: 90 - tick });
  },
  async "build support"({ page, agent }) {
    await agent("play_control", { action: "stop" });
    await page.getByRole("button", { name: "Build support" }).click();
  },
  async publish({ page }) {
    await leave(page);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
  },
  async devices({ page }) {
    await leave(page);
    await page.getByRole("button", { name: "Devices" }).click();
  },
  async keys({ page }) {
    await leave(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
  },
};

test("the page looks as it did, in both themes", { skip }, () =>
  withEditorPage(async (world) => {
    const { page } = world;
    for (const folder of [KNOWN, WHOLE]) mkdirSync(folder, { recursive: true });
    for (const [view, open] of Object.entries(VIEWS)) {
      await open(world);
      await page.mouse.move(0, 0); // what is below the pointer is shown in another way
      for (const theme of ["dark", "light"]) {
        await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
        await compare(page, `${view.replace(" ", "-")}-${theme}`);
      }
    }
  }, {
    colorScheme: "dark",
    draws: true,
    open: (root, folder) => openDialogService(root, folder, PINS),
  }));

/** Closes the dialog. */
async function leave(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** A picture of the page, once it has looked the same ten times in a row. */
async function stillPicture(page: Page): Promise<Buffer> {
  let [last, same] = [await page.screenshot(), 0];
  return await until("the page looks the same ten times in a row", async () => {
    const next = await page.screenshot();
    same = next.equals(last) ? same + 1 : 0;
    last = next;
    return same === 10 && next;
  });
}

async function compare(page: Page, name: string): Promise<void> {
  const path = join(KNOWN, `${name}.png`);
  if (WRITES) {
    const picture = await stillPicture(page);
    writeFileSync(join(WHOLE, `${name}.png`), picture);
    writeFileSync(path, pngOf(partsOf(picture)));
    if (name === SHOWN.name) {
      writeFileSync(SHOWN.path, await page.screenshot({ type: "jpeg", quality: 82 }));
    }
    return;
  }
  const known = pngPixels(readFileSync(path));
  let found = { mean: Infinity, far: Infinity };
  try {
    // What is loaded comes in by and by.
    await until(`the page looks like the stored picture ${name}`, async () => {
      const picture = await page.screenshot();
      writeFileSync(join(WHOLE, `${name}.png`), picture);
      found = differenceOf(partsOf(picture), known);
      return found.mean <= MOST.mean && found.far <= MOST.farPercent;
    });
  } catch {
    const { mean, far } = found;
    assert.fail(
      `${name} differs by ${mean.toFixed(1)} of 255 in the mean, and ${
        far.toFixed(1)
      } of 100 parts ` +
        `by more than ${MOST.far}. Look at ${
          join(WHOLE, name)
        }.png; if that is how it should look, ` +
        "SLIPWAY_PICTURES=write takes the pictures as they are",
    );
  }
}

/** How bright the parts of a picture are, each as an average of its pixels. */
function partsOf(picture: Uint8Array): PngPixels {
  const { width: across, rgba, height: down } = pngPixels(picture);
  const [width, height] = [Math.floor(across / PART), Math.floor(down / PART)];
  const sums = new Float64Array(width * height * 4);
  for (let y = 0; y < height * PART; y++) {
    for (let x = 0; x < width * PART; x++) {
      const part = (Math.floor(y / PART) * width + Math.floor(x / PART)) * 4;
      const pixel = (y * across + x) * 4;
      for (let c = 0; c < 4; c++) sums[part + c] = (sums[part + c] ?? 0) + (rgba[pixel + c] ?? 0);
    }
  }
  const parts = Uint8ClampedArray.from(sums, (sum) => sum / PART ** 2); // it rounds
  return { width, height, rgba: Uint8Array.from(parts) };
}

/** By how much the parts of two pictures differ, of 255, and how many of a hundred are far off. */
function differenceOf(parts: PngPixels, known: PngPixels): { mean: number; far: number } {
  assert.deepEqual([parts.width, parts.height], [known.width, known.height]);
  const count = parts.width * parts.height;
  let [sum, far] = [0, 0];
  for (let part = 0; part < count; part++) {
    const off = Math.max(
      ...[0, 1, 2].map((c) =>
        Math.abs((known.rgba[part * 4 + c] ?? 0) - (parts.rgba[part * 4 + c] ?? 0))
      ),
    );
    sum += off;
    if (off > MOST.far) far++;
  }
  return { mean: sum / count, far: 100 * far / count };
}

/** A PNG of pixels. */
function pngOf({ width, height, rgba }: PngPixels): Uint8Array {
  const rows = Array.from(
    { length: height },
    (_, y) => [Buffer.of(0), rgba.subarray(y * width * 4, (y + 1) * width * 4)],
  );
  const packed = new Uint8Array(deflateSync(Buffer.concat(rows.flat())));
  return pngFile({ width, height, channels: 4 }, packed);
}
