import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { LIMITS } from "../../lib/core/limits.ts";
import { invisibleIn, withoutInvisible } from "../../lib/core/invisible.ts";
import { checkNewPath } from "../../lib/core/new-paths.ts";
import {
  checkPath,
  checkPathSet,
  foldAscii,
  isBundleName,
  isVersion,
  versionNumber,
} from "../../lib/core/paths.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

// vectors/path holds the decision of every rule; here stands what must hold whatever is given.

const piece = fc.constantFrom(
  ...["a", "B", "é", "e\u0301", ".", "..", "/", "//", "\\", ":", "C:", "~", "%2e", "\0", "\n", " "],
  ...["\ud83d", "\ud83d\ude00", "İ", "file.txt"],
);
const anyPath = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);

test("checkPath() takes only what stays below the root it is joined to", () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyPath, (path) => {
      const checked = checkPath(path);
      if (!checked.ok) return;
      accepted++;
      assert.equal(checked.value, path);
      const joined = posix.normalize(`/root/bundle/${path}`);
      assert.equal(joined, `/root/bundle/${path}`); // nothing was left to resolve
      assert.doesNotMatch(path, /^[A-Za-z]:|\\|\0/);
      assert.ok(encodeUtf8(path).length <= LIMITS.pathBytes);
    }),
    { numRuns: 3000 },
  );
  assert.ok(accepted > 100, `only ${accepted} paths were accepted: the property proves little`);
});

test("checkPath() takes every path of plain names", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._ -]{0,19}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 10 }), (names) => {
      assert.equal(checkPath(names.join("/")).ok, true);
    }),
  );
});

test("checkPath() names what it refuses, and cuts a long one short", () => {
  const checked = checkPath(`/${"x".repeat(10_000)}`);
  assert.ok(!checked.ok);
  assert.equal(checked.error.code, "absolute");
  assert.ok(checked.error.message.includes("/xxx"), checked.error.message);
  assert.ok(checked.error.message.length < 300);
  assert.notEqual(checked.error.next, undefined);
});

const NEW_PATHS: readonly (readonly [string, string])[] = [
  ["a/b.scene.json", "ok"],
  ["Über Größe/CONSOLE.txt", "ok"],
  ["com0/com10/lpt.txt/nul-1", "ok"],
  ["../x", "dot-segment"],
  [".env", "hidden"],
  ["a/.git/x", "hidden"],
  ["CON", "windows-name"],
  ["a/con.txt", "windows-name"],
  ["AUX.scene.json", "windows-name"],
  ["Nul .txt/x", "windows-name"],
  ["a/COM1/x", "windows-name"],
  ["lpt³.log", "windows-name"],
  ["CONOUT$", "windows-name"],
  ["x:y", "drive-letter"],
  ["file:stream", "windows-name"],
  ["a?b", "windows-name"],
  ["a./b", "windows-name"],
  ["a/b ", "windows-name"],
  ["a\u202eb", "invisible-character"],
  ["a\u200b", "invisible-character"],
];
for (const [path, expected] of NEW_PATHS) {
  test(`checkNewPath() of ${JSON.stringify(path)}: ${expected}`, () => {
    const checked = checkNewPath(path);
    assert.equal(checked.ok ? "ok" : checked.error.code, expected);
  });
}

const NAMES: readonly (readonly [string, string | null, string])[] = [
  ["Räder 🛞", null, "Räder 🛞"],
  ["👨\u200d👩 ❤\ufe0f", null, "👨\u200d👩 ❤\ufe0f"],
  ["می\u200cخواهم", null, "می\u200cخواهم"],
  ["\u202egnp.exe", "U+202E", "gnp.exe"],
  ["ad\u200dmin", "U+200D", "admin"],
  ["a\ufe0f", "U+FE0F", "a"],
  ["\ufeffa\u2066b\u{e0041}", "U+FEFF", "ab"],
  ["a\u2028b\tc", "U+2028", "a b c"],
];
for (const [text, found, without] of NAMES) {
  test(`invisibleIn() of ${JSON.stringify(without)}: ${found}`, () => {
    assert.equal(invisibleIn(text), found);
    assert.equal(withoutInvisible(text), without);
    assert.equal(invisibleIn(without), null);
  });
}

test("checkPathSet() decides alike in whatever order the paths come", () => {
  const path = fc.array(fc.constantFrom("a", "A", "b", "ä", "Ä"), { minLength: 1, maxLength: 3 })
    .map((names) => names.join("/"));
  const sets = fc.array(path, { maxLength: 6 });
  fc.assert(
    fc.property(sets, (paths) => {
      const { ok } = checkPathSet(paths);
      assert.equal(checkPathSet([...paths].reverse()).ok, ok);
      const folded = paths.map(foldAscii);
      const clash = folded.some((one, i) =>
        folded.some((other, j) => i !== j && (one === other || one.startsWith(`${other}/`)))
      );
      assert.equal(ok, !clash);
    }),
    { numRuns: 500 },
  );
});

test("checkPathSet() compares by the folding it is given", () => {
  assert.equal(checkPathSet(["ä", "Ä"]).ok, true);
  assert.equal(checkPathSet(["ä", "Ä"], (path) => path.toLowerCase()).ok, false);
});

test("checkPathSet() decides on a full bundle in time", () => {
  const paths = Array.from({ length: LIMITS.bundleFiles }, (_, i) => `a/b/c/d/e/f/${i}.bin`);
  assert.ok(cpuSeconds(() => assert.equal(checkPathSet(paths).ok, true)) < 5);
});

test("foldAscii() folds A to Z and nothing else", () => {
  assert.equal(foldAscii("AZaz09[@ÄİK\u212a"), "azaz09[@Äİk\u212a");
});

for (
  const [name, want] of [
    ["shell", true],
    ["0", true],
    ["a.b_c-d", true],
    ["a".repeat(64), true],
    ["a".repeat(65), false],
    ["", false],
    [".a", false],
    ["-a", false],
    ["Shell", false],
    ["a/b", false],
    ["a\n", false],
  ] as const
) {
  test(`isBundleName() is ${want} for ${JSON.stringify(name)}`, () => {
    assert.equal(isBundleName(name), want);
  });
}

for (
  const [version, want] of [
    ["v1", true],
    ["v10", true],
    [`v${"9".repeat(LIMITS.segmentBytes - 1)}`, true],
    [`v${"9".repeat(LIMITS.segmentBytes)}`, false],
    ["v0", false],
    ["v01", false],
    ["1", false],
    ["V1", false],
    ["v-1", false],
    ["v1.0", false],
    ["v1\n", false],
    ["v١", false],
  ] as const
) {
  test(`isVersion() is ${want} for ${JSON.stringify(version)}`, () => {
    assert.equal(isVersion(version), want);
  });
}

test("versionNumber() is exact past the safe integers", () => {
  assert.equal(versionNumber("v9007199254740993"), 9007199254740993n);
  assert.equal(versionNumber("v2") < versionNumber("v10"), true);
});
