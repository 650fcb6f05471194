import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { findBrowser } from "../../lib/toolchain/mod.ts";
import { openService } from "../../lib/service/mod.ts";
import { HARBOR } from "../sample/levels.ts";
import { loadServe, packageRoot } from "../shared/runtime.ts";
import { builtFrom } from "./built-sample.ts";
import { type DevtoolsBrowser, type DevtoolsPage, withDevtools } from "./devtools.ts";
import { writeLargeScene } from "./large-scene.ts";
import { median, ratioOf } from "./measure.ts";
import { BROWSER_ARGUMENTS, busyMs, withServedFolder } from "./measured-pages.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";

/** A first, uncounted round fills the caches. */
const FULL = { rounds: 9, uncounted: 1, frames: 60, entities: 10_000 };
const QUICK = { rounds: 1, uncounted: 0, frames: 2, entities: 200 };

/** Measurements, with their baselines. */
const MEASURED = [
  ["first paint", "an empty page of the same server"],
  ["from the call of an edit to its picture", "from that call to its answer"],
  ["main thread of a frame of a game", "the built game of the same project"],
] as const;

/** Contains just enough to be visible. */
const EMPTY_PAGE = '<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>';

/** The editor's page in a browser. */
export async function measureEditorPage(context: BenchContext): Promise<Found> {
  const { runtime, quick, folder, onRound } = context;
  const { entities, ...how } = quick ? QUICK : FULL;
  const about =
    "The editor's page in Chromium, drawn by software, in a browser that has kept nothing. The first paint " +
    "is that of the page of the sample. An edit moves a thing of the sample's first level: its picture " +
    "is there once a frame of it is really drawn in a page that is open. The game has " +
    `${entities} things, of which a tenth turn; the editor plays it, and the page beside it. What counts of a ` +
    `frame is the time of the processor that the main thread takes, over ${how.frames} of them while both play.`;
  const found = await findBrowser(runtime);
  if (!found.present) {
    return {
      about,
      findings: MEASURED.map(([ours, against]): Finding => ({
        ours,
        against,
        of: "time",
        notMeasured: found.reason,
      })),
    };
  }
  let done = 0;
  const total = 3 * (how.rounds + how.uncounted);
  const measuring: Measuring = { ...how, onRound: () => onRound(++done, total) };
  const sample = projectIn(folder, "sample");
  const large = projectIn(folder, "large");
  writeLargeScene(large, entities, { turning: 10 });
  const built = await builtFrom(context, { root: large, startScene: HARBOR });
  const pairs = await withDevtools(found.path, BROWSER_ARGUMENTS, async (browser) => [
    ...await withEditor(context, sample, async (url) => [
      await paintsOf(browser, url, measuring),
      await editsOf(browser, url, measuring),
    ]),
    await withEditor(
      context,
      large,
      (url) => withServedFolder(built, (game) => framesOf(browser, { url, game }, measuring)),
    ),
  ]);
  return {
    about,
    findings: MEASURED.map(([ours, against], n): Finding => ({
      ours,
      against,
      of: "time",
      ratio: ratioOf(pairs[n]?.ours ?? [], pairs[n]?.theirs ?? []),
    })),
    counts: {
      head: ["what", "ours, ms", "other side, ms"],
      rows: MEASURED.map(([ours], n) => [
        ours,
        median(pairs[n]?.ours ?? []).toFixed(1),
        median(pairs[n]?.theirs ?? []).toFixed(1),
      ]),
    },
  };
}

interface Measuring {
  readonly rounds: number;
  readonly uncounted: number;
  /** Frames of a game per round. */
  readonly frames: number;
  readonly onRound: () => void;
}

/** Milliseconds of both sides, by round. */
interface Sides {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** A copy of the sample's project. @returns Its folder. */
function projectIn(folder: string, name: string): string {
  const root = join(folder, name);
  cpSync(join(packageRoot(), "lib", "editor", "sample"), root, { recursive: true });
  return root;
}

/** Runs `work` with the service of a project, which also serves an empty page. @param root Its folder. */
async function withEditor<T>(
  { runtime }: BenchContext,
  root: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const opened = await openService({ runtime, project: root, version: "0.0.0-bench" });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { value: service } = opened;
  const serve = await loadServe();
  const serving = await serve((request, peer) => {
    if (new URL(request.url).pathname !== "/empty.html") return service.handler(request, peer);
    return new Response(EMPTY_PAGE, { headers: { "content-type": "text/html; charset=utf-8" } });
  }, { hostname: "127.0.0.1", port: 0 });
  if (!serving.ok) throw new Error(serving.error.message);
  try {
    service.servedAt(serving.value.port);
    return await work(serving.value.url);
  } finally {
    await serving.value.close();
    await service.close();
  }
}

async function paintsOf(
  browser: DevtoolsBrowser,
  url: string,
  { rounds, uncounted, onRound }: Measuring,
): Promise<Sides> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1 - uncounted; round <= rounds; round++) {
    const sides = [[ours, `${url}/`], [theirs, `${url}/empty.html`]] as const;
    for (const [times, address] of round % 2 === 0 ? sides : sides.toReversed()) {
      const ms = await firstPaintOf(browser, address);
      if (round > 0) times.push(ms);
    }
    onRound();
  }
  return { ours, theirs };
}

/** Milliseconds from the navigation to the first content that is painted. */
async function firstPaintOf(browser: DevtoolsBrowser, url: string): Promise<number> {
  const page = await browser.openPage();
  await page.send("Page.enable");
  await page.send("Page.navigate", { url });
  const expression = `new Promise((resolve) => new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName("first-contentful-paint");
    if (paint !== undefined) resolve(paint.startTime);
  }).observe({ type: "paint", buffered: true }))`;
  const loaded = `new Promise((resolve) => {
    if (location.href !== "about:blank" && document.readyState === "complete") resolve();
    else addEventListener("load", resolve);
  })`;
  await evaluate(page, loaded);
  const ms = await evaluate(page, expression);
  await page.close();
  if (typeof ms !== "number") throw new TypeError(`${url} told no paint: ${JSON.stringify(ms)}`);
  return ms;
}

async function editsOf(
  browser: DevtoolsBrowser,
  url: string,
  { rounds, uncounted, onRound }: Measuring,
): Promise<Sides> {
  const page = await openWatched(browser, `${url}/`);
  const listed = await call(url, "svc_get_scene_state", { trait: "Renderable3D", limit: 1 });
  const [entity] = isRecord(listed) && Array.isArray(listed["entities"]) ? listed["entities"] : [];
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1 - uncounted; round <= rounds; round++) {
    await page.quiet();
    const drawn = page.drawn();
    const start = now();
    const fields = { y: round % 2 === 0 ? 2 : 1 };
    const ops = [{ op: "set", id: Object(entity).id, trait: "Transform", fields }];
    await call(url, "svc_scene_edit", { ops });
    const answered = now();
    const at = await drawn;
    if (round > 0) {
      ours.push(at - start);
      theirs.push(answered - start);
    }
    onRound();
  }
  await page.close();
  return { ours, theirs };
}

/** Milliseconds that the main thread takes for a frame while a game plays. */
async function framesOf(
  browser: DevtoolsBrowser,
  { url, game }: { readonly url: string; readonly game: string },
  { rounds, uncounted, frames, onRound }: Measuring,
): Promise<Sides> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1 - uncounted; round <= rounds; round++) {
    const sides = [[ours, `${url}/`], [theirs, `${game}/index.html`]] as const;
    for (const [times, address] of round % 2 === 0 ? sides : sides.toReversed()) {
      const page = await openWatched(browser, address);
      if (times === ours) await call(url, "play_control", { action: "play" });
      for (let frame = 0; frame < frames; frame++) await page.drawn(); // it finds its pace
      const before = await busyMs(page.page);
      for (let frame = 0; frame < frames; frame++) await page.drawn();
      if (round > 0) times.push((await busyMs(page.page) - before) / frames);
      if (times === ours) await call(url, "play_control", { action: "stop" });
      await page.close();
    }
    onRound();
  }
  return { ours, theirs };
}

/** An open page that reports each frame of its picture. */
interface WatchedPage {
  readonly page: DevtoolsPage;
  /** Resolves to the time of the next frame, by {@linkcode now}. */
  drawn(): Promise<number>;
  /** Resolves once nothing has been drawn for a while. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page, and waits until it draws. */
async function openWatched(browser: DevtoolsBrowser, url: string): Promise<WatchedPage> {
  const page = await browser.openPage();
  const source = readFileSync(join(packageRoot(), "scripts", "bench", "pages", "drawn.js"), "utf8");
  let report = (_at: number) => {};
  const drawn = () => new Promise<number>((resolve) => report = resolve);
  page.on("Runtime.bindingCalled", ({ payload }) => report(Number(payload)));
  await page.send("Runtime.enable");
  await page.send("Runtime.addBinding", { name: "tellDrawn" });
  await page.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.send("Page.enable");
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source: `{${source}}` });
  const first = drawn();
  await page.send("Page.navigate", { url });
  await first;
  return {
    page,
    drawn,
    async quiet() {
      const end = performance.now() + RESTLESS_MS;
      for (;;) {
        let isStill = true;
        report = () => isStill = false;
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
        if (isStill) return;
        if (performance.now() > end) {
          throw new Error(`The page still draws after ${RESTLESS_MS} ms: expected a pause in it`);
        }
      }
    },
    close: () => page.close(),
  };
}

const QUIET_MS = 500;
/** Deadline for a page to come to rest, in milliseconds. */
const RESTLESS_MS = 120_000;

/** Calls a tool as an agent does. @returns Its answer. */
async function call(url: string, name: string, args: object): Promise<unknown> {
  const response = await fetch(`${url}/api/tools/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  throw new Error(`${name} answers with a problem: ${JSON.stringify(answer).slice(0, 400)}`);
}

async function evaluate(page: DevtoolsPage, expression: string): Promise<unknown> {
  const reported = await page.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  return Object(reported["result"]).value;
}

/** Milliseconds on a clock common to processes of one machine. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
