import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { afterTests } from "../support/after-tests.ts";
import type { Pins } from "../../lib/toolchain/mod.ts";
import { findNode } from "../support/needs.ts";
import { offerStandIn, startVendor } from "../toolchain/install-world.ts";
import { posix, script } from "../toolchain/real-machine.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { answer, openDialogService } from "./dialog-service.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// The dialog of builds, in Chromium: small archives of a vendor on this machine are installed for real.

const skip = NO_CHROMIUM || posix.skip;
const vendor = await startVendor();
afterTests(() => vendor.close());

/** A build that says what may break a page, and builds. */
const LOUD = `
seq 20000
head -c 1000000 /dev/zero | tr '\\0' x; echo
printf '%s\\n' '<img src=x onerror=alert(1)>' '\u202egnp.exe'
mkdir -p dist; echo '<h1>Game</h1>' > dist/index.html
`;

async function pinsOfTwo(): Promise<Pins> {
  const { "android-sdk": sdk } = await offerStandIn(vendor, "android-sdk");
  return { ...await offerStandIn(vendor, "jdk"), "android-sdk": sdk };
}

/** Makes the vendor answer only when told. */
function held(): () => void {
  let release = () => {};
  const open = new Promise<void>((resolve) => release = resolve);
  vendor.fault = async (request, response) => {
    const body = vendor.bodies.get(request.url ?? "") ?? new Uint8Array();
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, 64));
    await open;
    response.end(body.subarray(64));
  };
  return () => {
    vendor.fault = null;
    release();
  };
}

async function openDialog(page: Page) {
  await page.getByRole("button", { name: "Build support" }).click();
  const dialog = page.getByRole("dialog", { name: "Build support" });
  await dialog.getByRole("region", { name: "Android tools" }).waitFor();
  return dialog;
}

test(
  "a tool is installed with its terms said before, its log found again after a reload, and removed",
  {
    skip,
  },
  async () => {
    const pins = await pinsOfTwo();
    await withEditorPage(async ({ page }) => {
      let dialog = await openDialog(page);
      for (const box of ["Android", "iOS", "Model", "Text", "Audio", "Core"]) {
        await dialog.getByRole("region", { name: `${box} tools` }).waitFor();
      }
      await dialog.getByText("needs a Mac", { exact: true }).waitFor();
      await dialog.getByText("Installing accepts the terms of The JDK").click();
      await dialog.getByText(/to download into/).waitFor();

      const release = held();
      await dialog.getByRole("button", { name: "Install Java 21", exact: true }).click();
      const job = dialog.getByRole("region", { name: "Install Java 21" });
      await job.getByRole("status").getByText("running").waitFor();
      await page.reload();
      dialog = await openDialog(page);
      await job.getByRole("status").getByText("running").waitFor();
      release();
      await job.getByRole("status").getByText("done").waitFor();
      assert.ok(await job.locator("summary").textContent() !== "0 lines");

      await dialog.getByRole("button", { name: "Reinstall Java 21" }).waitFor();
      await dialog.getByText("21.0.1", { exact: true }).waitFor();
      await assertAccessible(page, "dialog[open]");
      await dialog.getByRole("button", { name: "Uninstall Java 21" }).click();
      await answer(page, "Uninstall Java 21?", "Cancel");
      await dialog.getByRole("button", { name: "Reinstall Java 21" }).waitFor();
      await dialog.getByRole("button", { name: "Uninstall Java 21" }).click();
      await answer(page, "Uninstall Java 21?", "Uninstall");
      await dialog.getByRole("button", { name: "Install Java 21", exact: true }).waitFor();
    }, { open: (root, folder) => openDialogService(root, folder, pins) });
  },
);

test("an installation is cancelled, and what fails says why and what next", { skip }, async () => {
  const pins = await pinsOfTwo();
  await withEditorPage(async ({ page }) => {
    const dialog = await openDialog(page);
    const release = held();
    const install = dialog.getByRole("button", { name: "Install Java 21", exact: true });
    await install.click();
    const job = dialog.getByRole("region", { name: "Install Java 21" });
    await job.getByRole("button", { name: "Cancel" }).click();
    await job.getByRole("status").getByText("cancelled").waitFor();
    release();
    vendor.fault = (_request, response) => void response.writeHead(404).end();
    await install.click();
    await job.getByRole("status").getByText("failed").waitFor();
    await job.getByRole("alert").getByText(/404/).first().waitFor();
    vendor.fault = null;
  }, { open: (root, folder) => openDialogService(root, folder, pins) });
});

test(
  "all that is missing is installed by one press, with its cost said before; Android can be built once its app is there",
  {
    skip,
  },
  async () => {
    const pins = await pinsOfTwo();
    await withEditorPage(async ({ page, root }) => {
      const dialog = await openDialog(page);
      const all = dialog.getByRole("region", { name: "All that is missing" });
      await all.getByText(/can be installed: .* to download, .* of disk/).waitFor();
      const android = dialog.getByRole("button", { name: "Build Android" });
      assert.ok(await android.isDisabled());
      await all.getByRole("button", { name: "Install all" }).click();
      await all.getByRole("status").getByText("done").waitFor();
      await dialog.getByRole("button", { name: "Reinstall Java 21" }).waitFor();
      await all.getByRole("button", { name: "Install all" }).waitFor({ state: "detached" });
      // The tools are there; the app that the steps build is not.
      const card = dialog.locator(".targets section", { hasText: "Android" });
      await card.getByText("cannot be built yet", { exact: true }).waitFor();
      await card.getByText("What it uses, as far as known").waitFor();
      await card.getByText("npx cap add android").waitFor();
      await card.getByText(/found no @capacitor\/\S+/).waitFor();
      assert.ok(await android.isDisabled());
      script(join(root, "android/gradlew"), "exit 0");
      const packages = ["core", "cli", "android", "ios"].map((name) => `@capacitor/${name}`);
      for (const name of [...packages, "slipway-ota"]) {
        const folder = join(root, "node_modules", name);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "8.0.0" }));
      }
      await dialog.getByRole("button", { name: "Look again" }).click();
      await dialog.locator(".targets .serves", { hasText: "Android" }).waitFor();
      // What it will use is told, and that a file alone does not say which Gradle runs.
      await card.getByText("can be built, as far as known").waitFor();
      await card.getByText("What it uses, as far as known").click();
      await card.getByText("packageManager:").waitFor();
      await card.getByText("no distributionUrl of the wrapper names a version").waitFor();
      assert.ok(await android.isEnabled());
    }, { open: (root, folder) => openDialogService(root, folder, pins) });
  },
);

test(
  "the project is built for the web, and the dialog says where it lies, and system tools are allowed or not",
  { skip: skip || findNode().skip },
  async () => {
    const pins = await pinsOfTwo();
    await withEditorPage(async ({ page, root }) => {
      const dialog = await openDialog(page);
      await dialog.getByRole("button", { name: "Build Web" }).click();
      await dialog.getByText("The game lies in").waitFor();
      assert.ok(existsSync(join(root, "dist/index.html")));
      const name = "Use system-installed tools";
      const before = await dialog.getByRole("checkbox", { name }).isChecked();
      await dialog.getByRole("checkbox", { name }).click();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.reload(); // what was chosen is the service's, not the page's
      await openDialog(page);
      await dialog.getByRole("checkbox", { name, checked: !before }).waitFor();
    }, { open: (root, folder) => openDialogService(root, folder, pins) });
  },
);

test("a build that says markup, bidi and a megabyte in a line is read as text, in few rows", {
  skip,
}, async () => {
  const pins = await pinsOfTwo();
  await withEditorPage(async ({ page }) => {
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Build Web" }).press("Enter");
    await dialog.getByText("The game lies in").waitFor();
    const job = dialog.getByRole("region", { name: "Build web" });
    await job.locator("summary").press("Enter");
    const log = job.getByRole("log");
    await log.getByText("<img src=x onerror=alert(1)>").waitFor();
    await log.getByText(/^x{99,3000}(…|$)/).first().waitFor(); // in pieces
    assert.equal(await log.getByText("\u202egnp.exe").evaluate((line) => line.tagName), "BDI");
    assert.ok(await log.locator(".line").count() < 60);
    assert.equal(await dialog.locator("img").count(), 0);
    await until("the oldest kept line of the log is visible", async () => {
      await log.press("Home"); // a page that is still drawing may miss one
      return await log.getByText(/^\d{5}$/).first().isVisible(); // as many as the service keeps
    });
    await assertAccessible(page, "dialog[open]");
  }, {
    prepare(root) {
      writeFileSync(join(root, "loud.sh"), LOUD);
      const path = join(root, "project.config.json");
      const config = JSON.parse(readFileSync(path, "utf8"));
      const web = { command: ["sh", "loud.sh"], out: "dist" };
      writeFileSync(path, JSON.stringify({ ...config, build: { ...config.build, web } }));
    },
    open: (root, folder) => openDialogService(root, folder, pins),
  });
});

test("what cannot be looked at is said, looked at again, and the keyboard finds its way back", {
  skip,
}, async () => {
  const pins = await pinsOfTwo();
  await withEditorPage(async ({ page }) => {
    const problem = { type: "about:blank", status: 503, code: "gone", detail: "It is away" };
    await page.route(
      "**/api/whole/toolchain",
      (route) => route.fulfill({ status: 503, json: { ...problem, hint: "Come back later" } }),
    );
    const opener = page.getByRole("button", { name: "Build support" });
    await opener.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Build support" });
    await dialog.getByRole("alert").getByText("It is away. Come back later").waitFor();
    await assertAccessible(page, "dialog[open]");
    await page.unroute("**/api/whole/toolchain");
    await dialog.getByRole("button", { name: "Look again" }).press("Enter");
    await dialog.getByRole("region", { name: "Core tools" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await opener.evaluate((button) => button.matches(":focus")), true);
  }, {
    open: (root, folder) => openDialogService(root, folder, pins),
    says: /status of 503/,
  });
});
