import assert from "node:assert/strict";
import { test } from "node:test";
import { codingOf, rangeHeaders, readRange, validatorOf } from "../../lib/core/ranges.ts";

const PLAIN = { "accept-encoding": "identity" };
for (
  const [from, validator, want] of [
    [0, null, PLAIN],
    [0, '"a"', PLAIN],
    [5, null, { ...PLAIN, range: "bytes=5-" }],
    [5, '"a"', { ...PLAIN, range: "bytes=5-", "if-range": '"a"' }],
  ] as const
) {
  test(`rangeHeaders() from ${from} with ${validator}`, () =>
    assert.deepEqual(rangeHeaders(from, validator), want));
}

for (
  const [headers, want] of [
    [{}, null],
    [{ etag: '"a"' }, '"a"'],
    [{ etag: 'W/"a"', "last-modified": "x" }, null],
    [{ etag: "a" }, null],
    [{ "last-modified": "x" }, "x"],
  ] as const
) {
  test(`validatorOf() ${JSON.stringify(headers)} is ${want}`, () =>
    assert.equal(validatorOf(new Headers(headers)), want));
}

for (const [said, want] of [["", null], ["Identity", null], [" GZIP ", "gzip"]] as const) {
  test(`codingOf() ${JSON.stringify(said)} is ${want}`, () =>
    assert.equal(codingOf(new Headers({ "content-encoding": said })), want));
}

const RANGE = "bytes 5-9/10";
for (
  const [title, status, headers, want] of [
    ["the rest", 206, { "content-range": RANGE }, { kind: "rest", total: 10 }],
    ["the rest of unknown length", 206, { "content-range": "bytes 5-9/*" }, {
      kind: "rest",
      total: null,
    }],
    ["the rest under its own tag", 206, { "content-range": RANGE, etag: '"a"' }, {
      kind: "rest",
      total: 10,
    }],
    ["the rest of another file", 206, { "content-range": RANGE, etag: '"b"' }, "restart"],
    [
      "a rest that is compressed",
      206,
      { "content-range": RANGE, "content-encoding": "gzip" },
      "restart",
    ],
    ["another part", 206, { "content-range": "bytes 4-9/10" }, "restart"],
    ["a part without a name", 206, {}, "restart"],
    ["no such range", 416, {}, "restart"],
    ["nothing left", 416, { "content-range": "bytes */5" }, { kind: "complete" }],
    ["another length", 416, { "content-range": "bytes */6" }, "restart"],
    ["the whole", 200, { "content-length": "10" }, { kind: "whole", total: 10 }],
    ["the whole of unknown length", 200, {}, { kind: "whole", total: null }],
    ["a busy server", 503, { "retry-after": "3" }, { kind: "again", afterMs: 3_000 }],
    ["no file", 404, {}, { kind: "refused" }],
    ["no content", 204, {}, { kind: "refused" }],
  ] as const
) {
  test(`readRange() tells ${title}`, () => {
    const answer = { status, headers: new Headers(headers) };
    const verdict = readRange(answer, { from: 5, validator: '"a"' });
    if (typeof want === "string") assert.equal(verdict.kind, want);
    else assert.deepEqual(verdict, want);
  });
}

test("readRange() takes no part, and no 416, for what was asked for whole", () => {
  for (const status of [206, 416]) {
    const answer = { status, headers: new Headers({ "content-range": RANGE }) };
    assert.deepEqual(readRange(answer, { from: 0, validator: null }), { kind: "refused" });
  }
});

test("readRange() takes any tag for its own where none is known", () => {
  const headers = new Headers({ "content-range": RANGE, etag: '"b"' });
  const verdict = readRange({ status: 206, headers }, { from: 5, validator: null });
  assert.equal(verdict.kind, "rest");
});
