import assert from "node:assert/strict";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";

/** Returns the bytes of the heap that remain in use after garbage collection. */
export function keptBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function collectGarbage(): void {
  v8.setFlagsFromString("--expose-gc"); // contexts created after this have gc()
  const gc: unknown = vm.runInNewContext("gc");
  assert.ok(typeof gc === "function");
  gc();
}
