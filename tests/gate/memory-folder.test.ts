import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { test } from "node:test";
import { makeMemoryFolder } from "../../scripts/gate/memory-folder.ts";

test("makeMemoryFolder() makes an empty folder of its own, or none, and removes those of dead runs", () => {
  const dead = "/dev/shm/slipway-gate-4194303-left"; // above the largest process number
  if (existsSync("/dev/shm")) mkdirSync(dead, { recursive: true });
  const [one, other] = [makeMemoryFolder(), makeMemoryFolder()];
  try {
    assert.equal(one === null, other === null);
    if (one === null || other === null) return;
    assert.notEqual(one, other);
    assert.ok(!existsSync(dead));
    assert.ok(existsSync(one));
    assert.deepEqual(readdirSync(one), []);
  } finally {
    for (const folder of [one, other, dead]) {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    }
  }
});
