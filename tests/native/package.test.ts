import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../scripts/shared/runtime.ts";

// The plugin's package, as far as it can be looked at without anything of Capacitor's.

const native = join(packageRoot(), "native");
const built: { definitions(): string } = await import(
  pathToFileURL(join(native, "build.mjs")).href
);
const textOf = (path: string) => readFileSync(join(native, path), "utf8");
const operations = [
  ...textOf("src/definitions.ts").split("export interface NativeUpdater")[1]
    ?.matchAll(/^ {2}([a-zA-Z]+)\??\(/gm) ?? [],
].map(([, name]) => name);
const bridged = operations.filter((name) => name !== "addListener");

test("definitions.ts is lib/ota-format/native.ts: node native/build.mjs writes it", () => {
  assert.equal(textOf("src/definitions.ts"), built.definitions());
});

for (
  const [file, ofOperation] of [
    [
      "android/src/main/java/dev/slipway/ota/OtaPlugin.java",
      (name: string) => new RegExp(`@PluginMethod\\n    public void ${name}\\(PluginCall call\\)`),
    ],
    [
      "ios/Sources/OtaPlugin/OtaPlugin.swift",
      (name: string) =>
        new RegExp(`"${name}", returnType[\\s\\S]*@objc func ${name}\\(_ call: CAPPluginCall\\)`),
    ],
    ["src/web.ts", (name: string) => new RegExp(`async ${name}\\(\\)`)],
    ["README.md", (name: string) => new RegExp(`^### ${name}\\(`, "m")],
  ] as const
) {
  test(`${file} has every operation of the interface`, () => {
    assert.equal(bridged.length, 9);
    for (const name of bridged) assert.match(textOf(file), ofOperation(name ?? ""));
  });
}

// ionic-team/capacitor-plugins #2060, #2076; ionic-team/capacitor #7176
test("the privacy manifest has a reason for each API in the sources for which Apple wants one", () => {
  const folder = "ios/Sources";
  const swift = readdirSync(join(native, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /^Ota(Core|Platform|Plugin).*\.swift$/.test(path))
    .map((path) => textOf(`${folder}/${path}`)).join("\n");
  const manifest = textOf(`${folder}/OtaPlatform/PrivacyInfo.xcprivacy`);
  for (const [api, calls] of REASONED) {
    const category = `NSPrivacyAccessedAPICategory${api}`;
    assert.equal(manifest.includes(category), calls.test(swift), api);
  }
  assert.match(manifest, /FileTimestamp<[\s\S]*C617\.1[\s\S]*DiskSpace<[\s\S]*E174\.1/);
});

/** Apple's list of APIs that need a reason, and their names in Swift. */
const REASONED: readonly (readonly [api: string, calls: RegExp])[] = [
  ["FileTimestamp", /\b[lf]?stat\(|\bcreationDate|modificationDate|getattrlist/],
  ["SystemBootTime", /systemUptime|mach_absolute_time/],
  ["DiskSpace", /\bf?statv?fs\(|volumeAvailableCapacity|systemFreeSize/],
  ["UserDefaults", /UserDefaults/],
  ["ActiveKeyboards", /activeInputModes/],
];

test("Swift Package Manager and CocoaPods make modules of the plugin's own name, for iOS 15", () => {
  // An app for an older iOS refuses a package for a later one, and one of Capacitor 9 the reverse.
  const [swift, podspec] = [textOf("Package.swift"), textOf("SlipwayOta.podspec")];
  assert.match(swift, /platforms: \[\.iOS\(\.v15\)\]/);
  assert.match(podspec, /\.ios\.deployment_target = '15\.0'/);
  assert.match(swift, /^\/\/ swift-tools-version: 6\.0$/m); // the Swift 6 language mode
  assert.match(podspec, /\.swift_version = '6\.0'/);
  const modules = [
    ...swift.matchAll(/\.target\(\s*name: "(\w+)"/g),
    ...podspec.matchAll(/\.module_name = '(\w+)'/g),
  ].map(([, name]) => name);
  assert.deepEqual(modules, [
    "SlipwayOtaCore",
    "SlipwayOtaPlatform",
    "SlipwayOta",
    "SlipwayOtaCore", // CocoaPods makes one module of a pod
  ]);
});

test("native/README says how a Mac shows each branch for Apple's systems that no gate compiles", () => {
  const folder = "ios/Sources";
  const apart = readdirSync(join(native, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".swift"))
    .filter((path) => /#if canImport\((?!FoundationNetworking)/.test(textOf(`${folder}/${path}`)));
  assert.deepEqual(apart.sort(), Object.keys(ON_A_MAC).sort());
  const [, table = ""] = textOf("README.md").split("## What is tested without a Mac");
  const rows = table.split("\n## ")[0]?.split("\n").filter((line) => line.startsWith("| ")) ?? [];
  for (const [path, words] of Object.entries(ON_A_MAC)) {
    for (const word of words) {
      assert.ok(rows.some((row) => row.split(" | ")[0]?.includes(word)), `${path}: ${word}`);
    }
  }
});

/** What the branches of a file are about, as the rows of the table say it. */
const ON_A_MAC: Readonly<Record<string, readonly string[]>> = {
  "OtaPlatform/Backlog.swift": ["`URLSession`"],
  "OtaPlatform/OpenFile.swift": ["`F_BARRIERFSYNC`", "`F_FULLFSYNC`"],
  "OtaPlatform/PosixFiles.swift": ["`clonefile`", "times"],
  "OtaPlatform/SystemEd25519.swift": ["CryptoKit verifies"],
  "OtaPlatform/SystemHashing.swift": ["CryptoKit verifies and hashes"],
  "OtaPlatform/SystemInflating.swift": ["Compression"],
  "OtaPlatform/UrlSessionHttp.swift": ["a metered connection"],
  "OtaPlugin/Protection.swift": ["file protection", "out of backups"],
};

test("the privacy manifest is shipped by npm, Swift Package Manager and CocoaPods", () => {
  const packed: { readonly files: readonly string[] } = JSON.parse(textOf("package.json"));
  assert.ok(packed.files.includes("ios/Sources/OtaPlatform"));
  assert.match(textOf("Package.swift"), /resources: \[\.copy\("PrivacyInfo\.xcprivacy"\)\]/);
  assert.match(
    textOf("SlipwayOta.podspec"),
    /resource_bundles = \{\s+'SlipwayOta_Privacy' => 'ios\/Sources\/OtaPlatform\/PrivacyInfo\.xcprivacy'/,
  );
});
