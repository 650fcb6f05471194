import { test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { capFrom, MIN_ENVELOPE, PAYLOAD_CAP, toPayload } from "../../lib/agent/answer/budget.ts";
import { compactJson } from "../../lib/agent/answer/compact-json.ts";

const NARROWING = { drillDown: ["trait", "id"], limit: true, full: false };

function sent(value: unknown, options: { cap?: number; precision?: number } = {}): string {
  return toPayload(value, { cap: PAYLOAD_CAP, narrowing: NARROWING, ...options }).text;
}

const shared = { a: 1 };
const cyclic: Record<string, unknown> = { name: "loop" };
cyclic["self"] = cyclic;
const cyclicList: unknown[] = [1];
cyclicList.push(cyclicList);

for (
  const [title, value, want] of [
    [
      "keeps integers of any size",
      [1, -0, 2 ** 53, 1e21, 123456789012],
      "[1,0,9007199254740992,1e+21,123456789012]",
    ],
    [
      "rounds floats to 9 digits",
      [0.1 + 0.2, 1 / 3, 1234567.891234, 1e-7 / 3],
      "[0.3,0.333333333,1234567.89,3.33333333e-8]",
    ],
    [
      "writes what is no number as text",
      [NaN, Infinity, -Infinity],
      '["NaN","Infinity","-Infinity"]',
    ],
    ["marks true cycles", cyclic, '{"name":"loop","self":"[circular]"}'],
    ["marks cycles through lists", cyclicList, '[1,"[circular]"]'],
    ["writes shared references twice", [shared, shared], '[{"a":1},{"a":1}]'],
    ["writes BigInt as text", { n: 12n }, '{"n":"12"}'],
    [
      "drops as JSON does",
      { u: undefined, f: () => 1, s: Symbol("x"), l: [undefined, () => 1] },
      '{"l":[null,null]}',
    ],
    ["writes null for nothing", undefined, "null"],
    [
      "follows toJSON",
      { at: new Date(0), bad: new Date(NaN) },
      '{"at":"1970-01-01T00:00:00.000Z","bad":null}',
    ],
    [
      "opens boxed values",
      [Object(1.5), Object("x"), Object(true), Object(3n)],
      '[1.5,"x",true,"3"]',
    ],
    [
      "replaces lone surrogates",
      { "\ud800k": "a\udc00b", ok: "😀" },
      '{"\ufffdk":"a\ufffdb","ok":"😀"}',
    ],
    [
      "keeps names distinct that only surrogates told apart",
      Object.fromEntries([["\ud800", 1], ["\ud801", 2]]),
      '{"\ufffd":1,"\ufffd~2":2}',
    ],
    ["keeps a member named __proto__", JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ["sends a string as it is", 'plain "text"\n', 'plain "text"\n'],
    ["keeps holes of lists", new Array(2), "[null,null]"],
  ] as const
) {
  test(`toPayload() ${title}`, () => assert.equal(sent(value), want));
}

for (
  const [precision, want] of [[0, "0.30000000000000004"], [1, "0.3"], [3, "0.3"], [
    17,
    "0.30000000000000004",
  ]] as const
) {
  // BUDGET-4
  test(`toPayload() with precision ${precision}`, () =>
    assert.equal(sent([0.1 + 0.2], { precision }), `[${want}]`));
}

test("toPayload() survives 100,000 levels", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = i % 2 ? [deep] : { deep };
  const text = sent(deep);
  assert.ok(text.length < 5_000);
  assert.ok(text.includes('"[too deep]"'));
  assert.doesNotThrow(() => JSON.parse(text));
});

// BUDGET-2
test("toPayload() sends 60,000 characters and withholds 60,001", () => {
  const list = (length: number) => ["x".repeat(length - 4)];
  assert.equal(sent(list(60_000)).length, 60_000);
  const elided = JSON.parse(sent(list(60_001)));
  assert.deepEqual({ ...elided, hint: "" }, {
    elided: true,
    bytes: 60_001,
    hint: "",
    preview: { length: 1 },
  });
  assert.equal(sent("x".repeat(60_000)).length, 60_000);
  assert.deepEqual(JSON.parse(sent("x".repeat(60_001))).preview, { length: 60_001 });
});

test("toPayload() previews counts and types, never content", () => {
  const value = {
    list: [1, 2, 3],
    object: { a: 1, b: 2, dropped: undefined },
    text: "secret".repeat(20_000),
    number: 1.5,
    nothing: null,
    flag: true,
    big: 1n,
    when: new Date(0),
  };
  const { preview } = JSON.parse(sent(value));
  assert.deepEqual(preview, {
    list: 3,
    object: 2,
    text: "string",
    number: "number",
    nothing: "null",
    flag: "boolean",
    big: "string",
    when: "string",
  });
});

test("toPayload() previews 40 keys and counts the others", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "x".repeat(10_000)]));
  const forty = JSON.parse(sent(many(40))).preview;
  assert.equal(Object.keys(forty).length, 40);
  assert.equal("…" in forty, false);
  const more = JSON.parse(sent(many(10_000))).preview;
  assert.equal(Object.keys(more).length, 41);
  assert.equal(more["…"], 9_960);
});

test("toPayload() shortens long keys to distinct ones within 4,000 characters", () => {
  const value = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`${"\u0001😀".repeat(200)}${i}`, "x".repeat(5_000)]),
  );
  const text = sent(value);
  assert.ok(text.length <= 4_000, `${text.length}`);
  const keys = Object.keys(JSON.parse(text).preview);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.length > 10);
  assert.equal(text, new TextDecoder().decode(new TextEncoder().encode(text)));
});

for (
  const [title, narrowing, want] of [
    ["drill-down and limit", NARROWING, "narrow with trait=, id=, limit=N"],
    [
      "full=1 only when it was used",
      { ...NARROWING, full: true },
      "narrow with trait=, id=, limit=N, or call without full=1",
    ],
    [
      "nothing to narrow by",
      { drillDown: [], limit: false, full: false },
      "this call has no narrowing parameters",
    ],
  ] as const
) {
  test(`toPayload() hints at ${title}`, () => {
    const { text } = toPayload(["x".repeat(70_000)], { cap: PAYLOAD_CAP, narrowing });
    assert.equal(
      JSON.parse(text).hint,
      `70004 characters are over the cap of 60000: ${want}`,
    );
  });
}

for (
  const [asked, want] of [
    [[null, null], 60_000],
    [["500", null], 500],
    [["500", "400"], 400],
    [["60001", null], 60_000],
    [["1", null], 1],
    [["0", null], "bad-cap"],
    [["-5", null], "bad-cap"],
    [["1.5", null], "bad-cap"],
    [["", null], "bad-cap"],
    [["many", null], "bad-cap"],
  ] as const
) {
  // BUDGET-5
  test(`capFrom() of ${JSON.stringify(asked)}`, () => {
    const cap = capFrom(asked);
    assert.equal(cap.ok ? cap.value : cap.error.code, want);
  });
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withSparseArray: true,
  withTypedArray: true,
  withNullPrototype: true,
  withBoxedValues: true,
  withObjectString: true,
  stringUnit: "binary",
  maxDepth: 6,
});

test("toPayload() is valid JSON of well-formed text within any cap (property)", () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: MIN_ENVELOPE, max: 2_000 }), (value, cap) => {
      const { text, format } = toPayload(value, { cap, narrowing: NARROWING });
      assert.ok(text.length <= cap, `${text.length} characters`);
      assert.equal(
        text,
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text)),
      );
      if (format === "json") JSON.parse(text);
    }),
    { numRuns: 500 },
  );
});

test("toPayload() of what it wrote is the same text (property)", () => {
  fc.assert(
    fc.property(
      anything,
      fc.integer({ min: 1, max: 17 }),
      (value, precision) => {
        const once = compactJson({ value }, { precision, maxLength: Infinity }).text ?? "";
        const twice = compactJson(JSON.parse(once), { precision, maxLength: Infinity }).text;
        assert.equal(twice, JSON.stringify(JSON.parse(once)));
      },
    ),
    { numRuns: 500 },
  );
});

test("toPayload() differs from JSON.stringify only where it must (property)", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      assert.equal(
        compactJson(value, { precision: 0, maxLength: Infinity }).text,
        JSON.stringify(value),
      );
    }),
    { numRuns: 300 },
  );
});

test("compactJson() counts what it does not keep", () => {
  const value = { list: Array.from({ length: 1_000 }, (_, i) => i / 7) };
  const complete = compactJson(value, { precision: 9, maxLength: Infinity });
  const cut = compactJson(value, { precision: 9, maxLength: 100 });
  assert.equal(cut.text, null);
  assert.equal(cut.length, complete.text?.length);
});
