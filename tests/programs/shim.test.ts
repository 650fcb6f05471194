import assert from "node:assert/strict";
import { test } from "node:test";
import { behindShim } from "../../lib/programs/mod.ts";
import { type Entry, machine } from "../toolchain/machine.ts";

const PROGRAM: Entry = { program: "x" };
const NPM =
  'goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\..\\@x\\cli\\cli.js" %*\r\n';
const PNPM =
  '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\..\\@x\\cli\\cli.js" %*\r\n)';

interface Row {
  readonly title: string;
  readonly shim: Entry;
  readonly entries?: Record<string, Entry>;
  readonly want: readonly [string, string] | null;
}

const CLI = "C:/t/node_modules/@x/cli/cli.js";
const NODE = "C:\\node\\node.exe";
const SCRIPT = "C:\\t\\node_modules\\@x\\cli\\cli.js";

const ROWS: readonly Row[] = [
  { title: "npm's, node on PATH", shim: NPM, entries: { [CLI]: "js" }, want: [NODE, SCRIPT] },
  {
    title: "npm's, node beside it",
    shim: NPM,
    entries: { [CLI]: "js", "C:/t/node_modules/.bin/node.exe": PROGRAM },
    want: ["C:\\t\\node_modules\\.bin\\node.exe", SCRIPT],
  },
  { title: "npm's, its script gone", shim: NPM, want: null },
  {
    title: "RubyGems', with ruby beside it",
    shim: '@ECHO OFF\r\n@"%~dp0ruby.exe" "%~dpn0" %*\r\n',
    entries: {
      "C:/t/node_modules/.bin/ruby.exe": PROGRAM,
      "C:/t/node_modules/.bin/tool": "#!/usr/bin/env ruby",
    },
    want: ["C:\\t\\node_modules\\.bin\\ruby.exe", "C:\\t\\node_modules\\.bin\\tool"],
  },
  { title: "one with more after it", shim: PNPM, entries: { [CLI]: "js" }, want: null },
  {
    title: "one of another program",
    shim: '@"C:\\a\\evil.exe" "C:\\a\\b" %*',
    entries: { "C:/a/evil.exe": PROGRAM, "C:/a/b": "x" },
    want: null,
  },
  {
    title: "one that has a variable in its path",
    shim: '@"%NODE%\\node.exe" "C:\\a\\b.js" %*',
    entries: { "C:/a/b.js": "x" },
    want: null,
  },
  { title: "one that may not be read", shim: { denied: true }, want: null },
  { title: "an empty one", shim: "", want: null },
];

for (const { title, shim, entries = {}, want } of ROWS) {
  test(`behindShim() of ${title}`, async () => {
    const { files, syncStat: stat } = machine({
      platform: "win32",
      entries: { "C:/t/node_modules/.bin/tool.cmd": shim, "C:/node/node.exe": PROGRAM, ...entries },
    });
    const context = { files, stat, env: { Path: "C:\\node" } };
    const behind = await behindShim("C:\\t\\node_modules\\.bin\\tool.cmd", context);
    assert.deepEqual(behind && [behind.command, ...behind.args], want);
  });
}
