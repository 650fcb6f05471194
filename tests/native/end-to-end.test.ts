import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { openChromium, openWebKit, type WebView } from "../engines/web-views.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { createNativeDevice } from "../support/native-device.ts";
import { runScriptFile } from "../support/script.ts";
import type { Page } from "../support/webdriver.ts";
import { buildShell, type Running, serveApp, serveBucket, skipWithout } from "./app.ts";

// An app's life from its installation to an update by its store: each native core as the process of
// the app, the web view of its system beside it, the client as it ships, and a bucket that
// `ota-publish` wrote. Only the phone is missing.

const PAIRS: readonly (readonly ["ios" | "android", string, WebView])[] = [
  ["android", "Java and Chromium", openChromium()],
  ["ios", "Swift and WebKitGTK", openWebKit()],
];

for (const [core, name, view] of PAIRS) {
  test(`an app of ${name} updates itself, and comes back from a version that does not boot`, {
    skip: view.skip || skipWithout(core),
  }, () => withFolder((folder) => view.open((page) => live(core, folder, page))));
}

async function live(core: "ios" | "android", folder: string, page: Page): Promise<void> {
  const { files, ...runtime } = await loadRuntime();
  const shell = await buildShell();
  const gameOf = (version: string) => ({
    "index.html": `<!doctype html><title>${version}</title><script src="shell.js"></script>`,
    "shell.js": shell,
    "art.bin": new Uint8Array(300_000).fill(version.length),
    "level.json": JSON.stringify({ version }),
  });
  const script = async (name: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await runScriptFile(name, args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const key = join(folder, "key.json");
  const publicKey = await script("ota-keygen", "--out", key);
  const bucket = await serveBucket(files, join(folder, "bucket"));
  const publish = async (version: string, game: object = gameOf(version)) => {
    const dist = join(folder, `dist-${version}`);
    writeTree(dist, game as Record<string, string>);
    const at = [
      "--bucket",
      pathToFileURL(join(folder, "bucket")).href,
      "--base-url",
      bucket.origin,
    ];
    await script(
      "ota-publish",
      ...["--dist", dist, "--name", "shell", "--version", version, "--key", key],
      ...["--engine-api", "1", ...at],
    );
  };
  const install = async (binary: string) => {
    const embedded = join(folder, binary);
    writeTree(embedded, gameOf(binary));
    await script("ota-embed-manifest", "--dist", embedded, "--name", "shell", "--engine-api", "1");
    return embedded;
  };

  let embedded = await install("store-1");
  let running: Running | null = null;
  const app = await serveApp(() => {
    if (running === null) throw new Error("the app does not run");
    return running;
  });
  /** Starts the app again, and tells what its web view shows. */
  const start = async (binaryVersion: string): Promise<string> => {
    await running?.device.kill();
    const device = createNativeDevice(core, {
      ...runtime,
      files,
      root: join(folder, "phone"),
      embedded,
      trusted: { publicKey },
    });
    const { target } = await device.launch({ name: "shell", binaryVersion });
    running = { device, folder: device.folderOf("shell", target) ?? "" };
    await page.navigate(`${app.origin}/`);
    return String(await page.executeAsync("arguments[0](document.title)", []));
  };
  const inPage = async (call: string): Promise<unknown> => {
    const text = await page.executeAsync(
      `const done = arguments[0];
       (async () => ${call})().then((value) => done(JSON.stringify(value ?? null)), (e) => done("!" + e));`,
      [],
    );
    assert.doesNotMatch(String(text), /^!/);
    return JSON.parse(String(text));
  };
  const check = async () => {
    const settings = { enabled: true, baseUrl: bucket.origin, publicKey, bundleName: "shell" };
    return await inPage(`check(${JSON.stringify({ ...settings, engineApi: 1 })})`) as {
      readonly result: { readonly result: string; readonly version?: string };
      readonly reported: readonly { readonly bytesDone: number; readonly bytesTotal: number }[];
    };
  };
  const update = async (version: string) => {
    const { result, reported } = await check();
    assert.deepEqual(result, { result: "staged", version, mandatory: false });
    const counts = reported.map(({ bytesDone }) => bytesDone);
    assert.deepEqual(counts, counts.toSorted((a, b) => a - b), "progress only grows");
  };
  const state = async () => (await inPage("state()") as { state: unknown }).state;

  try {
    await publish("v1");
    assert.equal(await start("1"), "store-1");
    await update("v1");
    for (const version of ["v1", "v2"]) {
      if (version === "v2") {
        await publish("v2");
        await update("v2");
      }
      for (let boot = 0; boot < 2; boot++) {
        assert.equal(await start("1"), version);
        await inPage("confirm()");
      }
      assert.deepEqual(await state(), {
        active: { shell: version },
        lastSeenBinaryVersion: "1",
      });
    }
    const served = readFileSync(join(folder, "dist-v2/level.json"), "utf8");
    assert.equal(await inPage(`fetch("level.json").then((one) => one.text())`), served);

    await publish("v3", { ...gameOf("v3"), "index.html": "<!doctype html><title>black</title>" });
    await update("v3");
    for (let crash = 0; crash < 3; crash++) assert.equal(await start("1"), "black");
    assert.equal(await start("1"), "v2", "three launches that nothing confirmed");
    assert.deepEqual(await state(), {
      active: { shell: "v2" },
      rejected: { shell: ["v3"] },
      lastSeenBinaryVersion: "1",
    });
    assert.equal((await check()).result.result, "version-rejected");

    embedded = await install("store-2");
    assert.equal(await start("2"), "store-2");
    assert.equal((await check()).result.result, "version-rejected");
    await publish("v4");
    await update("v4");
    assert.equal(await start("2"), "v4");
    const refused = await inPage(
      `fetch("/plugin/activate", { method: "POST", body: '{"name":"shell","version":"v4"}' }).then((one) => one.json())`,
    ) as { value: { code: string } };
    assert.equal(refused.value.code, "untrusted", "a script in the page has no release to show");
  } finally {
    await (running as Running | null)?.device.kill();
    await app.close();
    await bucket.close();
  }
}
