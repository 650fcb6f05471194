import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { messageOf } from "../../lib/core/result.ts";

/** A vector with an invalid format: the runner ends with 2. */
export class UnreadableVector extends Error {}

/** Bytes of the largest file of vectors. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A scenario of any kind. */
export interface Scenario {
  /** Its file. */
  readonly file: string;
  readonly id: string;
  readonly kind: string;
  readonly steps: readonly unknown[];
}

/** Reads scenarios from a file, or from all `.json` files below a folder except `schema/`. */
export function readScenarios(path: string): Scenario[] {
  return vectorFiles(path).flatMap((file) => {
    try {
      const content: unknown = JSON.parse(readFileSync(file, "utf8"));
      return (Array.isArray(content) ? content : [content]).map((one) => parseScenario(file, one));
    } catch (thrown) {
      throw new UnreadableVector(`Cannot read ${file}: ${messageOf(thrown)}`);
    }
  });
}

function vectorFiles(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UnreadableVector(`Cannot read ${path}: no such file`);
  if (stat.isFile() && stat.size <= MAX_BYTES) return [path];
  if (!stat.isDirectory()) {
    const found = stat.isFile() ? `${stat.size} bytes` : "a FIFO, a socket or a device";
    const expected = `a file of at most ${MAX_BYTES} bytes, or a folder`;
    throw new UnreadableVector(`Cannot read ${path}: found ${found}, expected ${expected}`);
  }
  return readdirSync(path).sort().flatMap((name) => {
    const inner = join(path, name);
    const isFolder = statSync(inner).isDirectory(); // through links
    return (isFolder ? name !== "schema" : name.endsWith(".json")) ? vectorFiles(inner) : [];
  });
}

function parseScenario(file: string, value: unknown): Scenario {
  if (!isRecord(value)) throw new UnreadableVector("a scenario is not an object");
  const { id, kind = "boot" } = value;
  const steps = kind === "boot" ? value["steps"] : value["cases"];
  if (typeof id !== "string") throw new UnreadableVector("a scenario has no id");
  if (typeof kind !== "string") throw new UnreadableVector(`${id}: kind is not text`);
  if (!Array.isArray(steps)) throw new UnreadableVector(`${id}: it has neither steps nor cases`);
  return { file, id, kind, steps };
}
