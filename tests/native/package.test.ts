import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
    assert.equal(bridged.length, 8);
    for (const name of bridged) assert.match(textOf(file), ofOperation(name ?? ""));
  });
}
