import process from "node:process";
import type { Context } from "../../scripts/gate/context.ts";
import { createExecutor } from "../../scripts/gate/exec.ts";
import { NO_PASSES } from "../../scripts/gate/passes.ts";

/** What steps of the gate use, of a checkout that a test has written. */
export function plantedContext(root: string, parts: Partial<Context> = {}): Context {
  return {
    ...createExecutor(2),
    root,
    scratch: root,
    cache: root,
    memory: null,
    deno: process.execPath,
    node: null,
    npm: null,
    places: 2,
    house: () => Promise.reject(new Error("No house was planted")),
    times: new Map(),
    passes: NO_PASSES,
    reach: null,
    ...parts,
  };
}
