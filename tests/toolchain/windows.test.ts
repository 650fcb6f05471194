import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { afterTests } from "../support/after-tests.ts";
import { findWindowsNode } from "../../scripts/gate/windows-node.ts";
import { HARD_ARGUMENTS, INJECTIONS } from "./windows/hard-arguments.ts";
import type { Findings } from "./windows/inside.ts";

// The rules of Windows, looked at from inside it: Node for Windows under Wine runs our own code on a
// real file system and real processes. One start; the tests below judge what it wrote down.

const START_MS = 120_000;

const windows = await findWindowsNode();
const options = { skip: windows.skip };
let looking: Promise<Findings> | undefined;
let root: string | undefined;
afterTests(() => root !== undefined && rmSync(root, { recursive: true, force: true }));

/** What was found in there; asked by tests, so that none of this process ends before it is. */
function look(): Promise<Findings> {
  assert.ok(windows.skip === false);
  return looking ??= lookInside(windows);
}

async function lookInside(
  on: Exclude<typeof windows, { readonly skip: string }>,
): Promise<Findings> {
  root = mkdtempSync(join(on.work, "test-"));
  const script = join(root, "inside.mjs");
  await build({
    entryPoints: ["tests/toolchain/windows/inside.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    outfile: script,
    logLevel: "silent",
  });
  await on.run(`Z:${script}`, [`Z:${root}`.replaceAll("/", "\\")], START_MS);
  return JSON.parse(readFileSync(join(root, "findings.json"), "utf8"));
}

const WHICH: readonly (readonly [title: string, want: string | null])[] = [
  ["folder before extension", "ü bin/1/tool.cmd"],
  ["PATHEXT order", "ü bin/2/tool.cmd"],
  ["no folder of that name", "ü bin/2/tool.exe"],
  ["no extension-less shim", null],
  ["no empty store alias", "ü bin/2/tool.exe"],
  ["a quoted entry", "ü bin/semi;colon/tool.exe"],
  ["not the current folder", null],
  ["cmd.exe by this machine's environment", "found"],
];

for (const [title, want] of WHICH) {
  test(`whichSync() inside Windows: ${title}`, options, async () => {
    const findings = await look();
    assert.equal(findings.platform, "win32");
    assert.equal(findings.which[title], want);
  });
}

// FIND-7
test(
  "spawnable() inside Windows brings all hard arguments through npm's shim",
  options,
  async () => {
    const findings = await look();
    const way = findings.ways["npm's shim"];
    assert.equal(way?.kind, "direct");
    assert.deepEqual(way.received, [...HARD_ARGUMENTS, ...INJECTIONS]);
  },
);

for (
  const title of [
    "a batch file",
    "a batch file that keeps its arguments",
    "a batch file that calls another",
  ]
) {
  test(
    `spawnable() inside Windows: ${title} gets an argument whole, or not at all`,
    options,
    async () => {
      const findings = await look();
      const way = findings.ways[title];
      assert.equal(way?.kind, "cmd");
      assert.deepEqual(way.received, way.sent);
      const unsafe = [...HARD_ARGUMENTS, ...INJECTIONS].filter((arg) => /["%\r\n]/.test(arg));
      assert.deepEqual(way.refused, unsafe);
    },
  );
}

test("spawnable() inside Windows runs nothing that an argument holds", options, async () => {
  const findings = await look();
  assert.deepEqual(findings.injected, false);
  const way = findings.ways["a batch file spelled with dots and spaces"];
  assert.ok(way?.kind !== "direct");
});
