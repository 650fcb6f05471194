import { existsSync } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";
import process from "node:process";

/** How this script was started: `deno run -A scripts/toolchain.ts`, `npx slipway-toolchain`. */
export function invocation(): string {
  const path = process.argv[1] ?? "";
  if (basename(path) === "slipway-toolchain") return "npx slipway-toolchain";
  const near = relative(process.cwd(), path);
  const script = quoted(near.startsWith("..") ? path : near);
  return process.versions.deno === undefined
    ? `${program("node")} ${script}`
    : `${program("deno")} run -A ${script}`;
}

/** A text for people, whose commands can be copied and run. */
export function copyable(text: string): string {
  return text.replaceAll(/(?<![\w./\\-])toolchain\.ts(?= [a-z])/g, () => invocation());
}

/** The runtime by its name where that is found, else by its path. */
function program(name: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const isThere = folders.some((folder) =>
    existsSync(join(folder, name)) || existsSync(join(folder, `${name}.exe`))
  );
  return isThere ? name : quoted(process.execPath);
}

function quoted(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path);
}
