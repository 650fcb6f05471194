import { test } from "node:test";
import assert from "node:assert/strict";
import { request } from "node:http";
import { startPhone } from "../../scripts/demo/phone.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

/** The status of a page's question to the plugin. */
function asked(url: string, host: string, origin: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, origin };
    const sent = request(`${url}/native`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ launch: 0, method: "console", request: null }));
  });
}

test("the plugin of the demo's phone answers its own page, and no name that is pointed at this machine", () =>
  withFolder(async (folder) => {
    const phone = await startPhone({
      runtime: await loadRuntime(),
      serve: await loadServe(),
      name: "boats",
      root: `${folder}/phone`,
      embedded: `${folder}/app-binary`,
    });
    assert.ok(phone.ok);
    const { url, close } = phone.value;
    const { host, port } = new URL(url);
    try {
      assert.equal(await asked(url, host, url), 200);
      assert.equal(await asked(url, host, "http://other.example"), 403);
      const named = `other.example:${port}`;
      assert.equal(await asked(url, named, `http://${named}`), 403);
    } finally {
      await close();
    }
  }));
