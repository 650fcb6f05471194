import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { createToolchain, PINS } from "../../lib/toolchain/mod.ts";
import { findNodeArchive } from "../../scripts/gate/node-archive.ts";
import { packageRoot } from "../../scripts/runtime.ts";
import { encodeGlb, hull } from "../../scripts/sample/glb.ts";
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

test("the model tools are installed from npm by our lock file, and make a real model smaller", {
  ...posix,
  ...(npm ? {} : { skip: "no npm on this machine" }),
}, async () => {
  const userData = folder();
  const toolchain = createToolchain({ ...runtime, syncStat, host: hostWith(env, userData) });
  const lines: string[] = [];
  const installed = await toolchain.install("gltf-transform-cli", {
    onLog: (line) => lines.push(line),
  });
  assert.ok(installed.ok, JSON.stringify(installed));
  assert.ok(
    lines.includes("gltf-transform-cli 4.4.1 works") && lines.includes("gltfpack 1.2 works"),
  );
  assert.deepEqual(litterOf(toolchain.directory), []);

  const model = join(userData, "Modell ü.glb");
  writeFileSync(model, encodeGlb("hull", hull(4, 2, 1), [1, 0, 0, 1]));
  for (
    const [id, args] of [
      ["gltf-transform-cli", (out: string) => ["optimize", model, out]],
      ["gltfpack", (out: string) => ["-i", model, "-o", out, "-cc"]],
    ] as const
  ) {
    const tool = await toolchain.detect(id);
    assert.ok(tool.present && tool.source === "own", id);
    const around = await toolchain.withToolOnPath(id, env);
    assert.ok(around.ok);
    const out = join(userData, `${id} fertig.glb`);
    const ran = spawnSync(tool.path, args(out), { env: around.value, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    assert.equal(readFileSync(out).subarray(0, 4).toString("latin1"), "glTF", id);
  }

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
