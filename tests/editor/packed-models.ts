import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";

/** Models in the tarball of a package of npm, which is fetched once and not installed. */
export interface PackedModels {
  /** `name@1.2.3`. */
  readonly spec: string;
  /** Of the tarball, in base64. */
  readonly sha512: string;
  /** Where the models lie in it. */
  readonly folder: string;
  readonly files: readonly string[];
}

/** The models' paths, or why there are none. */
export function packedModels(
  { spec, sha512, folder, files }: PackedModels,
): { readonly paths: readonly string[]; readonly skip: false | string } {
  const name = spec.replace(/^@/, "").replace(/[/@]/g, "-");
  const place = join(".cache", "models", name);
  const paths = files.map((file) => join(place, file));
  if (paths.every((path) => existsSync(path))) return { paths, skip: false };
  mkdirSync(join(".cache", "models"), { recursive: true });
  const temporary = mkdtempSync(join(".cache", "models", "fetch-"));
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["pack", spec, "--silent", "--pack-destination", temporary];
    execFileSync(npm, args, { stdio: "pipe", shell: process.platform === "win32" });
  } catch {
    rmSync(temporary, { recursive: true, force: true });
    return { paths: [], skip: `${spec} cannot be fetched` };
  }
  const tarball = join(temporary, `${name}.tgz`);
  const found = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (found !== sha512) throw new Error(`${spec} has SHA-512 ${found}, expected ${sha512}`);
  const depth = folder.split("/").length;
  const inside = files.map((file) => `${folder}/${file}`);
  execFileSync("tar", [
    "-xzf",
    basename(tarball),
    `--strip-components=${depth}`,
    ...inside,
  ], { cwd: temporary });
  rmSync(tarball);
  if (existsSync(place)) rmSync(temporary, { recursive: true, force: true }); // another was faster
  else renameSync(temporary, place);
  return { paths, skip: false };
}
