import { test } from "node:test";
import { openWebKit } from "./web-views.ts";
import { assertOutcomes, runInPage } from "./engine.ts";

// iOS' web view is WebKit.

const { skip, open } = openWebKit();

for (const subtle of [true, false]) {
  test(
    `client in WebKitGTK, ${subtle ? "with" : "without"} crypto.subtle`,
    { skip },
    () => open(async (page) => assertOutcomes(await runInPage(page, { subtle }))),
  );
}
