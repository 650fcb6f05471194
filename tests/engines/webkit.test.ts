import { test } from "node:test";
import { withBrowser, withDisplay } from "../support/webdriver.ts";
import { assertOutcomes, programOf, runInPage } from "./engine.ts";

// iOS' web view is WebKit; WebKitGTK is the one that runs here.

const binary = programOf(
  ...["x86_64", "aarch64"].flatMap((machine) =>
    ["4.1", "6.0", "4.0"].map((version) =>
      `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`
    )
  ),
);
const driver = programOf("/usr/bin/WebKitWebDriver");
const xvfb = programOf("/usr/bin/Xvfb");
const skip = binary === undefined || driver === undefined
  ? "no WebKitGTK driver on this machine"
  : xvfb === undefined
  ? "no Xvfb on this machine"
  : false;

for (const subtle of [true, false]) {
  test(
    `client in WebKitGTK, ${subtle ? "with" : "without"} crypto.subtle`,
    { skip },
    () =>
      withDisplay(xvfb ?? "", (display) =>
        withBrowser({
          driver: driver ?? "",
          env: {
            DISPLAY: display,
            WEBKIT_DISABLE_COMPOSITING_MODE: "1",
            LIBGL_ALWAYS_SOFTWARE: "1",
          },
          capabilities: { "webkitgtk:browserOptions": { binary, args: ["--automation"] } },
        }, async (page) => assertOutcomes(await runInPage(page, { subtle })))),
  );
}
