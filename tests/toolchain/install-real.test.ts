import assert from "node:assert/strict";
import process from "node:process";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { createModels } from "../../lib/project/models/models.ts";
import { type Artifact, createToolchain, PINS } from "../../lib/toolchain/mod.ts";
import { cacheEntry, findEntry, shortHash } from "../../scripts/gate/cache-entry.ts";
import { findNodeArchive } from "../../scripts/gate/node-archive.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { findNpm, pathToNode } from "../support/needs.ts";
import { litterOf, NO_PINS, pinsOf, startVendor } from "./install-world.ts";
import { folder, hostWith, posix, runtime, syncStat } from "./real-machine.ts";

// The real tools, installed by the real recipes. What is downloaded is kept in the user's cache.

const vendor = await startVendor();
afterTests(() => vendor.close());

const archive = await findNodeArchive();
const cache = await cacheEntry({
  name: `npm-cache-${shortHash(JSON.stringify(PINS))}`,
  make: () => Promise.resolve(), // npm fills it, and looks after what it holds
  isWritten: true,
});
const env = {
  PATH: pathToNode(),
  HOME: process.env["HOME"] ?? "",
  npm_config_cache: cache,
  npm_config_prefer_offline: "true",
};

/** A controller's grip, made by people who never saw this project. */
const MODEL = join(
  packageRoot(),
  "node_modules/@webxr-input-profiles/assets/dist/profiles/generic-trigger-squeeze/left.glb",
);

test("the model tools are installed from npm by our lock file, and make a real model smaller", {
  skip: posix.skip || findNpm().skip,
}, async () => {
  const userData = folder();
  const host = hostWith(env, userData);
  const toolchain = createToolchain({ ...runtime, host });
  const lines: string[] = [];
  const installed = await toolchain.install("gltf-transform-cli", {
    onLog: (line) => lines.push(line),
  });
  assert.ok(installed.ok, JSON.stringify(installed));
  assert.ok(
    lines.includes("gltf-transform-cli 4.4.1 works") && lines.includes("gltfpack 1.2 works"),
  );
  assert.deepEqual(litterOf(toolchain.directory), []);

  const root = join(userData, "Spiel ü");
  mkdirSync(root);
  const models = createModels({ ...runtime, host, syncStat, toolchain, root });
  const model = join(root, "Griff.glb");
  copyFileSync(MODEL, model);
  const sizes: number[] = [];
  for (const simplify of [undefined, 0.3]) {
    const steps: string[] = [];
    const made = await models.optimize(model, { simplify, onStep: (label) => steps.push(label) });
    assert.ok(made.ok, JSON.stringify(made));
    const { bytes, before, after } = made.value;
    assert.equal(new TextDecoder().decode(bytes.subarray(0, 4)), "glTF");
    assert.equal(before, statSync(MODEL).size);
    assert.ok(after < before, `${after} of ${before}`);
    assert.deepEqual(steps, ["gltf-transform-cli", "gltfpack"]);
    sizes.push(after);
  }
  const [complete = 0, simplified = 0] = sizes;
  assert.ok(simplified < complete, sizes.join(" "));
  assert.deepEqual(readdirSync(root), ["Griff.glb"]);

  rmSync(join(toolchain.directory, "npm-tools/node_modules/gltfpack/library.js"));
  const verified = await toolchain.verify("gltfpack");
  assert.ok(verified.ok && !verified.value.intact, JSON.stringify(verified));
});

test(
  "a real Node with the vendor's layout is installed from a mirror, and npm runs on it",
  { skip: posix.skip || archive.skip },
  async () => {
    if (archive.skip !== false) throw new TypeError(archive.skip);
    const bytes = readFileSync(archive.path);
    const pinned = PINS.node["linux-x64"]?.artifacts[0];
    assert.ok(pinned !== undefined);
    vendor.bodies.set(`/spiegel/v${archive.version}/${pinned.file}`, bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const userData = folder();
    // Neither node nor npm is anywhere else.
    const host = hostWith({
      PATH: "/nowhere",
      SVC_PACKAGED: "1",
      SVC_TOOLCHAIN_MIRRORS: JSON.stringify({
        "https://nodejs.org/dist/": `${vendor.origin}/spiegel/`,
      }),
    }, userData);
    const pins = {
      ...NO_PINS,
      ...pinsOf("node", [{ ...pinned, sha256, bytes: bytes.length }]),
    };
    const toolchain = createToolchain({
      ...runtime,
      host: { ...host, platform: "linux", arch: "x64" },
      pins,
    });
    const installed = await toolchain.install("npm");
    assert.ok(installed.ok, JSON.stringify(installed));
    const { path, version } = installed.value.tool;
    assert.equal(path, join(toolchain.directory, `node/${archive.version}/bin/npm`));
    assert.match(version ?? "", /^\d+\.\d+\.\d+/);
    assert.deepEqual(vendor.asked, [`/spiegel/v${archive.version}/${pinned.file}`]);
    const node = spawnSync(join(path, "../node"), ["--version"], { encoding: "utf8", env: {} });
    assert.equal(node.stdout.trim(), `v${archive.version}`);
    const found = await toolchain.detect("npm");
    assert.equal(found.present && found.source, "own");
    const verified = await toolchain.verify("npm", { deep: true });
    assert.ok(verified.ok && verified.value.intact);
  },
);

test(
  "ffmpeg and ffprobe come in one archive, start where it is put and make and read real sounds",
  {
    skip: posix.skip || process.arch !== "x64" && "its stand-in of a mirror has the one for x64",
  },
  async (t) => {
    const pinned = PINS.ffmpeg["linux-x64"]?.artifacts[0];
    assert.ok(pinned !== undefined);
    const bytes = await cached(pinned);
    if (bytes === null) return t.skip(`${pinned.file} is not in the cache and cannot be had`);
    vendor.bodies.set(new URL(pinned.url).pathname, bytes);
    const userData = join(folder(), "Jürgen Müller");
    mkdirSync(userData);
    const host = hostWith({
      PATH: "/usr/bin:/bin",
      SVC_TOOLCHAIN_MIRRORS: JSON.stringify({ [new URL(pinned.url).origin]: vendor.origin }),
    }, userData);
    const toolchain = createToolchain({ ...runtime, host });
    const installed = await toolchain.install("ffmpeg");
    assert.ok(installed.ok, JSON.stringify(installed));
    assert.deepEqual(litterOf(toolchain.directory), []);
    const found = await toolchain.detect("ffprobe");
    assert.ok(found.present && found.source === "own", JSON.stringify(found));
    assert.equal(found.version, installed.value.tool.version);
    // Without any variable: the libraries are found beside the programs.
    const run = (program: string, ...args: readonly string[]) =>
      spawnSync(program, [...args], { encoding: "utf8", env: {}, cwd: userData });
    for (
      const [file, codec] of [["ü.wav", "pcm_s16le"], ["ü.opus", "opus"], ["ü.mp3", "mp3"], [
        "ü.m4a",
        "aac",
      ]] as const
    ) {
      const made = run(installed.value.tool.path, "-f", "lavfi", "-i", "sine=duration=2", file);
      assert.equal(made.status, 0, made.stderr);
      const read = run(found.path, "-show_entries", "stream=codec_name:format=duration", file);
      assert.match(read.stdout, new RegExp(`codec_name=${codec}[^]*duration=2\\.`), read.stderr);
    }
  },
);

/** A pinned archive from the user's cache, where it is put first; `null` where it cannot be had. */
async function cached({ file, url, sha256 }: Artifact): Promise<Uint8Array | null> {
  const name = `download-${sha256}`;
  const found = findEntry(name);
  if (found !== null) return readFileSync(join(found, file));
  const bytes = await download(url) ?? copiedByMaven(file);
  if (bytes === null) return null;
  const hash = createHash("sha256").update(bytes).digest("hex");
  assert.equal(hash, sha256, `${url} gives another file than the one that is pinned`);
  const make = (into: string) => Promise.resolve(writeFileSync(join(into, file), bytes));
  await cacheEntry({ name, make });
  return bytes;
}

async function download(url: string): Promise<Uint8Array | null> {
  const response = await fetch(url).catch(() => null);
  return response?.ok === true ? new Uint8Array(await response.arrayBuffer()) : null;
}

/** Has Maven fetch the archive, where the server of the pin cannot be reached and Maven's can. */
function copiedByMaven(file: string): Uint8Array | null {
  const into = folder();
  const [, name, version, classifier] = /^(\w+)-([\d.]+-[\d.]+)-(.+)\.jar$/.exec(file) ?? [];
  const artifact = `org.bytedeco:${name}:${version}:jar:${classifier}`;
  const copy = [
    "-q",
    "-B",
    "dependency:copy",
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${into}`,
  ];
  const { status } = spawnSync("mvn", copy, { cwd: into, stdio: "ignore" });
  return status === 0 ? readFileSync(join(into, file)) : null;
}
