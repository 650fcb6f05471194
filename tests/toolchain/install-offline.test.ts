import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { PINS, type Toolchain } from "../../lib/toolchain/mod.ts";
import { PACKAGE_IDS } from "../../lib/toolchain/tools/ids.ts";
import { archiveOf } from "../support/archives.ts";
import {
  litterOf,
  NO_PINS,
  offerStandIn,
  pinsOf,
  plainHost,
  put,
  startVendor,
  toolchainFor,
} from "./install-world.ts";
import { folder, posix } from "./real-machine.ts";

// Without a network: bundles, single files, mirrors; and the pins themselves.

const vendor = await startVendor();
afterTests(() => vendor.close());

async function codeOf(work: ReturnType<Toolchain["install"]>): Promise<string> {
  const result = await work;
  return result.ok ? "ok" : result.error.code;
}

test("what exportBundle() wrote is installed elsewhere without a request", posix, async () => {
  const pins = {
    ...await offerStandIn(vendor, "jdk"),
    node: (await offerStandIn(vendor, "node")).node,
  };
  const bundle = join(folder(), "Bündel 1");
  const exported = await toolchainFor(pins).exportBundle(bundle);
  assert.ok(exported.ok, JSON.stringify(exported));
  assert.equal(exported.value.files.length, 2);
  assert.ok(existsSync(join(bundle, "bundle.json")));

  writeFileSync(join(bundle, "notes.txt"), "not a download");
  const offline = toolchainFor(pins);
  const asked = vendor.asked.length;
  const imported = await offline.importBundle(bundle);
  assert.ok(imported.ok);
  assert.deepEqual([...imported.value.files].sort(), [...exported.value.files].sort());
  assert.deepEqual(imported.value.refused.map(({ file }) => file), ["notes.txt"]);
  assert.equal(await codeOf(offline.install("java")), "ok");
  assert.equal(await codeOf(offline.install("npm")), "ok");
  assert.equal(vendor.asked.length, asked);
});

for (const name of ["folder", "bundle.tar.gz"]) {
  test(
    `exportBundle() to a ${name} keeps what could be had, and goes on from it`,
    posix,
    async () => {
      const pins = {
        ...await offerStandIn(vendor, "jdk"),
        node: (await offerStandIn(vendor, "node")).node,
      };
      const file = pins.node["linux-x64"]?.artifacts[0]?.file ?? "";
      const toolchain = toolchainFor(pins);
      const to = join(folder(), name);
      vendor.faulty = `/${file}`;
      vendor.fault = (_, response) => void response.writeHead(404).end();
      const partly = await toolchain.exportBundle(to);
      assert.ok(partly.ok, JSON.stringify(partly));
      assert.equal(partly.value.files.length, 1);
      assert.deepEqual(partly.value.missing.map((each) => each.file), [file]);
      assert.match(partly.value.missing[0]?.reason ?? "", /404/);
      assert.ok(partly.value.bytes > 0 && existsSync(to));

      vendor.fault = null;
      const asked = vendor.asked.length;
      const all = await toolchain.exportBundle(to);
      assert.ok(all.ok && all.value.missing.length === 0 && all.value.files.length === 2);
      assert.deepEqual(vendor.asked.slice(asked), [`/${file}`], "only what was missing");
      const left = readdirSync(join(toolchain.directory, "downloads"));
      assert.equal(left.length, name === "folder" ? 0 : 1, "an archive is written from there");
      const imported = await toolchainFor(pins).importBundle(to);
      assert.ok(imported.ok && imported.value.files.length === 2);
    },
  );
}

test("exportBundle() of which nothing can be had is the failure itself", posix, async () => {
  const toolchain = toolchainFor(await offerStandIn(vendor, "jdk"));
  vendor.faulty = "/";
  vendor.fault = (_, response) => void response.writeHead(404).end();
  const exported = await toolchain.exportBundle(join(folder(), "bundle"));
  vendor.fault = null;
  assert.equal(exported.ok ? "ok" : exported.error.code, "http-status");
});

for (const format of ["tar.gz", "zip"] as const) {
  test(`importBundle() takes a ${format} of a bundle`, posix, async () => {
    const pins = await offerStandIn(vendor, "jdk");
    const [artifact] = pins.jdk["linux-x64"]?.artifacts ?? [];
    assert.ok(artifact !== undefined);
    const body = vendor.bodies.get(`/${artifact.file}`);
    assert.ok(body !== undefined);
    const archive = join(folder(), `bundle.${format}`);
    writeFileSync(archive, await archiveOf(format, [{ name: `bundle/${artifact.file}`, body }]));
    const toolchain = toolchainFor(pins);
    const imported = await toolchain.importBundle(archive);
    assert.deepEqual(imported.ok && imported.value.files, [artifact.file]);
    const asked = vendor.asked.length;
    assert.equal(await codeOf(toolchain.install("java")), "ok");
    assert.equal(vendor.asked.length, asked);
  });
}

test("importBundle() knows a single file by its bytes, and refuses other ones", posix, async () => {
  const pins = await offerStandIn(vendor, "jdk");
  const bundle = folder();
  assert.ok((await toolchainFor(pins).exportBundle(bundle)).ok);
  const [name] = readdirSync(bundle).filter((file) => file.startsWith("OpenJDK"));
  const renamed = join(bundle, "download (1).gz");
  renameSync(join(bundle, name ?? ""), renamed);
  const toolchain = toolchainFor(pins);
  assert.ok((await toolchain.importBundle(renamed)).ok);
  assert.deepEqual(readdirSync(join(toolchain.directory, "downloads")), [name]);

  const bytes = readFileSync(renamed);
  writeFileSync(join(bundle, name ?? ""), bytes.map((byte, i) => i === 0 ? byte ^ 1 : byte));
  const other = toolchainFor(pins);
  const refused = await other.importBundle(join(bundle, name ?? ""));
  assert.equal(refused.ok ? "" : refused.error.code, "hash");
  assert.equal(existsSync(join(other.directory, "downloads")), false);
});

test("importBundle() of nothing, or of what is cut short, is no success", posix, async () => {
  const toolchain = toolchainFor(await offerStandIn(vendor, "jdk"));
  const empty = await toolchain.importBundle(folder());
  assert.match(empty.ok ? "" : empty.error.message, /there is nothing in it$/);

  const complete = await archiveOf("tar.gz", [{ name: "bundle/x", body: "x".repeat(9_000) }]);
  const archive = join(folder(), "bundle.tar.gz");
  writeFileSync(archive, complete.subarray(0, -20));
  const cut = await toolchain.importBundle(archive);
  assert.deepEqual(cut.ok ? [] : [cut.error.code, cut.error.next], [
    "archive",
    "Copy the bundle again, or export it again; a single download is imported by itself",
  ]);

  writeFileSync(archive, complete);
  const stop = new AbortController();
  const stopped = await toolchain.importBundle(archive, {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  assert.deepEqual(stopped.ok ? [] : [stopped.error.code, stopped.error.next], [
    "cancelled",
    "Start it again",
  ]);
  assert.deepEqual(litterOf(toolchain.directory), []);
});

test(
  "mirrors come from settings.json and above it from the environment, checked alike",
  posix,
  async () => {
    const real = await offerStandIn(vendor, "jdk");
    const [artifact] = real.jdk["linux-x64"]?.artifacts ?? [];
    assert.ok(artifact !== undefined);
    const body = vendor.bodies.get(`/${artifact.file}`) ?? new Uint8Array();
    const pins = pinsOf("jdk", [{ ...artifact, url: `https://vendor.invalid/a/${artifact.file}` }]);
    vendor.bodies.set(`/settings/${artifact.file}`, body);
    vendor.bodies.set(`/variable/${artifact.file}`, new Uint8Array(body.length));
    const mirror = (name: string) => ({ "https://vendor.invalid/a/": `${vendor.origin}/${name}/` });

    const toolchain = toolchainFor(pins);
    put(
      join(toolchain.directory, "settings.json"),
      JSON.stringify({ mirrors: mirror("settings") }),
    );
    assert.equal(await codeOf(toolchain.install("java")), "ok");

    const env = { SVC_TOOLCHAIN_MIRRORS: JSON.stringify(mirror("variable")) };
    const lying = toolchainFor(pins, { host: plainHost(folder(), env) });
    put(join(lying.directory, "settings.json"), JSON.stringify({ mirrors: mirror("settings") }));
    assert.equal(await codeOf(lying.install("java")), "hash");

    for (const value of ["{", "[]", '{"https://a/":1}', '{"ftp://a/":"https://b/"}']) {
      const broken = toolchainFor(pins, {
        host: plainHost(folder(), { SVC_TOOLCHAIN_MIRRORS: value }),
      });
      const result = await broken.install("java");
      assert.match(result.ok ? "" : result.error.message, /SVC_TOOLCHAIN_MIRRORS/, value);
    }
  },
);

// INST-1
test("every pin has a hash, a size, a file name of its own, and an https address", () => {
  const files = new Map<string, string>();
  for (const id of PACKAGE_IDS) {
    for (const pin of Object.values(PINS[id])) {
      for (const { name, url, file, sha256, sha1, bytes, roughBytes } of pin.artifacts) {
        assert.match(url, /^https:\/\//, name);
        assert.ok(/^[0-9a-f]{64}$/.test(sha256 ?? "") || /^[0-9a-f]{40}$/.test(sha1 ?? ""), name);
        assert.ok((bytes ?? roughBytes ?? 0) > 0, name);
        assert.match(file, /^[\w.+-]+$/, name);
        assert.equal(files.get(file) ?? url, url, `${file} stands for two downloads`);
        files.set(file, url);
      }
    }
  }
  assert.deepEqual([Object.keys(PINS["android-sdk"]), Object.keys(PINS.cocoapods)], [
    ["darwin-arm64", "win32-x64", "linux-x64"],
    ["darwin-arm64"],
  ]);
  assert.deepEqual(Object.keys(NO_PINS).sort(), [...PACKAGE_IDS].sort());
});
