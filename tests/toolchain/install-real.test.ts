import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { createModels } from "../../lib/project/models.ts";
import { createToolchain, PINS } from "../../lib/toolchain/mod.ts";
import { findNodeArchive } from "../../scripts/gate/node-archive.ts";
import { packageRoot } from "../../scripts/runtime.ts";
import { litterOf, NO_PINS, pinsOf, startVendor } from "./install-world.ts";
import { folder, hostWith, posix, runtime, syncStat } from "./real-machine.ts";

// The real tools, installed by the real recipes. What npm downloads is kept in the checkout's cache.

const vendor = await startVendor();
after(() => vendor.close());

const npm = (process.env["PATH"] ?? "").split(delimiter).some((at) => existsSync(join(at, "npm")));
const archive = await findNodeArchive();
const cache = join(packageRoot(), ".cache", "npm");
const env = {
  PATH: process.env["PATH"] ?? "",
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
  ...posix,
  ...(npm ? {} : { skip: "no npm on this machine" }),
}, async () => {
  const userData = folder();
  const host = hostWith(env, userData);
  const toolchain = createToolchain({ ...runtime, syncStat, host });
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
  const [whole = 0, simplified = 0] = sizes;
  assert.ok(simplified < whole, sizes.join(" "));
  assert.deepEqual(readdirSync(root), ["Griff.glb"]);

  rmSync(join(toolchain.directory, "npm-tools/node_modules/gltfpack/library.js"));
  const verified = await toolchain.verify("gltfpack");
  assert.ok(verified.ok && !verified.value.whole, JSON.stringify(verified));
});

test(
  "a real Node with the vendor's layout is installed from a mirror, and npm runs on it",
  archive.skip === false ? posix : { skip: archive.skip },
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
      syncStat,
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
    assert.ok(verified.ok && verified.value.whole);
  },
);

test("ffmpeg and ffprobe are installed from npm, and make and read a real sound", {
  ...posix,
  ...(npm ? {} : { skip: "no npm on this machine" }),
}, async () => {
  const userData = folder();
  const toolchain = createToolchain({ ...runtime, syncStat, host: hostWith(env, userData) });
  const paths: string[] = [];
  for (const id of ["ffmpeg", "ffprobe"] as const) {
    const installed = await toolchain.install(id);
    assert.ok(installed.ok, JSON.stringify(installed));
    assert.equal(installed.value.tool.source, "own");
    assert.ok(installed.value.tool.path.startsWith(toolchain.directory));
    paths.push(installed.value.tool.path);
  }
  assert.deepEqual(litterOf(toolchain.directory), []);
  const [ffmpeg = "", ffprobe = ""] = paths;
  const sound = join(userData, "Ton ü.wav");
  const made = spawnSync(ffmpeg, ["-f", "lavfi", "-i", "sine=duration=2", sound]);
  assert.equal(made.status, 0, String(made.stderr));
  const read = spawnSync(ffprobe, ["-show_entries", "format=duration", sound], {
    encoding: "utf8",
  });
  assert.match(read.stdout, /duration=2\.0/);
});
