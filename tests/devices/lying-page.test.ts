import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { WebSocketServer } from "ws";
import { PageSession } from "../../lib/devices/devtools/page-session.ts";
import { DeviceLog } from "../../lib/devices/logs/device-log.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// Any app of a phone may listen where a web view would, and say what it likes: adb forwards to it.

const TEXTLESS = { toString: 1, valueOf: 1 };

/** Opens the console of a page that answers each call after it has told this. */
async function openWith(
  event: string,
  { answer = { result: {} }, times = 1 }: { answer?: object; times?: number } = {},
) {
  const server = createServer();
  new WebSocketServer({ server }).on("connection", (socket) => {
    socket.on("message", (said) => {
      for (let sent = 0; sent < times; sent++) socket.send(event);
      socket.send(JSON.stringify({ id: JSON.parse(String(said)).id, ...answer }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const { port } = address;
  const log = new DeviceLog();
  try {
    const { signal } = new AbortController();
    const options = { ports: await loadRuntime(), log, signal };
    const opened = await PageSession.open(port, "/devtools/page/1", options);
    if (opened.ok) {
      opened.value.close();
      await opened.value.ended;
    }
    return { opened, lines: log.all() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const consoleCall = (params: object) =>
  JSON.stringify({ method: "Runtime.consoleAPICalled", params: { timestamp: 1, ...params } });

for (
  const [what, event, level, text] of [
    [
      "a text that is none",
      JSON.stringify({
        method: "Log.entryAdded",
        params: { entry: { timestamp: 1, level: "error", text: TEXTLESS } },
      }),
      "error",
      "",
    ],
    [
      "a preview without names",
      consoleCall({
        type: "log",
        args: [{ preview: { properties: [{ name: TEXTLESS, value: 1 }] } }],
      }),
      "log",
      "{: 1}",
    ],
    [
      "a level that every object has",
      consoleCall({ type: "constructor", args: [{ value: "said" }] }),
      "log",
      "said",
    ],
    ["a value of 100,000 levels", consoleCall({ type: "info", args: ["DEEP"] }), "info", ""],
  ] as const
) {
  test(`a page that is debugged tells ${what}: it is a line like others (DEV-45)`, async () => {
    const deep = `{"value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const { opened, lines } = await openWith(event.replace('"DEEP"', deep));
    assert.ok(opened.ok);
    assert.deepEqual(lines.map((line) => [line.level, line.text])[0], [level, text]);
  });
}

test("a page that refuses without words is refused like others", async () => {
  const { opened } = await openWith("{}", { answer: { error: { message: TEXTLESS } } });
  assert.equal(opened.ok ? "" : opened.error.code, "page-refused");
});

const DROPPED = /^Lines are missing here/;

test("an event that is too large is dropped unread, and the console says so (DEV-49)", async () => {
  const large = consoleCall({ type: "log", args: [{ value: "x".repeat(300_000) }] });
  const { opened, lines } = await openWith(large);
  assert.ok(opened.ok);
  assert.deepEqual(lines.map(({ level }) => level), ["warn"]);
  assert.match(lines[0]?.text ?? "", DROPPED);
});

test("a page that floods its console has a budget, and keeps nobody else waiting (DEV-49)", async () => {
  const event = consoleCall({ type: "log", args: [{ value: "x".repeat(200_000) }] });
  let turns = 0;
  const others = setInterval(() => turns++, 5);
  try {
    const { opened, lines } = await openWith(event, { times: 100 });
    assert.ok(opened.ok);
    // 2 × 100 × 200,000 characters were sent, the first 8 MiB are read.
    const read = lines.filter(({ level }) => level === "log").length;
    assert.ok(read >= 40 && read < 80, `${read} lines were read`);
    assert.equal(lines.filter(({ text }) => DROPPED.test(text)).length, 1);
    assert.ok(lines.every(({ text }) => text.length <= 2_000));
    assert.ok(turns > 0, "nothing else had a turn");
  } finally {
    clearInterval(others);
  }
});
