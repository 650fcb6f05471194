import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "acorn";
import { isRecord } from "../../lib/core/json.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

// Every script of a built game is read at the level of the engines that it is for (HOUSE-3).

const LEVELS = {
  "every engine": { ecmaVersion: 5, refuses: [] },
  "before the game": { ecmaVersion: 2020, refuses: ["lookbehind"] },
  // Safari 15 and Chrome 94 have of ES2022 all but these.
  "the game": { ecmaVersion: 2022, refuses: ["StaticBlock", "lookbehind"] },
} as const;
type Level = keyof typeof LEVELS;

const OTA = {
  enabled: true,
  baseUrl: "https://cdn.example/updates",
  publicKey: "4ruKProhPkbmehDK0p2Ctvk9pL005XLKXfDiDno8qXA",
  bundleName: "harbor",
  engineApi: 1,
} as const;

function* nodesIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) { for (const one of value) yield* nodesIn(one); }
  else if (isRecord(value)) {
    if (typeof value["type"] === "string") yield value;
    for (const part of Object.values(value)) yield* nodesIn(part);
  }
}

/** Reads a script at a level. @returns Why it cannot be read there, and the scripts that it names. */
function readAt(level: Level, code: string) {
  const { ecmaVersion, refuses } = LEVELS[level];
  const isModule = level !== "every engine" && !code.includes("registration.scope");
  const wrong: string[] = [];
  const imports: string[] = [];
  try {
    const program = parse(code, { ecmaVersion, sourceType: isModule ? "module" : "script" });
    for (const { type, source, value, regex } of nodesIn(program)) {
      if (refuses.some((one) => one === type)) wrong.push(`found ${type}`);
      const text = isRecord(regex)
        ? String(regex["pattern"])
        : isRecord(value)
        ? value["raw"]
        : value;
      const isBehind = typeof text === "string" && /\(\?<[=!]/.test(text);
      if (isBehind && refuses.some((one) => one === "lookbehind")) wrong.push("found lookbehind");
      if (isRecord(source) && typeof source["value"] === "string") imports.push(source["value"]);
    }
  } catch (thrown) {
    wrong.push(String(thrown));
  }
  return { wrong, imports };
}

for (
  const [level, code] of [
    ["every engine", "let a = 1;"],
    ["every engine", "f(() => 1);"],
    ["before the game", "a ??= 1;"],
    ["before the game", "export class A { b = 1; }"],
    ["before the game", "export class A { #b() {} }"],
    ["before the game", "export const a = /(?<=a)b/;"],
    ["the game", "export class A { static {} }"],
    ["the game", "export const a = new RegExp(`(?<!${b})c`);"],
    ["the game", "using a = b();"],
  ] as const
) {
  test(`readAt() refuses ${code} for ${level}`, () =>
    assert.equal(readAt(level, code).wrong.length, 1));
}

test("every script of a built game is read at its level: what runs before it in ES2020", () =>
  withFolder(async (root) => {
    cpSync("lib/editor/sample", root, { recursive: true });
    const config = parseProjectConfig(readFileSync(join(root, "project.config.json")));
    assert.ok(config.ok);
    const built = await buildWeb(await loadRuntime(), {
      root,
      config: { ...config.value, ota: OTA, devices: { bridge: "ws://127.0.0.1:4747" } },
      env: {},
      onLine: () => undefined,
    });
    assert.ok(built.ok, built.ok ? "" : built.error.detail);
    const { folder } = built.value;
    const page = readFileSync(join(folder, "index.html"), "utf8");
    const [, game = ""] = /rel="modulepreload" href="\.\/runtime\/([^"]+)"/.exec(page) ?? [];
    const levels = new Map<string, Level>([["too-old.js", "every engine"]]);
    const before = Array.from(
      page.matchAll(/<script type="module" src="\.\/([^"]+)"/g),
      ([, path = ""]) => path,
    );
    assert.equal(before.length, 2, "what starts the game, and the device bridge");
    for (const path of ["offline.js", ...before]) levels.set(path, "before the game");
    for (const [path, level] of levels) {
      for (const named of readAt(level, readFileSync(join(folder, path), "utf8")).imports) {
        if (named !== `./${game}`) levels.set(`runtime/${named.slice(2)}`, level);
      }
    }
    const scripts = [
      ...readdirSync(folder).filter((name) => name.endsWith(".js")),
      ...readdirSync(join(folder, "runtime")).filter((name) => name.endsWith(".js"))
        .map((name) => `runtime/${name}`),
    ];
    const found = (level: Level) =>
      scripts.filter((path) => (levels.get(path) ?? "the game") === level);
    assert.deepEqual(found("every engine"), ["too-old.js"]);
    assert.ok(found("before the game").some((path) => path.startsWith("runtime/updates-")));
    assert.ok(found("the game").includes(`runtime/${game}`));
    const wrong = scripts.flatMap((path) =>
      readAt(levels.get(path) ?? "the game", readFileSync(join(folder, path), "utf8")).wrong
        .map((why) => `${path}: ${why}`)
    );
    assert.deepEqual(wrong, []);
  }));
