import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// Files of a project that a browser itself could run, or could take further addresses from. All are on
// the service's own origin; the log of the service shows what the browser made of them.

/** The file that the project's command writes if it runs. */
const MARK = "ran";
/** An address that starts work; the file that names it is in its query. */
const chosen = (by: string) => `/api/build?target=web&by=${by}`;

/** A playlist (HLS), which a media element recognizes by its first bytes. */
const playlist = (by: string) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:9\n#EXTINF:9.0,\n${
    chosen(by)
  }\n#EXT-X-ENDLIST\n`;
/** A playlist of playlists. */
const variants = (by: string) =>
  `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2"\n${chosen(by)}\n`;
const script = (by: string) =>
  `globalThis.hasRun = true; fetch("${chosen(by)}"); importScripts("${chosen(by)}");`;
const markup = (by: string) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="${chosen(by)}"/>` +
  `<link rel="manifest" href="${chosen(by)}"/><link rel="prefetch" href="${chosen(by)}"/>` +
  `</head><body><img src="${chosen(by)}"/><script>${script(by)}</script></body></html>`;

/** What each file holds, with the address in it. */
const FILES: Readonly<Record<string, (by: string) => string>> = {
  "list.mp3": playlist,
  "list.ogg": playlist,
  "list.m4a": playlist,
  "list.wav": variants,
  "page.html": markup,
  "page.xhtml": (by) => `<?xml version="1.0"?>${markup(by)}`,
  "page.png": markup,
  "page.json": markup,
  "drawn.svg": (by) =>
    `<svg xmlns="http://www.w3.org/2000/svg"><image href="${chosen(by)}"/><script>${
      script(by)
    }</script></svg>`,
  "style.css": (by) => `@import url("${chosen(by)}"); * { background: url("${chosen(by)}") }`,
  "feed.xml": (by) =>
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${chosen(by)}"?><feed/>`,
  "script.js": script,
  "module.mjs": (by) => `import "${chosen(by)}";`,
  "worker.js": script,
  "game.webmanifest": (by) =>
    JSON.stringify({ start_url: chosen(by), icons: [{ src: chosen(by), sizes: "144x144" }] }),
  "captions.vtt": (by) => `WEBVTT\n\nSTYLE\n::cue { background: url("${chosen(by)}") }\n`,
  "rules.json": (by) => JSON.stringify({ prefetch: [{ source: "list", urls: [chosen(by)] }] }),
};
const SOUNDS = Object.keys(FILES).filter((name) => name.startsWith("list."));
const address = (name: string) => `/api/content/assets/x/${name}`;

function hostile(root: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(root, "assets/x", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content(name));
  }
  const config = join(root, "project.config.json");
  const settings = JSON.parse(readFileSync(config, "utf8"));
  const command = ["sh", "-c", `touch ${join(root, "..", MARK)}`];
  const build = { ...settings.build, web: { command, out: "dist" } };
  writeFileSync(config, JSON.stringify({ ...settings, build }));
}

/** A request that the service got, and the status of its answer. */
interface Logged {
  readonly url: URL;
  readonly status: number;
}

function logging(log: Logged[]): (root: string) => Promise<Service> {
  return async (root) => {
    const service = await serviceOf(await loadRuntime(), root);
    return {
      ...service,
      async handler(request, peer) {
        const response = await service.handler(request, peer);
        log.push({ url: new URL(request.url), status: response.status });
        return response;
      },
    };
  };
}

/** Works with the editor's page; afterwards no file has chosen a request, and nothing has run. */
function withFiles(work: (page: Page, url: string, log: readonly Logged[]) => Promise<void>) {
  const log: Logged[] = [];
  return withEditorPage(async ({ page, url, root }) => {
    await work(page, url, log);
    const byFiles = log.filter(({ url }) => url.searchParams.has("by"));
    assert.deepEqual(byFiles.map(({ url }) => url.href), []);
    assert.equal(await page.evaluate("globalThis.hasRun === true"), false);
    assert.ok(!existsSync(join(root, "..", MARK)));
    const { jobs } = await (await fetch(`${url}/api/whole/jobs`)).json();
    assert.deepEqual(jobs, []);
  }, { prepare: hostile, open: logging(log), says: /./ });
}

test("a playlist under the name of a sound is not followed; a sound is heard (HTTP-13)", {
  skip: NO_CHROMIUM,
}, () =>
  withFiles(async (page) => {
    await page.getByRole("tab", { name: "Assets" }).click();
    const assets = page.getByRole("region", { name: "Assets", exact: true });
    const inspector = page.locator(".inspector");
    const listenTo = async (path: string) => {
      await assets.getByRole("searchbox").fill(path.slice(path.lastIndexOf("/") + 1));
      await assets.getByTitle(path, { exact: true }).click();
      await inspector.getByText(path, { exact: true }).waitFor();
      await inspector.getByRole("button", { name: "Listen", exact: true }).click();
    };
    for (const name of SOUNDS) {
      await listenTo(`assets/x/${name}`);
      await inspector.getByRole("alert").getByText("Cannot play this sound").waitFor();
      assert.equal(await page.locator("audio, video").count(), 0);
    }
    await listenTo("assets/audio/horn.wav");
    const heard = inspector.locator("audio");
    await heard.waitFor();
    const length = await until(
      "the browser knows how long the sound is",
      async () => Number(await page.evaluate("document.querySelector('audio').duration")) || null,
    );
    assert.ok(Math.abs(length - 0.6) < 0.01, String(length));

    // A sound that still loads is cancelled when its asset is left.
    await page.route("**/assets/audio/coin.wav?*", () => {});
    const cancelled = page.waitForEvent(
      "requestfailed",
      (request) => request.url().includes("coin.wav"),
    );
    await listenTo("assets/audio/coin.wav");
    await listenTo("assets/audio/horn.wav");
    await cancelled;
  }));

/** Ways in which a document loads an address; each resolves with its end. */
const LOADS = `({
  element: (tag, attributes) => new Promise((ended) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.onload = () => ended("loaded");
    made.onloadedmetadata = () => ended("loaded");
    made.onerror = () => ended("refused");
    document.body.append(made);
  }),
  ended: (promise) => promise.then(() => "loaded", () => "refused"),
  worker: (make) => new Promise((ended) => {
    try {
      const made = make();
      made.onerror = () => ended("refused");
      (made.port ?? made).onmessage = () => ended("loaded");
    } catch {
      ended("refused");
    }
  }),
})`;

/** The only way that may end without an event: Chromium loses some errors of shared workers. */
const SHARED = "a shared worker";

/** How each way ends for a file; evaluated in the page. \`u\` is the address. */
const WAYS: Readonly<Record<string, string>> = {
  "a script": `loads.element("script", { src: u })`,
  "a module": `loads.element("script", { type: "module", src: u })`,
  "a style sheet": `loads.element("link", { rel: "stylesheet", href: u })`,
  "a module, beforehand": `loads.element("link", { rel: "modulepreload", href: u })`,
  "import()": `loads.ended(import(u))`,
  "a worker": `loads.worker(() => new Worker(u))`,
  "a module as worker": `loads.worker(() => new Worker(u, { type: "module" }))`,
  [SHARED]: `loads.worker(() => new SharedWorker(u))`,
  "a service worker": `loads.ended(navigator.serviceWorker.register(u))`,
  "a service worker for all": `loads.ended(navigator.serviceWorker.register(u, { scope: "/" }))`,
  "a worklet": `loads.ended(new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(u))`,
};
/** Of these only the page's own policy says that they do not load. */
const BY_POLICY: Readonly<Record<string, string>> = {
  "a sound": `loads.element("audio", { preload: "auto", src: u })`,
  "a film": `loads.element("video", { preload: "auto", src: u })`,
};

/** Deadlines of a way in the page, in milliseconds: of a shared worker, and of the others. */
const SHARED_MS = 5_000;
const OTHERS_MS = 60_000;

/** Tries each way for each file. @returns Those that loaded it. */
async function waysOf(
  page: Page,
  ways: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<readonly string[]> {
  const loaded: string[] = [];
  for (const name of names) {
    const each = Object.entries(ways).map(([way, code]) =>
      `inTime(${way === SHARED ? SHARED_MS : OTHERS_MS}, ${code})`
    );
    const code = `(async () => {
      const loads = ${LOADS}, u = ${JSON.stringify(address(name))};
      const inTime = (ms, way) =>
        Promise.race([way, new Promise((end) => setTimeout(() => end("silent"), ms))]);
      return await Promise.all([${each}]);
    })()`;
    const ends = await until(
      `each way to load ${name} has ended`,
      (): Promise<readonly string[]> => page.evaluate(code),
    );
    const those = (end: string) => Object.keys(ways).filter((_, at) => ends[at] === end);
    assert.deepEqual(those("silent").filter((way) => way !== SHARED), [], `silent: ${name}`);
    loaded.push(...those("loaded").map((way) => `${way}, ${name}`));
  }
  return loaded;
}

test(
  "no file of a project runs on the service's origin, with or without the page's policy (HTTP-13)",
  {
    skip: NO_CHROMIUM,
  },
  () =>
    withFiles(async (page, url) => {
      await page.locator("canvas").first().waitFor();
      const names = Object.keys(FILES);
      assert.deepEqual(await waysOf(page, { ...WAYS, ...BY_POLICY }, names), []);
      // A document of this origin without a policy: there only the types of the files are in the way.
      await page.goto(`${url}/api/openapi.json`);
      assert.deepEqual(await waysOf(page, WAYS, names), []);
      for (const name of names) {
        const opened = await page.goto(`${url}${address(name)}`).then(
          (response) => response?.headers()["content-type"] ?? "",
          (why: Error) =>
            /Download is starting|ERR_ABORTED/.test(why.message) ? "a download" : why.message,
        );
        assert.match(opened, /^(?:a download|image\/png)$/, name);
      }
      await page.goto(`${url}/api/openapi.json`);
      const workers = await until(
        "the browser lists its service workers",
        () => page.evaluate("navigator.serviceWorker.getRegistrations()"),
      );
      assert.deepEqual(workers, []);
    }),
);

/** Requests that a browser makes by itself, for an address in place of a file. */
const UNASKED = `
  const add = (tag, attributes) =>
    document.body.append(Object.assign(document.createElement(tag), attributes));
  const of = (name) => "/api/build?target=web&way=" + name;
  for (const rel of ["prefetch", "preload", "modulepreload", "stylesheet", "icon", "manifest"]) {
    add("link", { rel, href: of(rel), as: rel === "preload" ? "fetch" : "" });
  }
  for (const tag of ["img", "script", "iframe", "embed", "audio", "video", "track"]) {
    add(tag, { src: of(tag) });
  }
  add("object", { data: of("object") });
  add("style", { textContent: "@import url(" + of("import") + "); body { background: url(" + of("url") + ") }" });
  add("script", { type: "speculationrules",
    textContent: JSON.stringify({ prefetch: [{ source: "list", urls: [of("rules")] }] }) });
  new FontFace("x", "url(" + of("font") + ")").load().catch(() => {});
  navigator.serviceWorker.register(of("service-worker")).catch(() => {});
  new Worker(of("worker"));
  navigator.sendBeacon(of("beacon"));
  new Worker(URL.createObjectURL(new Blob(["importScripts('" + location.origin + of("importScripts") + "')"])));
  import(of("module")).catch(() => {});
  fetch(of("no-cors"), { mode: "no-cors" }).catch(() => {});
  fetch(of("last")).catch(() => {});
`;
/** Ways that Chromium takes wherever it runs; the others depend on its settings. */
const SURE = [
  ...["prefetch", "preload", "modulepreload", "stylesheet", "import", "url", "font"],
  ...["img", "script", "iframe", "embed", "object", "audio", "video"],
  ...["service-worker", "worker", "importScripts", "module", "beacon", "no-cors", "last"],
];

test(
  "nothing that a browser requests by itself starts work, not even in a document without policy (HTTP-2)",
  {
    skip: NO_CHROMIUM,
  },
  () =>
    withFiles(async (page, url, log) => {
      await page.goto(`${url}/api/openapi.json`);
      await page.evaluate(`(() => { ${UNASKED} })()`);
      const names = () => new Set(log.map(({ url }) => url.searchParams.get("way")));
      const missing = () => SURE.filter((way) => !names().has(way));
      await until("the service has got each request", () => missing().length === 0).catch((why) => {
        throw new Error(`No request came by ${missing()}`, { cause: why });
      });
      const ways = log.filter(({ url }) => url.searchParams.has("way"));
      assert.deepEqual(ways.filter(({ status }) => status !== 403).map(({ url }) => url.href), []);
    }),
);
