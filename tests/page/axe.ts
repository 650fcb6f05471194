import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const AXE = "node_modules/axe-core/axe.min.js";

/** Fails where axe finds something that keeps people out, in the dark and in the light theme. */
export async function assertAccessible(page: Page, within: string): Promise<void> {
  assert.deepEqual(await violationsIn(page, within), []);
}

/** What axe finds that keeps people out, in the dark and in the light theme. */
export async function violationsIn(page: Page, within: string): Promise<readonly string[]> {
  if (await page.evaluate("globalThis.axe === undefined")) {
    await page.evaluate(readFileSync(AXE, "utf8"));
  }
  const all: string[] = [];
  for (const theme of ["dark", "light"]) {
    const found: readonly string[] = await page.evaluate(
      // As text: what a page has is not known to these tests' types.
      `(async () => {
        document.documentElement.dataset.theme = ${JSON.stringify(theme)};
        await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null)));
        const { violations } = await axe.run(${
        JSON.stringify(within)
      }, { resultTypes: ["violations"] });
        return violations.map(({ id, nodes }) =>
          id + ": " + nodes.map(({ html, any }) =>
            html.slice(0, 200) + " " + any.map(({ message }) => message).join("; ")).join(" | "));
      })()`,
    );
    all.push(...found.map((one) => `${theme}: ${one}`));
  }
  return all;
}
