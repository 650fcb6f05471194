import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import { loadRuntime } from "../shared/runtime.ts";
import { type Context, fromRun } from "./context.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";
import { nodeOfVersion } from "./packaging.ts";

// Checks that a folder gives the same entries in the same order on every runtime and in every time
// zone, and the same bundle.zip on one runtime, so that a publisher can resume. Deflated bytes
// depend on the runtime (decision 84).

const NAME = "one zip everywhere";
const ZONES = ["UTC", "Pacific/Kiritimati"];

/** Publishes one folder with the script itself on every runtime, in time zones far apart. */
export async function checkOneZip(context: Context, nodes: readonly string[]): Promise<Outcome> {
  const { deno, root, exec } = context;
  const folder = join(context.scratch, "one-zip");
  const dist = join(folder, "dist");
  const key = join(folder, "key.json");
  writeGame(dist);
  const minted = await exec([deno, "run", "-A", "scripts/ota-keygen.ts", "--out", key], {
    cwd: root,
  });
  if (minted.code !== 0) return fromRun(minted);

  const runtimes = new Map([["Deno", [deno, "run", "-A", "scripts/ota-publish.ts"]]]);
  const outcomes: Outcome[] = [];
  for (const version of nodes) {
    const node = await nodeOfVersion(context, version);
    if ("reason" in node) outcomes.push(skipped(`${NAME}: Node ${version}`, node.reason));
    else runtimes.set(`Node ${version}`, [node.path, "dist/scripts/ota-publish.js"]);
  }
  const zips = new Map<string, { readonly runtime: string; readonly hash: string }>();
  const entries = new Map<string, string>();
  for (const [runtime, command] of runtimes) {
    for (const zone of ZONES) {
      const bucket = join(folder, `bucket-${zips.size}`);
      const ran = await exec([
        ...command,
        ...["--dist", dist, "--name", "game", "--version", "v1", "--key", key],
        ...["--bucket", pathToFileURL(bucket).href],
      ], { cwd: root, env: { TZ: zone, XDG_DATA_HOME: `${bucket}-user` } });
      if (ran.code !== 0) return fromRun(ran);
      const manifest = JSON.parse(
        readFileSync(join(bucket, "bundles/game/v1/manifest.json"), "utf8"),
      );
      const where = `${runtime}, ${zone}`;
      zips.set(where, { runtime, hash: manifest.bundleZip.hash });
      entries.set(where, await listEntries(join(bucket, "bundles/game/v1/bundle.zip")));
    }
  }
  const found = [...zips].map(([where, { hash }]) => `${hash}  ${where}\n${entries.get(where)}`);
  const packed = new Set([...zips.values()].map(({ runtime, hash }) => `${runtime} ${hash}`));
  const isSame = new Set(entries.values()).size === 1 && packed.size === runtimes.size;
  return sum([...outcomes, isSame ? passed(zips.size) : failed(`differs:\n${found.join("\n")}`)]);
}

/** Lists the entries of a zip in order, a line each: their contents. */
async function listEntries(path: string): Promise<string> {
  const { files } = await loadRuntime();
  const lines: string[] = [];
  for await (const { name, open } of bundleFiles({ files, path, size: statSync(path).size })) {
    const hash = createHash("sha256");
    for await (const chunk of open()) hash.update(chunk);
    lines.push(`  ${hash.digest("hex")}  ${name}`);
  }
  return lines.join("\n");
}

/** Files of each way that a packer treats one: empty, small, streamed, stored, and odd names. */
function writeGame(dist: string): void {
  const text = "for (const ship of harbor.ships) ship.sail();\n".repeat(20_000);
  const files: Readonly<Record<string, string>> = {
    "index.html": "<!doctype html>",
    "empty.bin": "",
    "code/main.js": text.slice(0, 5_000),
    "code/large.js": text,
    "textures/sea.ktx2": text.slice(0, 3_000),
    "sound/large.ogg": text,
    "Übergröße/日本 %20.json": "{}",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), content);
  }
}
