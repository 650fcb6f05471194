import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepBuildInfo, takeBuildInfo } from "./build-info.ts";
import { type Context, fromRun, tsc } from "./context.ts";
import { fromViolations, type Outcome } from "./outcome.ts";

/** A type gate: a tsconfig, with code that must pass and code that must fail. */
export interface TypeGate {
  /** Below `scripts/gate/`. */
  readonly config: string;
  /** Sources that the gate must let through, by file name. */
  readonly legal: Readonly<Record<string, string>>;
  /** Sources that the gate must reject, by file name. */
  readonly illegal: Readonly<Record<string, string>>;
}

/** `lib/` alone against web types (HOUSE-2). */
export const WEB_GATE: TypeGate = {
  config: "web.tsconfig.json",
  legal: {
    "web.ts": `export const answer: Promise<Response> = fetch(new URL("https://example.invalid"));
export const copy: { a: number } = structuredClone({ a: 1 });
export const last: number | undefined = [1, 2].at(-1);
`,
  },
  illegal: {
    "deno.ts": "export const cwd: unknown = Deno.cwd();\n",
    "global-deno.ts": "export const cwd: unknown = globalThis.Deno;\n",
    "process.ts": "export const env: unknown = process.env;\n",
    "buffer.ts": 'export const bytes: unknown = Buffer.from("");\n',
    "node-fs.ts":
      'import { readFileSync } from "node:fs";\nexport const read: unknown = readFileSync;\n',
    "bare-fs.ts":
      'import { readFileSync } from "fs";\nexport const read: unknown = readFileSync;\n',
    "require.ts": 'export const fs: unknown = require("fs");\n',
    "document.ts": "export const page: unknown = document.body;\n",
    "node-22.ts": "export const later: unknown = Promise.withResolvers();\n",
  },
};

/**
 * Checks `lib/game-web`, `lib/page` and all their imports against the types of a page, without
 * those of a runtime.
 */
export const PAGE_GATE: TypeGate = {
  config: "page.tsconfig.json",
  legal: {
    "page.ts": 'export const canvas: HTMLCanvasElement = document.createElement("canvas");\n',
  },
  illegal: {
    "process.ts": "export const env: unknown = process.env;\n",
    "deno.ts": "export const cwd: unknown = Deno.cwd();\n",
    "node-fs.ts":
      'import { readFileSync } from "node:fs";\nexport const read: unknown = readFileSync;\n',
  },
};

/** Checks `lib/ota-client` and all its imports against the APIs of the phone's engine. */
export const ENGINE_GATE: TypeGate = {
  config: "engine.tsconfig.json",
  legal: {
    "es2020.ts": `export const big: bigint = 2n ** 53n;
export const settled: Promise<unknown> = Promise.allSettled([Promise.resolve(1)]);
export const nothing: number = [[1], [2]].flat()[0] ?? 0;
`,
  },
  illegal: {
    "structured-clone.ts": "export const copy: unknown = structuredClone({ a: 1 });\n",
    "url-pattern.ts": 'export const pattern: unknown = new URLPattern({ pathname: "/" });\n',
    "at.ts": "export const last: unknown = [1, 2].at(-1);\n",
    "replace-all.ts": 'export const text: unknown = "a".replaceAll("a", "b");\n',
    "has-own.ts": 'export const own: unknown = Object.hasOwn({}, "a");\n',
    "error-cause.ts": 'export const error: unknown = new Error("a", { cause: 1 });\n',
    "node-fs.ts":
      'import { readFileSync } from "node:fs";\nexport const read: unknown = readFileSync;\n',
    "process.ts": "export const env: unknown = process.env;\n",
    "document.ts": "export const page: unknown = document.body;\n",
  },
};

const PAGE = "export const page: HTMLElement | null = document.body;\n";
const NEWER = {
  "at.ts": "export const last: unknown = [1, 2].at(-1);\n",
  "to-sorted.ts": "export const sorted: unknown = [1, 2].toSorted();\n",
  "has-own.ts": 'export const own: unknown = Object.hasOwn({}, "a");\n',
  "iterator.ts": "export const all: unknown = new Map().values().toArray();\n",
};

/**
 * Checks the code that runs before a game, including the plugin's package: ES2020 in a page
 * (HOUSE-3). The client is in ENGINE_GATE as well.
 */
export const START_GATE: TypeGate = {
  config: "start.tsconfig.json",
  legal: { "page.ts": PAGE },
  illegal: {
    ...NEWER,
    "replace-all.ts": 'export const text: unknown = "a".replaceAll("a", "b");\n',
    "error-cause.ts": 'export const error: unknown = new Error("a", { cause: 1 });\n',
  },
};

/**
 * Checks a game and all its imports: of ES2022, Safari 15 and Chrome 94 have only `Error.cause`.
 */
export const GAME_GATE: TypeGate = {
  config: "game.tsconfig.json",
  legal: {
    "page.ts": PAGE,
    "replace-all.ts": 'export const text: string = "a".replaceAll("a", "b");\n',
    "error-cause.ts": 'export const error: Error = new Error("a", { cause: 1 });\n',
  },
  illegal: NEWER,
};

/**
 * Type-checks every source with both runtimes' types: in a quarter of the time that `deno check`
 * takes, which has the last word in the long run.
 */
export async function checkAllTypes(context: Context): Promise<Outcome> {
  const types = await context.exec([context.deno, "types"], { cwd: context.root });
  if (types.code !== 0) return fromRun(types);
  writeFileSync(join(context.cache, "deno.d.ts"), types.stdout);
  return await checkConfig(context, "all.tsconfig.json");
}

/** Type-checks the sources of the gate. */
export async function checkTypes(context: Context, gate: TypeGate): Promise<Outcome> {
  return await checkConfig(context, gate.config);
}

/**
 * Checks one configuration; files that did not change since the last time, here or in another checkout, are
 * not checked again.
 */
async function checkConfig(context: Context, config: string): Promise<Outcome> {
  const known = join(context.cache, config.replace(/json$/, "tsbuildinfo"));
  const command = [
    ...[...tsc(context), "--pretty", "false", "-p", join("scripts", "gate", config)],
    ...["--incremental", "--tsBuildInfoFile", known],
  ];
  takeBuildInfo(known);
  const ran = await context.exec(command, { cwd: context.root });
  if (ran.code === 0) keepBuildInfo(known);
  return fromRun(ran);
}

/** Proves that the gate bites: each illegal source is rejected, each legal one is not. */
export async function proveTypes(context: Context, gate: TypeGate): Promise<Outcome> {
  // Inside the checkout, where @types/node could be found if the gate let it in.
  const folder = mkdtempSync(join(context.cache, "proof-"));
  try {
    const sources = { ...gate.legal, ...gate.illegal };
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
    const files = Object.keys(sources);
    // Relative names in a base config refer to the base's folder, so the engine's list is added.
    if (gate === ENGINE_GATE) files.push(join(context.root, "lib", "ota-client", "engine.d.ts"));
    const config = {
      extends: join(context.root, "scripts", "gate", gate.config),
      files,
      include: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const ran = await context.exec([...tsc(context), "--pretty", "false", "-p", "tsconfig.json"], {
      cwd: folder,
    });
    return fromViolations(judgeProof(gate, ran.output));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the code that the type checker should have rejected but accepted, and vice versa. */
export function judgeProof(gate: TypeGate, output: string): readonly string[] {
  const rejected = new Set(
    [...output.matchAll(/^([^\s(]+)\(\d+,\d+\): error /gm)].map(([, f]) => f),
  );
  return [
    ...Object.keys(gate.illegal)
      .filter((name) => !rejected.has(name))
      .map((name) => `${gate.config} lets ${name} through: expected an error in it\n${output}`),
    ...Object.keys(gate.legal)
      .filter((name) => rejected.has(name))
      .map((name) => `${gate.config} rejects ${name}: expected no error in it\n${output}`),
    // An error that belongs to no proof: the proof did not run as intended.
    ...(/^error /m.test(output) ? [`${gate.config} cannot be checked:\n${output}`] : []),
  ];
}
