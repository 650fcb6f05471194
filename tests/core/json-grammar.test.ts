import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonRefusal, readStrictJson } from "../../lib/core/json-grammar.ts";

// A text may come from an address that whoever reads the refusal could not ask.

const SECRET = "hunter2";
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  "no JSON": [`<x>${SECRET}`, "found other text, expected a value at character 0"],
  "what follows the end": [`{} ${SECRET}`, "found other text, expected the end at character 3"],
  "a key without quotes": [`{${SECRET}: 1}`, "found other text, expected a key at character 1"],
  "a string without an end": [
    `"${SECRET}`,
    "found the end, expected the end of a string at character 8",
  ],
  "a fraction": [
    "4111.1111",
    "found another number, expected whole numbers within 2^53-1 at character 0",
  ],
  "a key twice": [
    `{"${SECRET}": 1, "${SECRET}": 2}`,
    "found a key of the same object again at character 15",
  ],
};
for (const [name, [text, message]] of Object.entries(TEXTS)) {
  test(`readStrictJson() refuses ${name} by its place and kind, without the text`, () => {
    assert.throws(() => readStrictJson(text), (thrown) => {
      assert.ok(thrown instanceof JsonRefusal);
      assert.equal(thrown.message, message);
      return true;
    });
  });
}
