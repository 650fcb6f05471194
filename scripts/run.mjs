// Starts one of the project's commands on a machine with only Node and npm, or only Deno: installs
// missing packages, finds Deno, and runs scripts/<command>.ts with it. Plain JavaScript without
// dependencies, because it runs before anything is installed. All its messages go to
// stderr, because stdout belongs to the command.

import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { install } from "./run/install.mjs";
import { findDeno, isNewEnough, onWindows, ownDeno } from "./run/programs.mjs";
import { Refusal, say } from "./run/refusal.mjs";

/**
 * Commands for users, which need only the package's own dependencies; and commands for developers.
 */
const FOR_PEOPLE = ["start", "slipway", "demo"];
const COMMANDS = [...FOR_PEOPLE, "test", "check", "soak", "bench", "warm"];
const NODE_AT_LEAST = [20, 18, 1];
const INTERRUPT_AFTER_MS = 1_000;

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
