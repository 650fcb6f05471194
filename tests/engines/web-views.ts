import { type Page, withBrowser, withDisplay } from "../support/webdriver.ts";
import { programOf } from "./engine.ts";

// The web views of the two systems, as they run on a desk.

/** A web view that a test may open. */
export interface WebView {
  /** Why it cannot be had here; `false` when it can. */
  readonly skip: string | false;
  open<T>(work: (page: Page) => Promise<T>): Promise<T>;
}

/** Where Chromium may be. */
export const CHROMIUM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
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
];

/** Chromium: Android's. */
export function openChromium(options: { readonly webgl?: boolean } = {}): WebView {
  const binary = programOf(...CHROMIUM);
  const driver = programOf("/usr/bin/chromedriver");
  return {
    skip: binary === undefined
      ? "no chromium on this machine"
      : driver === undefined
      ? "no chromedriver on this machine"
      : false,
    open: (work) =>
      withBrowser({
        driver: driver ?? "",
        capabilities: {
          "browserName": "chrome",
          "goog:chromeOptions": {
            binary,
            args: [
              "--headless",
              "--no-sandbox",
              ...(options.webgl === true ? BY_SOFTWARE : ["--disable-gpu"]),
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

/** WebKit: that of iOS; WebKitGTK is the one that runs here. */
export function openWebKit(): WebView {
  const binary = programOf(...WEBKIT);
  const driver = programOf("/usr/bin/WebKitWebDriver");
  const xvfb = programOf("/usr/bin/Xvfb");
  return {
    skip: binary === undefined || driver === undefined
      ? "no WebKitGTK driver on this machine"
      : xvfb === undefined
      ? "no Xvfb on this machine"
      : false,
    open: (work) =>
      withDisplay(xvfb ?? "", (display) =>
        withBrowser({
          driver: driver ?? "",
          env: {
            DISPLAY: display,
            WEBKIT_DISABLE_COMPOSITING_MODE: "1",
            LIBGL_ALWAYS_SOFTWARE: "1",
          },
          capabilities: { "webkitgtk:browserOptions": { binary, args: ["--automation"] } },
        }, work)),
  };
}
