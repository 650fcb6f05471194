import { DRAWS_NOTHING } from "./draws-nothing.ts";
import { findProgram, type FoundProgram, type Skip } from "../support/needs.ts";
import { type Page, withBrowser, withDisplay } from "../support/webdriver.ts";

// The web views of the two systems, as they run on a developer's machine.

/** A web view that a test may open. */
export interface WebView {
  /** Why it is not available here; `false` if it is. */
  readonly skip: Skip;
  open<T>(work: (page: Page) => Promise<T>): Promise<T>;
}

/** Chromium built without a window, of the same version: a page costs half of the CPU time in it. */
const WINDOWLESS = "/usr/bin/chromium-headless-shell";

/** Chromium itself. Ubuntu has a script of that name which only names a package. */
export function findChromium(): FoundProgram {
  return findProgram({
    name: "chromium",
    places: [
      WINDOWLESS,
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
    ],
    asks: ["--version"],
    answers: /^(?:Chromium|Google Chrome) (\d+)[\d.]*(?!.* snap)/m, // snap's cannot read temporary folders
    from: "Debian's package chromium, or Google's Chrome",
  });
}

/** The display that WebKitGTK draws on. */
export function findXvfb(): FoundProgram {
  return findProgram({
    name: "Xvfb",
    places: ["/usr/bin/Xvfb"],
    asks: ["-help"],
    answers: /^-displayfd /m,
    from: "Debian's package xvfb",
  });
}

const WEBKIT = ["x86_64", "aarch64"].flatMap((machine) =>
  ["4.1", "6.0", "4.0"].map((version) =>
    `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`
  )
);

/** Draws in three dimensions without a graphics card. */
export const BY_SOFTWARE = [
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-gpu-rasterization", // all but pictures is drawn directly, not by a simulated card
];

/**
 * Chromium: Android's.
 *
 * @param options.draws Whether its WebGL draws, if it has WebGL: only tests that read pixels need that.
 */
export function openChromium(
  { webgl = false, draws = true }: { readonly webgl?: boolean; readonly draws?: boolean } = {},
): WebView {
  const { path: binary, ...browser } = findChromium();
  const driver = findProgram({
    name: "chromedriver",
    places: ["/usr/bin/chromedriver"],
    asks: ["--version"],
    answers: /^ChromeDriver (\d+)/m,
    from: "Debian's package chromium-driver",
  });
  const [version, driven] = [browser, driver].map(({ answer: [, major] }) => major);
  return {
    skip: browser.skip || driver.skip ||
      version !== driven && `${driver.path} drives Chromium ${driven}, ${binary} is ${version}`,
    open: (work) =>
      withBrowser({
        driver: driver.path,
        ...(!draws && { before: DRAWS_NOTHING }),
        capabilities: {
          "browserName": binary === WINDOWLESS ? "chrome-headless-shell" : "chrome",
          "goog:chromeOptions": {
            binary,
            args: [
              "--headless",
              "--no-sandbox",
              ...(webgl ? BY_SOFTWARE : ["--disable-gpu"]),
              // A simulated card that draws nothing puts no page together either.
              ...(webgl && !draws ? ["--disable-gpu-compositing"] : []),
              "--disable-dev-shm-usage",
              "--no-first-run",
              "--disable-background-networking",
              "--disable-component-update",
              "--disable-sync",
              "--user-data-dir={profile}",
            ],
          },
        },
      }, work),
  };
}

/** WebKit, the engine of iOS: here it is WebKitGTK. */
export function openWebKit(): WebView {
  const xvfb = findXvfb();
  const browser = findProgram({
    name: "MiniBrowser", // it does not answer without a display
    places: WEBKIT,
    from: "Debian's package libwebkit2gtk-4.1-0",
  });
  const driver = findProgram({
    name: "WebKitWebDriver",
    places: ["/usr/bin/WebKitWebDriver"],
    asks: ["--help"],
    answers: /WebKitWebDriver/,
    from: "Debian's package webkit2gtk-driver",
  });
  return {
    skip: browser.skip || driver.skip || xvfb.skip,
    open: (work) =>
      withDisplay(xvfb.path, (display) =>
        withBrowser({
          driver: driver.path,
          env: {
            DISPLAY: display,
            WEBKIT_DISABLE_COMPOSITING_MODE: "1",
            LIBGL_ALWAYS_SOFTWARE: "1",
          },
          capabilities: {
            "webkitgtk:browserOptions": { binary: browser.path, args: ["--automation"] },
          },
        }, work)),
  };
}
