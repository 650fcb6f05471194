import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { probe } from "../../lib/toolchain/find/probe.ts";
import { AAPT2_PROBE, ADB_PROBE } from "../../lib/toolchain/tools/android-sdk.ts";
import { JAVAC_PROBE } from "../../lib/toolchain/tools/java.ts";
import { folder, runtime, toolchainWith } from "./real-machine.ts";

// Tools that are really installed on this machine; each test is skipped by name where one is not.

const ENV = { PATH: "/usr/bin:/bin" };

function needs(path: string): { readonly skip?: string } {
  return existsSync(path) ? {} : { skip: `no ${path} on this machine` };
}

function says(command: string, ...args: readonly string[]): string {
  return spawnSync(command, [...args], { encoding: "utf8" }).stdout;
}

for (const id of ["ffmpeg", "ffprobe"] as const) {
  const path = `/usr/bin/${id}`;
  test(`detect("${id}") takes the real one of this machine`, needs(path), async () => {
    const found = await toolchainWith(ENV).detect(id);
    const [, number, year] =
      /^\w+ version (\S+) Copyright \(c\) \d+-(\d+)/.exec(says(path, "-version")) ?? [];
    assert.deepEqual(found.present && [found.source, found.path, found.version], [
      "path",
      path,
      `${number} (${year})`,
    ]);
  });
}

const SDK = "/usr/lib/android-sdk";
test("detectAdb() tells the version of the real adb, not its protocol's", needs(SDK), async () => {
  const path = `${SDK}/platform-tools/adb`;
  const version = /^Version (\S+)/m.exec(says(path, "--version"))?.[1];
  assert.notEqual(version, undefined);
  for (const env of [ENV, { ...ENV, ANDROID_HOME: SDK }, { PATH: "" }]) {
    assert.deepEqual(await toolchainWith(env).detectAdb(), { present: true, path, version });
  }
});

test("detect() of Debian's SDK, which has adb alone, says what lacks", needs(SDK), async () => {
  const toolchain = toolchainWith({ ...ENV, SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" });
  const sdk = await toolchain.detect("android-sdk");
  const own = sdk.tried.find(({ path }) => path === SDK)?.reason ?? "";
  assert.match(own, /^it lacks .*platforms;android-36.* and licence android-sdk-license$/);
  if (sdk.present) return; // another one of this machine can build
  assert.ok(sdk.lacks?.includes("platforms;android-36"));
  const { missing } = await toolchain.preflight("android");
  assert.deepEqual(missing.find(({ id }) => id === "android-sdk")?.lacks, sdk.lacks);
});

const REAL_PROGRAMS = [
  [`${SDK}/platform-tools/adb`, ADB_PROBE],
  ["/usr/bin/aapt2", AAPT2_PROBE],
  ["/usr/bin/javac", JAVAC_PROBE],
] as const;

for (const [path, spec] of REAL_PROGRAMS) {
  test(`probe() reads the version of the real ${path}`, needs(path), async () => {
    const answer = await probe({ path, spec, env: ENV }, runtime);
    assert.match(answer.ok ? answer.value : answer.error.message, /^\d+\.\d/);
  });
}

test(
  "detect() runs CocoaPods' script on a real Ruby, untouched by ours",
  needs("/usr/bin/ruby"),
  async () => {
    const userData = folder();
    const toolchain = join(userData, "toolchain");
    mkdirSync(join(toolchain, "ruby/bin"), { recursive: true });
    mkdirSync(join(toolchain, "cocoapods-gems/bin"), { recursive: true });
    symlinkSync("/usr/bin/ruby", join(toolchain, "ruby/bin/ruby"));
    const pod = join(toolchain, "cocoapods-gems/bin/pod");
    writeFileSync(
      pod,
      "#!/usr/bin/env ruby\nrequire 'rubygems'\n" +
        "abort Gem.dir unless Gem.dir.b == File.expand_path('../..', __FILE__).b\nputs '1.17.0'\n",
    );
    chmodSync(pod, 0o755);
    const hostile = { RUBYOPT: "-rno_such_library", RUBYLIB: "/nowhere", GEM_HOME: "/nowhere" };
    const found = await toolchainWith({ ...ENV, ...hostile }, userData).detect("cocoapods");
    assert.deepEqual(
      found.present ? [found.source, found.path, found.version] : found.reason,
      ["own", pod, "1.17.0"],
    );
  },
);

const JVMS = "/usr/lib/jvm";
const jdks = (existsSync(JVMS) ? readdirSync(JVMS) : [])
  .map((name) => join(JVMS, name))
  .filter((home) => existsSync(join(home, "release")) && existsSync(join(home, "bin/java")));

for (const home of jdks.length > 0 ? jdks : [`${JVMS}/*`]) {
  test(`detect("java") judges the real Java of ${home}`, needs(home), async () => {
    const told = spawnSync(join(home, "bin/java"), ["-version"], { encoding: "utf8" }).stderr;
    const version = /version "([^"]+)"/.exec(told)?.[1] ?? "";
    const java = await toolchainWith({ ...ENV, JAVA_HOME: home }).detect("java");
    const { reason = "" } = java.tried.find(({ source }) => source === "env") ?? {};
    const compiler = existsSync(join(home, "bin/javac"));
    if (version.split(".")[0] === "21") assert.equal(java.present, compiler);
    else {assert.ok(
        reason.startsWith(`it is JDK ${version}`) && reason.endsWith("expected 21"),
        reason,
      );}
  });
}
