import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { RunRequest } from "../../lib/ports/processes.ts";
import {
  modelProgram,
  type ModelToolDependencies,
  runModelTool,
} from "../../lib/project/models/model-tools.ts";
import { readyStep } from "../../lib/project/building/run-step.ts";
import type { Detection, SyncStat } from "../../lib/toolchain/mod.ts";
import { runtime } from "../toolchain/real-machine.ts";

// On Windows npm's shims are batch files, whose interpreter takes neither a quote nor a percent sign.

const BIN = "C:\\game\\node_modules\\.bin";
const SHIM = [
  "@ECHO off",
  "SETLOCAL",
  'IF EXIST "%~dp0\\node.exe" ( SET "_prog=%~dp0\\node.exe" ) ELSE ( SET "_prog=node" )',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%~dp0\\..\\pack\\cli.js" %*',
  "",
].join("\r\n");

const FILES = new Set([
  `${BIN}\\pack.cmd`,
  "C:\\game\\node_modules\\pack\\cli.js",
  "C:\\node\\node.exe",
].map((path) => path.toLowerCase()));

const syncStat: SyncStat = (path) => {
  const known = FILES.has(path.replaceAll("/", "\\").toLowerCase());
  return known
    ? { kind: "file", executable: true, size: 1 }
    : { kind: "missing", executable: false, size: 0 };
};
const files = {
  read: (path: string) => Promise.resolve(path.endsWith(".cmd") ? encodeUtf8(SHIM) : null),
  realPath: (path: string) => Promise.resolve(path),
  list: () => Promise.resolve(null),
  readRange: () => Promise.resolve(null),
};
const environment = { Path: "C:\\node", PATHEXT: ".EXE;.CMD", SystemRoot: "C:\\Windows" };
const host = {
  ...runtime.host,
  platform: "win32",
  env: (name: string) => Object.entries(environment).find(([key]) => key === name)?.[1],
  environment: () => environment,
} as const;
const HARD = ['say "hi"', "100%", "a b"];
const DIRECT = ["C:\\game\\node_modules\\pack\\cli.js", ...HARD];

test("readyStep() on Windows sees through a shim, so that every argument arrives", async () => {
  const ready = await readyStep({ files, host, syncStat, processes: runtime.processes }, {
    command: [".\\node_modules\\.bin\\pack", ...HARD],
    setting: "build.web.command",
    root: "C:\\game",
    env: environment,
    onLine: () => undefined,
  });
  assert.ok(ready.ok, JSON.stringify(ready));
  const { kind, command, args } = ready.value.spawn;
  assert.deepEqual([kind, command, args], ["direct", "C:\\node\\node.exe", DIRECT]);
});

test("runModelTool() on Windows sees through a shim, so that every argument arrives", async () => {
  const runs: RunRequest[] = [];
  const found: Detection = {
    id: "gltfpack",
    kind: "binary",
    present: true,
    source: "own",
    path: `${BIN}\\pack.cmd`,
    tried: [],
  };
  const tools: ModelToolDependencies = {
    files,
    host,
    syncStat,
    processes: {
      run(request) {
        runs.push(request);
        return Promise.resolve({
          kind: "exited",
          code: 0,
          stdout: "",
          stderr: "",
          truncated: false,
        });
      },
    },
    toolchain: {
      detect: () => Promise.resolve(found),
      withToolOnPath: (_id, env) => Promise.resolve({ ok: true, value: { ...env } }),
      systemToolchainAllowed: () => Promise.resolve(false),
    },
  };
  const program = await modelProgram(tools, "gltfpack");
  assert.ok(program.ok, JSON.stringify(program));
  const ran = await runModelTool(tools, program.value, { args: HARD, cwd: "C:\\game" });
  assert.ok(ran.ok, JSON.stringify(ran));
  assert.deepEqual([runs[0]?.command, runs[0]?.args], ["C:\\node\\node.exe", DIRECT]);
});
