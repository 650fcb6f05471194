import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeSuite } from "../../scripts/gate/conformance.ts";
import { judgeBytes, judgeContents, judgeEntries } from "../../scripts/gate/packaging.ts";
import { judgePublished } from "../../scripts/gate/publish.ts";
import { inProject, planBlock, readShellBlocks } from "../../scripts/gate/readme.ts";
import { ignoredSnippets } from "../../scripts/gate/snippets.ts";
import { judgeReplay } from "../../scripts/gate/replay.ts";
import { judgeProof } from "../../scripts/gate/types.ts";

const GATE = { config: "x.json", legal: { "good.ts": "" }, illegal: { "bad.ts": "", "b.ts": "" } };
const PROOFS: readonly (readonly [string, string, readonly RegExp[]])[] = [
  ["every bad source is rejected", "bad.ts(1,2): error TS1: x\nb.ts(9,1): error TS2: y\n", []],
  ["one gets through", "b.ts(1,2): error TS1: x\n", [/lets bad\.ts through/]],
  [
    "a good one is rejected",
    "bad.ts(1,2): error TS1\nb.ts(1,1): error TS1\ngood.ts(1,1): error TS1",
    [/rejects good\.ts/],
  ],
  [
    "the gate cannot run",
    "error TS5083: Cannot read file\nbad.ts(1,2): error TS1\nb.ts(1,1): error TS1",
    [/cannot be checked/],
  ],
];
for (const [name, output, expected] of PROOFS) {
  // HOUSE-2
  test(`judgeProof() when ${name}`, () => {
    const violations = judgeProof(GATE, output);
    assert.equal(violations.length, expected.length, violations.join("\n"));
    for (const [i, pattern] of expected.entries()) assert.match(violations[i] ?? "", pattern);
  });
}

const REPLAYS: readonly (readonly [string, number | null, string, number, number])[] = [
  ["counts what passed", 0, '{"ok":true}\n3 passed, 0 failed\n', 3, 0],
  ["counts what failed", 1, '{"ok":false}\n3 passed, 2 failed\n', 3, 2],
  ["fails on an exit code alone", 1, "3 passed, 0 failed\n", 3, 1],
  ["fails when nothing was replayed", 0, "0 passed, 0 failed\n", 0, 1],
  ["fails without a last line", 0, "3 passed, 0 failed\nand more", 0, 1],
];
for (const [name, code, output, passes, failures] of REPLAYS) {
  test(`judgeReplay() ${name}`, () => {
    const outcome = judgeReplay(code, output);
    assert.deepEqual([outcome.passed, outcome.failed], [passes, failures]);
  });
}

const PACKED = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "dist/mod.js", "vectors/a"];
test("judgeContents() passes what users need", () =>
  assert.deepEqual(judgeContents([...PACKED, "dist/scripts/mcp.js", "dist/lib/latest.js"]), []));
for (
  const path of [
    "dist/tests/a.js",
    "dist/scripts/test.js",
    "dist/scripts/soak.js",
    "dist/scripts/gate/gate.js",
    "dist/lib/a.test.js",
    "dist/game-runtime/game-A.js.map",
  ]
) {
  test(`judgeContents() refuses ${path}`, () =>
    assert.deepEqual(judgeContents([...PACKED, path]), [`the tarball holds ${path}`]));
}
test("judgeContents() misses what is not there", () => assert.equal(judgeContents([]).length, 6));
test("judgeBytes() bounds what an installation takes", () =>
  assert.deepEqual([judgeBytes(13_250_000).length, judgeBytes(13_250_001).length], [0, 1]));

const DENO = { ".": "mod.ts", "./editor": "lib/editor/mod.ts", "./deno": "adapters/deno/mod.ts" };
const NPM = {
  ".": { types: "./dist/mod.d.ts", default: "./dist/mod.js" },
  "./editor": { types: "./dist/lib/editor/mod.d.ts", default: "./dist/lib/editor/mod.js" },
  "./package.json": "./package.json",
};
const MANIFESTS: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp | null])[] =
  [
    ["passes the same entries", NPM, null],
    [
      "finds an entry that npm lacks",
      { ...NPM, "./editor": undefined },
      /exports \.\/editor: expected/,
    ],
    [
      "finds another file",
      { ...NPM, ".": NPM["./editor"] },
      /exports \.: expected .*dist\/mod\.d\.ts/,
    ],
    [
      "finds an entry that Deno lacks",
      { ...NPM, "./more": "./x.js" },
      /deno\.json: exports lack \.\/more/,
    ],
  ];
for (const [name, npm, expected] of MANIFESTS) {
  test(`judgeEntries() ${name}`, () => {
    const violations = judgeEntries(npm, DENO);
    assert.equal(violations.length, expected === null ? 0 : 1, violations.join("\n"));
    if (expected !== null) assert.match(violations[0] ?? "", expected);
  });
}

const imports = (target: string, line: number) =>
  [{ specifier: `./${target}`, target, line, when: "load" }] as const;
test("judgePublished() passes files whose imports are published", () =>
  assert.deepEqual(
    judgePublished(["mod.ts", "lib/a.ts"], new Map([["mod.ts", imports("lib/a.ts", 1)]])),
    [],
  ));
test("judgePublished() finds an import that stays behind", () =>
  assert.match(
    judgePublished(
      ["mod.ts", "scripts/a.ts"],
      new Map([["scripts/a.ts", imports("scripts/gate/b.ts", 2)]]),
    ).join(),
    /^scripts\/a\.ts:2: is published and imports scripts\/gate\/b\.ts, which is not/,
  ));
test("judgePublished() fails when there is no list", () =>
  assert.equal(judgePublished([], new Map()).length, 1));

test("ignoredSnippets() counts ts fences marked ignore, in pages and docstrings", () =>
  assert.equal(ignoredSnippets("```ts ignore\n```\n * ```ts ignore\n```ts\n```sh ignore\n"), 2));

test("readShellBlocks() takes sh fences, with their lines and marks", () =>
  assert.deepEqual(
    readShellBlocks("# a\n\n```sh\nnpm start\n```\n```ts\nx\n```\n```sh no-run\ngit clone\n```\n"),
    [
      { line: 3, script: "npm start\n", run: true },
      { line: 9, script: "git clone\n", run: false },
    ],
  ));

const BLOCKS: readonly (readonly [string, string, ReturnType<typeof planBlock>])[] = [
  ["plain commands", "a b\n# note\n\nc\n", { script: "a b\nc", service: null, named: [] }],
  ["npm start", "npm start # serves\n", {
    script: "",
    service: "npm start -- --port 0",
    named: [],
  }],
  ["npm start with flags", "npm start -- --port 99 --project x", {
    script: "",
    service: "npm start -- --project x --port 0",
    named: [],
  }],
  ["deno task start", "deno task start --port=99", {
    script: "",
    service: "deno task start --port 0",
    named: [],
  }],
  ["the gate and what is longer", "npm test\nnpm run bench\ndeno task soak\nnpm run demo\n", {
    script: "npm run demo",
    service: null,
    named: ["test", "bench", "soak"],
  }],
];
for (const [name, script, expected] of BLOCKS) {
  test(`planBlock() ${name}`, () => assert.deepEqual(planBlock(script), expected));
}

test("inProject() runs what npx runs where the package is, and the rest where it stands", () => {
  assert.equal(
    inProject("echo a\nnpx slipway keygen > a.pub # a key\nnpx slipways", "/p"),
    'echo a\n(cd "/p"\nnpx slipway keygen > a.pub # a key\n)\nnpx slipways',
  );
});

const SUMMARY =
  "…\n=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n✗ prompts-list: 1 passed, 1 failed\n";
const SUITES: readonly (readonly [string, number | null, string, number, number])[] = [
  ["counts the scenarios that passed", 0, SUMMARY, 1, 0],
  ["sees through colours", 0, SUMMARY.replace("✓", "\u001b[32m✓\u001b[0m"), 1, 0],
  ["fails when what failed is not in the baseline", 1, SUMMARY, 1, 1],
  ["fails when nothing ran", 0, "=== SUMMARY ===\n", 0, 1],
  ["fails when the suite could not be run", null, "", 0, 1],
];
for (const [name, code, output, passes, failures] of SUITES) {
  test(`judgeSuite() ${name}`, () => {
    const outcome = judgeSuite("product", { code, output });
    assert.deepEqual([outcome.passed, outcome.failed], [passes, failures]);
  });
}
