import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { withoutShell } from "../support/needs.ts";

// native/ios/on-a-mac over recording stand-ins of a Mac's programs: which ones it runs, and how it judges
// what they print and leave. No test here shows that a Mac behaves like them.

/** How the Mac of a row behaves. */
type Fault =
  | ""
  | "vectors"
  | "phone"
  | "manifest"
  | "app"
  | "pods"
  | "app manifest"
  | "start"
  | "backups"
  | "Xcode"
  | "Swift 6"
  | "Node 22"
  | "a simulator";

const STAND_INS: Readonly<Record<string, string>> = {
  swift: `case $1 in
    --version)
      printf 'swift-driver version: 1.115 Apple Swift version %s (swiftlang)\\nTarget: arm64\\n' \
        "$([ "$FAULT" = 'Swift 6' ] && echo 5.10 || echo 6.0.3)" ;;
    build)
      while [ $# -gt 1 ]; do [ "$1" = --scratch-path ] && folder=$2; shift; done
      mkdir -p "$folder/release"
      printf '#!/bin/sh\\necho "12 passed, %s failed"\\n' "$([ "$FAULT" = vectors ] && echo 1 || echo 0)" \\
        >"$folder/release/Replay"
      chmod +x "$folder/release/Replay" ;;
  esac`,
  xcodebuild: `case $* in
    -version)
      [ "$FAULT" != Xcode ] || { echo "xcode-select: error: tool 'xcodebuild' requires Xcode" >&2; exit 1; }
      printf 'Xcode 16.2\\nBuild version 16C5032a\\n'
      exit ;;
    *App.xcodeproj* | *App.xcworkspace*)
      app=1
      ! grep -q '14\\.0' ios/App/App.xcodeproj/project.pbxproj ios/App/Podfile 2>/dev/null || exit 65
      [ "$FAULT" != app ] || exit 65
      [ "$FAULT $2" != "pods -workspace" ] || { echo 'error: no such module'; exit 65; } ;;
    *=iOS\\ -*) [ "$FAULT" != phone ] || { echo 'error: no such module'; exit 65; } ;;
  esac
  while [ $# -gt 1 ]; do [ "$1" = -derivedDataPath ] && folder=$2; shift; done
  bundle=$folder/Build/Products/SlipwayOta_SlipwayOtaPlatform.bundle
  [ -z "$app" ] || bundle=$folder/Build/Products/Debug-iphonesimulator/App.app/SlipwayOta_Privacy.bundle
  mkdir -p "$bundle"
  [ "$FAULT" = "\${app:+app }manifest" ] || touch "$bundle/PrivacyInfo.xcprivacy"`,
  xcrun: `data=$HERE/container
  case $2 in
    create)
      echo "No runtime specified, using 'iOS 18.2'" >&2
      [ "$FAULT" != 'a simulator' ] || { echo 'Invalid runtime' >&2; exit 1; }
      echo 11111111-2222 ;;
    launch)
      mkdir -p "$data/Library/NoCloud/slipway-ota"
      starts=$(($(cat "$HERE/starts" 2>/dev/null || echo 0) + 1))
      echo $starts >"$HERE/starts"
      [ "$FAULT $starts" = "start 2" ] || echo "{\\"start\\":$starts}" >"$data/Library/NoCloud/slipway-ota/launch.json" ;;
    get_app_container) echo "$data" ;;
    uninstall) rm -r "$data" ;;
  esac`,
  xattr: `[ "$FAULT" = backups ] || echo com.apple.metadata:com_apple_backup_excludeItem`,
  npm: `echo "$*" >>package.json`,
  npx: `case "$*" in "cap add"*)
    mkdir -p ios/App/App.xcodeproj
    ios=15.0
    ! grep -q ios@7 package.json || ios=14.0
    echo "IPHONEOS_DEPLOYMENT_TARGET = $ios;" >ios/App/App.xcodeproj/project.pbxproj
    [ "$5" = SPM ] || echo "platform :ios, '$ios'" >ios/App/Podfile
    [ $ios = 15.0 ] || exit 1 ;;
  esac`,
  node: `[ "$FAULT" = 'Node 22' ] && echo v20.19.0 || echo v22.12.0`,
  pod: "",
};

const MANIFEST = "ok:   the privacy manifest is in what Xcode built";
const APP = [
  "ok:   npm installs Capacitor and the plugin",
  "ok:   cap add ios",
  "ok:   the app",
  "ok:   the app contains the plugin's privacy manifest",
  "ok:   start 1 recorded a launch",
  "ok:   start 2 recorded a launch",
  "ok:   the folder of the device is out of backups",
];
/** The apps, in order. */
const APPS = ["8, SPM", "8, CocoaPods", "7, SPM", "7, CocoaPods"];
/** The lines of all apps. */
const apps = (lines: (app: string) => readonly string[]) =>
  APPS.flatMap((app) => [`-- Capacitor ${app}`, ...lines(app)]);
/** The lines of an app whose line `at` is another one. */
const without = (at: number, line: string) => APP.with(at, line);
const PACKAGES = [
  "ok:   the package for iOS Simulator",
  "ok:   the package for iOS",
  MANIFEST,
];

const ROWS: readonly (readonly [Fault, readonly string[], readonly string[], number])[] = [
  ["", [], [
    "ok:   vectors over CryptoKit and Compression: 12 passed, 0 failed",
    ...PACKAGES,
    ...apps(() => APP),
    "all seen",
  ], 0],
  ["vectors", ["core"], [
    "BAD:  vectors over CryptoKit and Compression: 12 passed, 1 failed",
    "1 not seen",
  ], 1],
  ["phone", ["packages"], [
    "ok:   the package for iOS Simulator",
    "BAD:  the package for iOS: exit code 65",
    "1 not seen",
  ], 1],
  ["manifest", ["packages"], [
    ...PACKAGES.slice(0, 2),
    "BAD:  the privacy manifest is not in what Xcode built",
    "1 not seen",
  ], 1],
  ["app", ["app"], [
    ...apps(() => [...APP.slice(0, 2), "BAD:  the app: exit code 65"]),
    "4 not seen",
  ], 1],
  ["pods", ["app"], [
    ...apps((app) =>
      app.endsWith("SPM") ? APP : [...APP.slice(0, 2), "BAD:  the app: exit code 65"]
    ),
    "2 not seen",
  ], 1],
  ["app manifest", ["app"], [
    ...apps(() => without(3, "BAD:  the app does not contain the plugin's privacy manifest")),
    "4 not seen",
  ], 1],
  ["start", ["app"], [
    ...apps((app) => app === "8, SPM" ? without(5, "BAD:  start 2 recorded no launch") : APP),
    "1 not seen",
  ], 1],
  ["backups", ["app"], [
    ...apps(() => without(6, "BAD:  the folder of the device is in backups")),
    "4 not seen",
  ], 1],
  ["", ["phone"], [], 2],
  ["Xcode", [], [], 3],
  ["Swift 6", ["core"], [], 3],
  ["Node 22", [], [], 3],
  ["a simulator", ["app"], [], 3],
];

for (const [fault, parts, reported, code] of ROWS) {
  test(
    `on-a-mac ${parts.join(" ") || "(all)"} on a Mac ${
      fault === "" ? "that is well" : `without ${fault}`
    }`,
    {
      skip: withoutShell,
    },
    () =>
      withFolder((folder) => {
        const { ran, commands } = run(folder, fault, parts);
        const lines = ran.stdout.split("\n").filter((line) => /^(ok|BAD|all|--|\d)/.test(line));
        assert.deepEqual(lines, reported, ran.stderr);
        assert.equal(ran.status, code, ran.stderr);
        if (code === 3) assert.match(ran.stderr, /^error: .*expected/s);
        if (parts.length === 0 && code === 0) {
          for (const command of COMMANDS) assert.ok(commands.some((line) => command.test(line)));
        }
        return Promise.resolve();
      }),
  );
}

/** The commands of a whole run. */
const COMMANDS: readonly RegExp[] = [
  /^swift build --configuration release .*--product Replay$/,
  /^xcodebuild build -scheme SlipwayOta -destination generic\/platform=iOS -derivedDataPath /,
  /^npm install .*@capacitor\/ios@8 .*\/native$/,
  /^npm install .*@capacitor\/ios@7 .*\/native$/,
  /^npx cap add ios --packagemanager SPM$/,
  /^npx cap add ios --packagemanager CocoaPods$/,
  /^npx cap sync ios$/,
  /^xcrun simctl bootstatus 11111111-2222 -b$/,
  /^xcodebuild build -project ios\/App\/App.xcodeproj -scheme App /,
  /^xcodebuild build -workspace ios\/App\/App.xcworkspace -scheme App /,
  /^xcrun simctl install 11111111-2222 .*App\.app$/,
  /^xcrun simctl uninstall 11111111-2222 dev.slipway.onamac$/,
  /^xcrun simctl delete 11111111-2222$/,
];

function run(folder: string, fault: Fault, parts: readonly string[]) {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(STAND_INS)) {
    const text = `#!/bin/sh\necho "${name} $*" >>"$HERE/commands"\n${script}\n:\n`;
    writeFileSync(join(bin, name), name === "xcodebuild" ? text.replace(/:\n$/, "") : text);
    chmodSync(join(bin, name), 0o755);
  }
  const checkout = join(folder, "checkout");
  for (
    const path of [
      "cache.sh",
      "ios/on-a-mac",
      "ios/replay",
      "ios/run",
      "ios/swift",
      "ios/Package.swift",
    ]
  ) {
    cpSync(join(packageRoot(), "native", path), join(checkout, "native", path));
  }
  mkdirSync(join(checkout, "native/ios/Sources"));
  writeFileSync(join(checkout, "native/ios/Sources/Some.swift"), "");
  mkdirSync(join(checkout, ".cache/native-ios"), { recursive: true });
  const ran = spawnSync(join(checkout, "native/ios/on-a-mac"), parts, {
    encoding: "utf8",
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: folder,
      HERE: folder,
      FAULT: fault,
      SLIPWAY_TRIES: "2",
      SLIPWAY_CACHE: join(folder, "cache"),
    },
  });
  const recorded = join(folder, "commands");
  const commands = existsSync(recorded) ? readFileSync(recorded, "utf8").split("\n") : [];
  return { ran, commands };
}
