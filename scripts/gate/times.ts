import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import type { Timed } from "./outcome.ts";

// Durations of the last run of each test file here. They only determine the order of test files: no
// time fails anything.

/** Milliseconds of test files, by their paths; over a native core, by `path (core)`. */
export type Times = ReadonlyMap<string, number>;

/** Returns the durations of test files over a native core, or without one if unknown. */
export function timesOver(times: Times, core: string): Times {
  const suffix = ` (${core})`;
  const over = [...times].flatMap(([name, ms]) =>
    name.endsWith(suffix) ? [[name.slice(0, -suffix.length), ms] as const] : []
  );
  return new Map([...times, ...over]);
}

/** Reads the times of earlier runs; empty without any, or when they are damaged. */
export function readTimes(path: string): Times {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return new Map(); // nothing has run here yet
  }
  const times = parseJson(text);
  if (!isRecord(times)) return new Map();
  return new Map(
    Object.entries(times).flatMap(([file, ms]) =>
      typeof ms === "number" && ms >= 0 ? [[file, ms] as const] : []
    ),
  );
}

/** Stores the durations of a run's test files, in addition to the earlier ones. */
export function keepTimes(path: string, parts: readonly Timed[]): void {
  const ran = parts.filter(({ name }) => /^tests\/\S+\.test\.ts( \((ios|android)\))?$/.test(name))
    .map(({ name, ms }) => [name, Math.round(ms)] as const);
  const times = new Map([...readTimes(path), ...ran]);
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(Object.fromEntries(times)));
  renameSync(fresh, path);
}
