import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAppFolders } from "../../lib/project/building/capacitor-report.ts";
import { treeOf, writeTree } from "../support/folder.ts";
import { provide } from "../toolchain/real-machine.ts";
import { inWorld, needs } from "./build-world.ts";

// BUILD-12: an app holds the web build that was just made, whatever its settings say.

/**
 * Stands in for Capacitor: reports its settings, which here are a shell script, and copies the web build
 * as `cap sync` of 6, 7 and 8 does: with files of its own over it, without the folder of Cordova's plugins,
 * and, if asked or by `run`, with source maps in scripts and style sheets.
 */
const CAP = `#!/bin/sh
here=$(pwd -P)
. ./settings.sh
copy=$here/$platform/app/src/main/assets/public
echo "$*" >> cap.txt
case $1 in
config)
  echo 'settings: read { all of them }'
  printf '{\n"android":{"platformDirAbs":"%s","webDirAbs":"%s"},\n' "$here/$platform" "$copy"
  printf '"app":{"webDirAbs":"%s","extConfigName":"%s"}\n}\n' "$here/$web" "$name" ;;
sync|run)
  rm -rf "$copy"; mkdir -p "$copy"; cp -R "$here/$web/." "$copy/"; rm -rf "$copy/plugins"
  for each in cordova cordova_plugins; do echo ours > "$copy/$each.js"; done
  case "$*" in run*|*--inline*)
    for each in game.js style.css; do
      [ ! -f "$copy/$each.map" ] || { echo inlined > "$copy/$each"; rm "$copy/$each.map"; }
    done ;;
  esac ;;
esac
`;
const MAKES = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/sub", { recursive: true });
writeFileSync("dist/index.html", "this month's");
for (const name of ["game.js", "style.css"]) {
  writeFileSync("dist/" + name, "play()");
  writeFileSync("dist/" + name + ".map", "{}");
}
writeFileSync("dist/engine.js", "this month's");
writeFileSync("dist/cordova.js", "");
writeFileSync("dist/sub/level.json", "{}");
`;
const CAPACITOR = "node_modules/.bin/cap";
const SYNC = [CAPACITOR, "sync", "android"];
const GRADLE = ["node", "-e", "require('fs').writeFileSync('app.apk', '')"];
const script = (text: string) => ["node", "-e", `const fs = require("fs"); ${text}`];
const copying = (from: string, to: string) => [
  "node",
  "-e",
  `require('fs').cpSync('${from}', '${to}', { recursive: true })`,
];

const ROWS: readonly {
  readonly title: string;
  readonly settings?: { readonly web?: string; readonly platform?: string };
  readonly steps?: readonly (readonly string[])[];
  readonly files?: Readonly<Record<string, string>>;
  /** The expected refusal; without it the build succeeds. */
  readonly refused?: { readonly code: string; readonly detail: RegExp; readonly hint: RegExp };
  /** Whether nothing of the project is touched. */
  readonly before?: true;
}[] = [
  { title: "whose settings are a program that names the web build" },
  { title: "whose platform folder has another name", settings: { platform: "droid" } },
  {
    title: "whose settings are a program that names another folder",
    settings: { web: "old" },
    refused: {
      code: "preflight-failed",
      detail: /lacks capacitor\.config\.ts \(Capacitor copies .*old into the app, expected .*dist/,
      hint: /^In the project's folder: Set webDir to "dist" in capacitor\.config\.ts; then/,
    },
    before: true,
  },
  {
    title: "with right settings in JSON beside a program, which Capacitor takes instead",
    settings: { web: "old" },
    files: { "capacitor.config.json": '{"webDir":"dist"}' },
    refused: { code: "preflight-failed", detail: /copies .*old into the app/, hint: /webDir/ },
    before: true,
  },
  {
    title: "whose platform folder of another name is missing",
    settings: { platform: "gone" },
    refused: {
      code: "preflight-failed",
      detail: /lacks .*gone \(the folder of the android app is not there\)/,
      hint: /npx cap add android/,
    },
    before: true,
  },
  {
    title: "with a step that puts the web build where Capacitor copies from",
    settings: { web: "old" },
    steps: [copying("dist", "old"), SYNC, GRADLE],
  },
  {
    title: "with a step that puts nothing where Capacitor copies from",
    settings: { web: "old" },
    steps: [copying("step.mjs", "other.mjs"), SYNC, GRADLE],
    refused: {
      code: "app-differs",
      detail: /"\w.*" of the web build is (?:missing|different) in the app, .*after .*cap sync/,
      hint: /Have Capacitor copy .*dist: it copies .*old by webDir in capacitor\.config\.ts/,
    },
  },
  {
    title: "whose copy lacks one file in a folder",
    steps: [
      ["node", "-e", "require('fs').rmSync('dist/sub/level.json')"],
      SYNC,
      copying("kept", "dist"),
      [CAPACITOR, "copy", "android"],
      GRADLE,
    ],
    files: { "kept/sub/level.json": "{}" },
    refused: {
      code: "app-differs",
      detail: /"sub\/level\.json" .* is missing/,
      hint: /^Check whether .*cap copy android printed an error, and whether a hook/,
    },
  },
  {
    title: "whose Capacitor puts source maps into scripts and style sheets",
    steps: [[...SYNC, "--inline"], GRADLE],
  },
  { title: "that Capacitor also starts", steps: [[CAPACITOR, "run", "android"], GRADLE] },
  {
    title: "with an old script among those that get their source maps",
    settings: { web: "old" },
    steps: [
      copying("dist", "old"),
      script('fs.writeFileSync("old/engine.js", "last month\'s")'),
      [...SYNC, "--inline"],
      GRADLE,
    ],
    refused: { code: "app-differs", detail: /"engine\.js" .* is different/, hint: /webDir/ },
  },
  {
    title: "that Capacitor starts with another web build",
    settings: { web: "old" },
    steps: [copying("step.mjs", "other.mjs"), [CAPACITOR, "run", "android"], GRADLE],
    refused: { code: "app-differs", detail: /after .*cap run android/, hint: /webDir/ },
  },
  {
    title: "with a command of Capacitor before the step that puts the web build in place",
    settings: { web: "old" },
    steps: [[CAPACITOR, "update", "android"], copying("dist", "old"), SYNC, GRADLE],
  },
  {
    title: "with links to a folder, to a file and to nothing in the web build",
    steps: [
      script(`
        fs.symlinkSync("sub", "dist/folder");
        fs.symlinkSync("game.js", "dist/file.js");
        fs.symlinkSync("gone", "dist/nothing");`),
      SYNC,
      GRADLE,
    ],
  },
  {
    title: "with a folder of the name that Capacitor keeps for plugins of Cordova",
    steps: [
      script('fs.mkdirSync("dist/plugins"); fs.writeFileSync("dist/plugins/a.js", "");'),
      SYNC,
      GRADLE,
    ],
    refused: {
      code: "app-differs",
      detail: /"plugins\/a\.js" .* is missing/,
      hint: /^Rename the folder plugins of the web build: /,
    },
  },
];

for (const { title, settings, steps = [SYNC, GRADLE], files = {}, refused, before } of ROWS) {
  test(`build() of an app ${title}`, needs, () =>
    inWorld(async ({ build, toolchainDir, root }) => {
      provide(toolchainDir);
      const { web = "dist", platform = "android" } = { ...settings };
      writeTree(root, {
        ...Object.fromEntries(
          ["core", "cli", "android"].map((name) => [
            `node_modules/@capacitor/${name}/package.json`,
            "{}",
          ]),
        ),
        "capacitor.config.ts": "export default {};",
        "settings.sh": `web=${web} platform=${platform} name=capacitor.config.ts`,
        "step.mjs": MAKES,
        "android/build.gradle": "",
        "droid/build.gradle": "",
        "old/index.html": "last month's",
        [CAPACITOR]: CAP,
        ...files,
      });
      chmodSync(join(root, CAPACITOR), 0o755);
      const tree = treeOf(root);
      const reported = await build("android");
      const last = Array.isArray(reported) ? reported.at(-1) : { event: "problem", data: reported };
      if (refused === undefined) {
        assert.equal(last.event, "done", JSON.stringify(last));
        const copy = join(root, platform, "app/src/main/assets/public/index.html");
        assert.equal(readFileSync(copy, "utf8"), "this month's");
        assert.ok(existsSync(join(root, "app.apk")));
        return;
      }
      assert.equal(last.data.code, refused.code, JSON.stringify(last));
      assert.match(last.data.detail, refused.detail);
      assert.match(last.data.hint, refused.hint);
      assert.ok(!existsSync(join(root, "app.apk")), "the app is not built");
      if (before) assert.deepEqual({ ...treeOf(root), "cap.txt": "" }, { ...tree, "cap.txt": "" });
    }, {
      config: {
        build: {
          web: { command: ["node", "step.mjs"], out: "dist" },
          android: { steps },
        },
      },
    }));
}

const REPORT = {
  android: { platformDirAbs: "/game/android", webDirAbs: "/game/android/app/assets/public" },
  ios: { platformDirAbs: "/game/ios", webDirAbs: "/game/ios/App/App/public" },
  app: { webDir: "www", webDirAbs: "/game/www", extConfigName: "capacitor.config.json" },
};

for (
  const [title, text, expected] of [
    ["a report", JSON.stringify(REPORT, null, 2), "/game/ios"],
    ["a report behind lines", `{ hello }\n{}x\n${JSON.stringify(REPORT)}\n`, "/game/ios"],
    ["nothing", "", undefined],
    ["a report without the platform", JSON.stringify({ ...REPORT, ios: undefined }), undefined],
    ["a report without the app", JSON.stringify({ ...REPORT, app: 1 }), undefined],
    ["a report that is cut off", JSON.stringify(REPORT).slice(0, -3), undefined],
  ] as const
) {
  test(`parseAppFolders() of ${title}`, () =>
    assert.equal(parseAppFolders(text, "ios")?.platform, expected));
}
