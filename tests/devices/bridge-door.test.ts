import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BRIDGE_PATH } from "../../lib/device-bridge/mod.ts";
import { openService } from "../../lib/service/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { withFolder } from "../support/folder.ts";

// Who comes in by the way that is for apps, and how far.

const BOUNDS = { maxMessageBytes: 1024 * 1024, idleMs: 30_000 };
const HELLO = { say: "hello", app: "0".repeat(32), name: "An app", nonce: "1".repeat(32) };

async function withService(work: (url: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    cpSync("lib/editor/sample", join(folder, "game"), { recursive: true });
    const made = adapter.createRuntime();
    const runtime = { ...made, host: { ...made.host, userData: join(folder, "user") } };
    const service = await openService({ runtime, project: join(folder, "game"), version: "1.0" });
    assert.ok(service.ok);
    const served = await adapter.serve(service.value.handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(served.ok);
    try {
      await work(served.value.url);
    } finally {
      await served.value.close();
      await service.value.close();
    }
  });
}

async function connected(url: string) {
  const socket = await adapter.createWebSockets().connect(
    `${url.replace("http:", "ws:")}${BRIDGE_PATH}`,
    BOUNDS,
  );
  assert.ok(socket.ok, socket.ok ? "" : socket.error.message);
  return socket.value;
}

test("pages of any origin come to the bridge, and to nothing else (DEV-42)", () =>
  withService(async (url) => {
    for (const origin of ["https://localhost", "capacitor://localhost", "http://evil.example"]) {
      const headers = { origin };
      assert.equal((await fetch(`${url}${BRIDGE_PATH}`, { headers })).status, 400);
      assert.equal((await fetch(`${url}/api/devices`, { headers })).status, 403);
    }
  }));

for (
  const [what, messages] of [
    ["text that is no JSON", ["hello"]],
    ["bytes", [new Uint8Array(4)]],
    ["a log before it is paired", [HELLO, { say: "log", entries: [] }]],
    ["a proof of nothing", [HELLO, { say: "code" }, { say: "paired", proof: "0".repeat(64) }]],
    ["a second hello", [HELLO, HELLO]],
    ["an answer that nobody asked for", [HELLO, { say: "answer", id: 1, ok: true, done: true }]],
  ] as const
) {
  test(`an app that says ${what} is sent away (DEV-42)`, () =>
    withService(async (url) => {
      const socket = await connected(url);
      for (const message of messages) {
        const isWhole = typeof message === "string" || message instanceof Uint8Array;
        socket.send(isWhole ? message : JSON.stringify(message));
      }
      assert.equal((await socket.ended).code, 1008);
    }));
}

test("an app that is not paired is listed with what to do, and is asked for nothing (DEV-40)", () =>
  withService(async (url) => {
    const socket = await connected(url);
    socket.send(JSON.stringify(HELLO));
    await socket.receive();
    socket.send(JSON.stringify({ say: "code" }));
    let listed = "";
    while (!listed.includes('unpaired","can":[],"next":"Read the code')) {
      listed = await (await fetch(`${url}/api/devices`)).text();
    }
    assert.match(listed, /"id":"app-00000000"/);
    const body = JSON.stringify({ device: "app-00000000", expression: "1" });
    const headers = { "content-type": "application/json" };
    const asked = await fetch(`${url}/api/devices/eval`, { method: "POST", headers, body });
    assert.equal(asked.status, 422);
    assert.match(await asked.text(), /device-cannot/);
    socket.close();
  }));
