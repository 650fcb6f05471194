import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../lib/core/json.ts";

/** Measurements that a script of this folder made of itself. */
export interface Once {
  readonly ms: number;
  /** Peak memory of its process. */
  readonly peakKiB: number;
}

/** Runs a script of this folder in a process of its own, on this runtime. @param name Without `.ts`. */
export async function measureOnce(name: string, args: readonly string[]): Promise<Once> {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const script = fileURLToPath(new URL(`./${name}${extension}`, import.meta.url));
  const words = "Deno" in globalThis ? ["run", "-A", script] : [script];
  const child = spawn(process.execPath, [...words, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk) => stdout += chunk);
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const printed: unknown = code === 0 ? JSON.parse(stdout) : null;
  if (!isRecord(printed)) throw new Error(`${name} ended with exit code ${code}`);
  return { ms: Number(printed["ms"]), peakKiB: Number(printed["peakKiB"]) };
}
