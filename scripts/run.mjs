// Starts one of the project's commands on a machine that may have nothing but Node and npm, or
// nothing but Deno: installs what is missing, finds Deno, runs scripts/<command>.ts with it.
// Plain JavaScript without dependencies, because it runs before anything is installed.
// Everything this file has to say goes to stderr: stdout belongs to the command.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const COMMANDS = ["start", "slipway", "test", "check", "soak", "demo", "bench", "warm"];
const DENO_PACKAGE = "deno@2.9.6";
const DENO_AT_LEAST = [2, 7, 10];
const NODE_AT_LEAST = [20, 18, 1];
const LOCK_STALE_MS = 20_000;
const INTERRUPT_AFTER_MS = 1_000;
const onWindows = process.platform === "win32";

/** Ends the run with one clear sentence and the next step. */
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
 * The versions of `package-lock.json` that `node_modules` lacks, by the record that npm keeps there.
 * Packages marked optional may be absent: they are for other platforms.
 *
 * @returns `null` when npm did not fill this folder.
 */
function missingPackages(root) {
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
      const there = found[path];
      if (there === undefined) return !entry.optional;
      return there.version !== entry.version || there.integrity !== entry.integrity;
    })
    .map(([path]) => path);
}

function lockHash(root) {
  return createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
}

function stampPath(root) {
  return join(root, "node_modules", ".slipway-lock");
}

/** Whether `node_modules` is what `package-lock.json` says. Never asks the network. */
function isInstalled(root) {
  const missing = missingPackages(root);
  if (missing !== null) return missing.length === 0;
  // Deno filled the folder and leaves no record of its own that could be compared: our stamp.
  return existsSync(stampPath(root)) && readFileSync(stampPath(root), "utf8") === lockHash(root);
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
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (ageMs(lock) > LOCK_STALE_MS) {
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

/** Milliseconds since the lock's holder last gave a sign of life; 0 when the lock has just gone. */
function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

async function install(root) {
  if (isInstalled(root)) return;
  await alone(root, async () => {
    if (isInstalled(root)) return;
    say("Installing the packages of package-lock.json …");
    const npm = await npmCommand();
    if (npm !== null) {
      // A second try covers another npm at work in the same folder.
      for (let tries = 2; tries > 0 && !isInstalled(root); tries--) {
        const { code } = await run(
          npm,
          ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
          { cwd: root, stdio: ["ignore", 2, 2] },
        );
        if (code !== 0 && tries === 1) {
          throw new Refusal(
            "Cannot install the packages: npm ci failed, its output stands above",
            "Check that the npm registry can be reached (npm ping), then run the command again",
          );
        }
      }
      return;
    }
    const self = ownDeno();
    if (self === null) {
      throw new Refusal(
        "Cannot install the packages: found neither npm nor Deno",
        "Install Node 20 or newer with npm, or Deno 2.7.10 or newer, then run the command again",
      );
    }
    const { code } = await run([self], ["install", "--quiet"], {
      cwd: root,
      stdio: ["ignore", 2, 2],
    });
    if (code !== 0) {
      throw new Refusal(
        "Cannot install the packages: deno install failed, its output stands above",
        "Check that the npm registry can be reached, then run the command again",
      );
    }
    writeFileSync(stampPath(root), lockHash(root));
  });
}

// ---------------------------------------------------------------------------------------------
// Programs

/**
 * Runs a program to its end. `command` is its words, so that "node npm-cli.js" is one command.
 *
 * @returns `code` is null when the program could not be started.
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
    child.on("error", () => resolve({ code: null, stdout }));
    child.on("close", (code) => resolve({ code, stdout }));
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

async function findDeno(root) {
  const self = ownDeno();
  if (self !== null && isNewEnough(Deno.version.deno, DENO_AT_LEAST)) return self;
  const onPath = await probeDeno(["deno"]);
  if (onPath !== null) return onPath;

  // npm exec takes a second or two and may ask the network: remember its answer.
  const memory = join(root, ".cache", `${DENO_PACKAGE}.path`);
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
  writeFileSync(memory, fetched);
  return fetched;
}

// ---------------------------------------------------------------------------------------------
// The command

/** Runs the script to its end and answers its exit code; signals to this process reach it. */
function runScript(deno, script, args) {
  const child = spawn(deno, ["run", "-A", script, ...args], {
    stdio: "inherit",
    env: {
      ...process.env,
      DENO_NO_UPDATE_CHECK: "1",
      // The gate runs the tests under this Node too; under Deno it looks on PATH.
      ...(ownDeno() === null ? { SLIPWAY_NODE: process.execPath } : {}),
    },
  });
  const send = (signal) => {
    try {
      // Not child.kill(): under Deno 2.9 that loses the exit code with which the child then ends.
      process.kill(child.pid, signal);
    } catch {
      // ESRCH: it has ended meanwhile.
    }
  };
  // A terminal's Ctrl-C goes to the script as well as to this process: it gets a second one from
  // here only if it is still there after a while.
  let interrupting = false;
  process.on("SIGINT", () => {
    if (!interrupting) setTimeout(() => send("SIGINT"), INTERRUPT_AFTER_MS).unref();
    interrupting = true;
  });
  if (!onWindows) {
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => send(signal));
    // A signal to npm ends npm and the shell between, and reaches nobody here: a new parent tells.
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
  await install(root);
  return await runScript(await findDeno(root), script, args);
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
