import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { adapter } from "../contract/adapter.ts";
import { createTinyService } from "../support/tiny-service.ts";

// What is wrong with HTTP itself, sent by hand to a server that listens: the caller's mistake, no fault.

/** Sends bytes. @returns All that comes back. */
async function answerTo(lines: readonly string[]): Promise<string> {
  const service = createTinyService();
  const served = await adapter.serve((request, peer) => service.handler(request, peer), {
    hostname: "127.0.0.1",
    port: 0,
  });
  assert.ok(served.ok);
  const { port } = served.value;
  try {
    const socket = connect(port, "127.0.0.1");
    const [first = "", ...rest] = lines;
    socket.write([first, `Host: 127.0.0.1:${port}`, "Connection: close", ...rest].join("\r\n"));
    let answer = "";
    for await (const bytes of socket) answer += String(bytes);
    return answer;
  } finally {
    await served.value.close();
  }
}

test("a body with a chunk extension of 20 KB is answered by 400 (HTTP-4)", async () => {
  const answer = await answerTo([
    "POST /api/tools/list_traits HTTP/1.1",
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
    "",
    `2;x=${"y".repeat(20_000)}`,
    "{}",
    "0",
    "",
    "",
  ]);
  assert.match(answer, /^HTTP\/1\.1 400 /);
});
