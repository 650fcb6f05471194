// Builds the web version of the game into dist/: the page, its runtime, the assets without their
// sidecars, and game.json, which says where each asset lies. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const config = JSON.parse(readFileSync(join(here, "project.config.json"), "utf8"));

rmSync(dist, { recursive: true, force: true });
cpSync(join(here, "web"), dist, { recursive: true });

const assets = {};
for (const path of filesBelow("assets")) {
  if (path.endsWith(".meta.json")) continue;
  const target = join(dist, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readFileSync(join(here, path)));
  const { guid = derivedGuid(path), bounds } = readSidecar(path);
  assets[guid] = bounds === undefined ? { path } : { path, bounds };
}
const game = { name: config.name, startScene: config.startScene, assets };
writeFileSync(join(dist, "game.json"), `${JSON.stringify(game, null, 1)}\n`);
console.log(`Built ${config.name}: ${Object.keys(assets).length} assets into dist/`);

function filesBelow(folder) {
  const entries = readdirSync(join(here, folder), { withFileTypes: true });
  return entries
    .filter((entry) => !entry.name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
}

function readSidecar(path) {
  try {
    return JSON.parse(readFileSync(join(here, `${path}.meta.json`), "utf8"));
  } catch (thrown) {
    if (thrown.code === "ENOENT") return {};
    throw thrown;
  }
}

/** The guid of an asset without a sidecar follows from its path, as in the editor. */
function derivedGuid(path) {
  const hex = createHash("sha256").update(`asset:${path}`).digest("hex");
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
