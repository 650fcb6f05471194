import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appFacts } from "../../lib/project/building/app-facts.ts";
import {
  capacitorSteps,
  ownAppOf,
  projectLacks,
  readAppSettings,
} from "../../lib/project/building/capacitor.ts";
import { xcodeTarget } from "../../lib/project/building/xcode-steps.ts";
import { isRecord } from "../../lib/core/json.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import type { Command } from "../../lib/project/config/config.ts";
import { packagedSample } from "../../scripts/shared/own-sample.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const { files } = await loadRuntime();

const SYNC: Command = ["npx", "cap", "sync", "android"];
const GRADLE: Command = ["./android/gradlew", "assembleDebug"];
const NAMED = {
  dependencies: { "@capacitor/android": "8", "@capacitor/core": "8", game: "1" },
  devDependencies: { "@capacitor/cli": "8" },
};

function packages(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`node_modules/${name}/package.json`, "{}"]));
}

/** An app that lacks nothing. */
const WHOLE: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(NAMED),
  "capacitor.config.json": '{"webDir":"dist"}',
  "android/gradlew": "",
  ...packages("@capacitor/android", "@capacitor/core", "@capacitor/cli", "game"),
};

const ADD = "npx cap add android";

for (
  const [title, { steps = [SYNC, GRADLE], change = {}, without = [], want }] of [
    ["that has all of it", { want: [] }],
    ["whose packages are not installed", {
      without: ["node_modules/@capacitor/cli/package.json", "node_modules/game/package.json"],
      want: [[
        "node_modules",
        "found no @capacitor/cli, game, which package.json names",
        "npm install",
      ]],
    }],
    ["whose package.json does not name Capacitor", {
      without: ["node_modules/@capacitor/android/package.json"],
      change: { "package.json": "{}" },
      want: [[
        "node_modules",
        "found no @capacitor/android",
        "npm install @capacitor/android@latest",
      ]],
    }],
    ["with a package.json that is not JSON, and packages that are there", {
      change: { "package.json": "{" },
      want: [],
    }],
    ["of two major versions", {
      change: {
        "node_modules/@capacitor/core/package.json": '{"version":"8.5.2"}',
        "node_modules/@capacitor/cli/package.json": '{"version":"7.6.9"}',
      },
      want: [[
        "node_modules",
        "found @capacitor/core 8, @capacitor/cli 7: expected one major version",
        "npm install @capacitor/core@8 @capacitor/cli@8 @capacitor/android@8",
      ]],
    }],
    ["whose first step installs the packages", {
      steps: [["npm", "ci"], SYNC],
      without: ["node_modules/game/package.json"],
      want: [],
    }],
    ["without its platform", {
      without: ["android/gradlew"],
      want: [["android/", "the folder of the android app is not there", ADD]],
    }],
    ["whose first step adds the platform", {
      steps: [["npx", "cap", "add", "android"], SYNC],
      without: ["android/gradlew"],
      want: [],
    }],
    ["with its platform elsewhere", {
      change: { "capacitor.config.json": '{"webDir":"dist","android":{"path":"apps/droid"}}' },
      want: [["apps/droid/", "the folder of the android app is not there", ADD]],
    }],
    ["without settings", {
      without: ["capacitor.config.json"],
      want: [[
        "capacitor.config.json",
        "it is not there, expected the app's name, an id of your own and the web build's folder",
        'npx cap init "My Game" com.example.game --web-dir dist',
      ]],
    }],
    ["with settings that are a program", {
      without: ["capacitor.config.json"],
      change: { "capacitor.config.ts": "export default {}" },
      want: [],
    }],
    ["with settings that are not JSON", {
      change: { "capacitor.config.json": "{" },
      want: [[
        "capacitor.config.json",
        "it is not a JSON object",
        "Correct capacitor.config.json",
      ]],
    }],
    ["that would hold another folder", {
      change: { "capacitor.config.json": "{}" },
      want: [[
        "capacitor.config.json",
        'its webDir is "www", expected "dist": the web build\'s folder',
        'Set "webDir": "dist" in capacitor.config.json',
      ]],
    }],
    ["with the same folder, spelled otherwise", {
      change: { "capacitor.config.json": '{"webDir":"./dist/"}' },
      want: [],
    }],
    ["with settings behind a byte order mark, with line ends of Windows", {
      change: { "capacitor.config.json": '\uFEFF{\r\n  "webDir": "dist"\r\n}\r\n' },
      want: [],
    }],
    ["with the same folder, by way of another", {
      change: { "capacitor.config.json": '{"webDir":"web/../dist"}' },
      want: [],
    }],
    ["with a folder that a step of its own may fill", {
      steps: [["node", "copy.mjs"], SYNC, GRADLE],
      change: { "capacitor.config.json": '{"webDir":"www"}' },
      want: [],
    }],
    ["whose steps name Capacitor's program", {
      steps: [["node_modules/.bin/cap", "sync"]],
      without: ["android/gradlew"],
      want: [["android/", "the folder of the android app is not there", ADD]],
    }],
    ["whose steps let npx take no other", {
      steps: [["npx", "--no-install", "cap", "sync"]],
      without: ["android/gradlew"],
      want: [["android/", "the folder of the android app is not there", ADD]],
    }],
    ["that is not one of Capacitor's", {
      steps: [["npx", "vite", "cap"], ["node", "cap"], GRADLE],
      without: Object.keys(WHOLE),
      want: [],
    }],
  ] satisfies readonly (readonly [string, {
    readonly steps?: readonly Command[];
    readonly change?: Readonly<Record<string, string>>;
    readonly without?: readonly string[];
    readonly want: readonly (readonly [string, string, string])[];
  }])[]
) {
  test(`projectLacks() of an app ${title}`, () =>
    withFolder(async (folder) => {
      const kept = Object.entries(WHOLE).filter(([path]) => !without.includes(path));
      writeTree(folder, { ...Object.fromEntries(kept), ...change });
      const build = { web: { out: "dist" } };
      const config = { name: 'My "Game"', build };
      const lacks = await projectLacks(files, { root: folder, config, target: "android", steps });
      assert.deepEqual(lacks.map(({ name, reason, fix }) => [name, reason, fix]), want);
    }));
}

/** Projects of an app for iOS, and the words by which a step has Xcode build one. */
for (
  const [title, tree, words, want] of [
    [
      "with CocoaPods, built as a project",
      { "ios/App/Podfile": "" },
      "-project ios/App/App.xcodeproj",
      [
        "it builds ios/App/App.xcodeproj without the libraries of CocoaPods, which are in the workspace",
        "Write -workspace ios/App/App.xcworkspace in place of -project ios/App/App.xcodeproj there",
      ],
    ],
    [
      "with CocoaPods, built as a workspace",
      { "ios/App/Podfile": "" },
      "-workspace ios/App/App.xcworkspace",
      null,
    ],
    ["with the Swift package manager", {}, "-project ios/App/App.xcodeproj", null],
    [
      "with the Swift package manager, built as a workspace",
      {},
      "-workspace ios/App/App.xcworkspace",
      [
        "it builds ios/App/App.xcworkspace, which nothing makes: there is no Podfile",
        "Write -project ios/App/App.xcodeproj in place of -workspace ios/App/App.xcworkspace there",
      ],
    ],
    [
      "with a workspace of its own",
      {
        "ios/App/App.xcworkspace/contents.xcworkspacedata": "",
      },
      "-workspace ios/App/App.xcworkspace",
      null,
    ],
    [
      "with the Swift package manager, next to the workspace that CocoaPods left",
      {
        "ios/App/CapApp-SPM/Package.swift": "",
        "ios/App/App.xcworkspace/xcshareddata/IDEWorkspaceChecks.plist": "",
      },
      "-project ios/App/App.xcodeproj",
      null,
    ],
    [
      "with the Swift package manager, as the workspace that CocoaPods left without its content",
      {
        "ios/App/CapApp-SPM/Package.swift": "",
        "ios/App/App.xcworkspace/xcshareddata/IDEWorkspaceChecks.plist": "",
      },
      "-workspace ios/App/App.xcworkspace",
      [
        "it builds ios/App/App.xcworkspace, which nothing makes: there is no Podfile",
        "Write -project ios/App/App.xcodeproj in place of -workspace ios/App/App.xcworkspace there",
      ],
    ],
    [
      "with the Swift package manager, as a workspace of somebody's own",
      {
        "ios/App/CapApp-SPM/Package.swift": "",
        "ios/App/App.xcworkspace/contents.xcworkspacedata": "",
      },
      "-workspace ios/App/App.xcworkspace",
      null,
    ],
    ["of another name, which is not there", {}, "-project Other.xcodeproj", null],
  ] as const
) {
  test(`projectLacks() of an app for iOS ${title} (TOOL-17)`, () =>
    withFolder(async (root) => {
      writeTree(root, {
        "package.json": "{}",
        "capacitor.config.json": '{"webDir":"dist"}',
        "ios/App/App.xcodeproj/project.pbxproj": "",
        ...packages("@capacitor/ios", "@capacitor/core", "@capacitor/cli"),
        ...tree,
      });
      const steps: readonly Command[] = [
        ["npx", "cap", "sync", "ios"],
        ["xcodebuild", ...words.split(" "), "-scheme", "App", "build"],
      ];
      const config = { name: "Game", build: { web: { out: "dist" } } };
      const lacks = await projectLacks(files, { root, config, target: "ios", steps });
      assert.deepEqual(
        lacks.map(({ name, reason, fix }) => [name, reason, fix]),
        want === null ? [] : [["build.ios.steps[1]", ...want]],
      );
      const xcode = await xcodeTarget(files, root);
      const reported = capacitorSteps("ios", { xcode }).at(-1) ?? [];
      if (words.includes("App.xc") && want === null && !title.endsWith("of somebody's own")) {
        assert.ok(reported.join(" ").includes(words), `${reported}`);
      }
    }));
}

test("projectLacks() finds packages where Node does: in the folders above, too", () =>
  withFolder(async (folder) => {
    const installed = Object.keys(WHOLE).filter((path) => path.startsWith("node_modules/"));
    const beside = Object.entries(WHOLE).filter(([path]) => !installed.includes(path));
    writeTree(folder, Object.fromEntries(installed.map((path) => [path, "{}"])));
    const root = join(folder, "apps/game");
    writeTree(root, Object.fromEntries(beside));
    const config = { name: "Game", build: { web: { out: "dist" } } };
    const app = { root, config, target: "android", steps: [SYNC] } as const;
    assert.deepEqual(await projectLacks(files, app), []);
  }));

test("the sample's steps are those that a project without any is told to add", () => {
  const parsed = parseProjectConfig(readFileSync(join(packagedSample(), "project.config.json")));
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.message);
  const { build } = parsed.value;
  for (const target of ["android", "ios"] as const) {
    assert.deepEqual(build[target]?.steps, capacitorSteps(target));
  }
  const settings: unknown = JSON.parse(
    readFileSync(join(packagedSample(), "capacitor.config.json"), "utf8"),
  );
  assert.equal(isRecord(settings) && settings["webDir"], build.web.out);
});

test("a project without steps is told those of the folder that its settings name", () =>
  withFolder(async (root) => {
    const toldWith = async (path: string, target: "android" | "ios") => {
      writeTree(root, { "capacitor.config.json": JSON.stringify({ [target]: { path } }) });
      return capacitorSteps(target, await ownAppOf(files, root, target)).at(-1)?.slice(0, 3);
    };
    assert.deepEqual(await toldWith("./native/droid/", "android"), [
      "./native/droid/gradlew",
      "-p",
      "native/droid",
    ]);
    assert.deepEqual(await toldWith("$(reboot)", "android"), [
      "./android/gradlew",
      "-p",
      "android",
    ]);
    const project = ["xcodebuild", "-project", "apple/App/App.xcodeproj"];
    assert.deepEqual(await toldWith("apple", "ios"), project);
    writeTree(root, { "apple/App/Podfile": "" });
    const workspace = ["xcodebuild", "-workspace", "apple/App/App.xcworkspace"];
    assert.deepEqual(await toldWith("apple", "ios"), workspace);
  }));

for (
  const [silent, end] of [
    [null, "in a build, `build --dry-run` or `toolchain preflight`"],
    ["and it does not start", "and it does not start"],
  ] as const
) {
  test(`appFacts() of settings in TypeScript are not known, as Capacitor is needed: ${end}`, () => {
    const { plan, unknown } = appFacts({
      root: "/game",
      realRoot: "/game",
      target: "android",
      settings: "programmed",
      report: null,
      silent,
      lacks: [],
    });
    const why = `only Capacitor evaluates the settings, ${end}`;
    const names = ["webDir", "platformDir", "appId"];
    assert.deepEqual({ plan, unknown }, {
      plan: [],
      unknown: names.map((name) => ({ name, why })),
    });
  });
}

test("appFacts() of settings behind a link out of the project names the link, not a program", () =>
  withFolder(async (top) => {
    writeTree(top, { "shared.json": '{"webDir":"dist"}', "game/a.txt": "" });
    const root = join(top, "game");
    symlinkSync("../shared.json", join(root, "capacitor.config.json"));
    const settings = await readAppSettings(files, root);
    const app = { root, realRoot: root, target: "android", settings, report: null } as const;
    const { plan, unknown } = appFacts({ ...app, silent: null, lacks: [] });
    assert.deepEqual(plan, []);
    const why =
      "capacitor.config.json is a link out of the project's folder, which only Capacitor " +
      "follows, in a build, `build --dry-run` or `toolchain preflight`";
    assert.deepEqual([...new Set(unknown.map((fact) => fact.why))], [why]);
  }));
