import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { DEFAULT_TARGET } from "../../lib/ota-format/mod.ts";
import { embedManifest } from "../../lib/ota-publish/mod.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { startPhone } from "../../scripts/demo/phone.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { builtSample, serveBuilt } from "./built-site.ts";
import { withChromiumContext } from "./chromium-context.ts";
import { findChromium } from "./web-views.ts";

// The oldest phones, stood in for by a Chromium without what is newer: a game plays on Safari 15 and
// Chrome 94; below them it says so, and its updates still come (HOUSE-4).

const { skip } = findChromium();

/** Takes away members, as `Owner.member` or `member`. */
const without = (names: readonly string[]) =>
  `for (const name of ${JSON.stringify(names)}) {
    const path = name.split(".");
    const last = path.pop();
    const owner = path.reduce((object, part) => object?.[part], globalThis);
    if (owner) delete owner[last];
  }`;
const LISTS = ["Array.prototype", "Int8Array.__proto__.prototype"];
/** What Safari 15 or Chrome 94 lacks. */
const AFTER_GAME_LEVEL = [
  ...LISTS.flatMap((owner) =>
    ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"]
      .map((name) => `${owner}.${name}`)
  ),
  "String.prototype.at",
  "String.prototype.isWellFormed",
  "Array.fromAsync",
  "Object.hasOwn",
  "Object.groupBy",
  "Map.groupBy",
  "Promise.withResolvers",
  "Promise.try",
  "AbortSignal.any",
  "AbortSignal.timeout",
  "URL.canParse",
  "URL.parse",
  "crypto.constructor.prototype.randomUUID",
  "structuredClone",
  "OffscreenCanvas",
  "CompressionStream",
  "DecompressionStream",
  "Float16Array",
  "Iterator",
  ...["map", "filter", "flatMap", "take", "drop", "toArray", "forEach", "some", "every", "find"]
    .map((name) => `Iterator.prototype.${name}`),
  ...["union", "intersection", "difference", "isSubsetOf"].map((name) => `Set.prototype.${name}`),
].reverse(); // the members before their owner
/** What an engine of ES2020 lacks beside that, and what the game asks for. */
const AFTER_ES2020 = [
  ...AFTER_GAME_LEVEL,
  "String.prototype.replaceAll",
  "Promise.any",
  "AggregateError",
  "WeakRef",
  "FinalizationRegistry",
  "WebGL2RenderingContext",
];
/** As an engine says of a script that it cannot read. */
const UNREADABLE = "this is of an engine to come;\n";
const TOO_OLD = "This game needs iOS 15 or newer, or Chrome 94 or newer. " +
  "Update your system or browser, then open the game again.";

function withPages(work: (open: (script: string) => Promise<Page>) => Promise<void>) {
  return withChromiumContext((context) =>
    work(async (script) => {
      const page = await context.newPage();
      await page.addInitScript(script);
      return page;
    })
  );
}

/** The file of a built game whose name begins so, in its page. */
function scriptOf(folder: string, name: string): string {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const [, path] = new RegExp(`"\\./(runtime/${name}-[^"]+\\.js)"`).exec(page) ?? [];
  assert.ok(path !== undefined, `the page names no ${name}`);
  return join(folder, path);
}

test(
  "the built sample plays without what is newer than Safari 15 and Chrome 94",
  { skip },
  () =>
    withFolder((folder) =>
      withPages(async (open) => {
        const site = await serveBuilt(await builtSample(join(folder, "game")));
        try {
          const page = await open(without(AFTER_GAME_LEVEL));
          const complaints: string[] = [];
          page.on("pageerror", ({ message }) => complaints.push(message));
          page.on("console", (said) => {
            if (["error", "warning"].includes(said.type())) complaints.push(said.text());
          });
          await page.goto(`${site.base}?paused`);
          await until(
            "the game plays",
            () => page.evaluate<boolean>("globalThis.slipwayGame !== undefined"),
          );
          assert.equal(await page.evaluate("typeof Object.hasOwn + [].at"), "undefinedundefined");
          assert.equal(await page.evaluate("slipwayGame.step(120)"), 120);
          assert.match(String(await page.evaluate("slipwayGame.hash()")), /^[0-9a-f]{64}$/);
          // What the driver of software says of itself is not the game's.
          assert.deepEqual(complaints.filter((text) => !text.includes("GL Driver Message")), []);
        } finally {
          await site.close();
        }
      })
    ),
);

const REPLACED: readonly (readonly [string, string, string | null, string])[] = [
  ["cannot read the game", "game", UNREADABLE, TOO_OLD],
  ["cannot read what comes before it", "start", UNREADABLE, TOO_OLD],
  [
    "does not get what comes before it",
    "start",
    null,
    "The game could not be loaded. Check the connection, then open it again.",
  ],
  [
    "reads the game, which fails for another reason",
    "game",
    'throw new Error("broken");\n',
    "The game cannot be started: broken",
  ],
];
test(
  "in place of Loading a page says why an engine does not play",
  { skip },
  () =>
    withFolder((folder) =>
      withPages(async (open) => {
        const built = await builtSample(join(folder, "game"));
        for (const [name, script, code, sentence] of REPLACED) {
          const dist = join(folder, "dist");
          cpSync(built, dist, { recursive: true });
          const path = scriptOf(dist, script);
          if (code === null) rmSync(path);
          else writeFileSync(path, code);
          const site = await serveBuilt(dist);
          try {
            const page = await open("");
            await page.goto(site.base);
            await page.getByText(sentence).waitFor();
            assert.ok(await page.locator("#notice progress").isHidden(), name);
            assert.ok(await page.getByText("Loading", { exact: true }).isHidden(), name);
          } finally {
            await site.close();
            rmSync(dist, { recursive: true });
          }
        }
      })
    ),
);

test(
  "a phone that cannot read its game takes an update, and that one starts",
  { skip },
  () =>
    withFolder(async (folder) => {
      const native = await loadRuntime();
      const userData = join(folder, "me");
      const serve = await loadServe();
      const [root, bucket, embedded] = ["game", "bucket", "app"].map((one) => join(folder, one));
      assert.ok(root && bucket && embedded);
      for (const each of [root, bucket]) mkdirSync(each);
      const cdn = await serve(createStaticHandler(native.files, bucket), {
        hostname: "127.0.0.1",
        port: 0,
      });
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
      const publish = async (version: string) => {
        const { job } = await tool("svc_ota_publish", { version });
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
        const [bundleName, engineApi] = ["old", 1];
        const ota = { enabled: true, baseUrl: cdn.value.url, publicKey, bundleName, engineApi };
        await tool("set_project_settings", {
          values: { ota, publish: { bucket: pathToFileURL(bucket).href } },
        });
        await publish("v1");
        cpSync(join(root, "dist"), embedded, { recursive: true });
        writeFileSync(scriptOf(embedded, "game"), UNREADABLE);
        const described = await embedManifest(native, {
          dist: embedded,
          name: bundleName,
          engineApi,
          version: "v1",
          target: DEFAULT_TARGET,
          sequence: 1,
        });
        assert.ok(described.ok);
        await tool("create_entity", { name: "Second" });
        await tool("save_scene");
        await publish("v2");
        const started = await startPhone({
          runtime: native,
          serve,
          name: bundleName,
          root: join(folder, "phone"),
          embedded,
        });
        assert.ok(started.ok);
        const phone = started.value;
        closing.unshift(() => phone.close());
        await withPages(async (open) => {
          const first = await phone.launch();
          assert.equal(first.serves, "embedded");
          const old = await open(
            `globalThis.said = [];
          new MutationObserver(() => {
            const words = document.querySelector("#notice p")?.textContent;
            if (words !== undefined && said[said.length - 1] !== words) said.push(words);
          }).observe(document, { childList: true, characterData: true, subtree: true });
          ${without(AFTER_ES2020)}`,
          );
          await old.goto(`${phone.url}/`);
          await old.getByText("An update is ready. Close the game and open it again.").waitFor();
          assert.deepEqual(await old.evaluate("said"), [
            "Loading",
            TOO_OLD,
            "An update is ready. Close the game and open it again.",
          ]);
          await old.close();
          const second = await phone.launch();
          assert.equal(second.serves, "v2");
          const page = await open(without(AFTER_GAME_LEVEL));
          await page.goto(`${phone.url}/`);
          await until("the game plays", () =>
            page.evaluate<boolean>("globalThis.slipwayGame !== undefined"));
          assert.deepEqual(await second.ended, { failure: null, update: "up-to-date" });
        });
      } finally {
        for (const close of closing) {
          await close();
        }
      }
    }),
);
