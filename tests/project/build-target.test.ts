import { test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Host } from "../../lib/ports/host.ts";
import { withoutStartersPrograms } from "../../lib/programs/outside-path.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";
import { provide } from "../toolchain/real-machine.ts";
import { inWorld, needs, node, PATH_TO_NODE, type World } from "./build-world.ts";
import { eventsOf } from "./publish-world.ts";

test("withoutStartersPrograms() keeps those of the project's own npm script", () => {
  const env = { npm_package_json: "/a/game/package.json", PATH: "/a/game/node_modules/.bin:/bin" };
  const seen = (root: string) => withoutStartersPrograms(env, { root, platform: "linux" })["PATH"];
  assert.equal(seen("/a/game"), env.PATH);
  assert.equal(seen("/a/game/sub"), env.PATH);
  assert.equal(seen("/a/other"), "/bin");
});

test(
  "build() finds no program of the package whose npm script started the service",
  needs,
  () =>
    withFolder(async (folder) => {
      const mine = join(folder, "elsewhere/node_modules/.bin");
      const above = join(folder, "node_modules/.bin");
      const byHand = join(folder, "tools/node_modules/.bin");
      const environment = {
        npm_package_json: join(folder, "elsewhere/package.json"),
        PATH: [mine, above, byHand, PATH_TO_NODE].join(":"),
      };
      await inWorld(async ({ build, env }) => {
        const { event, data } = (await build("web")).at(-1);
        assert.equal(event, "done", JSON.stringify(data));
        const seen = (env("dist/web.json")["PATH"] ?? "").split(":");
        assert.deepEqual([mine, above, byHand].map((each) => seen.includes(each)), [
          false,
          false,
          true,
        ]);
      }, { environment });
    }),
);

// BUILD-3
test(
  "build() of android runs web and steps with what detection found, and no secret",
  needs,
  () =>
    inWorld(async ({ build, toolchainDir, env, root }) => {
      provide(toolchainDir);
      const events = await build("android");
      const { event, data } = events.at(-1);
      assert.equal(event, "done", JSON.stringify(data));
      assert.deepEqual(data, { ok: true, target: "android", out: "dist", steps: 2 });
      for (const step of ["1.json", "2.json"]) {
        const { JAVA_HOME, ANDROID_HOME, ANDROID_SDK_ROOT, SVC_TOKEN, PATH = "", ...more } = env(
          step,
        );
        assert.deepEqual([more["GITHUB_TOKEN"], more["STORE_PASSWORD"]], [
          undefined,
          "let through",
        ]);
        assert.equal(JAVA_HOME, join(toolchainDir, "jdk"));
        assert.equal(ANDROID_HOME, join(toolchainDir, "android-sdk"));
        assert.ok(ANDROID_SDK_ROOT === undefined || ANDROID_SDK_ROOT === ANDROID_HOME);
        assert.equal(SVC_TOKEN, undefined);
        assert.ok(PATH.split(":").indexOf(join(toolchainDir, "jdk/bin")) >= 0, PATH);
      }
      assert.equal(env("dist/web.json")["SVC_TOKEN"], undefined);
      assert.equal(env("dist/web.json")["GITHUB_TOKEN"], undefined);
      const reported = events.flatMap((e: { event: string; data: { line: string } }) =>
        e.event === "log" ? [e.data.line] : []
      );
      assert.match(reported.join("\n"), /without .*GITHUB_TOKEN.*SVC_BUILD_ENV=NAME,NAME/);
      assert.match(
        reported.join("\n"),
        /SVC_BUILD_ENV names STORE_PASWORD, and nothing of that name/,
      );
      assert.doesNotMatch(reported.join("\n"), /hush|STORE_PASSWORD/);
      const labels = events.flatMap((e: { event: string; data: { label: string } }) =>
        e.event === "progress" ? [e.data.label] : []
      );
      assert.deepEqual(labels, [
        "build: node step.mjs dist/web.json (into dist)",
        "android 1 of 2: node step.mjs 1.json",
        "android 2 of 2: node step.mjs 2.json",
        "built",
      ]);
      assert.ok(existsSync(join(root, "2.json")));
    }, {
      environment: {
        GITHUB_TOKEN: "hush",
        STORE_PASSWORD: "let through",
        SVC_BUILD_ENV: "STORE_PASSWORD,STORE_PASWORD",
      },
    }),
);

test(
  "build() of web runs the web build alone, whatever tools lack",
  { skip: node.skip },
  () =>
    inWorld(async ({ build, root, env }) => {
      const events = await build("web");
      assert.deepEqual(events.at(-1).data, { ok: true, target: "web", out: "dist", steps: 0 });
      assert.equal(env("dist/web.json")["SVC_TOKEN"], undefined);
      assert.ok(!existsSync(join(root, "1.json")));
    }),
);

test("build() of ios where no iOS app is built says where, and names the call that has the steps", {
  skip: process.platform === "darwin" && "iOS apps are built here",
}, () =>
  inWorld(async ({ build }) => {
    const reported = await build("ios");
    const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
    assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
    assert.match(problem.hint, /^Build it on a Mac: .*\(get_tool_guide id=xcodebuild/);
    assert.doesNotMatch(problem.hint, /build again/);
  }));

// BUILD-2
test("build() fails before any step when a required tool is missing, and says all that is", () =>
  inWorld(async ({ build, root }) => {
    // On a busy machine the job is told of before the preflight has answered.
    const reported = await build("android");
    const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
    assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
    assert.match(
      problem.detail,
      /Cannot build android: it lacks .*java.*android-sdk|android-sdk.*java/,
    );
    assert.match(problem.hint, /^Open Build Support: /);
    assert.ok(!existsSync(join(root, "dist")));
  }));

/** Files of an app whose Capacitor wants a Node that there is not yet, and none of the tools. */
function appFor(node: string): Record<string, string> {
  const cli = { name: "@capacitor/cli", version: "8.0.0", engines: { node } };
  return {
    "node_modules/@capacitor/cli/package.json": JSON.stringify(cli),
    "capacitor.config.json": '{"webDir":"dist"}',
  };
}

const BARE_APP = {
  config: {
    build: { web: { out: "dist" }, android: { steps: [["npx", "cap", "sync", "android"]] } },
  },
};

// Before anybody downloads an SDK for an app that would not start.
test(
  "build() says first that the Node here is too old for the app's Capacitor",
  needs,
  () =>
    inWorld(async ({ build, root }) => {
      writeTree(root, appFor(">=99.1.0"));
      const reported = await build("android");
      const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
      assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
      const reason =
        /lacks npm \(found Node \d+\.\d+\.\d+, expected 99\.1\.0 or newer for this app's @capacitor\/cli\); java/;
      assert.match(problem.detail, reason);
      assert.match(
        problem.hint,
        /; on a terminal: Install Node\.js 99, or set SVC_PROVISION_NODE=1: .*java/,
      );
    }, { ...BARE_APP, environment: { SVC_PACKAGED: "" } }),
);

for (const range of [">=18", "*", "^22 || >=24"]) {
  test(
    `build() of an app whose Capacitor wants Node ${range} asks for tools alone`,
    needs,
    () =>
      inWorld(async ({ build, root }) => {
        writeTree(root, appFor(range));
        const reported = await build("android");
        const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
        assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
        assert.doesNotMatch(problem.detail, /Node/);
      }, { ...BARE_APP, environment: { SVC_PACKAGED: "" } }),
  );
}

/** What is wrong with a tool that is there; what the refusal says, and the command that it gives. */
const USELESS: readonly {
  readonly title: string;
  readonly spoil: (toolchainDir: string) => void;
  readonly detail: RegExp;
  readonly hint: RegExp;
  readonly compileSdk?: number;
}[] = [
  {
    title: "an SDK of empty folders",
    spoil(at) {
      for (const part of ["platforms/android-36/android.jar", "build-tools/36.0.0/aapt2"]) {
        rmSync(join(at, "android-sdk", part));
      }
    },
    detail: /android-36 \(it has no android\.jar\) and build-tools;36\.0\.0 \(it has no aapt2\)/,
    hint: / toolchain install android-sdk; then build again$/,
  },
  {
    title: "an SDK of platform-tools alone",
    spoil(at) {
      for (const part of ["platforms", "build-tools", "licenses"]) {
        rmSync(join(at, "android-sdk", part), { recursive: true });
      }
    },
    detail: /lacks platforms;android-36, build-tools;36\.0\.0 and licence android-sdk-license/,
    hint: / toolchain install android-sdk; then build again$/,
  },
  {
    title: "an SDK without an accepted licence",
    spoil: (at) => writeFileSync(join(at, "android-sdk/licenses/android-sdk-license"), "\n"),
    detail: /it lacks licence android-sdk-license/,
    hint: / toolchain install android-sdk; then build again$/,
  },
  {
    title: "an SDK without the platform of the project",
    spoil(at) {
      const manager = join(at, "android-sdk/cmdline-tools/latest/bin/sdkmanager");
      writeTree(at, { "android-sdk/cmdline-tools/latest/bin/sdkmanager": "#!/bin/sh\n" });
      chmodSync(manager, 0o755);
    },
    compileSdk: 35,
    detail: /it lacks platforms;android-35/,
    hint: /^Open Build Support: .* toolchain add "platforms;android-35"; then/,
  },
  {
    title: "a JDK that is a text file",
    spoil: (at) => writeFileSync(join(at, "jdk/bin/java"), "java\n"),
    detail: /java \(.*it does not start: it is a text file/,
    hint: / toolchain install java; then build again$/,
  },
  {
    title: "a JDK for another machine",
    spoil: (at) => writeFileSync(join(at, "jdk/release"), 'OS_ARCH="aarch64"\nOS_NAME="Darwin"\n'),
    detail: /java \(.*it does not start: it is built for macOS, this machine runs Linux/,
    hint: / toolchain install java; then build again$/,
  },
];

const onLinux = {
  skip: needs.skip || process.platform !== "linux" && "the reasons are those of Linux",
};

for (const { title, spoil, detail, hint, compileSdk } of USELESS) {
  test(
    `build() with ${title} ends before its first step, and says what mends it`,
    onLinux,
    () =>
      inWorld(async ({ build, toolchainDir, root }) => {
        provide(toolchainDir);
        spoil(toolchainDir);
        if (compileSdk !== undefined) {
          writeTree(root, {
            "android/variables.gradle": `ext {\n  compileSdkVersion = ${compileSdk}\n}`,
          });
        }
        const reported = await build("android");
        const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
        assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
        assert.match(problem.detail, detail);
        assert.match(problem.hint, hint);
        assert.ok(!existsSync(join(root, "dist")));
      }),
  );
}

test(
  "build() ends where Gradle would take an SDK that is not there",
  needs,
  () =>
    inWorld(async ({ build, toolchainDir, root }) => {
      provide(toolchainDir);
      for (const gone of ["/Users/somebody else/sdk", "C\\:\\\\Users\\\\x\\\\Sdk"]) {
        writeTree(root, { "android/local.properties": `# by Android Studio\nsdk.dir=${gone}\n` });
        const reported = await build("android");
        const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
        assert.equal(problem.code, "sdk-dir-missing", JSON.stringify(problem));
        assert.match(
          problem.detail,
          /names sdk\.dir=(?:\/Users\/somebody else\/sdk|C:\\Users\\x\\Sdk), and/,
        );
        assert.match(
          problem.hint,
          /^Remove the line sdk\.dir from android\/local\.properties, then/,
        );
        assert.ok(!existsSync(join(root, "dist")));
      }
      writeTree(root, { "android/local.properties": `sdk.dir=${toolchainDir}\n#sdk.dir=/gone\n` });
      const reported = await build("android");
      assert.notEqual(
        (Array.isArray(reported) ? reported.at(-1).data : reported).code,
        "sdk-dir-missing",
      );
    }),
);

test(
  "build() runs the java of user.sdk first, and ends there when it does not start",
  needs,
  () =>
    withFolder((sdk) => {
      provide(sdk);
      const java = join(sdk, "jdk/bin/java");
      writeFileSync(java, '#!/bin/sh\n: > "$0 ran"\nexit 5\n');
      return inWorld(async ({ builds, build, root }) => {
        await builds.plan("android");
        assert.ok(!existsSync(`${java} ran`), "what a build would run is told without running it");
        const reported = await build("android");
        const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
        assert.equal(problem.code, "preflight-failed", JSON.stringify(problem));
        assert.match(
          problem.detail,
          /java \(user\.sdk\.java in project\.config\.json points at .*: it exits with 5/,
        );
        assert.match(
          problem.hint,
          /: Correct or remove user\.sdk\.java in project\.config\.json; then/,
        );
        assert.ok(existsSync(`${java} ran`) && !existsSync(join(root, "dist")));
      }, {
        config: {
          user: { sdk: { java: join(sdk, "jdk"), "android-sdk": join(sdk, "android-sdk") } },
        },
      });
    }),
);

test(
  "build() takes user.sdk of the project for the tools that it points at",
  needs,
  () =>
    withFolder((sdk) => {
      provide(sdk);
      return inWorld(async ({ build, env }) => {
        const events = await build("android");
        assert.equal(events.at(-1).event, "done", JSON.stringify(events.at(-1)));
        assert.equal(env("1.json")["JAVA_HOME"], join(sdk, "jdk"));
        assert.equal(env("1.json")["ANDROID_HOME"], join(sdk, "android-sdk"));
      }, {
        config: {
          user: { sdk: { java: join(sdk, "jdk"), "android-sdk": join(sdk, "android-sdk") } },
        },
      });
    }),
);

test(
  "build() whose tool goes away after the preflight points at Build Support",
  needs,
  () =>
    inWorld(async ({ build, toolchainDir, root }) => {
      provide(toolchainDir);
      // The web build removes the SDK: preflight has seen it, the Android steps do not.
      writeTree(root, {
        "step.mjs": `import { mkdirSync, rmSync, writeFileSync } from "node:fs";
        rmSync(${JSON.stringify(join(toolchainDir, "android-sdk"))}, { recursive: true });
        mkdirSync("dist", { recursive: true }); writeFileSync(process.argv[2], "{}");`,
      });
      const events = await build("android");
      const { event, data } = events.at(-1);
      assert.equal(event, "problem");
      assert.equal(data.code, "toolchain-unresolved");
      assert.match(data.hint, /^Open Build Support: /);
      assert.ok(!existsSync(join(root, "1.json")));
    }),
);

test(
  "build() begins where a command before a step may add its program, and says so",
  needs,
  async () => {
    const gradlew = "mkdir android; printf '#!/bin/sh\\necho app\\n' > android/gradlew; ";
    const make = `${gradlew} chmod +x android/gradlew`;
    const web = { command: ["node", "step.mjs", "dist/web.json"], out: "dist" };
    const withSteps = (...words: readonly string[]) => ({
      config: {
        build: { web, android: { steps: [["sh", "-c", make, ...words], ["./android/gradlew"]] } },
      },
    });
    await inWorld(async ({ build, toolchainDir }) => {
      provide(toolchainDir);
      const events = await build("android");
      assert.equal(events.at(-1).event, "done", JSON.stringify(events.at(-1)));
      assert.match(
        JSON.stringify(events),
        /found no program [^;]*gradlew[^;]* there; a command before it may add it/,
      );
    }, withSteps("cap", "add", "android"));
    await inWorld(async ({ build, toolchainDir, root }) => {
      provide(toolchainDir);
      const events = await build("android");
      const problem = Array.isArray(events) ? events.at(-1).data : events;
      assert.equal(problem.code, "no-program");
      assert.equal(existsSync(join(root, "dist")), false);
    }, withSteps("cap", "sync", "android"));
  },
);

test(
  "build() stops at the first step that fails, with its last lines",
  needs,
  () =>
    inWorld(async ({ build, toolchainDir, root }) => {
      provide(toolchainDir);
      writeTree(root, {
        "step.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
        mkdirSync("dist", { recursive: true }); writeFileSync(process.argv[2], "{}");
        if (process.argv[2] === "1.json") { console.error("gradle is cross"); process.exit(3); }`,
      });
      const { event, data } = (await build("android")).at(-1);
      assert.deepEqual([event, data.code], ["problem", "build-failed"]);
      assert.match(data.detail, /node step.mjs 1.json failed: it exited 3, .*\ngradle is cross/s);
      assert.match(data.hint, /folder with JAVA_HOME=.*jdk.* and ANDROID_HOME=.*sdk set, correct/);
      assert.ok(!existsSync(join(root, "2.json")));
    }),
);

test("build() of ios is refused off darwin, and runs where Xcode is", needs, async () => {
  await inWorld(async ({ build }) => {
    const problem = await build("ios");
    assert.equal(problem.code, "preflight-failed");
    assert.match(problem.detail, /iOS apps are built on macOS only, and this is Linux/);
  }, { host: { platform: "linux" } });
  await withFolder((bin) => {
    writeTree(bin, { xcodebuild: "#!/bin/sh\necho 'Xcode 26.1'\n" });
    chmodSync(join(bin, "xcodebuild"), 0o755);
    const environment = { PATH: `${bin}:${PATH_TO_NODE}` };
    return inWorld(async ({ build, env }) => {
      const events = await build("ios");
      assert.equal(events.at(-1).event, "done", JSON.stringify(events.at(-1)));
      assert.equal(
        env("ios.json")["JAVA_HOME"],
        undefined,
        "bundled-only mode names no system JDK",
      );
    }, { host: { platform: "darwin" }, environment });
  });
});

const OTA = { bundleName: "harbor", engineApi: 3 };
const ON = {
  ...OTA,
  enabled: true,
  baseUrl: "https://updates.example",
  publicKey: "4ruKProhPkbmehDK0p2Ctvk9pL005XLKXfDiDno8qXA",
  app: "game",
  channel: "beta",
};
const LINKS = `import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
mkdirSync("dist", { recursive: true }); writeFileSync("dist/web.json", "{}");
symlinkSync("web.json", "dist/link");`;

for (
  const [title, { ota, step, want }] of [
    ["without updates embeds nothing", { want: null }],
    ["with updates that are named and off", {
      ota: OTA,
      want: ["harbor", "default", "production"],
    }],
    ["with updates", { ota: ON, want: ["harbor", "game", "beta"] }],
    ["with updates, of what is no bundle", { ota: ON, step: LINKS, want: "not-embedded" }],
    ["with updates that are off, of what is no bundle", { ota: OTA, step: LINKS, want: null }],
  ] as const
) {
  test(
    `build() of ios ${title}: ${JSON.stringify(want)}`,
    needs,
    () =>
      onMac(async ({ build, root }) => {
        if (step !== undefined) writeTree(root, { "web.mjs": step });
        const { event, data } = (await build("ios")).at(-1);
        const path = join(root, "dist/ota-embedded-manifest.json"); // BUILD-8
        if (want === "not-embedded") {
          assert.deepEqual([event, data.code], ["problem", want], JSON.stringify(data));
          assert.match(data.detail, /^Cannot embed "link": /);
          return;
        }
        assert.equal(event, "done", JSON.stringify(data));
        const reported = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
        assert.deepEqual(reported && [reported.name, reported.app, reported.channel], want);
        if (reported !== null) assert.deepEqual(Object.keys(reported.files), ["web.json"]);
        if (ota !== ON) return;
        await build("web");
        assert.equal(existsSync(path), false, "a web build is published, and is no app");
      }, {
        build: {
          web: {
            command: ["node", step === undefined ? "step.mjs" : "web.mjs", "dist/web.json"],
            out: "dist",
          },
          ios: { steps: [["node", "step.mjs", "ios.json"]] },
        },
        ...(ota && { ota }),
      }),
  );
}

for (const program of ["no-such-program", "./ios/none.sh", "./tool/none.sh"]) {
  test(
    `build() whose second step's ${program} is missing touches nothing`,
    needs,
    () =>
      onMac(async ({ build, root }) => {
        writeTree(root, { "dist/mine.txt": "kept" });
        const { event, data } = (await build("ios")).at(-1);
        assert.deepEqual([event, data.code], ["problem", "no-program"], JSON.stringify(data));
        assert.ok(data.detail.includes(program), data.detail);
        assert.match(data.hint, /build\.ios\.steps\[1\]/);
        assert.equal(/cap add ios/.test(data.hint), program.startsWith("./ios/"), data.hint);
        assert.equal(readFileSync(join(root, "dist/mine.txt"), "utf8"), "kept");
        assert.ok(!existsSync(join(root, "ios.json")));
      }, {
        build: {
          web: { command: ["node", "step.mjs", "dist/web.json"], out: "dist" },
          ios: { steps: [["node", "step.mjs", "ios.json"], [program, "build"]] },
        },
      }),
  );
}

test(
  "build() of ios runs pod by the editor's own Ruby and gems, in any step, and nothing else by them",
  needs,
  () => {
    const config = {
      build: {
        web: { command: ["node", "step.mjs", "dist/web.json"], out: "dist" },
        ios: {
          steps: [
            ["pod", "install"],
            ["node", "step.mjs", "ios.json"],
            // As `cap sync` of Capacitor 6 and 7 does.
            ["node", "-e", "require('child_process').execFileSync('pod', ['install', 'inner'])"],
          ],
        },
      },
    };
    return onMac(
      async ({ build, env, root, toolchainDir }) => {
        const refused = (await build("ios")).at(-1);
        assert.equal(refused.data.code, "toolchain-unresolved", JSON.stringify(refused));
        assert.match(refused.data.detail, /^Cannot run pod: /);
        assert.match(refused.data.hint, /^Open Build Support: .*cocoapods/i);
        assert.ok(!existsSync(join(root, "dist")));

        writeTree(toolchainDir, {
          "cocoapods-gems/bin/pod":
            '#!/usr/bin/env ruby\n[ "$1" = install ] && env > "pod$2.txt"\necho 1.17.0\n',
          "ruby/portable-ruby/3.4.6/bin/ruby": '#!/bin/sh\nexec sh "$@"\n',
        });
        for (const program of ["cocoapods-gems/bin/pod", "ruby/portable-ruby/3.4.6/bin/ruby"]) {
          chmodSync(join(toolchainDir, program), 0o755);
        }
        const { event, data } = (await build("ios")).at(-1);
        assert.equal(event, "done", JSON.stringify(data));
        const gems = join(toolchainDir, "cocoapods-gems");
        for (const name of ["pod.txt", "podinner.txt"]) {
          const seen = readFileSync(join(root, name), "utf8");
          assert.match(seen, new RegExp(`^GEM_HOME=${gems}$`, "m"));
          assert.match(seen, /^LANG=\w+\.UTF-8$/mi);
        }
        const { GEM_HOME, LANG, PATH = "" } = env("ios.json");
        assert.deepEqual([GEM_HOME, PATH.includes("portable-ruby")], [undefined, false]);
        assert.match(LANG ?? "", /UTF-8/i);

        // As a build that was killed between two writes may leave it.
        chmodSync(join(toolchainDir, "launchers/cocoapods/pod"), 0o644);
        rmSync(join(root, "pod.txt"));
        assert.equal((await build("ios")).at(-1).event, "done");
        assert.ok(existsSync(join(root, "pod.txt")));
      },
      config,
      { arch: "arm64" },
    );
  },
);

/** A project on a Mac with Xcode. */
function onMac(
  work: (world: World) => Promise<void>,
  config: Readonly<Record<string, unknown>>,
  host: Partial<Host> = {},
): Promise<void> {
  return withFolder((bin) => {
    writeTree(bin, { xcodebuild: "#!/bin/sh\necho 'Xcode 26.1'\n" });
    chmodSync(join(bin, "xcodebuild"), 0o755);
    const environment = { PATH: `${bin}:${PATH_TO_NODE}`, LANG: "", LC_ALL: "C" };
    return inWorld(work, { host: { platform: "darwin", ...host }, environment, config });
  });
}

const CAPACITOR = {
  build: {
    web: { command: ["node", "step.mjs", "dist/web.json"], out: "dist" },
    android: {
      steps: [["node_modules/.bin/cap", "sync", "android"], ["node", "step.mjs", "2.json"]],
    },
  },
};

test(
  "build() of a Capacitor app that lacks something, or whose Capacitor does not start, touches nothing",
  needs,
  () =>
    inWorld(async ({ build, toolchainDir, root }) => {
      writeTree(root, { "dist/mine.txt": "kept" });
      const refused = async () => {
        const before = treeOf(root);
        const reported = await build("android");
        assert.deepEqual(treeOf(root), before);
        return Array.isArray(reported) ? reported.at(-1).data : reported;
      };
      const bare = await refused();
      assert.equal(bare.code, "preflight-failed", JSON.stringify(bare));
      assert.match(bare.detail, /: it lacks java \(.*; android-sdk \(.*; node_modules \(found no /);
      assert.match(bare.hint, /^Open Build Support: .*; in the project's folder: npm install @cap/);

      provide(toolchainDir);
      const lacking = await refused();
      assert.equal(
        lacking.detail,
        "Cannot build android: it lacks node_modules (found no @capacitor/core, @capacitor/cli, " +
          "@capacitor/android); capacitor.config.json (it is not there, expected the app's name, an id of your own " +
          "and the web build's folder); android/ (the folder of " +
          "the android app is not there)",
      );
      assert.equal(
        lacking.hint,
        "In the project's folder: npm install @capacitor/core@latest @capacitor/cli@latest @capacitor/android@latest; " +
          'npx cap init "Game" com.example.game --web-dir dist; ' +
          "npx cap add android; then build again",
      );

      const cap = "node_modules/.bin/cap";
      writeTree(root, {
        ...Object.fromEntries(
          ["core", "cli", "android"].map((
            name,
          ) => [`node_modules/@capacitor/${name}/package.json`, "{}"]),
        ),
        "capacitor.config.json": '{"webDir":"dist"}',
        "android/gradlew": "",
        [cap]: "#!/bin/sh\necho '[fatal] The Capacitor CLI requires NodeJS >=22.0.0'; exit 1\n",
      });
      chmodSync(join(root, cap), 0o755);
      const old = await refused();
      assert.equal(old.code, "capacitor-not-started", JSON.stringify(old));
      assert.match(
        old.detail,
        /cap config --json failed: it exited 1.*\n\[fatal\] .* requires NodeJS/,
      );
      assert.match(old.hint, /^Correct what it says. For another Node .*SVC_PROVISION_NODE=1/);

      const says = "[error] Could not find installation of TypeScript.";
      writeTree(root, { [cap]: `#!/bin/sh\necho '${says}'; exit 1\n` });
      assert.equal((await refused()).hint, "Correct what it says; then build again");

      rmSync(join(root, "dist"), { recursive: true }); // somebody's: no build empties it
      writeTree(root, { [cap]: '#!/bin/sh\necho "$*" >> cap.txt\n' });
      const events = await build("android");
      assert.equal(events.at(-1).event, "done", JSON.stringify(events.at(-1)));
      assert.equal(
        readFileSync(join(root, "cap.txt"), "utf8"),
        "config --json\nsync android\nconfig --json\n",
      );
      assert.match(JSON.stringify(events), /Capacitor reports no folders: the app is not compared/);
    }, { config: CAPACITOR }),
);

for (
  const [title, program, reason] of [
    [
      "with the line ends of Windows",
      "#!/bin/sh\r\necho app\r\n",
      /line endings of Windows \(CR LF\)/,
    ],
    [
      "for an interpreter that is missing",
      "#!/opt/none/sh\n",
      /script for \/opt\/none\/sh, which is not/,
    ],
    ["of another system", "MZ", /it is not a program/],
  ] as const
) {
  test(
    `build() refuses a step's program ${title} before anything is touched`,
    needs,
    () =>
      inWorld(async ({ build, toolchainDir, root }) => {
        provide(toolchainDir);
        writeTree(root, { "android/gradlew": program.padEnd(64, program === "MZ" ? "\0" : "\n") });
        chmodSync(join(root, "android/gradlew"), 0o755);
        const reported = await build("android");
        const problem = Array.isArray(reported) ? reported.at(-1).data : reported;
        assert.equal(problem.code, "build-failed", JSON.stringify(problem));
        assert.match(problem.detail, /the program "\.\/android\/gradlew" does not start: /);
        assert.match(problem.detail, reason);
        assert.ok(!existsSync(join(root, "dist")));
      }, {
        config: {
          build: {
            web: { command: ["node", "step.mjs", "dist/web.json"], out: "dist" },
            android: { steps: [["./android/gradlew", "-p", "android", "assembleDebug"]] },
          },
        },
      }),
  );
}

test("build() names what is missing in the settings", () =>
  inWorld(async ({ builds }) => {
    const refused = await builds.build("android");
    assert.ok(!refused.ok);
    assert.equal(refused.error.code, "no-build-steps");
    assert.match(refused.error.hint, /"android":\{"steps":\[\["npx","cap","sync","android"\],/);
  }, {
    config: { build: { web: { command: ["node", "step.mjs", "x"], out: "dist" } } },
  }));

test(
  "build() attaches to the same build, and refuses another while one runs",
  needs,
  () =>
    inWorld(async ({ builds, jobs, toolchainDir, root }) => {
      provide(toolchainDir);
      writeTree(root, { "step.mjs": "setInterval(() => {}, 1000);" });
      const first = await builds.build("android");
      const again = await builds.build("android");
      assert.ok(first.ok && again.ok);
      assert.equal(again.value.id, first.value.id);
      const other = await builds.build("ios");
      assert.ok(!other.ok);
      assert.equal(other.error.code, "build-running");
      assert.match(other.error.detail, new RegExp(`${first.value.id} \\(build android\\)`));
      jobs.cancel(first.value.id);
      const events = await eventsOf(jobs, first.value.id);
      const last = events.at(-1);
      assert.ok(last?.event === "problem" && last.data.code === "cancelled");
      rmSync(join(root, "dist"), { recursive: true, force: true });
    }),
);

for (
  const [title, build, target, expected] of [
    ["no steps", { web: { out: "dist" } }, "android", [["project.config.json", /Add them/]]],
    ["a web build", { web: { out: "dist" } }, "web", []],
    ["an out folder of sources", { web: { out: "assets" } }, "web", [["assets/", /./]]],
    ["steps of its own", { web: { out: "dist" }, ios: { steps: [["make"]] } }, "ios", []],
    [
      "an app that is not there",
      {
        web: { out: "dist" },
        android: { steps: [["npx", "cap", "sync", "android"], ["./android/gradlew", "build"]] },
      },
      "android",
      [
        ["node_modules", /^npm install/],
        ["capacitor.config.json", /^npx cap init "Game"/],
        ["android/", /^npx cap add android$/],
      ],
    ],
  ] as const
) {
  test(`Builds.preflight() tells what a build lacks of ${title}, for ${target}`, () =>
    inWorld(async ({ builds }) => {
      const { lacks = [] } = await builds.preflight(target);
      assert.deepEqual(lacks.map(({ name }) => name), expected.map(([name]) => name));
      for (const [n, [, fix]] of expected.entries()) assert.match(lacks[n]?.fix ?? "", fix);
    }, { config: { build } }));
}
