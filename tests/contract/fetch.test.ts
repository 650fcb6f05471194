import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { EARLY_HINTS, startRangeServer } from "../ota/range-server.ts";
import { adapter } from "./adapter.ts";

test("createFetch() tells where an answer came from, also one that is handed on as it was sent", async () => {
  const packed = gzipSync("archive");
  const server = createServer((request, response) => {
    if (request.url === "/old") response.writeHead(302, { location: "/new" }).end();
    else response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const origin = `http://127.0.0.1:${address.port}`;
  try {
    const answer = await adapter.createFetch({ environment: {} })(`${origin}/old`, {
      headers: { "accept-encoding": "identity" },
    });
    assert.equal(answer.url, `${origin}/new`);
    assert.equal(answer.headers.get("content-encoding"), "gzip");
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), new Uint8Array(packed));
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

for (const coding of ["identity", "gzip"]) {
  test(`createFetch() waits for the answer after hints of one, asking for ${coding} (DEV-35)`, async () => {
    const server = await startRangeServer(() => ({
      before: EARLY_HINTS.repeat(2),
      headers: { "content-encoding": "gzip" },
      body: new Uint8Array(gzipSync("archive")),
    }));
    try {
      const fetch = adapter.createFetch({ environment: {} });
      const answer = await fetch(server.origin, { headers: { "accept-encoding": coding } });
      assert.equal(answer.status, 200);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const text = new TextDecoder().decode(coding === "gzip" ? bytes : gunzipSync(bytes));
      assert.equal(text, "archive");
    } finally {
      await server.close();
    }
  });
}

test("createFetch() hands on whole bodies whose reader is slower than their server hangs up", async () => {
  const body = new Uint8Array(100 * 1024);
  const server = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`,
      );
      socket.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = `http://127.0.0.1:${address.port}/`;
  const fetch = adapter.createFetch({ environment: {} });
  const read = async (pauseMs: number): Promise<number> => {
    const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return bytes;
  };
  try {
    for (let round = 0; round < 5; round++) {
      const found = await Promise.all([0, 0, 1, 1, 2, 2].map(read));
      assert.deepEqual(found, found.map(() => body.length));
    }
  } finally {
    await new Promise((closed) => server.close(closed));
  }
});
