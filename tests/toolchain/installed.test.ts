import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { probe } from "../../lib/toolchain/find/probe.ts";
import { AAPT2_PROBE, ADB_PROBE } from "../../lib/toolchain/tools/android-sdk.ts";
import { JAVAC_PROBE } from "../../lib/toolchain/tools/java.ts";
import { SDK_PLACES } from "../../lib/toolchain/tools/well-known.ts";
import { DEBIAN_SDK, findAdb, findProgram, findRuby } from "../support/needs.ts";
import { folder, posix, runtime, toolchainWith } from "./real-machine.ts";

// Tools that are really installed on this machine; each test is skipped by name where one is not.

const ENV = { PATH: "/usr/bin:/bin" };

for (const id of ["ffmpeg", "ffprobe"] as const) {
  const real = findProgram({
    name: id,
    places: [`/usr/bin/${id}`],
    asks: ["-version"],
    answers: /^\w+ version (\S+) Copyright \(c\) \d+-(\d+)/m,
    from: "Debian's package ffmpeg",
  });
  test(`detect("${id}") takes the real one of this machine`, { skip: real.skip }, async () => {
    const found = await toolchainWith(ENV).detect(id);
    const [, number, year] = real.answer;
    assert.deepEqual(found.present && [found.source, found.path, found.version], [
      "path",
      real.path,
      `${number} (${year})`,
    ]);
  });
}

const debianAdb = findAdb();
// Any of these may be taken before Debian's.
const OTHER_SDK = SDK_PLACES.linux?.find((place) =>
  place.startsWith("/") && place !== DEBIAN_SDK && existsSync(place)
);
test("detectAdb() tells the version of the real adb, not its protocol's", {
  skip: debianAdb.skip ||
    OTHER_SDK !== undefined && `${OTHER_SDK} may have an SDK, which is taken before Debian's`,
}, async () => {
  const { path, answer: [, , version] } = debianAdb;
  assert.notEqual(version, undefined);
  for (const env of [ENV, { ...ENV, ANDROID_HOME: DEBIAN_SDK }, { PATH: "" }]) {
    assert.deepEqual(await toolchainWith(env).detectAdb(), { present: true, path, version });
  }
});

// Other packages of Debian put Google's platforms and licences there.
const more = ["platforms", "licenses"].find((name) => existsSync(join(DEBIAN_SDK, name)));
test("detect() of Debian's SDK, which has adb alone, says what lacks", {
  skip: debianAdb.skip || more !== undefined && `${DEBIAN_SDK} has ${more} beside adb`,
}, async () => {
  const toolchain = toolchainWith({ ...ENV, SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" });
  const sdk = await toolchain.detect("android-sdk");
  const own = sdk.tried.find(({ path }) => path === DEBIAN_SDK)?.reason ?? "";
  assert.match(own, /^it lacks .*platforms;android-36.* and licence android-sdk-license$/);
  if (sdk.present) return; // another one of this machine can build
  assert.ok(sdk.lacks?.includes("platforms;android-36"));
  const { missing } = await toolchain.preflight("android");
  assert.deepEqual(missing.find(({ id }) => id === "android-sdk")?.lacks, sdk.lacks);
});

const REAL_PROGRAMS = [
  [debianAdb, ADB_PROBE],
  [
    findProgram({
      name: "aapt2",
      places: ["/usr/bin/aapt2"],
      asks: ["version"],
      answers: /\(aapt\) \d/,
      from: "Debian's package aapt",
    }),
    AAPT2_PROBE,
  ],
  [
    findProgram({
      name: "javac", // macOS has a stub there without Java, and Debian's package of a JRE none
      places: ["/usr/bin/javac"],
      asks: ["-version"],
      answers: /^javac \d/m,
      from: "Debian's package default-jdk-headless",
    }),
    JAVAC_PROBE,
  ],
] as const;

for (const [{ path, skip }, spec] of REAL_PROGRAMS) {
  test(`probe() reads the version of the real ${path}`, { skip }, async () => {
    const answer = await probe({ path, spec, env: ENV }, runtime);
    assert.match(answer.ok ? answer.value.version : answer.error.message, /^\d+\.\d/);
  });
}

const ruby = findRuby("-e", "puts RUBY_VERSION if Gem.dir");
test(
  "detect() runs CocoaPods' script on a real Ruby, untouched by ours",
  { skip: posix.skip || ruby.skip },
  async () => {
    const userData = folder();
    const toolchain = join(userData, "toolchain");
    mkdirSync(join(toolchain, "ruby/bin"), { recursive: true });
    mkdirSync(join(toolchain, "cocoapods-gems/bin"), { recursive: true });
    symlinkSync(ruby.path, join(toolchain, "ruby/bin/ruby"));
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
  const real = findProgram({
    name: "java",
    places: [join(home, "bin/java")],
    asks: ["-version"],
    answers: /version "([\d._]+)/,
    from: "a Java that starts",
  });
  test(`detect("java") judges the real Java of ${home}`, { skip: real.skip }, async () => {
    const [, version = ""] = real.answer;
    // Another Java of this machine may be the one that is taken.
    const { tried } = await toolchainWith({ ...ENV, JAVA_HOME: home }).detect("java");
    const { reason = "" } = tried.find(({ source }) => source === "env") ?? {};
    const has21 = existsSync(join(home, "bin/javac"))
      ? /^taken: JDK 21/
      : /^it is a JRE 21\S* without bin\/javac/;
    if (version.split(".")[0] === "21") assert.match(reason, has21);
    else {assert.ok(
        reason.startsWith(`it is JDK ${version}`) && reason.endsWith("expected 21"),
        reason,
      );}
  });
}
