import { isRecord } from "../../core/json.ts";
import type { PlatformKey } from "../pins/pins.ts";

// Contents of npm's lock file.

/** A package in a lock file. */
export type LockEntry = Readonly<Record<string, unknown>>;

/** The packages of a lock file by their path; that of the folder itself is empty. */
export function packagesOf(lock: string): (readonly [string, LockEntry])[] {
  const value: unknown = JSON.parse(lock);
  const packages = isRecord(value) ? value["packages"] : null;
  if (!isRecord(packages)) throw new TypeError("Cannot read a lock file without packages");
  return Object.entries(packages).flatMap(([path, entry]) =>
    isRecord(entry) ? [[path, entry] as const] : []
  );
}

/** Whether a package fits a system and a processor; the key does not distinguish C libraries. */
export function fits({ os, cpu }: LockEntry, key: PlatformKey | undefined): boolean {
  if (key === undefined) return true;
  const [platform = "", arch = ""] = key.split("-");
  const allows = (names: unknown, own: string) =>
    !Array.isArray(names) || names.includes(own) ||
    names.every((name) => typeof name === "string" && name.startsWith("!") && name !== `!${own}`);
  return allows(os, platform) && allows(cpu, arch);
}
