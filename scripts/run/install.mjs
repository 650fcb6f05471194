import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { npmCommand, ownDeno, run } from "./programs.mjs";
import { Refusal, say } from "./refusal.mjs";

const LOCK_STALE_MS = 20_000;

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

/**
 * Installs the packages of `package-lock.json` unless `node_modules` has them.
 *
 * @param production Whether development packages may be absent.
 */
export async function install(root, production) {
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
