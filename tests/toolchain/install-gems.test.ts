import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { createToolchain, PINS } from "../../lib/toolchain/mod.ts";
import { COCOAPODS_CHECKSUMS } from "../../lib/toolchain/pins/cocoapods-checksums.ts";
import { gemArtifacts } from "../../lib/toolchain/pins/cocoapods.ts";
import { archiveOf } from "../support/archives.ts";
import { findRuby } from "../support/needs.ts";
import { litterOf, NO_PINS, offer, put, startVendor } from "./install-world.ts";
import { folder, hostWith, posix, runtime } from "./real-machine.ts";

// CocoaPods' recipe with a real Ruby: gems that its own `gem build` makes under the real names, from a
// gem server of this machine, by a lock of the test's own.

const GEM = "/usr/bin/gem";
const { skip, path: RUBY } = findRuby(GEM, "--version");
const withRuby = { skip: posix.skip || skip };

const vendor = await startVendor();
afterTests(() => vendor.close());

interface Gem {
  readonly name: string;
  readonly version: string;
  readonly needs?: readonly string[];
  /** Files of the gem, its program and its extension by their usual names. */
  readonly files: Readonly<Record<string, string>>;
}

/** Writes its Makefile itself: this machine has no headers of Ruby. */
const EXTENSION = 'File.write("Makefile", "all clean install:\\n\\t@true\\n")\n';

const GEMS: readonly Gem[] = [
  // Its dependencies come later: the order of the lock is by name.
  {
    name: "cocoapods",
    version: "1.17.0",
    needs: ["claide", "nkf"],
    files: {
      "bin/pod": 'require "claide"\nputs ARGV == ["--version"] ? Claide.told : exit(1)\n',
      LICENSE: "MIT of the stand-in\n",
    },
  },
  {
    name: "claide",
    version: "1.1.0",
    files: {
      "lib/claide.rb": `module Claide
  def self.told() Gem.loaded_specs.fetch("cocoapods").version.to_s end
end\n`,
    },
  },
  { name: "nkf", version: "0.3.0", files: { "ext/nkf/extconf.rb": EXTENSION } },
];

const known = new Map<Gem, Uint8Array>();

/** The gem's bytes, as `gem build` makes them. */
function built(gem: Gem): Uint8Array {
  const there = known.get(gem);
  if (there !== undefined) return there;
  const { name, version, needs = [], files } = gem;
  const at = folder();
  for (const [path, text] of Object.entries(files)) put(join(at, path), text);
  const list = JSON.stringify(Object.keys(files));
  put(
    join(at, "a.gemspec"),
    `Gem::Specification.new do |s|
  s.name = "${name}"; s.version = "${version}"; s.summary = "x"; s.authors = ["x"]
  s.files = ${list}; s.bindir = "bin"; s.require_paths = ["lib"]
  s.executables = ${list}.grep(/^bin/).map { |f| File.basename(f) }
  s.extensions = ${list}.grep(/extconf/)
${needs.map((each) => `  s.add_dependency "${each}"\n`).join("")}end\n`,
  );
  const made = spawnSync(RUBY, [GEM, "build", "-o", "a.gem", "a.gemspec"], {
    cwd: at,
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", HOME: at }, // a user's own may name libraries and flags
  });
  assert.equal(made.status, 0, made.stderr);
  const bytes = readFileSync(join(at, "a.gem"));
  known.set(gem, bytes);
  return bytes;
}

/** The server gives these gems. @returns Their lock, as Bundler writes it. */
function serve(gems: readonly Gem[]): string {
  vendor.bodies.clear();
  const lines = gems.map((gem) => {
    const bytes = built(gem);
    vendor.bodies.set(`/gems/${gem.name}-${gem.version}.gem`, bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return `  ${gem.name} (${gem.version}) sha256=${sha256}`;
  });
  return `CHECKSUMS\n${lines.join("\n")}\n\nBUNDLED WITH\n   2.6.9\n`;
}

async function macWith(lock: string) {
  const ruby = await archiveOf("tar.gz", [
    {
      name: "portable-ruby/3.4.6/bin/ruby",
      body: `#!/bin/sh\nexec ${RUBY} "$@"\n`,
      mode: 0o755,
    },
    { name: "portable-ruby/3.4.6/bin/gem", body: `load "${GEM}"\n`, mode: 0o755 },
  ]);
  const on = (artifacts: ReturnType<typeof gemArtifacts>) => ({
    "darwin-arm64": { artifacts, unpackedBytes: 1_000 },
  });
  const userData = join(folder(), "Jürgen Müller");
  const home = join(userData, "home");
  mkdirSync(home, { recursive: true });
  // What a user's own settings would do: the gems would go elsewhere.
  writeFileSync(join(home, ".gemrc"), "gem: --user-install --bogus\n");
  const host = hostWith({
    PATH: "/usr/bin:/bin",
    HOME: home,
    GEM_HOME: join(home, "gems"),
    SVC_TOOLCHAIN_MIRRORS: JSON.stringify({ "https://rubygems.org/": `${vendor.origin}/` }),
  }, userData);
  return createToolchain({
    ...runtime,
    host: { ...host, platform: "darwin", arch: "arm64" },
    pins: {
      ...NO_PINS,
      ruby: on([offer(vendor, "ruby.tar.gz", ruby)]),
      cocoapods: on(gemArtifacts(lock)),
    },
  });
}

test(
  "install() of CocoaPods checks each gem, builds it by a real Ruby, and pod starts",
  withRuby,
  async () => {
    const toolchain = await macWith(serve(GEMS));
    const installed = await toolchain.install("cocoapods");
    assert.ok(installed.ok, JSON.stringify(installed));
    const { path, version } = installed.value.tool;
    assert.deepEqual([path, version], [
      join(toolchain.directory, "cocoapods-gems/bin/pod"),
      "1.17.0",
    ]);
    assert.deepEqual(readdirSync(join(toolchain.directory, "cocoapods-gems/gems")).sort(), [
      "claide-1.1.0",
      "cocoapods-1.17.0",
      "nkf-0.3.0",
    ]);
    assert.deepEqual(litterOf(toolchain.directory), []);
    const { licences } = await toolchain.licences("cocoapods", { fetchText: true });
    assert.equal(licences.find(({ id }) => id === "cocoapods")?.text, "MIT of the stand-in");
    const verified = await toolchain.verify("cocoapods", { deep: true });
    assert.ok(verified.ok && verified.value.intact, JSON.stringify(verified));
    assert.deepEqual(vendor.asked.filter((url) => url.endsWith(".gem")), [
      "/gems/cocoapods-1.17.0.gem",
      "/gems/claide-1.1.0.gem",
      "/gems/nkf-0.3.0.gem",
    ]);
  },
);

for (
  const [name, gems, spoil, code, message] of [
    ["another gem than the pinned one", GEMS, "claide-1.1.0", "hash", /claide 1\.1\.0.*SHA-256/],
    ["a gem that the server has not", GEMS, null, "http-status", /claide 1\.1\.0/],
    [
      "a lock without what pod needs",
      GEMS.filter(({ name }) => name !== "claide"),
      undefined,
      "smoke-test",
      /claide/,
    ],
    [
      "a gem that does not compile here",
      [...GEMS.slice(0, 2), {
        name: "nkf",
        version: "0.3.0",
        files: { "ext/nkf/extconf.rb": "abort" },
      }],
      undefined,
      "process",
      /install the gems of CocoaPods.*native extension/,
    ],
  ] as const
) {
  test(`install() of CocoaPods from ${name} is ${code}, and leaves nothing`, withRuby, async () => {
    const toolchain = await macWith(serve(gems));
    if (spoil === null) vendor.bodies.delete("/gems/claide-1.1.0.gem");
    else if (spoil !== undefined) {
      vendor.bodies.set(`/gems/${spoil}.gem`, new TextEncoder().encode("not that gem"));
    }
    const refused = await toolchain.install("cocoapods");
    assert.deepEqual(refused.ok ? "ok" : refused.error.code, code, JSON.stringify(refused));
    assert.match(refused.ok ? "" : refused.error.message, message);
    if (code === "process" && !refused.ok) assert.match(refused.error.next ?? "", /xcode-select/);
    assert.equal(existsSync(join(toolchain.directory, "cocoapods-gems")), false);
    assert.deepEqual(litterOf(toolchain.directory), []);
  });
}

test("verifyPins() compares gems with the gem server's index", async () => {
  const toolchain = await macWith(
    `  ffi (1.17.4-arm64-darwin) sha256=${"a".repeat(64)}\n  ffi (1.17.4) sha256=${
      "b".repeat(64)
    }\n` +
      `  nap (9) sha256=${"c".repeat(64)}\n`,
  );
  const index = [
    "---",
    `1.17.4 |checksum:${"d".repeat(64)},ruby:>= 3.0`,
    `1.17.4-arm64-darwin |checksum:${"a".repeat(64)},ruby:>= 3.0`,
  ];
  vendor.bodies.set("/info/ffi", new TextEncoder().encode(index.join("\n")));
  vendor.bodies.set("/info/nap", new TextEncoder().encode("---\n1.1.0 |checksum:x\n"));
  const checks = await toolchain.verifyPins();
  assert.ok(checks.ok, JSON.stringify(checks));
  const gems = checks.value.filter(({ file }) => file.endsWith(".gem"));
  assert.deepEqual(gems.map(({ name, hash }) => [name, hash]), [
    ["ffi 1.17.4-arm64-darwin", "same"],
    ["ffi 1.17.4", "different"],
    ["nap 9", "missing"],
  ]);
});

test("the pins of CocoaPods are a whole lock: each gem once, and for a Mac", () => {
  const artifacts = PINS.cocoapods["darwin-arm64"]?.artifacts ?? [];
  const lines = COCOAPODS_CHECKSUMS.trim().split("\n");
  assert.equal(artifacts.length, lines.length, "a line that is no checksum");
  const names = artifacts.map(({ name }) => name.split(" ")[0] ?? "");
  assert.equal(new Set(names).size, names.length);
  for (const { name, url, sha256 } of artifacts) {
    assert.match(sha256 ?? "", /^[0-9a-f]{64}$/, name);
    assert.equal(url, `https://rubygems.org/gems/${name.replace(" ", "-")}.gem`);
  }
  // What they name as dependencies, as far as a name tells: pod's own parts are all there.
  for (const part of ["core", "deintegrate", "downloader", "plugins", "search", "trunk", "try"]) {
    assert.ok(names.includes(`cocoapods-${part}`), part);
  }
  assert.ok(artifacts.some(({ url }) => url.endsWith("/ffi-1.17.4-arm64-darwin.gem")));
  assert.ok(artifacts.some(({ name }) => name === "cocoapods 1.17.0"));
});
