import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { shellLine, shellWord } from "../../lib/core/shell-word.ts";
import { withoutScripts } from "../support/needs.ts";

for (
  const [text, typed] of [
    ["./android/gradlew", "./android/gradlew"],
    ["--web-dir=dist", "--web-dir=dist"],
    ["@capacitor/cli@8.5.2", "@capacitor/cli@8.5.2"],
    ["my gäme/gradlew", '"my gäme/gradlew"'],
    ["", '""'],
    ["~/game", '"~/game"'],
    ["a,b", '"a,b"'],
    ["it's", `"it's"`],
    ['a "b"', `'a "b"'`],
    ["it's $HOME", `'it'\\''s $HOME'`],
    ["a\\b", "'a\\b'"],
    ["C:\\game\\gradlew.bat", "C:\\game\\gradlew.bat"],
    ["C:\\Program Files\\$x", "'C:\\Program Files\\$x'"],
    ["C:\\Program Files\\", '"C:\\Program Files\\\\"'],
    ["$(id).exe", "'$(id).exe'"],
    ["a\u201d; b", "'a\u201d; b'"],
    [".\\my app\\gradlew.bat", '".\\my app\\gradlew.bat"'],
    ["my app/gradlew.bat", '"my app/gradlew.bat"'],
  ] as const
) {
  test(`shellWord() of ${JSON.stringify(text)}`, () => assert.equal(shellWord(text), typed));
}

/** Signs that some shell treats as its own, in a word of each. */
const SIGNS = [..." \t\n!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"];

test("a shell reads back the words of shellLine()", { skip: withoutScripts() }, () => {
  const words = [
    "-x",
    ...SIGNS.flatMap((sign) => [`${sign}a b`, `a${sign}b`, sign, `a${sign}`, `a${sign}.exe`]),
    // In another shell than that of Windows, its paths are texts like others.
    ...[
      "\\",
      "\\a b",
      "a\\",
      "$(echo x).exe",
      "`echo x`.bat",
      "\\$(echo x)",
      "\\a b\\",
      "C:\\a b\\\\",
    ],
  ];
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${shellLine(words)}`], {
    encoding: "utf8",
  });
  assert.deepEqual(stdout.split("\0").slice(0, -1), words);
});
