import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson, parseJsonFile } from "../../lib/core/json-text.ts";

const parse = (text: string) => parseJsonFile("f.json", new TextEncoder().encode(text));

const BROKEN: readonly (readonly [string, string])[] = [
  ["", "line 1, column 1: found the end of the file, expected a value"],
  ['{"a":1,}', 'line 1, column 8: found "}", expected a key'],
  ["[1,2", "line 1, column 5: found the end of the file, expected ',' or ']'"],
  ["[1,\n2,\n  }", 'line 3, column 3: found "}", expected a value'],
  ['{"a" 1}', `line 1, column 6: found "1", expected ':'`],
  ['{"a":1 "b":2}', `line 1, column 8: found "\\"", expected ',' or '}'`],
  ["{'a':1}", `line 1, column 2: found "'", expected a key`],
  ['{"a":tru}', 'line 1, column 6: found "t", expected a value'],
  ["[1]]", 'line 1, column 4: found "]", expected the end'],
  ["[1}", `line 1, column 3: found "}", expected ',' or ']'`],
  ['"\\q"', 'line 1, column 2: found "\\\\", expected an escape'],
  ['"a\nb"', 'line 1, column 3: found "\\n", expected the end of a string'],
  ["\ufeff{}", 'line 1, column 1: found "\ufeff", expected no byte order mark'],
];

for (const [text, place] of BROKEN) {
  test(`parseJsonFile() says where ${JSON.stringify(text)} breaks`, () => {
    const parsed = parse(text);
    assert.equal(
      parsed.ok ? "parsed" : parsed.error.message,
      `Cannot read "f.json": it is not JSON at ${place}`,
    );
  });
}

test("parseJsonFile() says where a text that is not JSON is too deep to look on", () => {
  const parsed = parse(`${"[".repeat(501)}x`);
  assert.match(
    parsed.ok ? "parsed" : parsed.error.message,
    /it is not JSON at line 1, column 501: more than 500 levels/,
  );
});

test("parseJsonFile() refuses bytes that are not UTF-8", () => {
  const parsed = parseJsonFile("f.json", Uint8Array.of(0x22, 0xff, 0x22));
  assert.match(parsed.ok ? "parsed" : parsed.error.message, /found bytes that are not UTF-8/);
});

test("parseJsonFile() finds a place inside the text for any damage", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom("}", ",", ":", "x", '"'), (
      json,
      at,
      inserted,
    ) => {
      const cut = at % (json.length + 1);
      const parsed = parse(json.slice(0, cut) + inserted + json.slice(cut));
      if (parsed.ok) return;
      const [, line, column] = /line (\d+), column (\d+)/.exec(parsed.error.message) ?? [];
      assert.equal(line, "1");
      // What stands before the damage is sound, so the error cannot be told earlier than its token.
      assert.ok(Number(column) >= 1 && Number(column) <= json.length + 2);
    }),
  );
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
for (
  const [title, text, want] of [
    ["text", '{"a":[1.5]}', { a: [1.5] }],
    ["bytes", bytesOf('"ü"'), "ü"],
    ["null", "null", null],
    ["nothing", null, undefined],
    ["no text", "", undefined],
    ["damaged text", '{"a"', undefined],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), undefined],
  ] as const
) {
  test(`parseJson() of ${title}`, () => assert.deepEqual(parseJson(text), want));
}
