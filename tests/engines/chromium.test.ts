import { test } from "node:test";
import { withBrowser } from "../support/webdriver.ts";
import { assertOutcomes, programOf, runInPage } from "./engine.ts";

// Android's web view is Chromium.

const binary = programOf(
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
);
const driver = programOf("/usr/bin/chromedriver");
const skip = binary === undefined
  ? "no chromium on this machine"
  : driver === undefined
  ? "no chromedriver on this machine"
  : false;

for (const subtle of [true, false]) {
  test(
    `client in Chromium, ${subtle ? "with" : "without"} crypto.subtle`,
    { skip },
    () =>
      withBrowser({
        driver: driver ?? "",
        capabilities: {
          "browserName": "chrome",
          "goog:chromeOptions": {
            binary,
            args: [
              "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--disable-dev-shm-usage",
              "--no-first-run",
              "--disable-background-networking",
              "--disable-component-update",
              "--disable-sync",
              "--user-data-dir={profile}",
            ],
          },
        },
      }, async (page) => assertOutcomes(await runInPage(page, { subtle }))),
  );
}
