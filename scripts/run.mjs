// Starts one of the project's commands on a machine with only Node and npm, or only Deno: installs
// missing packages, finds Deno, and runs scripts/<command>.ts with it. Plain JavaScript without
// dependencies, because it runs before anything is installed. All messages of this file go to
// stderr, because stdout belongs to the command.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { constants, hostname } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { userCacheFolder } from "./shared/user-cache.mjs";

/**
 * Commands for users, which need only the package's own dependencies; and commands for developers.
 */
const FOR_PEOPLE = ["start", "slipway", "demo"];
const COMMANDS = [...FOR_PEOPLE, "test", "check", "soak", "bench", "warm"];
const DENO_PACKAGE = "deno@2.9.6";
const DENO_AT_LEAST = [2, 7, 10];
const NODE_AT_LEAST = [20, 18, 1];
const LOCK_STALE_MS = 20_000;
const INTERRUPT_AFTER_MS = 1_000;
const onWindows = process.platform === "win32";

/** Ends the run with a sentence and the next step. */
class Refusal extends Error {
  constructor(message, next, exitCode = 1) {
    super(message);
    this.next = next;
    this.exitCode = exitCode;
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

// ---------------------------------------------------------------------------------------------
// What is installed

/**
 * Returns the packages of `package-lock.json` that `node_modules` is missing, by npm's record in
 * that folder. Optional packages may be absent, because they are for other platforms. A missing
 * folder with a record was left by an interrupted installation.
 *
 * @param production Whether development packages may be absent too.
 * @returns `null` if npm did not fill this folder.
 */
function missingPackages(root, production) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return null;
  let wanted, found;
  try {
    wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    found = JSON.parse(readFileSync(record, "utf8")).packages ?? {};
  } catch {
    return ["node_modules/.package-lock.json"]; // unreadable: install again
  }
  return Object.entries(wanted)
    .filter(([path, entry]) => {
      if (path === "" || entry.link) return false;
      if (production && (entry.dev || entry.devOptional)) return false;
      const there = found[path];
      if (there === undefined) return !entry.optional && !entry.devOptional;
      return there.version !== entry.version || there.integrity !== entry.integrity ||
        !existsSync(join(root, path, "package.json"));
    })
    .map(([path]) => path);
}

function lockHash(root) {
  return createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
}

function stampPath(root) {
  return join(root, "node_modules", ".slipway-lock");
}

/** Whether `node_modules` matches `package-lock.json`. Never uses the network. */
function isInstalled(root, production) {
  const missing = missingPackages(root, production);
  if (missing !== null) return missing.length === 0;
  // Deno filled the folder and leaves no record of its own that could be compared: our stamp.
  const stamp = existsSync(stampPath(root)) ? readFileSync(stampPath(root), "utf8") : "";
  const all = lockHash(root);
  return stamp === all || (production && stamp === `${all} --prod`);
}

/** Runs `work` while no other start of this checkout does; a holder that died is passed over. */
async function alone(root, work) {
  const folder = join(root, ".cache");
  const lock = join(folder, "install.lock");
  mkdirSync(folder, { recursive: true });
  let told = false;
  while (true) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, "owner"), `${hostname()} ${process.pid}`);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (ageMs(lock) > LOCK_STALE_MS || ownerIsGone(lock)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!told) say("Another start is installing; waiting for it");
    told = true;
    await sleep(200);
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  const stop = () => {
    release();
    process.exit(130);
  };
  const beat = setInterval(() => {
    const now = new Date();
    if (existsSync(lock)) utimesSync(lock, now, now);
  }, 2_000);
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await work();
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    clearInterval(beat);
    release();
  }
}

/** Whether the lock's holder ran on this machine and was killed. */
function ownerIsGone(lock) {
  try {
    const [, name, pid] = /^(.*) (\d+)$/.exec(readFileSync(join(lock, "owner"), "utf8")) ?? [];
    if (name !== hostname()) return false;
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Milliseconds since the last heartbeat of the lock's holder; 0 if the lock was just released. */
function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

async function install(root, production) {
  if (isInstalled(root, production)) return;
  await alone(root, async () => {
    if (isInstalled(root, production)) return;
    say("Installing the packages of package-lock.json …");
    const npm = await npmCommand();
    if (npm !== null) await installWithNpm(npm, root, production);
    else await installWithDeno(root, production);
  });
}

async function installWithNpm(npm, root, production) {
  const less = production ? ["--omit=dev", "--ignore-scripts"] : [];
  const args = ["ci", ...less, "--no-audit", "--no-fund", "--loglevel=error"];
  // A second try covers another npm at work in the same folder.
  for (let tries = 2; tries > 0; tries--) {
    const { code, signal } = await run(npm, args, { cwd: root, stdio: ["ignore", 2, 2] });
    if (isInstalled(root, production)) return;
    if (signal !== null) {
      throw new Refusal(
        `Cannot install the packages: npm ci was ended by ${signal}`,
        "Run the command again: it begins from the start",
      );
    }
    if (tries > 1) continue;
    throw code === 0
      ? new Refusal(
        "Cannot install the packages: npm ci says that it did, and some are not there",
        "Remove the folder node_modules, then run the command again",
      )
      : new Refusal(
        "Cannot install the packages: npm ci failed, its output stands above",
        "Check that the npm registry can be reached (npm ping), then run the command again",
      );
  }
}

async function installWithDeno(root, production) {
  const self = ownDeno();
  if (self === null) {
    throw new Refusal(
      "Cannot install the packages: found neither npm nor Deno",
      "Install Node 20 or newer with npm, or Deno 2.7.10 or newer, then run the command again",
    );
  }
  for (const less of production ? [["--prod"], []] : [[]]) { // an older Deno has no --prod
    const { code } = await run([self], ["install", "--quiet", ...less], {
      cwd: root,
      stdio: ["ignore", 2, 2],
    });
    if (code !== 0) continue;
    return writeFileSync(stampPath(root), [lockHash(root), ...less].join(" "));
  }
  throw new Refusal(
    "Cannot install the packages: deno install failed, its output stands above",
    "Check that the npm registry can be reached, then run the command again",
  );
}

// ---------------------------------------------------------------------------------------------
// Programs

/**
 * Runs a program to its end. `command` is its words, so that "node npm-cli.js" is one command.
 *
 * @returns `code` is null when the program could not be started, or ended by `signal`.
 */
function run(command, args, options) {
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

async function npmCommand() {
  const viaNpm = process.env.npm_execpath ?? "";
  if (/npm-cli\.c?js$/.test(viaNpm) && ownDeno() === null) return [process.execPath, viaNpm];
  const { code } = await run(["npm"], ["--version"], { stdio: "ignore" });
  return code === 0 ? ["npm"] : null;
}

function ownDeno() {
  return typeof Deno === "undefined" ? null : Deno.execPath();
}

/** Whether a version like "2.9.6" or "2.10.0-rc.1" is new enough. */
function isNewEnough(version, atLeast) {
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

async function findDeno() {
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

// ---------------------------------------------------------------------------------------------
// The command

/**
 * Returns the folder in which the command was typed: npm and deno task change into the checkout,
 * but a command's path arguments are relative to that folder. Developers' commands work on the
 * checkout.
 */
function workingFolder(root, command) {
  const { INIT_CWD: typedIn, npm_package_json: manifest } = process.env;
  const isOurs = realpathSync(process.cwd()) === realpathSync(root) &&
    (manifest === undefined || manifest === join(root, "package.json"));
  const exists = typedIn !== undefined && existsSync(typedIn);
  return FOR_PEOPLE.includes(command) && isOurs && exists ? typedIn : process.cwd();
}

/** Runs the script to its end and answers its exit code; signals to this process reach it. */
function runScript(deno, { script, args, cwd }) {
  const { npm_config_loglevel: level, ...environment } = process.env;
  const child = spawn(deno, ["run", "-A", script, ...args], {
    cwd,
    stdio: "inherit",
    env: {
      ...environment,
      // `npm run -s` silences npm's lines about this run, not those of an npm that a build runs.
      ...(level !== undefined && level !== "silent" ? { npm_config_loglevel: level } : {}),
      DENO_NO_UPDATE_CHECK: "1",
      // The gate runs the tests under this Node too; under Deno it looks on PATH.
      ...(ownDeno() === null ? { SLIPWAY_NODE: process.execPath } : {}),
    },
  });
  const send = (signal) => {
    try {
      // Not child.kill(): Deno 2.9 then loses the child's exit code.
      process.kill(child.pid, signal);
    } catch {
      // ESRCH: it has already ended.
    }
  };
  // A terminal's Ctrl-C reaches both the script and this process, which sends a second one only if
  // the script is still running after a while.
  let interrupting = false;
  process.on("SIGINT", () => {
    if (!interrupting) setTimeout(() => send("SIGINT"), INTERRUPT_AFTER_MS).unref();
    interrupting = true;
  });
  if (!onWindows) {
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => send(signal));
    // A signal to npm ends npm and the shell in between, but does not reach this process: a new
    // parent reveals it.
    const parent = process.ppid;
    setInterval(() => {
      if (process.env.npm_lifecycle_event !== undefined && process.ppid !== parent) send("SIGTERM");
    }, 500).unref();
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

async function main([command, ...args]) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  if (!COMMANDS.includes(command)) {
    throw new Refusal(
      `Unknown command ${JSON.stringify(command ?? "")}: expected one of ${COMMANDS.join(", ")}`,
      "Run scripts/run.mjs <command> [flags]",
      2,
    );
  }
  if (ownDeno() === null && !isNewEnough(process.versions.node, NODE_AT_LEAST)) {
    throw new Refusal(
      `Cannot run on Node ${process.versions.node}: expected ${NODE_AT_LEAST.join(".")} or newer`,
      "Install a newer Node, or run it with Deno: deno task " + command,
    );
  }
  const script = join(root, "scripts", `${command}.ts`);
  if (!existsSync(script)) {
    throw new Refusal(
      `Cannot run ${command}: scripts/${command}.ts is missing`,
      "Restore it from the repository",
    );
  }
  await install(root, FOR_PEOPLE.includes(command));
  const cwd = workingFolder(root, command);
  return await runScript(await findDeno(), { script, args, cwd });
}

if (fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  try {
    process.exit(await main(process.argv.slice(2)));
  } catch (error) {
    say(`error: ${error.message}`);
    if (error instanceof Refusal) say(`  next: ${error.next}`);
    process.exit(error.exitCode ?? 1);
  }
}
