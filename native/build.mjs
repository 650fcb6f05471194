// Builds dist/: the plugin's face and the client (lib/ota-client) as an app's bundler takes them, and their
// types. `node build.mjs`. The compilers are those of the checkout that this package lies in.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../lib/ota-format");

/**
 * The plugin's interface in one file of its own: lib/ota-format/native.ts, with what that imports.
 * The package has no other source of it.
 */
export function definitions() {
  const native = readFileSync(join(source, "native.ts"), "utf8");
  const diff = readFileSync(join(source, "diff.ts"), "utf8");
  const copy = /\/\*\* [^\n]* \*\/\nexport interface Copy \{[\s\S]*?\n\}\n/.exec(diff)?.[0];
  const text = native
    .replace(/^import [^\n]*"\.\/diff\.ts";\n+/, "")
    .replaceAll(
      'Pick<Download, "path"> & { readonly url: string }',
      "{ readonly path: string; readonly url: string }",
    );
  if (copy === undefined || /\bDownload\b|^import/m.test(text)) {
    throw new Error("Cannot write definitions.ts: native.ts imports more than Copy and Download");
  }
  return `// Written by build.mjs from lib/ota-format/native.ts: do not edit.\n\n${text}\n${copy}`;
}

/** Bundles what an app imports, for the engines of phones, into a folder. */
export async function buildScripts(dist) {
  const { name, version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const how = {
    bundle: true,
    target: "es2020",
    format: "esm",
    outdir: join(dist, "esm"),
    define: { PACKAGE: JSON.stringify(`${name} ${version}`) },
  };
  const entry = (file) => ({ ...how, entryPoints: [join(here, "src", file)] });
  // Apart: together they would get a chunk of what esbuild itself puts into both.
  await build({ ...entry("index.ts"), external: ["@capacitor/core"], splitting: true });
  await build({ ...entry("client.ts"), external: ["./index.js"] });
}

/** Writes the types of both, and of the parts of lib/ that they show. */
function buildTypes(dist) {
  const { resolve } = createRequire(import.meta.url);
  const tsc = join(dirname(resolve("typescript/package.json")), "bin/tsc");
  const args = ["--project", join(here, "tsconfig.json"), "--outDir", join(dist, "types")];
  execFileSync(process.execPath, [tsc, ...args], { stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(here, "dist");
  writeFileSync(join(here, "src/definitions.ts"), definitions());
  rmSync(dist, { recursive: true, force: true });
  await buildScripts(dist);
  buildTypes(dist);
}
