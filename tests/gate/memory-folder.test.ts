import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { test } from "node:test";
import { makeMemoryFolder } from "../../scripts/gate/memory-folder.ts";

test("makeMemoryFolder() makes an empty folder of its own, or none", () => {
  const [one, other] = [makeMemoryFolder(), makeMemoryFolder()];
  try {
    assert.equal(one === null, other === null);
    if (one === null || other === null) return;
    assert.notEqual(one, other);
    assert.ok(existsSync(one));
    assert.deepEqual(readdirSync(one), []);
  } finally {
    for (const folder of [one, other]) {
      if (folder !== null) rmSync(folder, { recursive: true });
    }
  }
});
