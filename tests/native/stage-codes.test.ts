import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageRoot } from "../../scripts/shared/runtime.ts";

// The codes of a staging are a closed union in each language, which its compiler checks. These tests check
// that it is the same union: a code of a plugin that JavaScript does not know becomes `plugin`.

const UNION = "lib/ota-format/native.ts";
const SAME: readonly { readonly file: string; readonly begins: string; readonly ends: string }[] = [
  {
    file: "native/ios/Sources/OtaCore/Format/Native.swift",
    begins: "public enum StageFailureCode",
    ends: "}",
  },
  {
    file: "native/android/src/main/java/dev/slipway/ota/core/format/StageFailureCode.java",
    begins: "public enum StageFailureCode",
    ends: ";",
  },
];

/** The part of a source, without its comments. */
function part(file: string, begins: string, ends: string): string {
  const text = readFileSync(join(packageRoot(), file), "utf8").replaceAll(/\/\/.*$/gm, "");
  const [, after = ""] = text.split(begins);
  return after.slice(0, after.indexOf(ends));
}

const union = [...part(UNION, "export type StageFailureCode =", ";").matchAll(/"([a-z-]+)"/g)]
  .map(([, code]) => code);

for (const { file, begins, ends } of SAME) {
  test(`${file} has the codes of ${UNION}`, () => {
    const found = [
      ...part(file, begins, ends).matchAll(/case (\w+)(?: = "([a-z-]+)")?|\("([a-z-]+)"\)/g),
    ]
      .map(([, name, spelled, java]) => java ?? spelled ?? name);
    assert.ok(union.length > 10);
    assert.deepEqual(found, union);
  });
}
