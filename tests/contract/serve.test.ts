import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { withoutShell } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { adapter } from "./adapter.ts";
import { serveContract } from "./serve-contract.ts";

serveContract(adapter.serve);

const CHILD = "Deno" in globalThis
  ? [process.execPath, "run", "-A", "--no-check", "tests/contract/serve-child.ts"]
  : [process.execPath, "dist/tests/contract/serve-child.js"];

test("serve() goes on after callers took all its descriptors", { skip: withoutShell }, async () => {
  const few = ["-c", 'ulimit -n 100 && exec "$@"', "sh", ...CHILD];
  const child = spawn("sh", few, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [line] = await once(child.stdout, "data");
    const port = Number(line);
    const callers = Array.from({ length: 200 }, () => connect(port, "127.0.0.1"));
    let tried = 0;
    for (const caller of callers) {
      for (const event of ["connect", "error"]) caller.once(event, () => tried++);
    }
    await until("all callers have connected or failed", () => tried >= callers.length);
    for (const caller of callers) caller.destroy();
    // One request at a time, or this test is one more that takes descriptors.
    const answer = await until(
      "the server answers again",
      () => fetch(`http://127.0.0.1:${port}`).then((got) => got.text(), () => null),
    );
    assert.equal(answer, "served");
  } finally {
    child.kill("SIGKILL");
  }
});
