import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createConnections } from "node:net";
import { basename, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { TOOL_IDS } from "../../lib/toolchain/mod.ts";
import { createPaint } from "../../scripts/toolchain/paint.ts";
import { openScriptHost, runScriptFile, type ScriptRun } from "../support/script.ts";
import { litterOf, put } from "./install-world.ts";
import { writeTree } from "../support/folder.ts";
import { folder, posix, provide, script } from "./real-machine.ts";

// Takes long: each command is a process, which looks for the tools of a machine of its own and runs them.
// Refused command lines look for none, and share one.

const host = openScriptHost();
afterTests(() => host.close());

/** A home folder with one tool and this runtime on PATH, and the script on it. */
function toolchain(
  args: readonly string[],
  env: Record<string, string> = {},
  onStart?: (interrupt: () => void) => void,
): Promise<ScriptRun> & { readonly home: string } {
  const home = join(folder(), "Jo Smith");
  script(join(home, "bin/gltfpack"), 'echo "gltfpack 0.18"');
  symlinkSync(process.execPath, join(home, "bin", basename(process.execPath)));
  const run = runScriptFile("toolchain", args, {
    env: {
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      PATH: join(home, "bin"),
      JAVA_HOME: join(home, "no jdk"),
      NO_COLOR: "",
      ...env,
    },
    ...(onStart && { onStart }),
  });
  return Object.assign(run, { home });
}

test(
  "toolchain status prints a row a tool, and the commands that get what a build lacks",
  posix,
  async () => {
    const run = toolchain(["status"]);
    const { stdout, stderr, code } = await run;
    assert.equal(code, 0, stderr);
    const lines = stdout.split("\n");
    const rows = lines.map((line) => /^[A-Za-z ]{9}[✓✗○] (\S+)/.exec(line)?.[1]).filter(Boolean);
    const here = TOOL_IDS.filter((id) =>
      process.platform === "darwin" || id !== "xcodebuild" && id !== "cocoapods"
    );
    assert.deepEqual(rows.toSorted(), here.toSorted());
    const found = lines.find((line) => line.includes("✓ gltfpack")) ?? "";
    assert.match(
      found,
      /^ {9}✓ gltfpack +0\.18 +.*\/Jo Smith\/bin\/gltfpack$/,
      "a pipe cuts no path",
    );
    const java = lines.find((line) => line.includes("✗ java")) ?? "";
    assert.match(java, /no jdk: JAVA_HOME names it: nothing is/);
    const [, command] = /^ {4}(\S.* install) java$/m.exec(stdout) ?? [];
    assert.ok(command !== undefined, stdout);
    const env = { ...process.env, PATH: `${join(run.home, "bin")}:${process.env["PATH"]}` };
    const guide = execFileSync("sh", ["-c", `${command.replace("install", "guide")} java`], {
      encoding: "utf8",
      env,
    });
    assert.match(guide, /JDK/, "what is printed runs as it stands");
    assert.match(stdout, /\n✗ android not ready: npm, java.*; \d+ MB to download, /);
    assert.match(stdout, /\n[✗-] ios /);
    assert.ok(!stdout.includes("\x1b"), "no colours in a pipe");
  },
);

test("toolchain preflight numbers what is missing, with bytes and disk", posix, async () => {
  const { stdout, code } = await toolchain(["preflight", "android"], { SVC_PACKAGED: "1" });
  assert.equal(code, 1);
  assert.match(stdout, /; \d+ MB to download, [\d.]+ [MG]B of disk\n/);
  const order = [...stdout.matchAll(/^ {2}(\d)\. (\S+)$/gm)].map(([, n, id]) => `${n} ${id}`);
  assert.deepEqual(order, ["1 npm", "2 java", "3 android-sdk"]);
});

// One question has one answer: a build refuses this project, so no command calls it ready.
test("toolchain preflight and status name what the project's folder lacks", posix, async () => {
  const tools = folder();
  provide(tools);
  const project = folder();
  const android = { steps: [["npx", "cap", "sync", "android"]] };
  writeTree(project, {
    "project.config.json": JSON.stringify({
      name: "Game",
      startScene: "a.scene.json",
      build: { web: { out: "dist" }, android },
    }),
  });
  const env = { SVC_TOOLCHAIN_DIR: tools };
  const lacks = /node_modules, capacitor\.config\.json, android\//;
  const preflight = await toolchain(["preflight", "android", "--project", project], env);
  assert.equal(preflight.code, 1, preflight.stdout);
  assert.match(preflight.stdout, /✗ android not ready: /);
  assert.match(preflight.stdout, lacks);
  assert.match(preflight.stdout, /^ {5}npm install @capacitor\/core@latest/m);
  const json = await toolchain(["preflight", "android", "--project", project, "--json"], env);
  const { ready, lacks: named } = JSON.parse(json.stdout);
  assert.equal(ready, false);
  assert.equal(named[0].name, "node_modules");
  const status = await toolchain(["status", "--project", project], env);
  assert.match(status.stdout, /✗ android not ready: /);
  assert.match(status.stdout, lacks);
});

// TOOL-19
test(
  "toolchain add runs the SDK's own sdkmanager on the JDK of builds, as what it is told to",
  posix,
  async () => {
    const at = folder();
    const jdk = join(at, "jdk 21");
    script(join(jdk, "bin/java"), "echo 'openjdk version \"21.0.5\"' >&2");
    script(join(jdk, "bin/javac"), "exit 0");
    const sdk = join(at, "my sdk");
    put(join(sdk, "platform-tools/adb"), "");
    script(
      join(sdk, "cmdline-tools/latest/bin/sdkmanager"),
      `printf '%s\\n' "$JAVA_HOME" "$@" > '${at}/told'; echo 'Warning: noise'; case "$2" in *37) exit 3;; esac`,
    );
    const env = { JAVA_HOME: jdk, ANDROID_HOME: sdk };
    const preflight = await toolchain(["preflight", "android"], env);
    const [, line] = /^ *\S.* (toolchain add "platforms;android-36" "build-tools;36\.0\.0")$/m
      .exec(preflight.stdout) ?? [];
    assert.ok(line !== undefined, preflight.stdout);

    const added = await toolchain(["add", "platforms;android-36", "build-tools;36.0.0"], env);
    assert.equal(added.code, 0, added.stderr);
    assert.equal(added.stdout, `platforms;android-36, build-tools;36.0.0 added to ${sdk}\n`);
    assert.match(added.stderr, /Warning: noise/);
    const readReport = () => readFileSync(join(at, "told"), "utf8").trimEnd().split("\n");
    assert.deepEqual(readReport(), [
      jdk,
      `--sdk_root=${sdk}`,
      "platforms;android-36",
      "build-tools;36.0.0",
    ]);
    assert.equal((await toolchain(["add", "licences"], env)).code, 0);
    assert.deepEqual(readReport().slice(2), ["--licenses"]);
    const both = await toolchain(["add", "platform-tools", "licences"], env);
    assert.equal(both.stdout, `Licences asked for in ${sdk}\nplatform-tools added to ${sdk}\n`);
    assert.match(both.stderr, /sdkmanager --licenses\n[^]*sdkmanager platform-tools\n/);
    assert.deepEqual(readReport().slice(2), ["platform-tools"]);
    const failed = await toolchain(["add", "platforms;android-37", "--json"], env);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout + failed.stderr, /sdkmanager ended with 3/);
    // Of a project in another folder, the SDK that its build takes.
    const project = join(at, "my game");
    writeTree(project, {
      "android/local.properties": `sdk.dir=${sdk.replaceAll(" ", "\\ ")}\n`,
      "project.config.json": JSON.stringify({
        name: "Game",
        startScene: "a.scene.json",
        build: {
          web: { out: "dist" },
          android: { steps: [["./android/gradlew", "-p", "android", "build"]] },
        },
      }),
    });
    const ofProject = ["--project", project];
    const asked = await toolchain(["preflight", "android", ...ofProject], { JAVA_HOME: jdk });
    assert.ok(
      asked.stdout.includes(
        `toolchain add "platforms;android-36" "build-tools;36.0.0" --project "${project}"\n`,
      ),
      asked.stdout + asked.stderr,
    );
    const there = await toolchain(["add", "platform-tools", ...ofProject], { JAVA_HOME: jdk });
    assert.equal(there.stdout, `platform-tools added to ${sdk}\n`, there.stderr);
    const fixesOf = async (...words: readonly string[]) => {
      const { stdout } = await toolchain(words, { JAVA_HOME: jdk });
      return stdout.match(/toolchain add ".*/g) ?? [];
    };
    const packages = `toolchain add "platforms;android-36" "build-tools;36.0.0"`;
    const typed = `${packages} --project "${project}"`;
    assert.deepEqual(await fixesOf("status", ...ofProject), [typed, typed]);
    const named = ["--android-sdk", sdk];
    for (const words of [["preflight", "android"], ["detect", "android-sdk"]]) {
      assert.deepEqual(
        await fixesOf(...words, ...named),
        [`${packages} --android-sdk "${sdk}"`],
        words.join(" "),
      );
    }
    const byFlag = await toolchain(["add", "platform-tools", ...named], { JAVA_HOME: jdk });
    assert.equal(byFlag.stdout, `platform-tools added to ${sdk}\n`, byFlag.stderr);
    const none = await toolchain(["add", "platform-tools"], { ...env, JAVA_HOME: at });
    assert.equal(none.code, 1);
    assert.match(none.stderr, /Cannot run the package manager of the Android SDK: java: /);
    for (const words of [["add"], ["add", "--licenses"], ["add", "platforms android"]]) {
      assert.equal((await host.run("toolchain", ...words)).code, 2, words.join(" "));
    }
  },
);

// TOOL-19
test("toolchain add runs no sdkmanager that came with a project", posix, async () => {
  const at = folder();
  const jdk = join(at, "jdk");
  script(join(jdk, "bin/java"), "echo 'openjdk version \"21.0.5\"' >&2");
  script(join(jdk, "bin/javac"), "exit 0");
  const project = join(at, "game");
  script(join(project, "sdk/cmdline-tools/latest/bin/sdkmanager"), `touch '${at}/ran'`);
  put(join(project, "sdk/platform-tools/adb"), "");
  const android = { steps: [["./android/gradlew", "-p", "android", "build"]] };
  writeTree(project, {
    "android/local.properties": "sdk.dir=../sdk\n",
    "project.config.json": JSON.stringify({
      name: "Game",
      startScene: "a.scene.json",
      build: { web: { out: "dist" }, android },
    }),
  });
  const run = await runScriptFile("toolchain", ["add", "platform-tools"], {
    cwd: project,
    env: { HOME: at, XDG_DATA_HOME: join(at, "data"), PATH: join(at, "bin"), JAVA_HOME: jdk },
  });
  assert.equal(run.code, 1, run.stdout);
  assert.match(run.stderr, /\/sdk is in the project's folder, whose programs only a build runs/);
  assert.ok(!existsSync(join(at, "ran")));
});

test(
  "toolchain preflight and status call no target ready for which the project has no steps",
  posix,
  async () => {
    const tools = folder();
    provide(tools);
    const project = folder();
    const settings = { name: "Game", startScene: "a.scene.json", build: { web: { out: "dist" } } };
    writeTree(project, { "project.config.json": JSON.stringify(settings) });
    const answers = async (...words: readonly string[]) => {
      const args = [...words, "--project", project, "--json"];
      return JSON.parse((await toolchain(args, { SVC_TOOLCHAIN_DIR: tools })).stdout);
    };
    const { ready, lacks } = await answers("preflight", "android");
    assert.deepEqual([ready, lacks[0].name], [false, "project.config.json"]);
    const { preflight: { android } } = await answers("status");
    assert.deepEqual([android.ready, android.lacks], [ready, lacks]);
  },
);

test(
  "toolchain diagnostics holds no home folder, user name, password or secret",
  posix,
  async () => {
    const run = toolchain(["diagnostics"], {
      USER: "jsmith",
      SVC_TOKEN: "hush-token",
      SVC_OTA_KEY: "hush-key",
      SVC_MIRROR_PASSWORD: "hush-pass",
      SVC_FFMPEG: "/srv/jsmith/ffmpeg",
      HTTPS_PROXY: "http://jsmith:hush-word@proxy.test:8080",
      SVC_TOOLCHAIN_MIRRORS: '{"https://nodejs.org/":"https://me:hush-too@mirror.test/"}',
      NODE_OPTIONS: "",
    });
    const { stdout, stderr, code } = await run;
    assert.equal(code, 0, stderr);
    for (const secret of ["hush", "jsmith", "Jo Smith", run.home]) {
      assert.ok(!stdout.includes(secret), secret);
    }
    const report = JSON.parse(stdout);
    assert.equal(report.status.tools.length, TOOL_IDS.length);
    assert.match(report.network.https, /proxy\.test:8080/);
    assert.deepEqual(
      [
        report.environment.SVC_TOKEN,
        report.environment.SVC_OTA_KEY,
        report.environment.PATH.split(":").at(-1),
      ],
      ["(set)", "(set)", "~/bin"],
    );
    assert.match(report.runtime, /^(?:Deno|Node) \d/);
  },
);

const USAGE: readonly (readonly [readonly string[], RegExp])[] = [
  [["status", "java"], /status takes no word "java"/],
  [
    ["detect"],
    /detect needs a tool id: expected one of toktx.*\n {2}next: Run '.*slipway.* toolchain detect/,
  ],
  [["export"], /export needs a path\n {2}next: Run '.*slipway.* toolchain export PATH'/],
  [["export", ""], /export needs a path\n/],
  [["import", ""], /import needs a path\n/],
  [["install", ""], /install needs a tool id: expected one of toktx/],
  [["install", "jav"], /Unknown tool "jav".*\n {2}next: Did you mean java\?/],
  [["preflight", "psp"], /Unknown target "psp"/],
  [["status", "--java", "--json"], /Flag --java has no value: found the flag --json after it/],
  [["guide", "java", "--java", "/j"], /guide takes no flag --java/],
];

for (const [args, message] of USAGE) {
  test(`toolchain refuses ${args.join(" ")} as a wrong usage`, posix, async () => {
    const { code, stdout, stderr } = await host.run("toolchain", ...args);
    assert.equal(code, 2);
    assert.match(stdout + stderr, message);
  });
}

for (
  const [terminal, env, coloured] of [
    [true, {}, true],
    [true, { NO_COLOR: "" }, true],
    [true, { NO_COLOR: "1" }, false],
    [true, { TERM: "dumb" }, false],
    [false, {}, false],
  ] as const
) {
  test(`createPaint() with terminal ${terminal} and ${JSON.stringify(env)}`, () => {
    assert.equal(createPaint({ terminal, env }).bad("x") !== "x", coloured);
  });
}

test("toolchain --json prints one object and exits as the answer says", posix, async () => {
  const packaged = { SVC_PACKAGED: "1" };
  for (
    const [args, exit] of [[["status"], 0], [["detect", "java"], 0], [
      ["resolve", "java"],
      1,
    ]] as const
  ) {
    const { stdout, code } = await toolchain([...args, "--json"], packaged);
    assert.deepEqual([stdout.trim().split("\n").length, code], [1, exit], args.join(" "));
    assert.equal(typeof JSON.parse(stdout), "object");
  }
});

test(
  "toolchain settings tells a damaged file from one that was never there",
  posix,
  async () => {
    const readReport = async (text?: string) => {
      const data = folder();
      if (text !== undefined) put(join(data, "slipway/toolchain/settings.json"), text);
      const env = { XDG_DATA_HOME: data };
      const { problem } = JSON.parse((await toolchain(["settings", "--json"], env)).stdout);
      return [(await toolchain(["settings"], env)).stdout.split("\n")[1], problem?.code];
    };
    assert.deepEqual(await readReport(), ["  never set: the default holds", undefined]);
    assert.deepEqual(await readReport("{"), [
      "  the file is invalid: the default holds",
      "settings-damaged",
    ]);
  },
);

test(
  "toolchain repair and verify of what is not installed say so, and accept no terms",
  posix,
  async () => {
    const run = toolchain(["repair", "java"]);
    const { code, stderr } = await run;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Cannot repair java: it is not installed\n {2}next: Run '.*slipway\.[jt]s toolchain install java'/,
    );
    assert.ok(!existsSync(join(run.home, "data/slipway/toolchain/licences.json")));
    assert.equal((await toolchain(["verify", "java"])).stdout, "java is not installed\n");
    assert.match((await toolchain(["repair", "toktx"])).stderr, /^error: Cannot repair toktx: /);
    for (const [command, code] of [["verify", 1], ["uninstall", 0]] as const) {
      const other = toolchain([command, "gltfpack"]);
      const readReport = await other;
      assert.equal(readReport.code, code);
      assert.equal(
        readReport.stdout,
        `gltfpack is not installed: ${
          join(other.home, "bin/gltfpack")
        } comes from elsewhere, and has no receipt\n`,
      );
    }
  },
);

test("toolchain verify says of an own copy that its receipt cannot be read", posix, async () => {
  const tools = folder();
  provide(tools);
  put(join(tools, "receipts/jdk.json"), "{");
  const { stdout, code } = await toolchain(["verify", "java"], { SVC_TOOLCHAIN_DIR: tools });
  assert.equal(code, 1);
  assert.equal(
    stdout,
    `java is at ${
      join(tools, "jdk")
    }, and its receipt is missing or cannot be read: install it again\n`,
  );
});

for (const json of [false, true]) {
  test(
    `toolchain install${
      json ? " --json" : ""
    }, interrupted, cleans up and says so; it asks nobody in a pipe`,
    posix,
    async () => {
      let interrupt = () => {};
      let seen = false;
      const server = createServer((_request, response) => {
        response.write("x".repeat(1_000));
        seen = true;
        interrupt();
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      const address = server.address();
      assert.ok(address !== null && typeof address === "object");
      const there = `http://127.0.0.1:${address.port}/`;
      try {
        const run = toolchain(["install", "java", ...(json ? ["--json"] : [])], {
          SVC_TOOLCHAIN_MIRRORS: JSON.stringify({ "https://github.com/": there }),
        }, (stop) => interrupt = stop);
        const { code, stdout, stderr } = await run;
        const toolchainDir = join(run.home, "data/slipway/toolchain");
        const downloads = join(toolchainDir, "downloads");
        assert.ok(seen, stderr);
        assert.equal(code, 130, stderr);
        if (json) {
          const { ok, code, next } = JSON.parse(stdout);
          assert.deepEqual([ok, code], [false, "cancelled"]);
          assert.match(next, /Start it again/);
          for (const line of stderr.trim().split("\n")) JSON.parse(line || "{}");
        } else {
          const isKept = existsSync(downloads) &&
            readdirSync(downloads).some((name) => name.endsWith(".part"));
          const kept = isKept ? "; what was downloaded is kept" : "";
          assert.match(stderr, new RegExp(`(?:^|\\n)cancelled: java was not installed${kept}\\n$`));
        }
        assert.deepEqual(litterOf(toolchainDir), []);
        assert.ok(!existsSync(join(toolchainDir, "jdk")));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  );
}

for (const interrupted of [false, true]) {
  test(
    `toolchain verify-pins that ${interrupted ? "is interrupted" : "reaches nobody"} is no success`,
    posix,
    async () => {
      let interrupt = () => {};
      const proxy = createConnections((socket) => {
        if (!interrupted) return socket.destroy();
        socket.once("data", (asked) => {
          if (!/^CONNECT (?:nodejs\.org|github\.com|dl\.google\.com):443 /.test(String(asked))) {
            return;
          }
          interrupt();
          interrupt = () => {}; // a second Ctrl-C ends the process at once
        });
      });
      await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
      const address = proxy.address();
      assert.ok(address !== null && typeof address === "object");
      try {
        const HTTPS_PROXY = `http://127.0.0.1:${address.port}`;
        const env = { HTTPS_PROXY, https_proxy: HTTPS_PROXY };
        const { code, stdout, stderr } = await toolchain(
          ["verify-pins", ...(interrupted ? ["--json"] : [])],
          env,
          (stop) => interrupt = stop,
        );
        assert.equal(code, interrupted ? 130 : 1, stderr);
        if (interrupted) assert.equal(JSON.parse(stdout).code, "cancelled");
        else assert.match(stdout, /pins: 0 same, .*\nnothing could be compared: see above why\n$/);
      } finally {
        proxy.close();
      }
    },
  );
}
