import { PINS } from "../../lib/toolchain/tools/tools.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { shellWord } from "../../lib/core/shell-word.ts";
import { checkTarget } from "../../lib/project/building/build-target.ts";
import { preflightBuild } from "../../lib/project/building/target-preflight.ts";
import { packagesFor } from "../../lib/toolchain/bundle/contents.ts";
import { notInstallable } from "../../lib/toolchain/install/install.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { COMMANDS } from "../../scripts/shared/commands.ts";
import { invocationOf, type Start } from "../../scripts/shared/invocation.ts";
import { findCall } from "../../scripts/slipway.ts";
import { packageRoot, packageVersion } from "../../scripts/shared/runtime.ts";
import { assertCommands } from "../support/printed-commands.ts";
import { runScriptFile } from "../support/script.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";
import { machine } from "../toolchain/machine.ts";
import { provide } from "../toolchain/real-machine.ts";
import { findNpm, withoutShell } from "../support/needs.ts";

const posix = { skip: withoutShell };

const CHECKOUT: Start = {
  started: "/src/slipway/scripts/slipway.ts",
  program: "/src/slipway/scripts/slipway.ts",
  cwd: "/src/slipway",
  env: { PATH: "/usr/bin:/usr/local/bin" },
  runtime: { name: "deno", path: "/opt/deno/bin/deno" },
  exists: (path) => ["deno", "node", "npx"].some((name) => path === `/usr/bin/${name}`),
};
const DENO_FROM_NPM = { ...CHECKOUT, exists: () => false };
const NPM = { npm_lifecycle_event: "slipway", npm_package_json: "/src/slipway/package.json" };
const DIST = {
  ...CHECKOUT,
  started: "/src/slipway/dist/scripts/toolchain.js",
  program: "/src/slipway/dist/scripts/slipway.js",
  runtime: { name: "node", path: "/opt/node/bin/node" },
} as const;
const BIN = { ...DIST, started: "/home/jo/game/node_modules/.bin/slipway", cwd: "/home/jo/game" };

const STARTS: readonly (readonly [string, Start, string])[] = [
  ["from a checkout under Deno", CHECKOUT, "deno run -A scripts/slipway.ts"],
  [
    "as one of the single scripts",
    { ...CHECKOUT, started: "/src/slipway/scripts/ota-publish.ts" },
    "deno run -A scripts/slipway.ts",
  ],
  [
    "from outside the checkout",
    { ...CHECKOUT, cwd: "/home/jo/my game" },
    "deno run -A /src/slipway/scripts/slipway.ts",
  ],
  [
    "from a checkout with a space in its name",
    { ...CHECKOUT, program: "/src/my game/scripts/slipway.ts", cwd: "/home" },
    'deno run -A "/src/my game/scripts/slipway.ts"',
  ],
  ["where Deno came from npm and is on no PATH", DENO_FROM_NPM, "npm run slipway --"],
  ["by npm in a checkout", { ...CHECKOUT, env: NPM }, "npm run slipway --"],
  [
    "by npm on Windows, where PowerShell would drop the flags",
    { ...CHECKOUT, env: NPM, onWindows: true },
    "npm.cmd run slipway --",
  ],
  [
    "by npm start",
    { ...CHECKOUT, env: { ...NPM, npm_lifecycle_event: "start", INIT_CWD: "/src/slipway/lib" } },
    "npm run slipway --",
  ],
  [
    "by npm from outside the checkout",
    { ...CHECKOUT, env: { ...NPM, INIT_CWD: "/home/jo" } },
    "npm --prefix /src/slipway run slipway --",
  ],
  [
    "below another project's npm script",
    { ...CHECKOUT, env: { ...CHECKOUT.env, ...NPM, npm_package_json: "/home/jo/package.json" } },
    "deno run -A scripts/slipway.ts",
  ],
  ["from dist/", DIST, "node dist/scripts/slipway.js"],
  [
    "from dist/, by a Node that is on no PATH",
    { ...DIST, exists: () => false },
    "/opt/node/bin/node dist/scripts/slipway.js",
  ],
  ["by npx", { ...BIN, env: { ...CHECKOUT.env, npm_lifecycle_event: "npx" } }, "npx slipway"],
  ["from a project's bins", BIN, "npx slipway"],
  [
    "by a path, below the project",
    { ...BIN, started: "../node_modules/.bin/slipway", cwd: "/home/jo/game/assets" },
    "npx slipway",
  ],
  [
    "by a path, beside the project",
    { ...BIN, cwd: "/home/jo/game2" },
    "npx --prefix /home/jo/game slipway",
  ],
  [
    "by a path, above the project",
    { ...BIN, started: "my game/node_modules/slipway/dist/scripts/slipway.js", cwd: "/home/jo" },
    'npx --prefix "my game" slipway',
  ],
  [
    "by npm --prefix in a project that has it",
    { ...BIN, env: { ...CHECKOUT.env, INIT_CWD: "/home/jo" } },
    "npx --prefix game slipway",
  ],
  [
    "from a project's bins, where Node came without npm",
    { ...BIN, exists: (path) => path === "/usr/bin/node" },
    "node_modules/.bin/slipway",
  ],
  [
    "by npx, which fetched it",
    { ...BIN, started: "/home/jo/.npm/_npx/7a40/node_modules/.bin/slipway", cwd: "/srv" },
    "npx slipway",
  ],
  [
    "by the npm script of a project that has it",
    { ...BIN, env: { ...CHECKOUT.env, ...NPM, npm_package_json: "/home/jo/game/package.json" } },
    "npx slipway",
  ],
  ["installed globally", { ...DIST, started: "/usr/local/bin/slipway" }, "slipway"],
  [
    "as the package of publishing, by npx",
    {
      ...BIN,
      name: "slipway-publish",
      started: "/home/jo/.npm/_npx/7a40/node_modules/.bin/slipway-publish",
      cwd: "/srv",
    },
    "npx slipway-publish",
  ],
  [
    "as the package of publishing, installed globally",
    { ...DIST, name: "slipway-publish", started: "/usr/local/bin/slipway-publish" },
    "slipway-publish",
  ],
  ["as a single bin that is global", { ...DIST, started: "/usr/local/bin/slipway-mcp" }, "slipway"],
  ["installed where no PATH leads", { ...DIST, started: "/opt/x/slipway" }, "/opt/x/slipway"],
];

for (const [how, start, expected] of STARTS) {
  test(`invocationOf() of what was started ${how}`, () => {
    assert.equal(invocationOf(start), expected);
  });
}

const CALLS: readonly (readonly [string, string | undefined, string])[] = [
  ["publish --name build", "publish", "--name build"],
  ["--json publish --version v1", "publish", "--json --version v1"],
  ["--name build publish --dist d", "publish", "--name build --dist d"],
  ["--deep toolchain verify java", "toolchain", "--deep verify java"],
  ["--help verify", "verify", "--help"],
  ["--jsn verify", "verify", "--jsn"],
  ["toolchain verify java", "toolchain", "verify java"],
  ["--version", undefined, ""],
  ["-- publish", undefined, ""],
];

for (const [line, name, rest] of CALLS) {
  test(`findCall() of ${line}`, async () => {
    const call = await findCall(line.split(" "));
    assert.deepEqual([call?.name, call?.argv.join(" ") ?? ""], [name, rest]);
  });
}

test("slipway lists its commands, alone and with --help", async () => {
  for (const args of [[], ["--help"]]) {
    const { stdout, code } = await runScriptFile("slipway", args);
    assert.equal(code, 0);
    for (const [name, doc] of Object.entries(COMMANDS)) {
      assert.match(stdout, new RegExp(`^ {2}${name} +${doc}$`, "m"));
    }
  }
});

test("every command answers --help with its usage as it is called", async () => {
  for (const name of Object.keys(COMMANDS)) {
    const call = await findCall([name]);
    assert.match(call?.module.SPEC.usage ?? "", new RegExp(`^[^\n]+ ${name} `));
  }
  const { stdout, code } = await runScriptFile("slipway", ["publish", "--help"]);
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: .*slipway.* publish --dist DIR/);
});

test("slipway --version is the package's", async () => {
  const { stdout, code } = await runScriptFile("slipway", ["--version"]);
  assert.deepEqual([stdout, code], [`${packageVersion()}\n`, 0]);
});

test("slipway names the nearest of a command that does not exist", async () => {
  const { stderr, code } = await runScriptFile("slipway", ["publsh", "--version", "v1"]);
  assert.equal(code, 2);
  assert.match(stderr, /Unknown command "publsh".*\n.*Did you mean publish\?/);
});

/** A project whose web build is a line of shell. */
async function withBuild(line: string, work: (args: readonly string[]) => Promise<void>) {
  await withFolder(async (folder) => {
    const web = { command: ["sh", "-c", line], out: "dist" };
    const config = { name: "Game", startScene: "a.scene.json", build: { web } };
    writeFileSync(join(folder, "project.config.json"), JSON.stringify(config));
    await work(["build", "--project", folder]);
  });
}

test(
  "slipway build tells what the build prints, and where it is",
  posix,
  () =>
    withBuild("echo made; mkdir -p dist; echo x > dist/index.html", async (args) => {
      const built = await runScriptFile("slipway", args);
      assert.equal(built.code, 0, built.stderr);
      assert.match(built.stderr, /^made$/m);
      assert.equal(built.stdout, `Built web: the web build is in ${join(args[2] ?? "", "dist")}\n`);
      const [, , cwd = ""] = args;
      const within = await runScriptFile("slipway", ["build"], { cwd });
      assert.equal(within.stdout, "Built web: the web build is in dist\n");
      const there = await runScriptFile("slipway", args, { cwd: join(cwd, "dist") });
      assert.equal(there.stdout, built.stdout);
      const unknown = await runScriptFile("slipway", [...args, "wb"]);
      assert.equal(unknown.code, 2);
      assert.match(unknown.stderr, /Unknown target "wb".*\n.*Did you mean web\?/);
    }),
);

test(
  "slipway build fails with what failed, as one JSON object",
  posix,
  () =>
    withBuild("echo no such tool; exit 3", async (args) => {
      const failed = await runScriptFile("slipway", [...args, "--json"]);
      assert.equal(failed.code, 1);
      const { ok, message } = JSON.parse(failed.stdout);
      assert.equal(ok, false);
      assert.match(message, /no such tool/);
    }),
);

test("slipway build in a folder of a project says where that is", async () => {
  await withBuild("exit 3", async (args) => {
    const folder = args.at(-1) ?? "";
    const cwd = join(folder, "assets");
    mkdirSync(cwd);
    const { stderr, code } = await runScriptFile("slipway", ["build"], { cwd });
    assert.equal(code, 1);
    assert.match(stderr, /found no project\.config\.json in it\n.*add --project \S/);
  });
});

test("slipway build prints the commands that get what it lacks, one a line", async () => {
  await withFolder(async (folder) => {
    const steps = [["npx", "cap", "sync"], ["gradle"]];
    const build = { web: { command: ["make"], out: "dist" }, android: { steps } };
    // Told to be of no use by running it alone, as a build does.
    const sdk = { java: join(folder, "jdk") };
    mkdirSync(join(folder, "jdk/bin"), { recursive: true });
    writeFileSync(join(folder, "jdk/bin/java"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    const config = { name: "Game", startScene: "a.scene.json", build, user: { sdk } };
    writeFileSync(join(folder, "project.config.json"), JSON.stringify(config));
    const env = { SVC_PACKAGED: "1", SVC_TOOLCHAIN_DIR: join(folder, "own") };
    const args = ["build", "android", "--project", folder];
    const { stderr, code } = await runScriptFile("slipway", args, { env });
    assert.equal(code, 1);
    const [, received = ""] = /^ {2}next: (.*)$/ms.exec(stderr) ?? [];
    const [begin, ...commands] = received.trimEnd().split("\n    ");
    assert.match(begin ?? "", /^Do this.*, then build again:$/);
    assert.ok(
      commands.includes("Correct or remove user.sdk.java in project.config.json"),
      received,
    );
    assert.ok(
      commands.some((each) => /^\S.* toolchain (install|guide) android-sdk$/.test(each)),
      received,
    );
    assert.deepEqual(commands.slice(-4), [
      `cd ${shellWord(folder)}`,
      "npm install @capacitor/core@latest @capacitor/cli@latest @capacitor/android@latest",
      'npx cap init "Game" com.example.game --web-dir dist',
      "npx cap add android",
    ]);
  });
});

test(
  "slipway build prints how to fix what only Capacitor reports",
  { skip: withoutShell || findNpm().skip },
  () =>
    withFolder(async (folder) => {
      const cap = join(folder, "node_modules/.bin/cap");
      const reported = {
        app: { webDirAbs: join(folder, "old"), extConfigName: "capacitor.config.ts" },
        android: { webDirAbs: join(folder, "copy"), platformDirAbs: join(folder, "android") },
      };
      const packages = ["core", "cli", "android"].map((name) =>
        [`node_modules/@capacitor/${name}/package.json`, "{}"] as const
      );
      const steps = [["node_modules/.bin/cap", "sync", "android"]];
      const build = { web: { command: ["make"], out: "dist" }, android: { steps } };
      writeTree(folder, {
        ...Object.fromEntries(packages),
        "capacitor.config.ts": "",
        "android/build.gradle": "",
        "project.config.json": JSON.stringify({ name: "Game", startScene: "a.scene.json", build }),
      });
      writeFileSync(join(folder, "report.json"), JSON.stringify(reported));
      mkdirSync(join(cap, ".."), { recursive: true });
      writeFileSync(cap, "#!/bin/sh\nexec cat report.json\n", { mode: 0o755 });
      provide(join(folder, "own"));
      const args = ["build", "android", "--project", folder];
      const env = { SVC_TOOLCHAIN_DIR: join(folder, "own") };
      const { stderr, code } = await runScriptFile("slipway", args, { env });
      assert.equal(code, 1);
      assert.match(stderr, /it lacks capacitor\.config\.ts \(Capacitor copies .*old into the app/);
      assert.match(
        stderr,
        /next: In the project's folder: Set webDir to "dist" in capacitor\.config\.ts/,
      );
    }),
);

test(
  "slipway build --dry-run tells what it would run and use, and changes nothing",
  { skip: withoutShell || findNpm().skip },
  () =>
    withFolder(async (folder) => {
      const project = join(folder, "game");
      const build = {
        web: { command: ["make"], out: "dist" },
        android: { steps: [["./gradlew"]] },
      };
      writeTree(project, {
        "gradlew": 'exec java -jar "$APP_HOME/gradle/wrapper/gradle-wrapper.jar"\n',
        "gradle/wrapper/gradle-wrapper.properties":
          "distributionUrl=https://x/gradle-8.2.1-bin.zip\n",
        "project.config.json": JSON.stringify({ name: "Game", startScene: "a.scene.json", build }),
      });
      provide(join(folder, "own"));
      const before = treeOf(project);
      const run = (...more: readonly string[]) =>
        runScriptFile("slipway", ["build", "android", "--dry-run", "--project", project, ...more], {
          env: { SVC_TOOLCHAIN_DIR: join(folder, "own") },
        });
      const { stdout, code } = await run();
      assert.equal(code, 1, stdout);
      assert.match(stdout, /^runs {5}build\.web\.command: \["make"\]$/m);
      assert.match(stdout, /^empties {2}dist$/m);
      assert.match(
        stdout,
        /^✗ android not ready: gradle\/wrapper\/gradle-wrapper\.jar, as far as known$/m,
      );
      assert.match(stdout, /^ {2}✗ gradle {9}8\.2\.1 {2}gradle\/wrapper\/gradle-wrapper\.jar$/m);
      assert.match(stdout, /^ {2}✓ jdk .*\(21\.0\.11\)/m);
      assert.match(stdout, /^ {2}\? androidPlugin {2}no Gradle file names/m);
      const { preflight } = JSON.parse((await run("--json")).stdout);
      assert.deepEqual([preflight.target, preflight.ready], ["android", false]);
      assert.deepEqual(treeOf(project), before);
    }),
);

test(
  "slipway build ends its build at Ctrl-C",
  posix,
  () =>
    withBuild("echo $$ > begun; exec sleep 60", async (args) => {
      const begun = join(args.at(-1) ?? "", "begun");
      const ended = await runScriptFile("slipway", args, {
        onStart(interrupt) {
          const looking = setInterval(() => {
            if (!existsSync(begun)) return;
            clearInterval(looking);
            interrupt();
          }, 20);
        },
      });
      assert.equal(ended.code, 130, ended.stderr);
      const pid = Number(readFileSync(begun, "utf8"));
      assert.throws(() => process.kill(pid, 0), "the build's own process has ended");
    }),
);

for (const [platform, arch] of [["linux", "x64"], ["darwin", "arm64"], ["win32", "x64"]] as const) {
  test(`what a bare machine is told on ${platform} can be typed`, async () => {
    const on = machine({ platform, arch });
    const toolchain = createToolchain(on);
    await assertCommands(JSON.stringify(await toolchain.status()), on.host.cli);
    const web = { command: ["make"], out: "dist" } as const;
    const config = { name: "Game", startScene: "a.scene.json", build: { web } };
    const plan = { root: "/game", config, target: "android", steps: [] } as const;
    const look = { tools: {}, programs: "node" } as const;
    const refused = checkTarget(on, await preflightBuild({ ...on, toolchain }, plan, look));
    await assertCommands(refused.ok ? "" : refused.error.hint, on.host.cli);
  });
}

test("what the editor does not provide has a guide that can be typed", async () => {
  const { host: { cli, ...host } } = machine({});
  const bundle = packagesFor(["toktx"], { key: "linux-x64", pins: PINS, cli });
  for (const refused of [notInstallable("toktx", { ...host, cli }), bundle]) {
    await assertCommands(refused.ok ? "" : refused.error.next ?? "", cli);
  }
});

test(
  "slipway demo where no temporary folder can be made says which setting decides",
  posix,
  async () => {
    const env = { TMPDIR: join(packageRoot(), "package.json") };
    const { code, stderr } = await runScriptFile("slipway", ["demo"], { env });
    assert.equal(code, 1);
    assert.match(stderr, /^error: Cannot make a temporary folder: .*\n {2}next: Set TMPDIR to /);
  },
);
