import { test } from "node:test";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { z } from "zod";
import { defineTool, READ_ONLY, type Tool } from "../../lib/agent/declaration/tool.ts";
import { type Problem, problem } from "../../lib/core/problem.ts";
import { isRecord } from "../../lib/core/json.ts";
import { err, ok, type Result } from "../../lib/core/result.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { createTinyService } from "../support/tiny-service.ts";

// The budget as callers meet it: whatever a producer gives, on MCP and on HTTP, as an answer and as
// a refusal (BUDGET-2, BUDGET-3, BUDGET-4).

const CAP = 60_000;
const ENVELOPE = 4_000;
const ORIGIN = "http://127.0.0.1:4747";

/** What the odd tool produces next. */
const next: { outcome: Result<object | string, Problem> } = { outcome: ok({}) };

const odd: Tool = defineTool({
  name: "odd",
  route: "/api/odd",
  purpose: "Answers what it is told to",
  defaultShape: "anything",
  parameters: z.object({}),
  drillDown: {},
  annotations: READ_ONLY,
  produce: () => Promise.resolve(next.outcome),
  summarize: (produced) => ok(produced),
});
const service = createTinyService({ tools: [odd] });

const client = new Client({ name: "test", version: "1" }, {
  versionNegotiation: { mode: "auto" },
});

/** Connects without a socket between, once. */
async function connected(): Promise<Client> {
  if (client.getNegotiatedProtocolVersion() !== undefined) return client;
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch(url, init) {
        const headers = new Headers(init?.headers);
        headers.set("host", new URL(ORIGIN).host);
        return service.handler(new Request(url, { ...init, headers }));
      },
    }),
  );
  return client;
}

/** The answer over every transport: they must be one. */
async function answered(): Promise<{ readonly status: number; readonly text: string }> {
  const route = await service.send("/api/odd");
  const named = await service.send("/api/tools/odd", { method: "POST" });
  const { content, isError } = await (await connected()).callTool({ name: "odd", arguments: {} });
  const item = content[1];
  const text = item?.type === "text" ? item.text : "";
  assert.equal(named.text, route.text);
  assert.equal(text, route.text);
  assert.deepEqual([named.status, isError ?? false], [route.status, route.status !== 200]);
  return route;
}

/** A tree with what JSON cannot say, very long keys, many keys and deep nesting in it. */
const leaf = fc.oneof(
  { weight: 3, arbitrary: fc.double() },
  { weight: 2, arbitrary: fc.integer() },
  fc.constantFrom(NaN, -0, Infinity, -Infinity, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, 1e21),
  fc.bigInt(),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\ud800", "a\udc00b", "\u0000", "\u2028", '"\\', "🦀".repeat(3_000)),
  fc.constantFrom(null, undefined, true, Symbol("s"), () => 1),
);
const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("__proto__", "constructor", "\ud800", "…", "k".repeat(10_000)),
);
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.array(tie("node"), { maxLength: 8 }),
    fc.array(fc.tuple(key, tie("node")), { maxLength: 8 }).map(objectOf),
  ),
})).node;

const many = fc.integer({ min: 1_000, max: 100_000 })
  .map((count) => objectOf(Array.from({ length: count }, (_, i) => [`key ${i}`, i / 7])));
const deep = fc.tuple(fc.integer({ min: 1, max: 5_000 }), leaf)
  .map(([levels, end]) => {
    let value: unknown = end;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
    return value;
  });
const cyclic = fc.array(fc.tuple(key, leaf), { maxLength: 5 }).map((entries) => {
  const value: Record<string, unknown> = objectOf(entries);
  value["self"] = value;
  value["list"] = [value, [value]];
  return value;
});
const anything = fc.oneof(
  { weight: 40, arbitrary: tree },
  { weight: 1, arbitrary: many },
  { weight: 4, arbitrary: deep },
  { weight: 4, arbitrary: cyclic },
  { weight: 4, arbitrary: fc.array(fc.double(), { minLength: 4_000, maxLength: 9_000 }) },
);

function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** Whether `read` says what `value` was, as far as JSON and nine digits can. */
function sameAs(read: unknown, value: unknown): boolean {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return read === String(value);
    if (Number.isInteger(value)) return read === value || (value === 0 && read === 0);
    return typeof read === "number" && Math.abs(read - value) <= Math.abs(value) * 5e-9;
  }
  if (typeof value === "bigint") return read === String(value);
  if (typeof value === "string") return read === value.toWellFormed();
  if (typeof value === "boolean" || value === null) return read === value;
  if (read === "[circular]" || read === "[too deep]") return typeof value === "object";
  if (Array.isArray(value)) {
    return Array.isArray(read) && read.length === value.length &&
      value.every((item, i) => sameAs(read[i], item ?? null));
  }
  if (!isRecord(value)) return read === null; // what JSON drops, in a list
  // Only keys that come through as they are: odd ones have tests of their own.
  return isRecord(read) &&
    Object.entries(value).every(([name, member]) =>
      typeof member === "undefined" || typeof member === "function" || typeof member === "symbol" ||
      !name.isWellFormed() || sameAs(Object.getOwnPropertyDescriptor(read, name)?.value, member)
    );
}

function checkBudget(text: string): { readonly elided: boolean; readonly read: unknown } {
  const read: unknown = JSON.parse(text);
  assert.ok(text.isWellFormed());
  const elided = isRecord(read) && read["elided"] === true && typeof read["bytes"] === "number";
  assert.ok(text.length <= (elided ? ENVELOPE : CAP), `${text.length} characters`);
  return { elided, read };
}

const seed = runSeed();
const settings = { numRuns: rounds(120, 5_000), seed: seed | 0 };

test(`any value is answered within the budget over every transport (SLIPWAY_SEED=${seed})`, () =>
  fc.assert(
    fc.asyncProperty(anything, async (value) => {
      next.outcome = ok({ value });
      const { status, text } = await answered();
      assert.equal(status, 200);
      const { elided, read } = checkBudget(text);
      if (!elided) assert.ok(sameAs(read, { value }), text.slice(0, 500));
    }),
    settings,
  ));

test(`any refusal is told within the budget over every transport (SLIPWAY_SEED=${seed})`, () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.integer({ min: 1, max: 3_000 }),
      async (piece, times) => {
        next.outcome = err(problem(422, "odd", piece.repeat(times), "Do something else"));
        const { status, text } = await answered();
        assert.equal(status, 422);
        const { elided, read } = checkBudget(text);
        assert.ok(isRecord(read));
        if (elided) assert.match(String(read["hint"]), /^422 odd: /);
        else assert.equal(read["code"], "odd");
      },
    ),
    { ...settings, numRuns: rounds(60, 2_000) },
  ));

test(`any bug is told within the budget over every transport (SLIPWAY_SEED=${seed})`, () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (message) => {
      const broken = {
        get value() {
          throw new Error(message);
        },
      };
      next.outcome = ok(broken);
      const { status, text } = await answered();
      assert.equal(status, 500);
      checkBudget(text);
    }),
    { ...settings, numRuns: 20 },
  ));

for (
  const path of [
    `/api/${"x".repeat(70_000)}`,
    `/api/odd?${"y".repeat(70_000)}=1`,
    `/mcp?toolsets=${"z".repeat(70_000)}`,
    `/mcp?cap=${"9".repeat(70_000)}`,
    `/api/jobs/${"j".repeat(70_000)}/events`,
  ]
) {
  test(`a route refuses ${path.slice(0, 20)}… within the budget`, async () => {
    const { status, text } = await service.send(path);
    assert.ok(status >= 400 && status < 500);
    assert.ok(text.length <= ENVELOPE);
    assert.equal(JSON.parse(text).status, status);
  });
}
