import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../lib/core/json.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { serve } from "../../adapters/node/mod.ts";
import { createGameRuntime } from "./game-runtime.ts";
import { invocation } from "./invocation.ts";

// Scripts run on Deno as sources and on Node from dist/. Only this file distinguishes them.

const onDeno = "Deno" in globalThis;

/** The ports of the runtime that this script runs on. */
export async function loadRuntime(): Promise<Runtime> {
  // Not through the adapters' mod.ts, which loads the toolchain: few scripts use it.
  const adapter = onDeno
    ? await import("../../adapters/deno/runtime.ts")
    : await import("../../adapters/node/runtime.ts");
  const runtime = adapter.createRuntime({ cli: invocation() });
  if (isRemote) return runtime;
  return { ...runtime, gameRuntime: createGameRuntime(packageRoot(), runtime.gameRuntime) };
}

/** The server of the runtime that this script runs on. */
export async function loadServe(): Promise<typeof serve> {
  const adapter = onDeno
    ? await import("../../adapters/deno/serve.ts")
    : await import("../../adapters/node/serve.ts");
  return adapter.serve;
}

/** Returns the runtime's standard output, for slow readers. */
export async function loadStdout(): Promise<Writable> {
  return onDeno ? (await import("../../adapters/deno/stdout.ts")).createStdout() : process.stdout;
}

/** Returns the folder of the package, with its `package.json`, from the sources and from dist/. */
export function packageRoot(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  let folder = dirname(here);
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new Error(`No package.json above ${here}: the installation is damaged`);
    }
    folder = parent;
  }
  return folder;
}

/** Whether this runs from a registry's addresses: no file of the package is on this machine then. */
export const isRemote: boolean = !import.meta.url.startsWith("file:");

/** The version of the package. */
export function packageVersion(): string {
  // https://jsr.io/@scope/name/VERSION/scripts/…
  if (isRemote) return /\/(\d+\.[^/]+)\/scripts\//.exec(import.meta.url)?.[1] ?? "0.0.0";
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return isRecord(manifest) ? String(manifest["version"]) : "0.0.0";
}
