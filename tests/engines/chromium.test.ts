import { test } from "node:test";
import { openChromium } from "./web-views.ts";
import { assertOutcomes, runInPage } from "./engine.ts";

// Android's web view is Chromium.

const { skip, open } = openChromium();

for (const subtle of [true, false]) {
  test(
    `client in Chromium, ${subtle ? "with" : "without"} crypto.subtle`,
    { skip },
    () => open(async (page) => assertOutcomes(await runInPage(page, { subtle }))),
  );
}
