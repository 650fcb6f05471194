import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { packagesFor, pinnedFiles } from "../../lib/toolchain/bundle/contents.ts";
import { createToolchain, PINS, type Pins, type Toolchain } from "../../lib/toolchain/mod.ts";
import { PLATFORM_KEYS, platformKey } from "../../lib/toolchain/pins/pins.ts";
import { localLock, npmTarballs } from "../../lib/toolchain/recipes/npm-tarballs.ts";
import { archiveOf, type Item } from "../support/archives.ts";
import { findNpm, pathToNode } from "../support/needs.ts";
import {
  NO_PINS,
  offerStandIn,
  plainHost,
  put,
  startVendor,
  toolchainFolder,
  toolchainFor,
} from "./install-world.ts";
import { folder, hostWith, posix, runtime, syncStat } from "./real-machine.ts";

// Bundles for machines without a network, the packages of npm among them: the real npm, first with a
// registry of ours, then with none.

const vendor = await startVendor();
afterTests(() => vendor.close());

const key = platformKey(runtime.host);
const withNpm = {
  skip: posix.skip || findNpm().skip || key === null && "no tool is pinned for this platform",
};

const registry = { origin: `${vendor.origin}/`, bytes: new Map<string, Uint8Array>() };

/** Puts a package into the registry. @returns Its entry of a lock file. */
async function publish(name: string, bin: Readonly<Record<string, string>>, more: object = {}) {
  const version = "1.0.0";
  const manifest = { name, version, bin, ...more };
  const programs: Item[] = Object.values(bin).map((path) => ({
    name: `package/${path}`,
    body: `#!/usr/bin/env node\nconsole.log(${
      JSON.stringify(name === "gltfpack" ? "gltfpack 1.2" : "4.4.1")
    });\n`,
    mode: 0o755,
  }));
  const bytes = await archiveOf("tar.gz", [
    { name: "package/package.json", body: JSON.stringify(manifest) },
    ...programs,
  ]);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  const path = `/tarballs/${name.replace("/", "-")}.tgz`;
  vendor.bodies.set(path, bytes);
  const dist = { tarball: `${vendor.origin}${path}`, integrity, shasum };
  const document = {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist } },
  };
  const text = new TextEncoder().encode(JSON.stringify(document));
  vendor.bodies.set(`/${name.replace("/", "%2f")}`, text);
  return { version, integrity, bin, ...more };
}

let pins: Pins = NO_PINS;

before(async () => {
  const packages = {
    "": {
      name: "npm-tools",
      version: "1.0.0",
      dependencies: { "@gltf-transform/cli": "1.0.0", gltfpack: "1.0.0" },
    },
    "node_modules/@gltf-transform/cli": {
      ...await publish("@gltf-transform/cli", { "gltf-transform": "bin/cli.js" }),
      optionalDependencies: { "native-windows": "1.0.0", "native-here": "1.0.0" },
    },
    "node_modules/gltfpack": await publish("gltfpack", { gltfpack: "cli.js" }),
    "node_modules/native-windows": await publish("native-windows", {}, {
      optional: true,
      os: ["win32"],
      cpu: ["x64"],
    }),
    "node_modules/native-here": await publish("native-here", {}, {
      optional: true,
      os: [runtime.host.platform],
      cpu: [runtime.host.arch],
    }),
  };
  const lock = JSON.stringify({ name: "npm-tools", lockfileVersion: 3, packages });
  const pin = { artifacts: [], lock, unpackedBytes: 1_000_000 };
  pins = { ...NO_PINS, "npm-tools": { [key ?? "linux-x64"]: pin, "win32-x64": pin } };
});

function toolchainAt(origin: string, fetch = runtime.fetch): Toolchain {
  const userData = folder();
  const env = {
    PATH: pathToNode(),
    HOME: userData,
    npm_config_registry: origin,
    npm_config_fetch_retries: "0",
  };
  return createToolchain({ ...runtime, fetch, syncStat, pins, host: hostWith(env, userData) });
}

const cut = () => Promise.reject(new TypeError("there is no network"));
const offline = () => toolchainAt("http://127.0.0.1:9/", cut);

test(
  "the model tools are exported to one archive and installed without a network",
  withNpm,
  async () => {
    const archive = join(folder(), "Bündel 1.tar.gz");
    const exported = await toolchainAt(registry.origin).exportBundle(archive, {
      tools: ["gltfpack"],
    });
    assert.ok(exported.ok, JSON.stringify(exported));
    assert.deepEqual([...exported.value.files].sort(), [
      "npm-tools/gltf-transform-cli-1.0.0.tgz",
      "npm-tools/gltfpack-1.0.0.tgz",
      "npm-tools/native-here-1.0.0.tgz",
    ]);
    assert.ok(exported.value.bytes > 0);

    const toolchain = offline();
    const imported = await toolchain.importBundle(archive);
    assert.deepEqual(imported.ok && imported.value.refused, []);
    assert.deepEqual(imported.ok && imported.value.files.length, 3);
    const asked = vendor.asked.length;
    const installed = await toolchain.install("gltf-transform-cli");
    assert.ok(installed.ok, JSON.stringify(installed));
    assert.equal(vendor.asked.length, asked);
    assert.ok(existsSync(join(toolchain.directory, "npm-tools/node_modules/native-here")));
    assert.ok(!existsSync(join(toolchain.directory, "downloads/npm-tools")), "it is installed");
    const pack = await toolchain.detect("gltfpack");
    assert.equal(pack.present && pack.source, "own");
    const verified = await toolchain.verify("gltfpack", { deep: true });
    assert.ok(verified.ok && verified.value.intact, JSON.stringify(verified));
  },
);

test("an npm package that cannot be had is missing alone", withNpm, async () => {
  const toolchain = toolchainAt(registry.origin);
  const path = "/tarballs/gltfpack.tgz";
  const bytes = vendor.bodies.get(path);
  assert.ok(bytes !== undefined);
  vendor.bodies.delete(path);
  const to = join(folder(), "bundle");
  const partly = await toolchain.exportBundle(to, { tools: ["gltfpack"] });
  vendor.bodies.set(path, bytes);
  assert.ok(partly.ok, JSON.stringify(partly));
  assert.deepEqual(partly.value.missing.map(({ file }) => file), [
    "npm-tools/gltfpack-1.0.0.tgz",
  ]);
  assert.deepEqual(readdirSync(join(to, "npm-tools")), [
    "gltf-transform-cli-1.0.0.tgz",
    "native-here-1.0.0.tgz",
  ]);
  const all = await toolchain.exportBundle(to, { tools: ["gltfpack"] });
  assert.ok(all.ok && all.value.missing.length === 0 && all.value.files.length === 3);
});

test(
  "a bundle for another machine has its packages, and a damaged one is refused by name",
  withNpm,
  async () => {
    const bundle = join(folder(), "für Windows");
    const exported = await toolchainAt(registry.origin).exportBundle(bundle, {
      platform: "win32-x64",
    });
    assert.ok(exported.ok, JSON.stringify(exported));
    assert.deepEqual(readdirSync(join(bundle, "npm-tools")), [
      "gltf-transform-cli-1.0.0.tgz",
      "gltfpack-1.0.0.tgz",
      "native-windows-1.0.0.tgz",
    ]);
    const list: unknown = JSON.parse(readFileSync(join(bundle, "bundle.json"), "utf8"));
    assert.match(JSON.stringify(list), /"platform":"win32-x64".*"integrity":"sha512-/);

    const wrong = join(bundle, "npm-tools/gltfpack-1.0.0.tgz");
    const bytes = readFileSync(wrong);
    writeFileSync(wrong, bytes.map((byte, i) => i === 9 ? byte ^ 1 : byte));
    writeFileSync(join(bundle, "npm-tools/notes.txt"), "mine");
    symlinkSync(wrong, join(bundle, "link.tgz"));
    mkdirSync(join(bundle, "more"));
    const toolchain = offline();
    const imported = await toolchain.importBundle(bundle);
    assert.ok(imported.ok, JSON.stringify(imported));
    const refused = new Map(imported.value.refused.map(({ file, reason }) => [file, reason]));
    assert.deepEqual([...refused.keys()].sort(), [
      "link.tgz",
      "more",
      "npm-tools/gltfpack-1.0.0.tgz",
      "npm-tools/notes.txt",
    ]);
    assert.match(
      refused.get("npm-tools/gltfpack-1.0.0.tgz") ?? "",
      /found sha512-.*expected sha512-/,
    );
    assert.match(refused.get("npm-tools/notes.txt") ?? "", /no pinned download has that name/);
    assert.deepEqual(readdirSync(join(toolchain.directory, "downloads/npm-tools")), [
      "gltf-transform-cli-1.0.0.tgz",
      "native-windows-1.0.0.tgz",
    ]);

    writeFileSync(wrong, bytes);
    const renamed = join(bundle, "download (3)");
    renameSync(wrong, renamed);
    const single = await toolchain.importBundle(renamed);
    assert.deepEqual(single.ok && single.value.files, ["npm-tools/gltfpack-1.0.0.tgz"]);
  },
);

test("an archive that was changed after the import is not given to npm", withNpm, async () => {
  const bundle = join(folder(), "b");
  assert.ok((await toolchainAt(registry.origin).exportBundle(bundle)).ok);
  const toolchain = offline();
  assert.ok((await toolchain.importBundle(bundle)).ok);
  const other = join(toolchain.directory, "downloads/npm-tools/gltfpack-1.0.0.tgz");
  cpSync(join(bundle, "npm-tools/native-here-1.0.0.tgz"), other);
  const local = await localLock(pins["npm-tools"]["win32-x64"]?.lock ?? "", {
    folder: toolchainFolder(toolchain.directory),
    home: join(toolchain.directory, "staging/x/npm-tools"),
    key,
  });
  assert.equal(local.complete, false);
  assert.match(
    local.text,
    /"resolved":"file:\.\.\/\.\.\/\.\.\/downloads\/npm-tools\/native-here-1/,
  );
  assert.doesNotMatch(local.text, /downloads\/npm-tools\/gltfpack/);
});

test(
  "a registry that gives other bytes than the lock file names is refused at export",
  withNpm,
  async () => {
    const path = "/tarballs/gltfpack.tgz";
    const right = vendor.bodies.get(path) ?? new Uint8Array();
    const exporting = toolchainAt(registry.origin);
    const lying = right.map((byte, i) => i === 9 ? byte ^ 1 : byte);
    const document = vendor.bodies.get("/gltfpack") ?? new Uint8Array();
    const integrity = `sha512-${createHash("sha512").update(lying).digest("base64")}`;
    const shasum = createHash("sha1").update(lying).digest("hex");
    vendor.bodies.set(path, lying);
    vendor.bodies.set(
      "/gltfpack",
      new TextEncoder().encode(
        new TextDecoder().decode(document)
          .replace(/"integrity":"[^"]*"/, `"integrity":"${integrity}"`)
          .replace(/"shasum":"[^"]*"/, `"shasum":"${shasum}"`),
      ),
    );
    try {
      const exported = await exporting.exportBundle(join(folder(), "b"));
      assert.ok(exported.ok, JSON.stringify(exported));
      const [missing] = exported.value.missing;
      assert.equal(missing?.file, "npm-tools/gltfpack-1.0.0.tgz");
      assert.match(missing?.reason ?? "", /gltfpack 1\.0\.0: found sha512-.* expected sha512-/);
      assert.ok(!exported.value.files.includes("npm-tools/gltfpack-1.0.0.tgz"));
      const kept = join(exporting.directory, "downloads/npm-tools/gltfpack-1.0.0.tgz");
      assert.equal(existsSync(kept), false);
    } finally {
      vendor.bodies.set(path, right);
      vendor.bodies.set("/gltfpack", document);
    }
  },
);

test("exportBundle() takes only the tools that are named, and what they need", posix, async () => {
  const both = {
    ...await offerStandIn(vendor, "jdk"),
    node: (await offerStandIn(vendor, "node")).node,
  };
  const bundle = join(folder(), "bundle");
  const exported = await toolchainFor(both).exportBundle(bundle, { tools: ["java"] });
  assert.deepEqual(exported.ok && exported.value.files, [
    "OpenJDK21U-jdk_x64_linux_hotspot_21.0.11_10.tar.gz",
  ]);
  const archive = join(folder(), "all.tgz");
  const source = toolchainFor(both);
  assert.ok((await source.exportBundle(archive)).ok);
  assert.deepEqual(readdirSync(join(source.directory, "downloads")), []);
  const target = toolchainFor(both, { fetch: cut });
  assert.ok((await target.importBundle(archive)).ok);
  assert.ok((await target.install("java")).ok);
  assert.ok((await target.install("npm")).ok);
  const none = await toolchainFor(both).exportBundle(bundle, { tools: ["toktx"] });
  assert.equal(none.ok ? "" : none.error.code, "not-installable");
  assert.match(none.ok ? "" : none.error.message, /toktx/);
  rmSync(bundle, { recursive: true });
});

test("the bundle of every platform has what our lock file names for it, and no other's", () => {
  for (const platform of PLATFORM_KEYS) {
    const files = pinnedFiles(PINS, { key: platform, packages: ["npm-tools"] }).map(({ file }) =>
      file
    );
    const sharp = files.flatMap((file) => /img-(sharp-(?!libvips).*)-0\.34/.exec(file)?.[1] ?? []);
    const expected = platform.startsWith("linux")
      ? [`sharp-${platform}`, `sharp-${platform.replace("linux", "linuxmusl")}`]
      : [`sharp-${platform}`];
    assert.deepEqual(sharp.sort(), expected.sort(), platform);
    assert.ok(files.includes("npm-tools/gltfpack-1.2.0.tgz"), platform);
    assert.ok(files.includes("npm-tools/string-width-4.2.3.tgz"), platform);
    assert.equal(new Set(files).size, files.length);
    const needed = packagesFor(["gltfpack", "ffmpeg"], {
      key: platform,
      pins: PINS,
      cli: "npx slipway",
    });
    assert.deepEqual(needed.ok && needed.value, ["node", "npm-tools", "ffmpeg"]);
  }
});

test("a mirror that fails is named with the place that names it", posix, async () => {
  const [jdk, at] = [await offerStandIn(vendor, "jdk"), folder()];
  const mirrors = JSON.stringify({ [`${vendor.origin}/`]: `${vendor.origin}/nothing/` });
  for (const where of ["SVC_TOOLCHAIN_MIRRORS", "settings.json"] as const) {
    const inEnv = where === "SVC_TOOLCHAIN_MIRRORS";
    const host = plainHost(join(at, where), inEnv ? { [where]: mirrors } : {});
    const toolchain = toolchainFor(jdk, { host });
    if (!inEnv) put(join(toolchain.directory, where), `{"mirrors":${mirrors}}`);
    const installed = await toolchain.install("java");
    assert.equal(installed.ok ? "" : installed.error.code, "http-status");
    const reported = installed.ok ? "" : `${installed.error.message} ${installed.error.next}`;
    assert.equal(reported.includes(where), true, reported);
  }
});

test("localLock() without any archive is the lock file as it is", async () => {
  const lock = JSON.stringify({
    packages: { "": {}, "node_modules/a": { version: "1.0.0", integrity: "sha512-x" } },
  });
  const toolchainDir = folder();
  const local = await localLock(lock, {
    folder: toolchainFolder(toolchainDir),
    home: join(toolchainDir, "staging/x/npm-tools"),
    key: "linux-x64",
  });
  assert.deepEqual(local, { text: lock, complete: false });
  assert.deepEqual(npmTarballs(lock).map(({ file }) => file), ["a-1.0.0.tgz"]);
});
