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

test("the privacy manifest is shipped by npm, Swift Package Manager and CocoaPods", () => {
  const packed: { readonly files: readonly string[] } = JSON.parse(textOf("package.json"));
  assert.ok(packed.files.includes("ios/Sources/OtaPlatform"));
  assert.match(textOf("Package.swift"), /resources: \[\.copy\("PrivacyInfo\.xcprivacy"\)\]/);
  assert.match(
    textOf("SlipwayOta.podspec"),
    /resource_bundles = \{\s+'SlipwayOta_Privacy' => 'ios\/Sources\/OtaPlatform\/PrivacyInfo\.xcprivacy'/,
  );
});
