import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { DEFAULT_TARGET, manifestPath, RELEASE_PATH } from "../../lib/ota-format/mod.ts";
import { embedManifest } from "../../lib/ota-publish/mod.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { startPhone } from "../../scripts/demo/phone.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { withResolvers } from "../support/with-resolvers.ts";
import { serviceOf } from "../support/service.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { DRAWS_NOTHING } from "./draws-nothing.ts";
import { BY_SOFTWARE, findChromium } from "./web-views.ts";

const { skip, path: executablePath } = findChromium();

const NAME = "bars";
const ENGINE_API = 1;
/** Bytes of a piece of a file. */
const PIECE = 2_000;

/** Lets the device report its progress to the page, as the plugin does; keeps every state of the bar. */
const LISTENS = `let bridge;
  Object.defineProperty(globalThis, "Capacitor", {
    get: () => bridge,
    set: (given) => bridge = {
      ...given,
      PluginHeaders: [{ name: "SlipwayOta", methods: [{ name: "restart" }] }],
      nativePromise(plugin, method, request) {
        if (method !== "restart") return given.nativePromise(plugin, method, request);
        globalThis.isRestarted = true;
        return Promise.reject(new Error("the page is still seen"));
      },
      addListener(plugin, event, listener) {
        if (event === "otaProgress") globalThis.tellProgress = listener;
        return { remove: () => Promise.resolve() };
      },
    },
  });
  globalThis.bars = [];
  new MutationObserver(() => {
    const bar = document.querySelector("#notice progress");
    const [words, value] = [document.querySelector("#notice p")?.textContent, bar?.position];
    const now = words + " " + (bar === null || bar.hidden ? "-" : value);
    if (bars.at(-1) !== now) bars.push(now);
  }).observe(document, { attributes: true, childList: true, subtree: true });`;

/** The value of the bar, as a screen reader reads it; `null` if it is not known. */
async function barOf(page: Page): Promise<number | null> {
  const value = await page.getByRole("progressbar", { name: "Loading" }).getAttribute("value");
  return value === null ? null : Number(value);
}

test(
  "the bar of a built game is without an end until its update's size is known, and grows to it",
  {
    skip,
  },
  () =>
    withFolder(async (folder) => {
      const native = await loadRuntime();
      const userData = join(folder, "me");
      const serve = await loadServe();
      const listen = { hostname: "127.0.0.1", port: 0 };
      const [root, bucket, embedded] = ["game", "bucket", "app"].map((one) => join(folder, one));
      assert.ok(root && bucket && embedded);
      for (const each of [root, bucket]) mkdirSync(each);

      // The bucket's server: what follows a gate waits until the test has seen the bar there.
      const atManifest = withResolvers();
      const inContent = withResolvers();
      const isAsked = withResolvers();
      const isHalf = withResolvers();
      const stored = createStaticHandler(native.files, bucket);
      let isUpdating = false;
      let isHeld = false;
      const cdn = await serve(async (request) => {
        const answer = await stored(request);
        const path = new URL(request.url).pathname.slice(1);
        if (!isUpdating || path === RELEASE_PATH || answer.body === null) return answer;
        if (path === manifestPath(NAME, "v2")) {
          isAsked.resolve();
          await atManifest.promise;
          return answer;
        }
        const bytes = new Uint8Array(await answer.arrayBuffer());
        const body = new ReadableStream<Uint8Array>({
          async start(controller) {
            for (let at = 0; at < bytes.length; at += PIECE) {
              if (at >= bytes.length / 2 && !isHeld) {
                isHeld = true;
                isHalf.resolve();
                await inContent.promise;
              }
              controller.enqueue(bytes.subarray(at, at + PIECE));
            }
            controller.close();
          },
        });
        return new Response(body, { headers: answer.headers });
      }, listen);
      assert.ok(cdn.ok);

      const service = await serviceOf({ ...native, host: { ...native.host, userData } }, root);
      const tool = async (name: string, args: object = {}) => {
        const answer = await service.handler(
          new Request(`http://127.0.0.1/api/tools/${name}`, {
            method: "POST",
            headers: { "content-type": "application/json", host: "127.0.0.1" },
            body: JSON.stringify(args),
          }),
        );
        const text = await answer.text();
        assert.equal(answer.status, 200, `${name}: ${text}`);
        return JSON.parse(text);
      };
      const publish = async (version: string, mandatory: boolean) => {
        const { job } = await tool("svc_ota_publish", { version, mandatory });
        let last: unknown;
        for await (const event of service.jobs.events(String(job))) last = event;
        assert.equal(Object(last).event, "done", JSON.stringify(last));
      };
      const closing: (() => Promise<unknown>)[] = [() => service.close(), () => cdn.value.close()];
      try {
        await tool("svc_scene_edit", {
          ops: [{ op: "create", name: "Eye", traits: { Transform: { z: 8 }, Camera: {} } }],
        });
        await tool("save_scene");
        const { publicKey } = await tool("svc_ota_keygen");
        const engineApi = ENGINE_API;
        const ota = {
          enabled: true,
          baseUrl: cdn.value.url,
          publicKey,
          bundleName: NAME,
          engineApi,
        };
        const values = { ota, publish: { bucket: pathToFileURL(bucket).href } };
        await tool("set_project_settings", { values });
        await publish("v1", false);
        cpSync(join(root, "dist"), embedded, { recursive: true });
        const described = await embedManifest(native, {
          dist: embedded,
          name: NAME,
          engineApi,
          version: "v1",
          target: DEFAULT_TARGET,
          sequence: 1,
        });
        assert.ok(described.ok);
        const ops = Array.from({ length: 500 }, (_, n) => ({
          op: "create",
          name: `Box ${n}`,
          traits: { Transform: { x: n / 7 }, Renderable3D: { mesh: "box" } },
        }));
        await tool("svc_scene_edit", { ops });
        await tool("save_scene");
        await publish("v2", true);

        // The device limits how often it reports: here it reports every piece.
        let now = 0;
        const clock = { ...native.clock, monotonic: () => now += 250 };
        const started = await startPhone({
          runtime: { ...native, clock },
          serve,
          name: NAME,
          root: join(folder, "phone"),
          embedded,
        });
        assert.ok(started.ok);
        const phone = started.value;
        closing.unshift(() => phone.close());
        const browser = await chromium.launch({
          executablePath,
          args: ["--no-sandbox", "--disable-dev-shm-usage", ...BY_SOFTWARE],
        });
        closing.unshift(() => browser.close());
        const page = await browser.newPage();
        page.setDefaultTimeout(UNTIL_MS);
        await page.addInitScript(DRAWS_NOTHING);
        await page.addInitScript(LISTENS);
        const tellings: Promise<unknown>[] = [];
        await phone.device.addListener("otaProgress", (progress) => {
          tellings.push(page.evaluate(`tellProgress(${JSON.stringify(progress)})`));
        });
        assert.equal((await phone.launch()).serves, "embedded");
        isUpdating = true;
        await page.goto(`${phone.url}/`);

        await isAsked.promise;
        await page.getByText("Loading an update").waitFor();
        assert.equal(await barOf(page), null);
        atManifest.resolve();
        await isHalf.promise;
        await until("the bar has grown", async () => (await barOf(page) ?? 0) > 0);
        const half = await barOf(page);
        assert.ok(half !== null && half > 0 && half < 1, `${half}`);
        inContent.resolve();
        await page.getByText("An update is ready. Close the game and open it again.").waitFor();
        await Promise.all(tellings);
        const bars: readonly string[] = await page.evaluate("bars");
        const shown = bars.filter((one) => one.startsWith("Loading an update "))
          .map((one) => Number(one.split(" ").at(-1)));
        assert.equal(shown[0], -1, "no end is known at first");
        const grown = shown.filter((one) => one >= 0);
        assert.ok(grown.length >= 3, bars.join());
        assert.deepEqual(grown, grown.toSorted((a, b) => a - b), "it never goes back");
        assert.equal(grown.at(-1), 1);
        assert.match(bars.at(-1) ?? "", /^An update is ready.* -$/);
        assert.equal(await page.getByRole("progressbar").count(), 0);
        await page.reload(); // the same launch: the old version still may not play (CHECK-17)
        await page.getByText("An update is ready. Close the game and open it again.").waitFor();
        await page.getByRole("button", { name: "Restart" }).click();
        await until("the plugin is asked", () => page.evaluate("isRestarted"));
      } finally {
        atManifest.resolve();
        inContent.resolve();
        for (const close of closing) await close();
      }
    }),
);
