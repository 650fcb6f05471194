import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { programAt, whichSync } from "../../lib/programs/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// The requirements of tests on the machine: each names the program or right that it uses, and a
// test that misses one is skipped with a reason that names it. Requirements whose check starts a
// process are functions, called once by the file that needs them.

const { host, syncStat: stat } = await loadRuntime();

/** Why a test cannot run here, in the form of node:test's `skip`; `false` if it can. */
export type Skip = string | false;

/** A program that a test runs. */
export interface ProgramNeed {
  readonly name: string;
  /** Its possible places, the first that answers is used; when absent, PATH is searched. */
  readonly places?: readonly string[];
  /** Arguments with which the program answers and changes nothing; when absent, it is not run. */
  readonly asks?: readonly string[];
  /** The expected output on either stream, before it exits 0. */
  readonly answers?: RegExp;
  /** The lowest number that the first group of `answers` may be. */
  readonly atLeast?: number;
  /** The package that brings it. */
  readonly from: string;
}

/** A program that answered, or why none was found. */
export interface FoundProgram {
  readonly skip: Skip;
  /** The program's path; when none was found, the first place, or its name. */
  readonly path: string;
  /** The groups that `answers` matched. */
  readonly answer: readonly string[];
}

/** A bound for a program that hangs, no deadline: machines that test are shared. */
const ANSWER_MS = 120_000;

/** Finds a program that starts here and is the intended one; a file of its name proves neither. */
export function findProgram(
  { name, places, from, ...need }: ProgramNeed,
  env: Readonly<Record<string, string>> = host.environment(),
): FoundProgram {
  const lookup = { platform: host.platform, env, stat };
  const onPath = places === undefined ? whichSync(name, lookup) : null;
  const where = places ?? (onPath === null ? [] : [onPath]);
  const reasons: string[] = [];
  for (const place of where) {
    const path = programAt(place, lookup);
    const found = path === null ? whatIsAt(place) : answerOf(path, need, env);
    if (found === null) continue;
    if (path !== null && typeof found !== "string") return { skip: false, path, answer: found };
    reasons.push(`found ${place}, but ${String(found)}`);
  }
  const spelled = places === undefined ? "on PATH" : `at ${places.join(", ")}`;
  const [reason = `found no ${name} ${spelled}`] = reasons;
  return { skip: `${reason}: expected ${from}`, path: where[0] ?? name, answer: [] };
}

/** Says why the file at this path is no program; `null` if no file exists. */
function whatIsAt(path: string): string | null {
  const { kind } = stat(path);
  if (kind === "missing") return null;
  return kind === "file" ? "it is not executable" : `it is a ${kind}`;
}

/** Returns a program's answer, or says how it failed. */
function answerOf(
  path: string,
  { asks, answers = /^/, atLeast = 0 }: Pick<ProgramNeed, "asks" | "answers" | "atLeast">,
  env: Readonly<Record<string, string>>,
): readonly string[] | string {
  if (asks === undefined) return [];
  const ran = spawnSync(path, [...asks], {
    encoding: "utf8",
    // Some programs translate their version output.
    env: { ...env, LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: ANSWER_MS,
    killSignal: "SIGKILL",
  });
  const printed = `${ran.stdout ?? ""}${ran.stderr ?? ""}`;
  const answer = answers.exec(printed);
  if (ran.status !== 0 || answer === null) {
    return `it ${howItEnds(ran)} when asked '${asks.join(" ")}'${inBrackets(printed)}`;
  }
  const [, version = ""] = answer;
  return Number(version) < atLeast ? `it is version ${version}, not ${atLeast} or newer` : answer;
}

/**
 * Describes how a program ended. Deno reports neither an error nor a status of one that this user
 * may not start.
 */
function howItEnds({ error, status, signal }: SpawnSyncReturns<string>): string {
  if (error !== undefined) return `does not start (${error.message})`;
  if (typeof status === "number") return `exits with ${status}`;
  return typeof signal === "string" ? `is ended by ${signal}` : "does not start";
}

function inBrackets(printed: string): string {
  const text = printed.trim().slice(0, 200);
  return text === "" ? "" : ` (${text})`;
}

/** Says why a run did not reach its goal; `false` if it did. @param what The goal, in words. */
export function failureOf(what: string, ran: SpawnSyncReturns<string>, expected: string): Skip {
  return ran.status !== 0 &&
    `${what} ${howItEnds(ran)}${inBrackets(ran.stderr ?? "")}: expected ${expected}`;
}

/**
 * Finds Node itself. A `node` on PATH may be a version manager's, which needs the user's home and
 * settings.
 */
export function findNode(env?: Readonly<Record<string, string>>): FoundProgram {
  const found = findProgram({
    name: "node",
    // Deno answers as `node` when Node is missing, and must not be taken for it.
    asks: ["-p", "'Deno' in globalThis ? '' : process.version + ' ' + process.execPath"],
    answers: /^v(\d+)\.\S+ (.+)$/m,
    atLeast: 20,
    from: "Node 20 or newer",
  }, env);
  return { ...found, path: found.answer[2] ?? found.path };
}

/**
 * Returns PATH with Node's own folder first, before a version manager's, whose npm needs the user's
 * home too.
 */
export function pathToNode(node: FoundProgram = findNode()): string {
  return [dirname(node.path), host.env("PATH")].join(delimiter);
}

/** The npm on {@linkcode pathToNode}, which reads our lock files; asked without the user's home. */
export function findNpm(): FoundProgram {
  return findProgram({
    name: "npm",
    asks: ["--version"],
    answers: /^(\d+)\.\d+\.\d+/m,
    atLeast: 7, // older ones do not read a lock file of version 3
    from: "npm 7 or newer, which comes with Node",
  }, { ...host.environment(), PATH: pathToNode(), HOME: "/nonexistent" });
}

/** The folder of Debian's Android SDK, of which each package brings a part. */
export const DEBIAN_SDK = "/usr/lib/android-sdk";

/**
 * Finds the adb of Debian's SDK, whose folder may exist without it. Answers its protocol and its
 * version.
 */
export function findAdb(): FoundProgram {
  return findProgram({
    name: "adb",
    places: [join(DEBIAN_SDK, "platform-tools/adb")],
    asks: ["--version"],
    answers: /^Android Debug Bridge version 1\.0\.(\d+)\nVersion (\S+)/m,
    from: "Debian's package adb",
  });
}

/**
 * Finds Debian's Ruby, run in a clean environment as the tests do. @param asks Code that it must
 * run.
 */
export function findRuby(...asks: readonly string[]): FoundProgram {
  const need = { name: "ruby", places: ["/usr/bin/ruby"], from: "Debian's package ruby" };
  return findProgram({ ...need, asks, answers: /^\d+\.\d+/m }, { PATH: "/usr/bin:/bin" });
}

/** Tests that need a POSIX shell and its programs. */
export const withoutShell: Skip = process.platform === "win32" && "Windows has no /bin/sh";

/** Tests that need links and permission bits. */
export const withoutPosixFiles: Skip = process.platform === "win32" &&
  "Windows has no POSIX permissions, and links need a privilege";

/** Tests that look for open files in /proc. */
export const withoutProc: Skip = process.platform !== "linux" &&
  "only Linux lists its open files in /proc";

/** Tests that listen on ::1. */
export const withoutIPv6: Skip =
  !Object.values(networkInterfaces()).flat().some((one) => one?.address === "::1") &&
  "this machine has no ::1";

/** Tests that run shell scripts which they write into a folder of this one. */
export function withoutScripts(parent: string = tmpdir()): Skip {
  return withoutShell || inFolder((folder) => {
    const path = join(folder, "script");
    writeFileSync(path, "#!/bin/sh\nexit 0\n");
    chmodSync(path, 0o755);
    const ran = spawnSync(path, { encoding: "utf8" });
    return failureOf(`a program in ${parent}`, ran, "TMPDIR on a file system without noexec");
  }, parent);
}

/**
 * Decides whether tests of forbidden access can run: root may access everything, except in a
 * container that withholds its rights.
 */
export function withoutDenial(): Skip {
  return withoutPosixFiles || inFolder((folder) => {
    const closed = join(folder, "closed");
    mkdirSync(closed, { mode: 0o500 });
    try {
      mkdirSync(join(closed, "below"));
      return "this user may write everywhere: expected one that is not root";
    } catch (thrown) {
      if (thrown instanceof Error && "code" in thrown && thrown.code === "EACCES") return false;
      throw thrown;
    }
  });
}

/** Tests that mount a disk of their own. */
export function withoutMount(): Skip {
  if (process.platform !== "linux") return "only Linux mounts a tmpfs";
  return inFolder((folder) =>
    mayNotMount(["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], folder)
  );
}

/** Tests that mount a disk which is a file. */
export function withoutLoopMount(): Skip {
  const skip = withoutMount();
  if (skip !== false) return skip;
  return inFolder((folder) => {
    const [image, at] = [join(folder, "disk.img"), join(folder, "disk")];
    writeFileSync(image, new Uint8Array(2 ** 20));
    mkdirSync(at);
    const made = spawnSync("mkfs.ext4", ["-q", "-F", image], { encoding: "utf8" });
    const from = "Debian's package e2fsprogs, and /usr/sbin on PATH";
    return failureOf("mkfs.ext4", made, from) || mayNotMount(["-o", "loop", image, at], at);
  });
}

function mayNotMount(args: readonly string[], at: string): Skip {
  const mounted = spawnSync("mount", [...args], { encoding: "utf8" });
  if (mounted.status === 0) spawnSync("umount", [at]);
  return failureOf(`mount ${args.slice(0, 2).join(" ")}`, mounted, "root with the right to mount");
}

/** Tests that start a process in a session of its own. */
export function withoutSetsid(): Skip {
  return withoutShell || findProgram({
    name: "setsid",
    places: ["/usr/bin/setsid"],
    asks: ["true"],
    answers: /^$/,
    from: "Debian's package util-linux",
  }).skip;
}

/** Asks a question about a folder, which is removed afterwards. */
function inFolder(ask: (folder: string) => Skip, parent: string = tmpdir()): Skip {
  const folder = mkdtempSync(join(parent, "slipway-needs-"));
  try {
    return ask(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
