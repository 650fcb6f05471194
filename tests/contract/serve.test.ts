import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { withoutShell } from "../support/needs.ts";
import { adapter } from "./adapter.ts";
import { comesTrue } from "./conditions.ts";
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
    assert.ok(await comesTrue(() => tried >= callers.length), `${tried} callers came`);
    for (const caller of callers) caller.destroy();
    let answer = "";
    let isAsking = false; // one at a time, or this test is one more that takes descriptors
    await comesTrue(() => {
      if (!isAsking) {
        isAsking = true;
        fetch(`http://127.0.0.1:${port}`)
          .then(async (got) => answer = await got.text())
          .catch(() => isAsking = false); // not yet
      }
      return answer !== "";
    });
    assert.equal(answer, "served");
  } finally {
    child.kill("SIGKILL");
  }
});
