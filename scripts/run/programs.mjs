import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { userCacheFolder } from "../shared/user-cache.mjs";
import { Refusal, say } from "./refusal.mjs";

const DENO_PACKAGE = "deno@2.9.6";
const DENO_AT_LEAST = [2, 7, 10];
export const onWindows = process.platform === "win32";

/**
 * Runs a program to its end. `command` is its words, so that "node npm-cli.js" is one command.
 *
 * @returns `code` is null when the program could not be started, or ended by `signal`.
 */
export function run(command, args, options) {
  const [program, ...first] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...first, ...args], {
      ...options,
      // npm is a .cmd on Windows, which only a shell starts.
      shell: onWindows && program === "npm",
    });
    let stdout = "";
    child.stdout?.on("data", (chunk) => stdout += chunk);
    child.on("error", () => resolve({ code: null, signal: null, stdout }));
    child.on("close", (code, signal) => resolve({ code, signal, stdout }));
  });
}

/** Returns the command that runs npm, program first; `null` if npm is not installed. */
export async function npmCommand() {
  const viaNpm = process.env.npm_execpath ?? "";
  if (/npm-cli\.c?js$/.test(viaNpm) && ownDeno() === null) return [process.execPath, viaNpm];
  const { code } = await run(["npm"], ["--version"], { stdio: "ignore" });
  return code === 0 ? ["npm"] : null;
}

/** Returns the path of the Deno that runs this; `null` under Node. */
export function ownDeno() {
  return typeof Deno === "undefined" ? null : Deno.execPath();
}

/** Whether a version like "2.9.6" or "2.10.0-rc.1" is new enough. */
export function isNewEnough(version, atLeast) {
  const numbers = version.split(/[.+-]/, 3).map(Number);
  for (const [i, wanted] of atLeast.entries()) {
    const found = numbers[i] ?? 0;
    if (found !== wanted) return found > wanted;
  }
  return true;
}

/** The real binary behind `command` (a shim would swallow signals), when it is new enough. */
async function probeDeno(command, args = []) {
  const { code, stdout } = await run(
    command,
    [...args, "eval", "console.log(`${Deno.version.deno} ${Deno.execPath()}`)"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  if (code !== 0) return null;
  const [, version, path] = /(\S+) (.+)\s*$/.exec(stdout) ?? [];
  return path !== undefined && isNewEnough(version, DENO_AT_LEAST) ? path.trim() : null;
}

/** Returns the path of a Deno that is new enough; npm fetches one if the machine has none. */
export async function findDeno() {
  const self = ownDeno();
  if (self !== null && isNewEnough(Deno.version.deno, DENO_AT_LEAST)) return self;
  const onPath = await probeDeno(["deno"]);
  if (onPath !== null) return onPath;

  // npm exec takes a second or two and may ask the network: remember its answer.
  const memory = join(userCacheFolder(process), `${DENO_PACKAGE}.path`);
  if (existsSync(memory)) {
    const remembered = await probeDeno([readFileSync(memory, "utf8")]);
    if (remembered !== null) return remembered;
  }
  const npm = await npmCommand();
  if (npm === null) {
    throw new Refusal(
      "Cannot find Deno 2.7.10 or newer, nor npm to fetch it with",
      "Install Deno or Node 20 or newer with npm, then run the command again",
    );
  }
  say(`Fetching Deno (npm package ${DENO_PACKAGE}) …`);
  const fetched = await probeDeno(npm, [
    "exec",
    "--yes",
    "--loglevel=error",
    `--package=${DENO_PACKAGE}`,
    "--",
    "deno",
  ]);
  if (fetched === null) {
    throw new Refusal(
      `Cannot fetch Deno: npm exec --package=${DENO_PACKAGE} failed`,
      "Check that the npm registry can be reached (npm ping), or install Deno 2.7.10 or newer",
    );
  }
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(`${memory}.${process.pid}`, fetched); // other checkouts may read it concurrently
  renameSync(`${memory}.${process.pid}`, memory);
  return fetched;
}
