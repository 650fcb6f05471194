import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { pngSize } from "../../lib/core/png.ts";
import { DEVICE_TOOLS } from "../../lib/agent/tools/devices.ts";
import { withPhones } from "./device-world.ts";
import { startApp } from "./test-app.ts";

// What agents are given of a device unless they ask for more, on an app that connects itself.

test("there are seven device tools", () =>
  assert.deepEqual(DEVICE_TOOLS.map(({ name }) => name), [
    "device_list",
    "device_screenshot",
    "device_tap",
    "device_drag",
    "device_eval",
    "device_console_logs",
    "device_native_logs",
  ]));

test("device_console_logs answers its last 50 lines unless told otherwise (DEV-45)", () =>
  withPhones([], async ({ url, call }) => {
    const app = await startApp(url);
    assert.equal((await call("device_list", { pair: await app.code })).status, 200);
    await app.paired;
    for (let n = 1; n <= 60; n++) app.log(`line ${n}`);
    const texts = async (args: object) =>
      (await call("device_console_logs", args)).body.entries.map((one: { text: string }) =>
        one.text
      );
    await call("device_eval", { expression: "1" }); // answered after the lines were told
    const { body } = await call("device_console_logs");
    assert.deepEqual([body.entries.length, body.total, body.byLevel], [50, 60, { log: 60 }]);
    assert.deepEqual([body.entries[0].text, body.entries.at(-1).text], ["line 11", "line 60"]);
    assert.equal((await texts({ limit: 1_000 })).length, 60);
    app.socket.close();
  }));

test("device_screenshot tells path and dimensions, and shows the picture when asked alone", () =>
  withPhones([], async ({ url, call, root }) => {
    const app = await startApp(url);
    assert.equal((await call("device_list", { pair: await app.code })).status, 200);
    await app.paired;
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
    for (const inline of [undefined, false, true]) {
      const name = "device_screenshot";
      const { content } = await client.callTool({
        name,
        arguments: { savePath: "shots/one.png", ...(inline !== undefined && { inline }) },
      });
      const [, text, picture, ...more] = content;
      const reported = JSON.parse(text?.type === "text" ? text.text : "");
      assert.deepEqual([reported.path, reported.size], ["shots/one.png", "400 × 800 pixels"]);
      const kept = readFileSync(join(root, reported.path));
      assert.deepEqual(pngSize(kept), { width: reported.width, height: reported.height });
      assert.deepEqual([picture?.type, more], [inline === true ? "image" : undefined, []]);
      if (picture?.type === "image") assert.equal(picture.data, kept.toString("base64"));
    }
    // Over HTTP the picture lies behind the answer's url, wherever it was kept.
    for (const savePath of [undefined, "shots/one & two.png"]) {
      const { body } = await call("device_screenshot", { savePath, inline: true });
      const served = await fetch(new URL(body.url, url));
      assert.equal(served.headers.get("content-type"), "image/png");
      const bytes = new Uint8Array(await served.arrayBuffer());
      assert.deepEqual(bytes, new Uint8Array(readFileSync(join(root, body.path))));
    }
    for (const path of ["project.config.json", "..%2f..%2fx.png", "assets/none.png"]) {
      const { status } = await fetch(new URL(`/api/pictures/${path}`, url));
      assert.ok(status === 404 || status === 403, `${path}: ${status}`);
    }
    await client.close();
    app.socket.close();
  }));

test("device_eval of an expression that throws says how statements are evaluated (DEV-44)", () =>
  withPhones([], async ({ url, call }) => {
    const value = "[SyntaxError: Illegal return statement]";
    const text = JSON.stringify({ value, truncated: false, threw: true });
    const app = await startApp(url, { does: () => Promise.resolve({ ok: true, text }) });
    await call("device_list", { pair: await app.code });
    await app.paired;
    const { status, body } = await call("device_eval", { expression: "const a = 1; return a" });
    assert.deepEqual([status, body.code], [422, "eval-threw"]);
    assert.match(body.hint, /return go in \(\(\) => \{ … \}\)\(\)/);
    app.socket.close();
  }));
