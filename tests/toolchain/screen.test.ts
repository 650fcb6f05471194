import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  createToolchain,
  type DescribeOptions,
  type LookOptions,
  type Platform,
  TOOL_IDS,
} from "../../lib/toolchain/mod.ts";
import { widthOf } from "../../scripts/shared/columns.ts";
import { preflightText, statusText, toolText } from "../../scripts/toolchain/doctor.ts";
import { createPaint } from "../../scripts/toolchain/paint.ts";
import { toolProject } from "../../scripts/toolchain/project.ts";
import { put } from "./install-world.ts";
import { androidSdk, answer, type Entry, jdk, machine } from "./machine.ts";
import { folder, runtime } from "./real-machine.ts";

const paint = createPaint({ terminal: false, env: {} });
const TARGETS = ["android", "ios"] as const;

interface Given {
  readonly platform: Platform;
  readonly env?: Readonly<Record<string, string>>;
  readonly entries?: Readonly<Record<string, Entry>>;
  /** Whether no program tells its version. */
  readonly broken?: boolean;
  /** How the person runs the program. */
  readonly cli?: string;
}

/** A machine as the script sees it, with its reports on a screen of so many columns. */
function reports(
  { platform, env = {}, entries = {}, broken = false, cli = "npx slipway" }: Given,
  { columns, ...needed }: { readonly columns: number | null } & LookOptions & DescribeOptions,
) {
  const on = machine({
    platform,
    arch: platform === "darwin" ? "arm64" : "x64",
    env,
    entries,
    run: ({ command }) => answer(broken ? "killed" : said(command))(),
  });
  const toolchain = createToolchain({ ...on, host: { ...on.host, cli } });
  const screen = { paint, columns };
  const project = needed.targets && { root: "/games/harbor", name: "Harbor Run", needed };
  return {
    status: async () =>
      statusText(await toolchain.status(needed), { screen, home: on.host.home, cli, project }),
    preflight: async () => preflightText(await toolchain.preflight("android", needed), screen),
    detect: async (id: "java" | "toktx") =>
      toolText(await toolchain.describe(await toolchain.detect(id, needed), needed), {
        screen,
        guide: toolchain.guide(id),
      }),
  };
}

const LONG = "/very long/path of a person/who keeps everything in order/in folders of folders";
const PROGRAMS = ["npm", "xcodebuild", "pod", "toktx", "msdf-atlas-gen", "ffmpeg", "ffprobe"]
  .concat("gltfpack", "gltf-transform");

/** What the programs tell of themselves; versions as nightly builds have them. */
function said(command: string): string {
  const [, ff] = /(ffmpeg|ffprobe)(?:\.exe)?$/.exec(command) ?? [];
  if (ff !== undefined) {
    return `${ff} version n7.1.1-56-gc2184b65d2-20250716-static Copyright (c) 2000-2025 the\n`;
  }
  if (/xcodebuild/.test(command)) return "Xcode 16.2\n";
  return /gltfpack/.test(command) ? "gltfpack 0.18\n" : "10.8.2\n";
}

/** Everything there, in a folder with a long name. */
function everything(platform: Platform): Given {
  const root = platform === "win32" ? `C:${LONG}` : LONG;
  const ending = platform === "win32" ? ".exe" : "";
  const java = jdk(`${root}/jdk`, "21.0.11+10-LTS-2026-04-21-nightly");
  return {
    platform,
    env: { PATH: `${root}/bin`, JAVA_HOME: `${root}/jdk`, ANDROID_HOME: `${root}/sdk` },
    entries: {
      ...Object.fromEntries(
        [...PROGRAMS.map((name) => `bin/${name}`), "jdk/bin/java", "jdk/bin/javac"]
          .concat("sdk/platform-tools/adb", "sdk/build-tools/36.0.0/aapt2")
          .map((path) => [`${root}/${path}${ending}`, { program: path }]),
      ),
      ...java,
      ...androidSdk(`${root}/sdk`),
    },
  };
}

for (const platform of ["linux", "darwin", "win32"] as const) {
  const machines: Readonly<Record<string, Given>> = {
    "nothing there": { platform },
    "everything there": everything(platform),
    "tools of no use": {
      ...everything(platform),
      broken: true,
      env: {
        ...everything(platform).env,
        JAVA_HOME: `${LONG}/no jdk`,
        SVC_PACKAGED: "1",
        SVC_FFMPEG: `${LONG}/no ffmpeg`,
        ...Object.fromEntries(
          ["SVC_FMPEG", "SVC_NMP", "SVC_TOKTXX", "SVC_GLTFPAK", "SVC_XCODEBILD"].map((name) => [
            name,
            "1",
          ]),
        ),
      },
    },
  };
  for (const [what, given] of Object.entries(machines)) {
    test(`statusText() on ${platform} with ${what} is one screen of 80×24`, async () => {
      for (const targets of [undefined, TARGETS]) {
        const text = await reports(given, { columns: 80, targets }).status();
        const lines = text.split("\n");
        // A row for what was typed, and one for the next prompt.
        assert.ok(lines.length <= 22, `${lines.length} lines:\n${text}`);
        for (const line of lines) assert.ok(widthOf(line) <= 80, `${widthOf(line)}: ${line}`);
        for (const id of TOOL_IDS) assert.ok(text.includes(id), `${id} in\n${text}`);
      }
    });
  }

  test(`statusText() on ${platform} cuts no command, and nothing in a pipe`, async () => {
    const cli = "deno run -A /home/a person/slipway/scripts/slipway.ts";
    for (const columns of [40, 80, null]) {
      const text = await reports({ platform, cli }, { columns, targets: TARGETS }).status();
      for (const line of text.split("\n")) {
        if (columns === null) assert.ok(!line.includes("…"), line);
        else if (!line.startsWith(`    ${cli}`)) assert.ok(widthOf(line) <= columns, line);
      }
      assert.ok(text.includes(`    ${cli} toolchain install java\n`), text);
    }
    const narrow = await reports(everything(platform), { columns: 40 }).status();
    for (const line of narrow.split("\n")) assert.ok(widthOf(line) <= 40, line);
    const all = await reports(everything(platform), { columns: null }).status();
    assert.match(all, /-static(?: \(\d+\))? [/A-Z]/, `a version stands by itself:\n${all}`);
    assert.ok(
      all.includes(LONG.replaceAll("/", platform === "win32" ? "\\" : "/")) || all.includes(LONG),
      all,
    );
    assert.match(all, /ffmpeg .*-static(?: \(\d+\))? \S/, "a long version has a space after it");
  });
}

test("statusText() writes ~ for the home folder, and for none that is named like it", async () => {
  for (
    const [home, shown] of [["/home/user/jdk", "~/jdk"], ["/home/user2/jdk", "/home/user2/jdk"], [
      "/opt/home/user/jdk",
      "/opt/home/user/jdk",
    ]] as const
  ) {
    const given: Given = { platform: "linux", env: { JAVA_HOME: home }, entries: jdk(home, "21") };
    const text = await reports(given, { columns: 80 }).status();
    assert.match(text, new RegExp(`✓ java .* ${shown}\n`));
  }
});

/** Sizes follow the pins. */
function unsized(line: string): string {
  return line.replaceAll(/\d+(?:\.\d)? [MG]B/g, "<size>");
}

test("statusText() on Linux with nothing there reads so", async () => {
  const text = await reports({ platform: "linux" }, { columns: 80, targets: TARGETS }).status();
  assert.deepEqual(text.split("\n").map(unsized), [
    "Build tools on Linux for Harbor Run",
    "✓ found  ✗ missing  ○ missing, optional  own: /data/slipway/toolchain",
    "",
    "Android  ✗ android-sdk        not found",
    "         ✗ java               not found",
    "Model    ○ toktx              npx slipway toolchain guide toktx",
    "         ○ gltf-transform-cli npx slipway toolchain install gltf-transform-cli",
    "         ○ gltfpack           npx slipway toolchain install gltfpack",
    "Text     ○ msdf-atlas-gen     npx slipway toolchain guide msdf-atlas-gen",
    "Audio    ○ ffmpeg             npx slipway toolchain install ffmpeg",
    "         ○ ffprobe            npx slipway toolchain install ffprobe",
    "Core     ✗ npm                not found",
    "         - on macOS only: xcodebuild, cocoapods",
    "",
    "✗ android not ready: npm, java, android-sdk; <size> to download, <size> of disk",
    "    npx slipway toolchain install npm",
    "    npx slipway toolchain install java",
    "    npx slipway toolchain install android-sdk",
    "- ios     built on macOS only, and this is Linux",
    "why, and other ways: npx slipway toolchain detect npm",
  ]);
});

for (const platform of ["linux", "darwin", "win32"] as const) {
  test(`statusText() on ${platform} of a project that lacks much is one screen of 80×24`, async () => {
    const raise =
      "Raise Gradle to 8.5 or newer in android/gradle/wrapper/gradle-wrapper.properties " +
      "(for Capacitor: npx cap migrate), or set user.sdk.java in project.config.json to a JDK 17";
    const fixes = ["npm install", 'Set "webDir": "dist" in capacitor.config.json', raise]
      .concat(["npx cap add android", "Raise Gradle to 8.13 in it", "Correct ./gradlew", "x", "y"]);
    const on = machine({ platform, env: { SVC_FMPEG: "1" } });
    const status = await createToolchain(on).status();
    const lacking = (target: "android" | "ios") => ({
      ...status.preflight[target],
      ready: false,
      lacks: fixes.map((fix) => ({ name: "a file", reason: "it lacks", fix: `${fix} ${target}` })),
    });
    const preflight = { android: lacking("android"), ios: lacking("ios") };
    const shown = { home: on.host.home, cli: "npx slipway" };
    const textOf = (columns: number | null) =>
      statusText({ ...status, preflight }, { ...shown, screen: { paint, columns } });
    const text = textOf(80);
    const rows = text.split("\n").map((line) => Math.max(1, Math.ceil(widthOf(line) / 80)));
    assert.ok(rows.reduce((sum, each) => sum + each, 0) <= 22, `${rows}:\n${text}`);
    assert.match(text, /\n {4}\d+ more: npx slipway toolchain preflight android\n/);
    assert.match(text, /^! /m, "the warning has a line");
    const complete = textOf(null).split("\n");
    const commands = text.split("\n").filter((line) => /^ {4}(?!\d+ more)\S/.test(line));
    assert.ok(commands.length > 0);
    for (const line of commands) assert.ok(complete.includes(line), `no command is cut: ${line}`);
    for (const fix of fixes) assert.ok(textOf(null).includes(`\n    ${fix} android\n`), fix);
  });
}

test("statusText() of a project without android says so, and needs nothing for it", async () => {
  const text = await reports({ platform: "darwin" }, { columns: 80, targets: ["ios"] }).status();
  const lines = text.split("\n");
  assert.deepEqual(
    lines.filter((line) => /^[A-Za-z ]{9}✗/.test(line)).map((line) => line.slice(11, 30).trim()),
    ["xcodebuild", "npm"],
  );
  assert.deepEqual(lines.slice(-5).map(unsized), [
    "- android not a target of this project",
    "✗ ios     not ready: npm, xcodebuild; <size> to download, <size> of disk",
    "    npx slipway toolchain install npm",
    "    npx slipway toolchain guide xcodebuild",
    "why, and other ways: npx slipway toolchain detect npm",
  ]);
});

test("statusText() of what is ready says nothing to do", async () => {
  const text = await reports(everything("darwin"), { columns: 80, targets: TARGETS }).status();
  assert.deepEqual(text.split("\n").slice(-2), [
    "✓ android ready to build",
    "✓ ios     ready to build",
  ]);
});

test("statusText() cuts a long version, and not the year of the build", async () => {
  const text = await reports(everything("linux"), { columns: 80, targets: TARGETS }).status();
  assert.match(text, /✓ ffmpeg +n7\.1\.1-5… \(2025\) \//);
});

test("preflightText() and toolText() wrap at the screen, and leave commands and paths whole", async () => {
  const given: Given = { platform: "linux", env: { JAVA_HOME: `${LONG}/no jdk` } };
  const { preflight, detect } = reports(given, { columns: 80 });
  const missing = await preflight();
  assert.match(
    missing,
    /\n {2}2\. java\n {5}\S.*\n(?: {5}.*\n)* {5}npx slipway toolchain install java\n/,
  );
  const java = await detect("java");
  assert.match(java, /\n {2}fix: npx slipway toolchain install java\n/);
  assert.ok(java.includes(`  env        ${LONG}/no jdk\n`), java);
  assert.match(java, /\n {2}1\. Install a JDK of major version 21/, "the other ways are there");
  for (const line of `${missing}\n${java}\n${await detect("toktx")}`.split("\n")) {
    assert.ok(widthOf(line) <= 80 || line.includes(LONG.split(" ").at(-1) ?? ""), line);
  }
});

test("preflightText() names what is not known for one reason once, and cuts no reason", () => {
  const why =
    "the app's own project, or a file of it, is outside the project's folder, and is read " +
    "in a build, `build --dry-run` or `toolchain preflight`";
  const unknown = [
    { name: "node", why: "it is not run" },
    ...(["gradle", "androidPlugin", "sdk"] as const).map((name) => ({ name, why })),
  ] as const;
  const target = { target: "android", ready: true, missing: [], bytes: 0, plan: [] } as const;
  const text = preflightText({ ...target, unknown }, { paint, columns: 80 });
  assert.match(text, /^. android +ready to build, as far as known\n {2}\? node +it is not run\n/);
  assert.match(text, /\n {2}\? gradle, androidPlugin, sdk\n/);
  assert.ok(text.replace(/\s+/g, " ").endsWith(why), text);
  for (const line of text.split("\n")) assert.ok(widthOf(line) <= 80, line);
});

test("toolProject() is the project that is named, else the one in the folder, else none", async () => {
  const home = folder();
  const config = {
    name: "Harbor Run",
    startScene: "scenes/main.scene.json",
    build: { web: { command: ["true"], out: "dist" }, android: { steps: [["true"]] } },
    user: { sdk: { java: "/opt/jdk" } },
  };
  put(join(home, "game/project.config.json"), JSON.stringify(config));
  put(join(home, "damaged/project.config.json"), "{");
  put(join(home, "empty/.keep"), "");
  put(join(home, "game/assets/scenes/.keep"), "");
  const find = async (name: string | null) =>
    await toolProject(
      {
        positionals: [],
        switches: {},
        values: name === null ? {} : { project: join(home, name) },
      },
      runtime,
    );
  const above = await toolProject(
    { positionals: [], switches: {}, values: {} },
    runtime,
    join(home, "game/assets/scenes"),
  );
  assert.match(above.ok ? "" : above.error.next ?? "", /add --project ".*[/\\]game"$/);
  const game = await find("game");
  assert.ok(game.ok && game.value !== null, JSON.stringify(game));
  assert.deepEqual(
    [game.value.root, game.value.name, game.value.needed.targets, game.value.needed.overrides],
    [join(home, "game"), "Harbor Run", ["android"], { java: "/opt/jdk" }],
  );
  for (
    const [name, code] of [["damaged", "config-invalid"], ["empty", "config-missing"]] as const
  ) {
    const refused = await find(name);
    assert.ok(!refused.ok && refused.error.code === code, JSON.stringify(refused));
  }
  assert.deepEqual(await find(null), { ok: true, value: null }, "this checkout is no project");
});

test("no report hands a terminal what a path holds for it", async () => {
  const env = { JAVA_HOME: "/a\x1b[2J\nb", SVC_FFMPEG: "/c\x1b]0;d\x07" };
  const { status, preflight, detect } = reports({ platform: "linux", env }, { columns: 80 });
  for (const text of [await status(), await preflight(), await detect("java")]) {
    assert.ok(!text.includes("\x1b") && !text.includes("\x07"), JSON.stringify(text));
    assert.ok(!text.includes("\nb"), text);
  }
});

test("statusText() marks a damaged copy, and says which command repairs it", async () => {
  const on = machine({ platform: "linux" });
  const status = await createToolchain(on).status();
  const damaged = {
    damaged: true,
    reason: "damaged: bin/java may not be executed",
    fix: "npx slipway toolchain repair java",
  };
  const tools = status.tools.map((tool) => tool.id === "java" ? { ...tool, ...damaged } : tool);
  const screen = { paint, columns: 80 };
  const text = statusText({ ...status, tools }, { screen, home: "/h", cli: "npx slipway" });
  assert.match(text, /\n {9}! java {15}damaged: bin\/java may not be executed\n/);
  assert.match(text, /optional {2}! damaged/);
});
