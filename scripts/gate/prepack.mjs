// Builds dist/ for the npm package (npm runs it before npm pack): exactly the files that the
// exports and bins of package.json reach, so that no test and no part of the gate is shipped. Plain
// JavaScript, because npm runs it with any installed Node.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleRuntime } from "../shared/bundle-runtime.mjs";

const SHEBANG = "#!/usr/bin/env node\n";
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const lacks = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  .filter((name) => !existsSync(join(root, "node_modules", name, "package.json")));
if (lacks.length > 0) {
  const more = lacks.length > 3 ? ` and ${lacks.length - 3} more` : "";
  const first = `${lacks.slice(0, 3).join(", ")}${more}`;
  console.error(
    `error: Cannot build the package: node_modules lacks ${first}, expected all packages of ` +
      "package.json, those for development too\n" +
      "  next: Run npm ci, or npm test, which installs them, then run the command again",
  );
  process.exit(1);
}

const bins = Object.values(manifest.bin ?? {});
const entries = [
  ...bins,
  ...Object.values(manifest.exports).map((target) => target.default).filter(Boolean),
];
const sources = entries.map((entry) =>
  join(root, entry.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, ".ts"))
);
const missing = sources.filter((source) => !existsSync(source));
if (missing.length > 0) {
  console.error(`error: package.json names ${missing.join(", ")}, which is not there`);
  process.exit(1);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
mkdirSync(join(root, ".cache"), { recursive: true });
const config = join(root, ".cache", "package.tsconfig.json");
writeFileSync(
  config,
  JSON.stringify({
    extends: join(root, "scripts", "gate", "build.tsconfig.json"),
    files: sources,
    include: [],
  }),
);
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", config],
  { stdio: ["ignore", 2, 2] },
);
if (status !== 0) process.exit(status ?? 1);

for (const bin of bins) {
  const path = join(root, bin);
  const code = readFileSync(path, "utf8").replace(/^#!.*\n/, "");
  writeFileSync(path, SHEBANG + code);
  chmodSync(path, 0o755);
}

await bundleRuntime(join(root, "dist", "game-runtime"));
