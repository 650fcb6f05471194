import assert from "node:assert/strict";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";

/** Bytes of the heap that are in use once garbage is collected: what a process really keeps. */
export function keptBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function collectGarbage(): void {
  v8.setFlagsFromString("--expose-gc"); // contexts that are made from now on have gc()
  const gc: unknown = vm.runInNewContext("gc");
  assert.ok(typeof gc === "function");
  gc();
}
