import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from "playwright-core";
import { afterTests } from "../support/after-tests.ts";
import { DRAWS_NOTHING } from "./draws-nothing.ts";
import { BY_SOFTWARE, findChromium } from "./web-views.ts";

// One Chromium for all tests of a process, launched by the first that needs it: the launch costs a
// second or two of CPU time. Cookies, storage and caches belong to a context, and so to one test.
// Those that look at what WebGL draws have another one than all others, whose pages need no card.

/** The options of a context, and of the browser that has it. */
export interface ChromiumContextOptions extends BrowserContextOptions {
  /** Switches of the browser, in addition to those that draw by software; with any, the test has its own browser. */
  readonly switches?: readonly string[];
  /** Whether WebGL draws: only a test that looks at the pixels needs that. */
  readonly draws?: boolean;
}

const shared: { drawing?: Browser; plain?: Browser } = {};

afterTests(async () => {
  for (const browser of Object.values(shared)) await browser.close();
});

/** Runs `work` with a fresh browser context, and then closes it and all that the test has opened. */
export async function withChromiumContext<T>(
  work: (context: BrowserContext) => Promise<T>,
  { switches = [], draws = false, ...options }: ChromiumContextOptions = {},
): Promise<T> {
  const own = switches.length > 0;
  const browser = own ? await launch(switches) : await sharedBrowser(draws ? "drawing" : "plain");
  try {
    const context = await browser.newContext(options);
    if (!draws) await context.addInitScript(DRAWS_NOTHING);
    return await work(context);
  } finally {
    if (own) await browser.close();
    // `browser.newPage()` makes a context of its own, which a failed test leaves open.
    else for (const context of browser.contexts()) await context.close();
  }
}

/** A browser of this process; another one after a test has crashed it. */
async function sharedBrowser(kind: keyof typeof shared): Promise<Browser> {
  const known = shared[kind];
  if (known?.isConnected() === true) return known;
  return shared[kind] = await launch(kind === "plain" ? ["--disable-gpu-compositing"] : []);
}

function launch(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium().path,
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...BY_SOFTWARE, ...switches],
  });
}
