import assert from "node:assert/strict";
import { test } from "node:test";
import { startHostileServer } from "../support/hostile-server.ts";
import { runClientCases } from "./client-cases.ts";
import { buildHostileBucket } from "./hostile-bucket.ts";
import { assertOutcomes, withoutSubtle } from "./engine.ts";

// The runtime that runs this test: Deno or Node.

for (const subtle of [true, false]) {
  test(`client in this runtime, ${subtle ? "with" : "without"} crypto.subtle`, async () => {
    const { publicKey, answers } = await buildHostileBucket();
    const server = await startHostileServer((path) => answers[path]);
    const run = () => runClientCases({ origin: server.origin, publicKey, enforcesCors: false });
    try {
      assertOutcomes(await (subtle ? run() : withoutSubtle(run)));
      assert.ok(server.requests.length > 50);
    } finally {
      await server.close();
    }
  });
}
