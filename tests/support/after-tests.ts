import { after } from "node:test";

/** The part of Deno's own test runner that `node:test` lacks there. */
interface DenoHooks {
  readonly test: { afterAll(work: () => Promise<void>): void };
}
declare const Deno: DenoHooks;

/**
 * Runs work after the last test of the file, on both runtimes: it stops what the file's tests share
 * and removes their folders. Call it while the file is loaded.
 *
 * Deno runs `after()` of `node:test` only where every test of the file runs and passes: after one
 * that is skipped or fails, what the file has made would stay.
 */
export function afterTests(work: () => unknown): void {
  const once = async () => void await work();
  if ("Deno" in globalThis) Deno.test.afterAll(once);
  else after(once);
}
