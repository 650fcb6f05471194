import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { cacheEntry, shortHash } from "./cache-entry.ts";

// Packages of npm whose files are used directly, without being installed.

/** A package, and its required files. */
export interface PackedPackage {
  /** `name@1.2.3`. */
  readonly spec: string;
  /** SHA-512 of its tarball, in base64. */
  readonly sha512?: string;
  /** Paths in the package; all of it when absent. */
  readonly files?: readonly string[];
}

/** The registry returned a tarball other than the pinned one. */
export class WrongTarball extends Error {
  override readonly name = "WrongTarball";
}

/** Fetching takes long on a slow line, in milliseconds. */
const FETCH_MS = 300_000;

/**
 * Path of a package's files in the user's cache, fetched when they are missing.
 *
 * @throws {WrongTarball}
 */
export function npmPackage(packed: PackedPackage): Promise<string> {
  const part = packed.files === undefined ? "" : `-${shortHash(packed.files.join("\n"))}`;
  return cacheEntry({
    name: `npm-${packed.spec.replace(/^@/, "").replaceAll("/", "-")}${part}`,
    make: (folder) => unpackPackage(packed, folder),
  });
}

/** Fetches a package's files into an empty folder. @throws {WrongTarball} */
export async function unpackPackage(
  { spec, sha512, files = [] }: PackedPackage,
  folder: string,
): Promise<void> {
  await runProgram("npm", ["pack", spec, "--silent", "--fetch-retries=1"], folder);
  const [tarball = ""] = readdirSync(folder);
  const hash = createHash("sha512").update(readFileSync(join(folder, tarball))).digest("base64");
  if (sha512 !== undefined && hash !== sha512) {
    throw new WrongTarball(`${spec} has SHA-512 ${hash}, expected ${sha512}`);
  }
  const inside = files.map((file) => `package/${file}`);
  await runProgram("tar", ["-xzf", tarball, "--strip-components=1", ...inside], folder);
  rmSync(join(folder, tarball));
}

/** Runs a program to its end. @throws Its output when it failed. */
export function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  // npm is a .cmd on Windows, which only a shell starts.
  const shell = process.platform === "win32" && program === "npm";
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { cwd, shell, timeout: FETCH_MS }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const last = stderr.trimEnd().split("\n").slice(-10).join("\n");
      reject(new Error(`${program} ${args[0]}: ${last || error.message}`));
    });
  });
}
