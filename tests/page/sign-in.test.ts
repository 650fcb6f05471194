import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

const TOKEN = "a-token-of-32-letters-or-so-long";

test(
  "a wrong token that is typed is refused in a sentence, the right one opens the page for good",
  {
    skip: NO_CHROMIUM,
  },
  () =>
    withEditorPage(async ({ page, url }) => {
      const token = page.getByLabel("Token of this service");
      const why = page.getByRole("alert");
      await why.getByText("Found no bearer token, expected the service's own").waitFor();
      const open = page.getByRole("button", { name: "Open" });
      for (const wrong of ["another", `${TOKEN}x`, "<b>none</b>"]) {
        await token.fill(wrong);
        const answered = page.waitForResponse(`${url}/api/session`);
        await open.click();
        assert.equal((await answered).status(), 401);
        await why.getByText("Found another token, expected the service's own").waitFor();
        assert.equal(await token.inputValue(), wrong, "it can be corrected");
      }
      assert.deepEqual(await page.context().cookies(), []);
      assert.equal(await page.getByRole("treeitem").count(), 0);

      await token.fill(` ${TOKEN} `); // as it is copied from a terminal
      await token.press("Enter");
      await page.getByRole("treeitem", { name: "Lighthouse", exact: true }).waitFor();
      assert.equal(await token.count(), 0);
      assert.ok(!page.url().includes(TOKEN) && !(await page.content()).includes(TOKEN));
      await page.reload();
      await page.getByRole("treeitem", { name: "Lighthouse", exact: true }).waitFor();
    }, { token: TOKEN, says: /status of 401/ }),
);
