import { readFileSync } from "node:fs";
import { toBase64Url } from "../../lib/core/base64url.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { anything, BITS, chance, damaged, otherJson, pick } from "./random-changes.ts";
import { drawStaging } from "./random-stagings.ts";
import type { Random } from "./random.ts";

// Drawn vectors: they have no expected outcome, except that every core reaches the same one.

/** A scenario of that kind without expectations. */
export function drawScenario(kind: string, random: Random, id: string): JsonObject {
  const about = { id, kind, rules: ["BOOT-1"], comment: "drawn" };
  if (kind === "boot") return { ...about, steps: many(random, 24, () => drawStep(random)) };
  const draw = CASES[kind];
  if (draw === undefined) throw new Error(`Nothing draws a vector of kind ${kind}`);
  return {
    ...about,
    cases: many(random, kind === "stage" ? 1 : 6, () => ({ input: draw(random), expect: {} })),
  };
}

const BUNDLES = ["shell", "game", "a-b", "toString", "__proto__", "Shell", ""];
const VERSIONS = ["v1", "v2", "v3", "v4", "v10", "v9007199254740991", "v9007199254740992"];
const NO_VERSIONS = ["v0", "v01", "1", "embedded", "", "V1", "v-1", "../v1", "v1 "];

function many<T>(random: Random, most: number, draw: () => T): T[] {
  return Array.from({ length: 1 + random.below(most) }, draw);
}

function version(random: Random): string {
  return pick(random, chance(random, 0.97) ? VERSIONS : NO_VERSIONS);
}

function drawStep(random: Random): JsonObject {
  const bundle = chance(random, 0.8) ? "shell" : pick(random, BUNDLES);
  const state = chance(random, 0.04) ? { state: drawState(random) } : {};
  const step = { ...state, bundle, expect: {} };
  switch (random.below(21)) {
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
      return {
        ...step,
        op: "retrial",
        previous: chance(random, 0.8) ? version(random) : null,
        exists: [...VERSIONS].filter(() => chance(random, 0.8)).map((one) => `${bundle}/${one}`),
      };
    case 8:
    case 9:
    case 10:
    case 11: {
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

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const CASES: Readonly<Record<string, (random: Random) => JsonObject>> = {
  stage: drawStaging,
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
  wanted(random) {
    const one = () => pick(random, VERSIONS);
    const lists = () => ({ shell: many(random, 3, one), game: many(random, 2, one) });
    const input = known(random, "wanted");
    const record = JSON.stringify({
      schema: 1,
      app: "default",
      channel: "production",
      sequence: 7,
      manifests: {},
      mandatory: false,
      bundles: { shell: one(), [pick(random, BUNDLES.slice(0, 3))]: version(random) },
      minEngineApi: 1 + random.below(3),
      ...(chance(random, 0.5) && { backTo: { shell: one() } }),
    });
    return {
      ...input,
      release: chance(random, 0.2) ? otherJson(random, record) : record,
      name: chance(random, 0.8) ? "shell" : pick(random, BUNDLES),
      state: drawState(random),
      rejected: lists(),
      embedded: {
        ...(chance(random, 0.8) && { version: version(random) }),
        ...(chance(random, 0.5) && { released: version(random) }),
      },
      engineApi: random.below(4),
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
    if (chance(random, 0.005)) return { current: { files: {} }, target: boastful(zip) };
    return {
      current: { files: files() },
      target: { files: files(), ...(chance(random, 0.6) && { bundleZip: zip }) },
      ...(chance(random, 0.6) && {
        others: many(random, 3, () => ({ at: pick(random, VERSIONS), files: files() })),
      }),
    };
  },
};

/** Files that are served in more bytes together than 64 bits count. */
function boastful(bundleZip: JsonObject): JsonObject {
  const files = Array.from({ length: 1_100 }, (_, at): [string, JsonObject] => {
    const hash = at.toString(16).padStart(64, "0");
    return [`${at}.js`, { hash, size: 1, served: 2 ** 53 - 1 - at }];
  });
  return { files: Object.fromEntries(files), bundleZip };
}

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
