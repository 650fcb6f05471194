import { readFileSync } from "node:fs";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { toBase64Url } from "../../lib/core/base64url.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { Random } from "./random.ts";

// Vectors that are drawn: nothing is expected of them but that every core comes to the same.

/** A scenario of that kind without expectations. */
export function drawScenario(kind: string, random: Random, id: string): JsonObject {
  const about = { id, kind, rules: ["BOOT-1"], comment: "drawn" };
  if (kind === "boot") return { ...about, steps: many(random, 24, () => drawStep(random)) };
  const draw = CASES[kind];
  if (draw === undefined) throw new Error(`Nothing draws a vector of kind ${kind}`);
  return { ...about, cases: many(random, 6, () => ({ input: draw(random), expect: {} })) };
}

const BUNDLES = ["shell", "game", "a-b", "toString", "__proto__", "Shell", ""];
const VERSIONS = ["v1", "v2", "v3", "v4", "v10", "v9007199254740991", "v9007199254740992"];
const NO_VERSIONS = ["v0", "v01", "1", "embedded", "", "V1", "v-1", "../v1", "v1 "];

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[random.below(values.length)];
  if (value === undefined) throw new Error("Nothing to pick from");
  return value;
}

function many<T>(random: Random, most: number, draw: () => T): T[] {
  return Array.from({ length: 1 + random.below(most) }, draw);
}

function chance(random: Random, of: number): boolean {
  return random.next() < of;
}

function version(random: Random): string {
  return pick(random, chance(random, 0.97) ? VERSIONS : NO_VERSIONS);
}

/** What stands where something else belongs. */
function anything(random: Random): JsonValue {
  return pick<JsonValue>(random, [
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e21,
    2 ** 53,
    2 ** 53 - 1,
    "",
    "v1",
    "corrupt",
    "é\u{1f600}",
    "1",
    [],
    {},
    [[]],
    { shell: "v1" },
    { shell: 1 },
    "x".repeat(600),
  ]);
}

function drawStep(random: Random): JsonObject {
  const bundle = chance(random, 0.8) ? "shell" : pick(random, BUNDLES);
  const state = chance(random, 0.04) ? { state: drawState(random) } : {};
  const step = { ...state, bundle, expect: {} };
  switch (random.below(20)) {
    case 0:
      return { ...step, op: "newBinary", binaryVersion: pick(random, ["1", "2", "1.4 (é)", ""]) };
    case 1:
      return { ...step, op: "mayStage", version: version(random) };
    case 2:
      return {
        ...step,
        op: "revert",
        ...(chance(random, 0.6) && { quarantine: chance(random, 0.7) }),
        ...(chance(random, 0.4) && { toEmbedded: chance(random, 0.7) }),
      };
    case 3:
    case 4:
    case 5:
    case 6:
      return { ...step, op: "activate", version: version(random) };
    case 7:
    case 8:
    case 9:
    case 10: {
      const booted = [version(random), { kind: "embedded" }, {
        kind: "version",
        version: version(random),
      }];
      return {
        ...step,
        op: "confirm",
        ...(chance(random, 0.2) && { booted: pick(random, booted) }),
      };
    }
    default: {
      const exists = [...VERSIONS, "v01"].filter(() => chance(random, 0.9));
      const recorded = chance(random, 0.15) ? { recorded: chance(random, 0.3) } : {};
      return { ...step, op: "boot", exists: exists.map((one) => `${bundle}/${one}`), ...recorded };
    }
  }
}

function drawState(random: Random): JsonValue {
  if (chance(random, 0.1)) return chance(random, 0.5) ? null : "corrupt";
  if (chance(random, 0.05)) return anything(random);
  const map = (draw: () => JsonValue): JsonObject =>
    Object.fromEntries(many(random, 3, () => [pick(random, BUNDLES.slice(0, 4)), draw()]));
  const count = () => chance(random, 0.95) ? random.below(4) : anything(random);
  const texts = () => chance(random, 0.97) ? version(random) : anything(random);
  const state: JsonObject = {
    ...(chance(random, 0.6) && { active: map(texts) }),
    ...(chance(random, 0.6) && { pending: map(texts) }),
    ...(chance(random, 0.5) && { bootAttempts: map(count) }),
    ...(chance(random, 0.4) && { confirmedBoots: map(count) }),
    ...(chance(random, 0.4) && { rejected: map(() => many(random, 14, texts)) }),
    ...(chance(random, 0.4) && { lastSeenBinaryVersion: pick(random, ["1", "2", ""]) }),
    ...(chance(random, 0.1) && { unknown: anything(random) }),
  };
  return chance(random, 0.15) ? damaged(random, state) : state;
}

/** One place of a value, changed. */
function damaged(random: Random, value: JsonValue): JsonValue {
  if (chance(random, 0.2)) return anything(random);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    if (at === value.length) return [...value, anything(random)];
    return value.map((item: JsonValue, i) => i === at ? damaged(random, item) : item);
  }
  if (!isRecord(value)) return typeof value === "string" ? torn(random, value) : anything(random);
  const members = Object.entries(value as JsonObject) as [string, JsonValue][];
  const at = random.below(members.length + 1);
  const [name = "added", member] = members[at] ?? [];
  const rest = members.filter(([other]) => other !== name);
  if (member === undefined) return Object.fromEntries([...rest, [name, anything(random)]]);
  if (chance(random, 0.2)) return Object.fromEntries(rest);
  if (chance(random, 0.2)) return Object.fromEntries([...rest, [torn(random, name), member]]);
  return Object.fromEntries([...rest, [name, damaged(random, member)]]);
}

const BITS = [
  ...'{}[]",:\\/.%-+eE0189 \t\n~ASv',
  "null",
  "true",
  "\\u0041",
  "\\ud83d\\ude00",
  "\\ud83d",
]
  .concat([
    "é",
    "e\u0301",
    "\u{1f600}",
    "\u0000",
    "\u007f",
    "\u0085",
    "\u2028",
    "\ufeff",
    "İ",
    "ß",
  ]);

/** A text with a few letters added, gone or moved. */
function torn(random: Random, text: string): string {
  const letters = [...text];
  for (let change = random.below(3); change >= 0; change--) {
    const at = random.below(letters.length + 1);
    letters.splice(at, random.below(3), ...(chance(random, 0.7) ? [pick(random, BITS)] : []));
  }
  return letters.join("");
}

const inputs = new Map<string, JsonObject[]>();

/** The input of a case that the vectors hold. */
function known(random: Random, kind: string): JsonObject {
  let held = inputs.get(kind);
  if (held === undefined) {
    const scenarios = JSON.parse(readFileSync(`vectors/${kind}/${kind}.json`, "utf8")) as {
      cases: { input: JsonObject }[];
    }[];
    inputs.set(kind, held = scenarios.flatMap(({ cases }) => cases.map(({ input }) => input)));
  }
  return pick(random, held);
}

/** A text that holds JSON, changed as text or as what it says. */
function otherJson(random: Random, text: string): string {
  if (chance(random, 0.3)) return torn(random, text);
  try {
    return JSON.stringify(damaged(random, JSON.parse(text)));
  } catch {
    return torn(random, text);
  }
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const CASES: Readonly<Record<string, (random: Random) => JsonObject>> = {
  json(random) {
    const { text: held } = known(random, "json");
    let bytes = encodeUtf8(otherJson(random, text(held)));
    if (chance(random, 0.2)) {
      bytes = Uint8Array.from(bytes, (byte) => chance(random, 0.05) ? random.below(256) : byte);
    }
    return { base64url: toBase64Url(bytes) };
  },
  path(random) {
    const draw = () => many(random, 5, () => pick(random, [...PATH_BITS, ...BITS])).join("");
    const path = chance(random, 0.05) ? "a/".repeat(random.below(300)) + draw() : draw();
    return pick(random, [{ path }, { name: path }, { version: `v${random.below(20)}${draw()}` }, {
      paths: many(random, 4, draw),
    }]);
  },
  manifest(random) {
    const input = known(random, "manifest");
    return { ...input, text: otherJson(random, text(input["text"])) };
  },
  release(random) {
    const input = known(random, "release");
    return { ...input, record: otherJson(random, text(input["record"])) };
  },
  native(random) {
    const { op = "", request = {}, accepted } = known(random, "native");
    const manifest = isRecord(request) ? request["manifest"] : undefined;
    const other = typeof manifest === "string" && chance(random, 0.3)
      ? { ...request as JsonObject, manifest: otherJson(random, manifest) }
      : chance(random, 0.7)
      ? damaged(random, request)
      : request;
    return { op, request: other, ...(accepted !== undefined && { accepted }) };
  },
  sweep(random) {
    const versions = () => many(random, 5, () => pick(random, VERSIONS));
    const lists = () =>
      Object.fromEntries(many(random, 3, () => [pick(random, BUNDLES.slice(0, 4)), versions()]));
    const one = () => pick(random, VERSIONS);
    return {
      state: drawState(random),
      previous: { shell: one(), game: one() },
      rejected: lists(),
      staged: lists(),
      busy: many(random, 3, () => `shell@${one()}`),
      forRoom: chance(random, 0.5),
    };
  },
  diff(random) {
    const files = () =>
      Object.fromEntries(
        many(random, 8, () => [
          pick(random, ["a", "b/c", "b/d", "index.html", "é.js", "z", "A", "__proto__x"]),
          { hash: pick(random, ["0", "1", "a", "f"]).repeat(64), size: random.below(400_000) },
        ]),
      );
    const zip = { hash: "e".repeat(64), size: random.below(900_000) };
    return {
      current: { files: files() },
      target: { files: files(), ...(chance(random, 0.6) && { bundleZip: zip }) },
      ...(chance(random, 0.6) && {
        others: many(random, 3, () => ({ at: pick(random, VERSIONS), files: files() })),
      }),
    };
  },
};

const PATH_BITS = [
  "a",
  "b.js",
  "/",
  "/",
  "..",
  ".",
  "con",
  "NUL.txt",
  "COM1",
  "aux ",
  "x.",
  "index.html",
]
  .concat([
    "\\",
    "C:",
    "%2e",
    "*",
    "?",
    "<",
    "|",
    "a".repeat(200),
    ".json",
    ".tmp",
    "-",
    "_",
    "v1",
  ]);

/** The kinds that are drawn. */
export const DRAWN_KINDS: readonly string[] = ["boot", ...Object.keys(CASES)];
