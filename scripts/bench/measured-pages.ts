import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { packageRoot } from "../shared/runtime.ts";
import { type DevtoolsBrowser, type DevtoolsPage, withDevtools } from "./devtools.ts";

/** Measurements of a page. */
export interface MeasuredPage {
  /** Milliseconds from the navigation to the first frame that is really drawn. */
  readonly startMs: number;
  /**
   * Processor time of the main thread per frame, in milliseconds, by batch of frames, without
   * waiting for the rendering process.
   */
  readonly frameMs: readonly number[];
  /** A few colours of the first frame and of the last, as red, green and blue in turn. */
  readonly thumbnails: readonly [readonly number[], readonly number[]];
}

/** The subject and the tools of a measurement. */
export interface Measuring {
  /** The browser's program. */
  readonly browser: string;
  /** The folder that is served. */
  readonly folder: string;
  /** Pages of it, opened one after the other. */
  readonly pages: readonly string[];
  /** Frames of a batch, and batches that are measured; one before them is not. */
  readonly frames: number;
  readonly batches: number;
  readonly onPage: (done: number) => void;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  wasm: "application/wasm",
};

/** Opens pages in one browser without a window, each with the meter before its scripts. */
export async function measurePages(measuring: Measuring): Promise<readonly MeasuredPage[]> {
  const { browser, folder, pages, onPage } = measuring;
  const measured: MeasuredPage[] = [];
  return await withServedFolder(
    folder,
    (url) =>
      withDevtools(browser, BROWSER_ARGUMENTS, async (opened) => {
        for (const page of pages) {
          measured.push(await measurePage(opened, `${url}/${page}`, measuring));
          onPage(measured.length);
        }
        return measured;
      }),
  );
}

/** Runs `work` while a folder is served. */
export async function withServedFolder<T>(
  folder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(new URL(url, "http://x").pathname);
    try {
      const bytes = readFileSync(join(folder, path));
      const type = TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    return await work(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function measurePage(
  browser: DevtoolsBrowser,
  url: string,
  { frames, batches }: Measuring,
): Promise<MeasuredPage> {
  const page = await browser.openPage();
  const source = readFileSync(join(packageRoot(), "scripts", "bench", "pages", "meter.js"), "utf8");
  let report = (_text: string) => {};
  const next = () => new Promise<string>((resolve) => report = resolve);
  page.on("Runtime.bindingCalled", ({ payload }) => report(String(payload)));
  await page.send("Runtime.enable");
  await page.send("Runtime.addBinding", { name: "tellMeter" });
  await page.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.send("Page.enable");
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source: `{${source}}` });
  const started = next();
  await page.send("Page.navigate", { url });
  const first = toldIn(await started);
  const frameMs: number[] = [];
  let last = first;
  for (let batch = 0; batch <= batches; batch++) {
    const before = await busyMs(page);
    const drawn = next();
    const expression = `drawFrames(${frames}, ${batch === batches})`;
    await page.send("Runtime.evaluate", { expression });
    last = toldIn(await drawn);
    if (batch > 0) frameMs.push((await busyMs(page) - before) / frames);
  }
  await page.close();
  return { startMs: first.startMs, frameMs, thumbnails: [first.thumbnail, last.thumbnail] };
}

/** Milliseconds of the processor that the main thread of a page has taken until now. */
export async function busyMs(page: DevtoolsPage): Promise<number> {
  const { metrics } = await page.send("Performance.getMetrics");
  const found = Array.isArray(metrics)
    ? metrics.filter(isRecord).find(({ name }) => name === "TaskDuration")
    : undefined;
  if (typeof found?.["value"] === "number") return found["value"] * 1000;
  throw new TypeError("The browser does not tell how long its main thread was busy");
}

/** A window of one size everywhere, drawn by software. */
export const BROWSER_ARGUMENTS: readonly string[] = [
  "--headless=new",
  "--no-sandbox",
  "--window-size=480,270",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--force-device-scale-factor=1",
  "--no-first-run",
  "--no-proxy-server",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-extensions",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--mute-audio",
];

function toldIn(text: string): { readonly startMs: number; readonly thumbnail: readonly number[] } {
  const value: unknown = JSON.parse(text);
  const { startMs = 0, thumbnail } = isRecord(value) ? value : {};
  if (typeof startMs === "number" && Array.isArray(thumbnail)) {
    return { startMs, thumbnail: thumbnail.filter((one) => typeof one === "number") };
  }
  throw new TypeError(`A page told ${text.slice(0, 200)}, expected what the meter measures`);
}
