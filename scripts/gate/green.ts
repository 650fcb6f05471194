import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import type { Checkout } from "./checkout.ts";

/** The state of a checkout in which the gate last passed. */
export interface Green {
  /** End of that run: ISO 8601. */
  readonly at: string;
  readonly checkout: Checkout;
}

/** Reads the state of the last green run. @returns `null` without one, or when it is damaged. */
export function readGreen(cache: string): Green | null {
  let text: string;
  try {
    text = readFileSync(pathIn(cache), "utf8");
  } catch {
    return null; // no run was green here yet
  }
  const green = parseJson(text);
  if (!isRecord(green) || typeof green["at"] !== "string" || !isRecord(green["files"])) return null;
  const files = Object.entries(green["files"])
    .flatMap(([path, hash]) => typeof hash === "string" ? [[path, hash] as const] : []);
  return { at: green["at"], checkout: new Map(files) };
}

/** Keeps the state of a run that was green: the files as they were when it began. */
export function writeGreen(cache: string, { at, checkout }: Green): void {
  const path = pathIn(cache);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify({ at, files: Object.fromEntries(checkout) }));
  renameSync(`${path}.new`, path);
}

function pathIn(cache: string): string {
  return join(cache, "green.json");
}
