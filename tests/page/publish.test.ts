import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "playwright-core";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { decodePng } from "../../lib/core/decode-png.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withFolder } from "../support/folder.ts";
import { serviceOf } from "../support/service.ts";
import { plainHost } from "../toolchain/install-world.ts";
import { posix } from "../toolchain/real-machine.ts";
import { assertAccessible } from "./axe.ts";
import { answer } from "./dialog-service.ts";
import { type EditorWorld, NO_CHROMIUM, wasSaid, withEditorPage } from "./editor-page.ts";

// The dialog of updates, in Chromium: a copy of the sample goes to a bucket in a folder, which a server
// serves as players' devices are served.

const skip = NO_CHROMIUM || posix.skip;

/** CommonJS, although its types say otherwise. */
const readQr: (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null = createRequire(import.meta.url)("jsqr");

interface UpdatesWorld extends EditorWorld {
  readonly dialog: Locator;
  /** The bucket's folder. */
  readonly bucket: string;
  /** The address from which players download. */
  readonly baseUrl: string;
}

/** The sample with updates on, opened at the dialog. */
async function withUpdates(
  work: (world: UpdatesWorld) => Promise<void>,
  { says, configured = true }: { readonly says?: RegExp; readonly configured?: boolean } = {},
): Promise<void> {
  await withFolder(async (bucket) => {
    const native = await loadRuntime();
    const serve = await loadServe();
    const cdn = await serve(createStaticHandler(native.files, bucket), {
      hostname: "127.0.0.1",
      port: 0,
    });
    assert.ok(cdn.ok);
    const { url: baseUrl } = cdn.value;
    const prepare = (root: string) => {
      const path = join(root, "project.config.json");
      const { ota, ...config } = JSON.parse(readFileSync(path, "utf8"));
      const settings = { ...ota, enabled: true, baseUrl };
      const publish = { bucket: pathToFileURL(bucket).href };
      writeFileSync(path, JSON.stringify({ ...config, ota: settings, publish }));
    };
    try {
      await withEditorPage(async (world) => {
        const dialog = await openPublish(world.page);
        await work({ ...world, dialog, bucket, baseUrl });
      }, {
        ...(configured && { prepare }),
        ...(says && { says }),
        open: (root, folder) => serviceOf({ ...native, host: plainHost(join(folder, "me")) }, root),
      });
    } finally {
      await cdn.value.close();
    }
  });
}

async function openPublish(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Publish", exact: true });
  await dialog.getByRole("tab", { name: "History" }).waitFor();
  return dialog;
}

/** The picture on the screen as a camera reads it. */
async function scanned(page: Page, picture: Locator): Promise<string | undefined> {
  await picture.scrollIntoViewIfNeeded();
  const { x, y, width } = await picture.boundingBox() ?? assert.fail("It is not on the screen");
  const side = Math.floor(width);
  const clip = { x: Math.ceil(x), y: Math.ceil(y), width: side, height: side };
  const decoded = await decodePng(new Uint8Array(await page.screenshot({ clip })));
  assert.ok(decoded.ok, decoded.ok ? "" : decoded.error);
  return readQr(new Uint8ClampedArray(decoded.value.rgba), side, side)?.data;
}

test("a newcomer sets updates up: settings, a key that is made once, and what it replaces", {
  skip,
}, () =>
  withUpdates(async ({ page, root, dialog, bucket, baseUrl }) => {
    await dialog.getByText("No app of this project looks for updates yet").waitFor();
    // A missing setting is named as the page names it, with a link to it.
    assert.doesNotMatch(await dialog.innerText(), /ota\.|publish\.bucket/);
    for (const tab of ["New version", "History", "Upkeep"]) {
      await dialog.getByRole("tab", { name: tab }).click();
      await dialog.getByText("There is no place to publish to").waitFor();
      assert.doesNotMatch(await dialog.innerText(), /ota\.|publish\.bucket/);
    }
    await dialog.getByRole("button", { name: "Open Setup" }).click();
    await dialog.getByRole("button", { name: /There is no place to publish to/ }).click();
    assert.equal(await dialog.locator(":focus").getAttribute("placeholder"), "s3://games/harbor");
    await dialog.getByLabel("Address that players fetch from").fill(baseUrl);
    await dialog.getByLabel("Bucket to publish to").fill(pathToFileURL(bucket).href);
    await dialog.getByLabel("Engine API of the app").fill("one");
    await dialog.getByLabel("Apps look for updates").check();
    const save = dialog.getByRole("button", { name: "Save settings" });
    await save.click();
    await dialog.getByRole("alert").getByText(/engineApi/).first().waitFor();
    await dialog.getByLabel("Engine API of the app").fill("1");
    await save.click();
    await dialog.getByText(`Nothing was published at ${baseUrl} yet`).waitFor();
    await wasSaid(page, "Saved in project.config.json");

    const make = dialog.getByRole("button", { name: "Make a key…" });
    assert.equal(await dialog.getByText("svc_ota_keygen").count(), 0); // an agent's way to do it
    await make.click();
    await answer(page, "Make a signing key?", "Cancel");
    await make.click();
    await answer(page, "Make a signing key?", "Make the key");
    const key = dialog.getByRole("region", { name: "Signing key" });
    await key.getByText("not the one that this project's apps trust").waitFor();
    assert.equal(await make.count(), 0);
    await key.getByText(/lies in .*default\.json\. Back that file up now/).waitFor();
    const publicKey = await key.locator("bdi").first().textContent();
    await key.getByRole("button", { name: "Use it for this project…" }).click();
    await answer(page, "Replace the project's key?", "Replace the key");
    await key.getByText("“default”, the one that this project's apps trust").waitFor();
    await dialog.getByText("All that a publish needs is set").waitFor();
    assert.equal(await dialog.getByText("to do").count(), 0);
    const { ota } = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
    assert.deepEqual([ota.enabled, ota.baseUrl, ota.publicKey], [true, baseUrl, publicKey]);
    await assertAccessible(page, "dialog[open]");
  }, { configured: false, says: /status of (400|409|422)/ }));

test("versions are planned, published, refused when used, looked at, pruned and given again", {
  skip,
}, () =>
  withUpdates(async ({ page, root, dialog, bucket, baseUrl, agent }) => {
    const { publicKey } = await agent("svc_ota_keygen");
    await agent("set_project_settings", { values: { ota: { publicKey } } });

    // The first version, and its address for a phone's camera.
    await dialog.getByRole("tab", { name: "New version" }).click();
    const version = dialog.getByRole("textbox", { name: "Version" });
    await dialog.getByRole("button", { name: "Publish v1" }).click();
    const published = dialog.getByRole("region", { name: "Published" });
    await published.getByText("v1 is release 1. Players get it from now on.").waitFor();
    assert.equal(
      await scanned(page, published.getByRole("img")),
      `${baseUrl}/release.json`,
    );
    await dialog.getByText("release 1, not mandatory").waitFor();
    assert.equal(await version.inputValue(), "v2");

    // A used version is refused once, with the next step.
    await version.fill("v1");
    await dialog.getByRole("button", { name: "Publish v1" }).click();
    await dialog.getByText("Publish it as v2, the next free version").waitFor();
    assert.equal(await dialog.getByRole("alert").count(), 1);

    // The plan shows what a device on v1 would download; a mandatory version asks first.
    writeFileSync(
      join(root, "assets/scenes/more.scene.json"),
      JSON.stringify({
        schema: 1,
        name: "More",
        entities: [],
      }),
    );
    await version.fill("v2");
    await dialog.getByRole("button", { name: "Plan" }).click();
    const plan = dialog.getByRole("region", { name: "Plan" });
    await plan.getByRole("row", { name: /^v1 / }).waitFor();
    assert.ok(!existsSync(join(bucket, "bundles/harbor-run/v2")));
    await dialog.getByRole("combobox").selectOption("must restart into it");
    await dialog.getByRole("button", { name: "Publish v2…" }).click();
    await answer(page, "Publish v2 as mandatory?", "Publish v2");
    await dialog.getByText("release 2, mandatory").waitFor();
    await published.getByText("v2 is release 2").waitFor();
    await assertAccessible(page, "dialog[open]");

    // The history, and going back: mandatory if the release is.
    await dialog.getByRole("tab", { name: "History" }).click();
    await dialog.getByRole("row", { name: /^2 .*v2, mandatory players get this/ }).waitFor();
    await dialog.getByRole("button", { name: "Go back to v1…" }).click();
    await page.getByText(/Signs release 3, which names v1 in place of v2/).waitFor();
    await answer(page, "Go back to v1?", "Go back to v1");
    await dialog.getByText("Players get v1 again: release 3.").waitFor();
    await dialog.getByText("release 3, mandatory").waitFor();
    await assertAccessible(page, "dialog[open]");

    // The version after a mandatory one is mandatory too, and the question says so.
    await dialog.getByRole("tab", { name: "New version" }).click();
    await version.fill("v3");
    await dialog.getByRole("button", { name: "Publish v3…" }).click();
    await answer(page, "Publish v3 as mandatory?", "Publish v3");
    await dialog.getByText("release 4, mandatory").waitFor();

    // The served files match their signature until one is changed.
    await dialog.getByRole("tab", { name: "Upkeep" }).click();
    const verify = dialog.getByRole("button", { name: "Verify" });
    await verify.click();
    await dialog.getByText(/All is as it was signed: harbor-run v3/).waitFor();
    // The dialog names who started it, also if that is an agent.
    const began = dialog.getByRole("region", { name: "Verify the served release" });
    await began.getByText("you", { exact: true }).waitFor();
    await agent("svc_ota_verify");
    await began.getByText(/^agent \S/).waitFor();
    await began.getByText("done", { exact: true }).waitFor();

    // Removal applies to the versions shown, even if the fields have changed since.
    await dialog.getByLabel("Newest versions to keep").fill("two");
    const show = dialog.getByRole("button", { name: "Show removals" });
    await show.click();
    await dialog.getByText("Correct keep and call again").waitFor();
    await dialog.getByLabel("Newest versions to keep").fill("2");
    await dialog.getByLabel("Minimum age in days").fill("0");
    await show.click();
    const prune = dialog.getByRole("region", { name: "Prune", exact: true });
    await prune.getByText(/^v1 \d+ objects, .* would be removed/).waitFor();
    await dialog.getByLabel("Newest versions to keep").fill("9");
    await prune.getByRole("button", { name: /^Remove \d+ objects/ }).click();
    await answer(page, "Remove", "Remove them");
    await prune.getByText(/objects of .* were removed/).waitFor();
    assert.ok(!existsSync(join(bucket, "bundles/harbor-run/v1/bundle.zip")));
    await assertAccessible(page, "dialog[open]");
  }, { says: /status of (400|409|422)/ }));

test(
  "a version below the released one is refused until the user says that players go back",
  { skip },
  () =>
    withUpdates(async ({ page, dialog, bucket, agent }) => {
      const { publicKey } = await agent("svc_ota_keygen");
      await agent("set_project_settings", { values: { ota: { publicKey } } });
      const released = () => JSON.parse(readFileSync(join(bucket, "release.json"), "utf8"));
      await dialog.getByRole("tab", { name: "New version" }).click();
      const version = dialog.getByRole("textbox", { name: "Version" });
      await version.fill("v5");
      await dialog.getByRole("button", { name: "Publish v5" }).click();
      await dialog.getByText("release 1, not mandatory").waitFor();

      await version.fill("v4");
      const goesBack = dialog.getByLabel(/^Players go back to v4: all get the older version/);
      assert.equal(await goesBack.count(), 0, "the switch is shown only where it matters");
      await dialog.getByRole("button", { name: "Publish v4" }).click();
      await dialog.getByText(/v5 is released, and its players would go back/).waitFor();
      assert.equal(await goesBack.isChecked(), false);
      await dialog.getByRole("button", { name: "Publish v4", exact: true }).click(); // the switch is off
      await goesBack.waitFor();
      assert.deepEqual(released().bundles, { "harbor-run": "v5" });

      await goesBack.check();
      await version.fill("v3"); // the switch counts for one version alone
      assert.equal(await dialog.getByLabel(/^Players go back to/).count(), 0);
      await version.fill("v4");
      await assertAccessible(page, "dialog[open]");
      await dialog.getByRole("button", { name: "Publish v4…" }).click();
      await page.getByText(/players of v5 get v4, even those whose app came with a newer one/)
        .waitFor();
      await answer(page, "Take players back to v4?", "Go back to v4");
      await dialog.getByText("release 2, not mandatory").waitFor();
      const { bundles, backTo } = released();
      assert.deepEqual([bundles, backTo], [{ "harbor-run": "v4" }, { "harbor-run": "v4" }]);
    }, { says: /status of (400|409|422)/ }),
);
