import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

// Skinned and animated hands that nobody here made: 18 nodes, 7 animations each. Their package has a
// dependency that no registry holds, so it cannot be installed; its tarball can be taken by itself.

const PACKAGE = "networked-aframe@0.14.3";
const SHA512 =
  "4na9qhT1sxkvpQKOI3r4gpSB1ryY1nk3N+jYTOPX/NnIdOa4amHpqrpBujl8iXf6miVlR79PHOB5xomGUuOLOw==";
const FOLDER = join(".cache", "models", "networked-aframe-0.14.3");
const FILES = ["leftHandHigh.glb", "rightHandHigh.glb"];

/** The models' paths, or why there are none. */
export function handModels(): { readonly paths: readonly string[]; readonly skip: false | string } {
  const paths = FILES.map((name) => join(FOLDER, name));
  if (paths.every((path) => existsSync(path))) return { paths, skip: false };
  mkdirSync(join(".cache", "models"), { recursive: true });
  const temporary = mkdtempSync(join(".cache", "models", "fetch-"));
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["pack", PACKAGE, "--silent", "--pack-destination", temporary];
    execFileSync(npm, args, { stdio: "pipe", shell: process.platform === "win32" });
  } catch {
    rmSync(temporary, { recursive: true, force: true });
    return { paths: [], skip: `${PACKAGE} cannot be fetched` };
  }
  const tarball = join(temporary, "networked-aframe-0.14.3.tgz");
  const found = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (found !== SHA512) throw new Error(`${PACKAGE} has SHA-512 ${found}, expected ${SHA512}`);
  const inside = FILES.map((name) => `package/examples/assets/${name}`);
  execFileSync("tar", ["-xzf", tarball, "-C", temporary, "--strip-components=3", ...inside]);
  rmSync(tarball);
  if (existsSync(FOLDER)) rmSync(temporary, { recursive: true, force: true }); // another was faster
  else renameSync(temporary, FOLDER);
  return { paths, skip: false };
}
