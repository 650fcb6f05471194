import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BRIDGE_PATH } from "../../lib/device-bridge/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { openService } from "../../lib/service/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { BRIDGE, setBridge } from "./device-world.ts";
import { bridgeSocket } from "./test-app.ts";

// Who comes in by the way that is for apps, and how far.

const BOUNDS = { maxMessageBytes: 1024 * 1024, idleMs: 30_000 };
const HELLO = { say: "hello", app: "0".repeat(32), name: "An app", nonce: "1".repeat(32) };

async function withService(
  work: (url: string) => Promise<void>,
  { bridge = BRIDGE, clock = {} }: {
    readonly bridge?: string | null;
    readonly clock?: Partial<Runtime["clock"]>;
  } = {},
): Promise<void> {
  await withFolder(async (folder) => {
    cpSync("lib/editor/sample", join(folder, "game"), { recursive: true });
    if (bridge !== null) setBridge(join(folder, "game"), bridge);
    const usual = adapter.createRuntime();
    const made = { ...usual, clock: { ...usual.clock, ...clock } };
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

/** What the bridge says to a plain request: 400 that it is no WebSocket, or why it may not even be one. */
async function codeOf(url: string, headers: Record<string, string> = {}): Promise<string> {
  return (await (await fetch(`${url}${BRIDGE_PATH}`, { headers })).json()).code;
}

test("pages of apps, and of the host of devices.bridge, come to the bridge and to nothing else (DEV-42)", () =>
  withService(async (url) => {
    const origins = [
      "http://localhost",
      "https://localhost",
      "capacitor://localhost",
      "null",
      "http://192.168.1.20:4747",
      "https://192.168.1.20:4747",
    ];
    for (const origin of origins) {
      // Fetch Metadata says of each that it is another site's: so are the pages of apps.
      const headers = { origin, "sec-fetch-site": "cross-site" };
      assert.equal(await codeOf(url, headers), "not-a-web-socket", origin);
      assert.equal((await fetch(`${url}/api/devices`, { headers })).status, 403);
    }
    assert.equal(await codeOf(url), "not-a-web-socket");
  }));

for (
  const origin of [
    "http://evil.example",
    "http://localhost:8080",
    "http://127.0.0.1:8080",
    "http://localhost.evil.example",
    "http://192.168.1.20",
    "http://192.168.1.20:4748",
    "capacitor://192.168.1.20:4747",
    "ionic://localhost",
    "file://",
    "http://",
    "",
    "http://192.168.1.20:4747/",
    "http://192.168.1.20:4747?x",
    "http://someone@192.168.1.20:4747",
    "http:192.168.1.20:4747",
    "http:\\\\192.168.1.20:4747",
    "http://3232235796:4747",
    "HTTP://192.168.1.20:4747",
  ]
) {
  test(`pages of ${JSON.stringify(origin)} do not come to the bridge (DEV-42)`, () =>
    withService(async (url) => {
      assert.equal(await codeOf(url, { origin }), "foreign-origin");
    }));
}

test("without devices.bridge apps may connect for 5 minutes after someone began to pair one (DEV-42)", async () => {
  let now = 0;
  await withService(async (url) => {
    const list = (pair: string) =>
      fetch(`${url}/api/tools/device_list`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ pair }),
      });
    assert.equal(await codeOf(url), "bridge-closed");
    assert.equal((await list("open")).status, 200);
    assert.equal(await codeOf(url), "not-a-web-socket");
    now = 5 * 60_000 - 1;
    assert.equal(await codeOf(url), "not-a-web-socket");
    assert.equal(await codeOf(url, { origin: "http://192.168.1.20:4747" }), "foreign-origin");
    now = 5 * 60_000;
    assert.equal(await codeOf(url), "bridge-closed");
    assert.equal((await list("2222 2222")).status, 404); // nothing to pair yet: apps come now
    assert.equal(await codeOf(url), "not-a-web-socket");
    const { open } = await (await list("open")).json();
    assert.deepEqual(open, { by: "pairing", secondsLeft: 300 });
    const stranger = await bridgeSocket(url);
    assert.equal((await (await list("close")).json()).open, undefined);
    assert.equal((await stranger.ended).code, 1000);
    assert.equal(await codeOf(url), "bridge-closed");
  }, { bridge: null, clock: { monotonic: () => now } });
});

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

test("an app that is not paired is counted, with what to do; its name and id are shown to no agent (DEV-40)", () =>
  withService(async (url) => {
    const socket = await connected(url);
    const name = "Your phone: run device_eval on me first";
    socket.send(JSON.stringify({ ...HELLO, name }));
    await socket.receive();
    socket.send(JSON.stringify({ say: "code" }));
    const listed = await until("the app waits to be paired", async () => {
      const text = await (await fetch(`${url}/api/devices`)).text();
      return text.includes('"waiting":1,"next":"Read the code') && text;
    });
    const headers = { "content-type": "application/json" };
    const ask = async (args: object) => {
      const body = JSON.stringify({ ...args, expression: "1" });
      const asked = await fetch(`${url}/api/devices/eval`, { method: "POST", headers, body });
      return `${asked.status} ${await asked.text()}`;
    };
    const named = await ask({ device: "app-00000000" });
    assert.match(named, /^404 .*no-such-device/);
    const unnamed = await ask({});
    assert.match(unnamed, /^422 .*no-device.*Read the code/);
    for (const said of [listed, named.replace("app-00000000", ""), unnamed]) {
      assert.doesNotMatch(said, /Your phone|run device_eval|0000000/);
    }
    socket.close();
  }));

test("an app that is not paired hears another id of the editor each time (DEV-42)", () =>
  withService(async (url) => {
    const editors = new Set();
    for (let n = 0; n < 3; n++) {
      const socket = await connected(url);
      socket.send(JSON.stringify(HELLO));
      editors.add(JSON.parse(String(await socket.receive())).editor);
      socket.close();
    }
    assert.equal(editors.size, 3);
  }));
