import { spawn as start } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createHost } from "../../../adapters/node/host.ts";
import { createSyncStat } from "../../../adapters/node/sync-stat.ts";
import { createFiles } from "../../../adapters/node/files.ts";
import { behindShim } from "../../../lib/programs/shim.ts";
import {
  runnable,
  type Spawn,
  spawnable,
  type SpawnOptions,
} from "../../../lib/programs/spawnable.ts";
import { whichSync } from "../../../lib/programs/which.ts";
import { HARD_ARGUMENTS, INJECTIONS } from "./hard-arguments.ts";

// Runs inside Windows (Wine, in tests) and writes down what it found; windows.test.ts judges it.
// Called with a folder to work in.

/** What became of arguments on their way through a file. */
export interface Way {
  /** How the command was started; `refused` when none of the arguments may pass. */
  readonly kind: Spawn["kind"] | "refused";
  readonly sent: readonly string[];
  readonly refused: readonly string[];
  /** As the program at the end got them; `null` when it did not run. */
  readonly received: readonly string[] | null;
}

/** Everything that was found. */
export interface Findings {
  readonly platform: string;
  /** By the title of the question: the path below the folder, or `null`. */
  readonly which: Readonly<Record<string, string | null>>;
  readonly ways: Readonly<Record<string, Way>>;
  readonly injected: boolean;
}

const [, , root = ""] = process.argv;
const stat = createSyncStat();
const host = createHost();
const node = process.execPath;
const got = join(root, "got.json");
const script = join(root, "töol box", "argv.cjs");

function put(path: string, text: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function findPrograms(): Record<string, string | null> {
  const at = (...names: readonly string[]) => join(root, "ü bin", ...names);
  put(at("1", "tool"), "#!/bin/sh");
  put(at("1", "tool.CMD"), "@rem");
  put(at("2", "tool.exe"), "MZ");
  put(at("2", "tool.cmd"), "@rem");
  mkdirSync(at("0", "tool.exe"), { recursive: true });
  put(at("WindowsApps", "tool.exe"), "");
  put(at("semi;colon", "tool.exe"), "MZ");
  put(at("only", "shim"), "#!/bin/sh");
  put(at("cwd", "planted.cmd"), "@rem");
  process.chdir(at("cwd"));
  const PATHEXT = ".COM;.EXE;.BAT;.CMD;.JS";
  const which = (name: string, env: Record<string, string>) => {
    const found = whichSync(name, { platform: "win32", env: { PATHEXT, ...env }, stat });
    return found === null ? null : found.slice(root.length + 1).replaceAll("\\", "/");
  };
  return {
    "folder before extension": which("tool", { Path: `${at("1")};${at("2")}` }),
    "PATHEXT order": which("tool", { Path: at("2"), PATHEXT: ".CMD;.EXE" }),
    "no folder of that name": which("tool", { PATH: `${at("0")};${at("2")}` }),
    "no extension-less shim": which("shim", { Path: at("only") }),
    "no empty store alias": which("tool", { Path: `${at("WindowsApps")};${at("2")}` }),
    "a quoted entry": which("tool", { pAtH: `"${at("semi;colon")}";${at("1")}` }),
    "not the current folder": which("planted", { Path: ";.;;cwd;" }),
    "cmd.exe by this machine's environment":
      whichSync("cmd", { platform: host.platform, env: host.environment(), stat }) === null
        ? null
        : "found",
  };
}

/** A shim as npm writes them. */
function npmShim(relative: string): string {
  return [
    "@ECHO off",
    "GOTO start",
    ":find_dp0",
    "SET dp0=%~dp0",
    "EXIT /b",
    ":start",
    "SETLOCAL",
    "CALL :find_dp0",
    "",
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ") ELSE (",
    '  SET "_prog=node"',
    "  SET PATHEXT=%PATHEXT:;.JS;=;%",
    ")",
    "",
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${relative}" %*`,
    "",
  ].join("\r\n");
}

async function way(
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, "platform">,
): Promise<Way> {
  const how: SpawnOptions = { platform: "win32", systemRoot: host.env("SystemRoot"), ...options };
  const sent = args.filter((arg) => spawnable(command, [arg], how).ok);
  const refused = args.filter((arg) => !sent.includes(arg));
  const spawn = spawnable(command, sent, how);
  if (!spawn.ok || sent.length === 0) return { kind: "refused", sent: [], refused, received: null };
  writeFileSync(got, "null");
  await run(spawn.value);
  const received: unknown = JSON.parse(readFileSync(got, "utf8"));
  return {
    kind: spawn.value.kind,
    sent,
    refused,
    received: Array.isArray(received) ? received.map(String) : null,
  };
}

/** Not through the adapter: under Wine a program has no pipes to write to. */
function run(spawn: Spawn): Promise<void> {
  const { command, args, verbatimArguments = false } = runnable(spawn);
  return new Promise((resolve, reject) => {
    start(command, [...args], {
      cwd: root,
      stdio: "ignore",
      env: { ...process.env, GOT: got },
      windowsVerbatimArguments: verbatimArguments,
    }).on("error", reject).on("exit", () => resolve());
  });
}

async function goWays(): Promise<Record<string, Way>> {
  put(
    script,
    "require('node:fs').writeFileSync(process.env.GOT, JSON.stringify(process.argv.slice(2)));",
  );
  const line = `"${node}" "%~dp0argv.cjs"`;
  const tools = join(root, "töol box");
  const bin = put(join(tools, "node_modules", ".bin", "argv.cmd"), npmShim("..\\..\\argv.cjs"));
  const kept = put(join(tools, "kept.bat"), `@echo off\r\nset ALL=%*\r\n${line} %ALL%\r\n`);
  const plain = put(join(tools, "plain & more.cmd"), `@${line} %*\r\nexit /b\r\n`);
  const calls = put(join(tools, "calls.cmd"), '@call "%~dp0plain & more.cmd" %*\r\n@exit /b\r\n');
  const env = { Path: join(node, "..") };
  const behind = await behindShim(bin, { files: createFiles(), stat, env });
  const hard = [...HARD_ARGUMENTS];
  const evil = [...INJECTIONS];
  const dotted = `${plain}. .`;
  return {
    "npm's shim": await way(bin, [...hard, ...evil], { behind, stat }),
    "a batch file": await way(plain, [...hard, ...evil], {}),
    "a batch file that keeps its arguments": await way(kept, [...hard, ...evil], {}),
    "a batch file that calls another": await way(calls, [...hard, ...evil], {}),
    "a batch file spelled with dots and spaces": await way(dotted, evil, {}),
  };
}

const findings: Findings = {
  platform: process.platform,
  which: findPrograms(),
  ways: await goWays(),
  injected: ["injected", "töol box/injected", "ü bin/cwd/injected"].some((path) =>
    existsSync(join(root, path))
  ),
};
writeFileSync(join(root, "findings.json"), JSON.stringify(findings));
