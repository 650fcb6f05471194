import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlaces } from "../../lib/toolchain/find/places.ts";
import { createToolchain, type Platform } from "../../lib/toolchain/mod.ts";
import { androidSdk, answer, type Entry, jdk, machine } from "./machine.ts";

// Places that no PATH leads to, each with the only JDK, SDK or Node of a machine (TOOL-20).

const HOME = "/home/user";
const WINDOWS_HOME = "C:/home/user";
const PROGRAMS = {
  ProgramFiles: "C:\\Program Files",
  LOCALAPPDATA: "C:\\home\\user\\AppData\\Local",
};

type Row = readonly [Platform, place: string, env?: Readonly<Record<string, string>>];

const JDKS: readonly Row[] = [
  ["linux", "/usr/lib64/jvm/java-21-openjdk"],
  ["linux", `${HOME}/.jdks/temurin-21.0.5`],
  ["linux", `${HOME}/.gradle/jdks/eclipse_adoptium-21-amd64-linux.2`],
  ["linux", `${HOME}/.gradle/jdks/adoptium-21/jdk-21.0.5+11`],
  ["linux", "/big/gradle/jdks/jdk-21", { GRADLE_USER_HOME: "/big/gradle" }],
  ["linux", "/big/sdkman/candidates/java/21.0.5-tem", { SDKMAN_DIR: "/big/sdkman" }],
  ["linux", "/big/asdf/installs/java/temurin-21", { ASDF_DATA_DIR: "/big/asdf" }],
  ["linux", "/big/mise/installs/java/21", { MISE_DATA_DIR: "/big/mise" }],
  ["linux", "/big/share/mise/installs/java/21", { XDG_DATA_HOME: "/big/share" }],
  ["linux", `${HOME}/.jabba/jdk/temurin@21`],
  ["linux", `${HOME}/.jbang/cache/jdks/21`],
  ["linux", "/opt/hostedtoolcache/Java/21/x64", {
    JAVA_HOME_21_X64: "/opt/hostedtoolcache/Java/21/x64",
  }],
  ["linux", "/snap/android-studio/current/android-studio/jbr"],
  ["linux", `${HOME}/.local/share/JetBrains/Toolbox/apps/android-studio-2/jbr`],
  ["darwin", `${HOME}/.gradle/jdks/adoptium-21/jdk-21.0.5+11/Contents/Home`],
  ["darwin", `${HOME}/.sdkman/candidates/java/21.0.5-tem/Contents/Home`],
  ["darwin", `${HOME}/Applications/Android Studio.app/Contents/jbr/Contents/Home`],
  ["darwin", "/Applications/Android Studio Preview.app/Contents/jbr/Contents/Home"],
  ["darwin", "/Users/runner/21/arm64", { JAVA_HOME_21_arm64: "/Users/runner/21/arm64" }],
  ["win32", `${WINDOWS_HOME}/.jdks/temurin-21.0.5`, PROGRAMS],
  ["win32", `${WINDOWS_HOME}/.gradle/jdks/adoptium-21/jdk-21.0.5+11`, PROGRAMS],
  ["win32", `${WINDOWS_HOME}/scoop/apps/temurin21-jdk/current`, PROGRAMS],
  ["win32", "D:/scoop/apps/temurin21-jdk/current", { SCOOP: "D:\\scoop" }],
  ["win32", `${WINDOWS_HOME}/AppData/Local/mise/installs/java/21`, PROGRAMS],
  ["win32", "C:/Program Files/Semeru/jdk-21.0.5.11-openj9", PROGRAMS],
];

const SDKS: readonly Row[] = [
  ["linux", "/usr/local/lib/android/sdk"],
  ["linux", "/opt/android-sdk-linux"],
  ["darwin", "/brew/share/android-commandlinetools", { HOMEBREW_PREFIX: "/brew" }],
  ["win32", `${WINDOWS_HOME}/scoop/apps/android-clt/current`],
];

const NODES: readonly Row[] = [
  ["linux", `${HOME}/.nvm/versions/node/v22.1.0/bin`],
  ["linux", "/big/nvm/versions/node/v22.1.0/bin", { NVM_DIR: "/big/nvm" }],
  ["linux", `${HOME}/.volta/bin`],
  ["linux", `${HOME}/.local/share/fnm/node-versions/v22.1.0/installation/bin`],
  ["linux", `${HOME}/.local/share/mise/installs/node/22.1.0/bin`],
  ["linux", `${HOME}/.asdf/installs/nodejs/22.1.0/bin`],
  ["linux", `${HOME}/n/bin`],
  ["darwin", "/opt/homebrew/bin"],
  ["darwin", `${HOME}/Library/Application Support/fnm/node-versions/v22.1.0/installation/bin`],
  ["win32", "C:/Program Files/nodejs", PROGRAMS],
  ["win32", "D:/nvm/v22.1.0", { NVM_HOME: "D:\\nvm" }],
  ["win32", `${WINDOWS_HOME}/scoop/apps/nodejs-lts/current`],
];

/** The entries of a tool, with the endings of Windows. */
function on(platform: Platform, entries: Readonly<Record<string, Entry>>): Record<string, Entry> {
  return Object.fromEntries(
    Object.entries(entries).map(([path, entry]) => {
      const isProgram = typeof entry === "object" && "program" in entry;
      return [platform === "win32" && isProgram ? `${path}.exe` : path, entry];
    }),
  );
}

for (
  const [id, rows, entriesOf] of [
    ["java", JDKS, (place: string) => jdk(place, "21.0.5")],
    ["android-sdk", SDKS, (place: string) => androidSdk(place)],
    ["npm", NODES, (place: string) => ({ [`${place}/npm`]: { program: "" } })],
  ] as const
) {
  for (const [platform, place, env = {}] of rows) {
    test(`detect("${id}") looks into ${place} on ${platform} (TOOL-20)`, async () => {
      const here = machine({
        platform,
        arch: platform === "darwin" ? "arm64" : "x64",
        env,
        entries: on(platform, entriesOf(place)),
        run: answer("10.8.2\n"),
      });
      const found = await createToolchain(here).detect(id);
      assert.equal(found.present && found.source, "well-known", JSON.stringify(found));
      const reported = found.present ? found.path.replaceAll("\\", "/").toLowerCase() : "";
      assert.ok(reported.startsWith(place.toLowerCase()), reported);
    });
  }
}

test("a program that no PATH leads to is asked with its own folder in front (TOOL-20)", async () => {
  const bin = `${HOME}/.nvm/versions/node/v22.1.0/bin`;
  const here = machine({
    env: { PATH: "/usr/bin" },
    entries: { [`${bin}/npm`]: { program: "" }, [`${bin}/node`]: { program: "" } },
    run: ({ env }) =>
      env["PATH"]?.startsWith(`${bin}:`)
        ? answer("10.8.2\n")()
        : answer("", "env: node: not found", 127)(),
  });
  const npm = await createToolchain(here).detect("npm");
  assert.equal(npm.present && npm.path, `${bin}/npm`);
});

test("describePlaces() counts every place that it does not name", () => {
  const linux = ["/a", "%B%/b", "/c"];
  const many = [..."abcdef"].map((name) => `/${name}`);
  const places = { linux, darwin: many, win32: ["C:/a"] };
  assert.equal(describePlaces(places, "linux"), "/a, /c and 1 more");
  assert.equal(describePlaces(places, "darwin"), "/a, /b, /c, /d, /e and 1 more");
  assert.equal(describePlaces(places, "win32"), "C:/a");
});

const J21 = jdk("/j/21", "21.0.5");
const SDK = androidSdk("/sdk");

/** Variables that lead beside the tool: its value, the machine, what to set. */
for (
  const [id, name, value, entries, meant] of [
    ["java", "JAVA_HOME", "/j/21/bin", J21, "/j/21"],
    ["java", "JAVA_HOME", "/j/21/bin/java", J21, "/j/21"],
    ["java", "JAVA_HOME", "/j/21;", J21, "/j/21"],
    [
      "java",
      "JAVA_HOME",
      "/j/x.jdk",
      jdk("/j/x.jdk/Contents/Home", "21.0.5"),
      "/j/x.jdk/Contents/Home",
    ],
    ["java", "JAVA_HOME", "/studio", jdk("/studio/jbr", "21.0.5"), "/studio/jbr"],
    ["java", "JAVA_HOME", "/j/17/bin", jdk("/j/17", "17.0.5"), null],
    ["java", "JAVA_HOME", "/nowhere", J21, null],
    ["java", "JAVA_HOME", "/usr/bin", {
      ...jdk("/opt/here/21", "21.0.5"),
      "/usr/bin/java": {
        program: "java",
        prints: 'Property settings:\n    java.home = /opt/here/21\nopenjdk version "21.0.5"\n',
      },
    }, "/opt/here/21"],
    ["android-sdk", "ANDROID_HOME", "/sdk/platform-tools", SDK, "/sdk"],
    ["android-sdk", "ANDROID_HOME", "/sdk/cmdline-tools/latest/bin", {
      ...SDK,
      "/sdk/cmdline-tools/latest/bin/sdkmanager": { program: "" },
    }, "/sdk"],
    ["android-sdk", "ANDROID_SDK_ROOT", "/sdk:", SDK, "/sdk"],
    ["android-sdk", "ANDROID_HOME", "/android", androidSdk("/android/sdk"), "/android/sdk"],
  ] satisfies readonly (readonly [
    "java" | "android-sdk",
    string,
    string,
    Record<string, Entry>,
    string | null,
  ])[]
) {
  test(`preflight() with ${name}=${value} tells ${meant ?? "nothing to set"} (TOOL-20)`, async () => {
    const here = machine({ env: { [name]: value, PATH: "" }, entries });
    const { missing } = await createToolchain(here).preflight("android");
    const tool = missing.find((each) => each.id === id);
    const reported = `Set ${name} to ${meant}`;
    assert.equal(tool?.fix, meant === null ? `npx slipway toolchain install ${id}` : reported);
    if (meant !== null) assert.match(tool?.reason ?? "", /names it, and the folder to name is /);
  });
}
