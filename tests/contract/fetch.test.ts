import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
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
