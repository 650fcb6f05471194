import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDevice } from "../../lib/ota-device/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { CoreProcess } from "./core-process.ts";
import { type Contender, median, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding } from "./report.ts";
import { NAME, VERSION } from "./updating.ts";

const ROUNDS = 15;
/** Files of a version, a hundred a folder. */
const FILES = 20_000;
const QUICK_FILES = 1_000;
const FOLDER_FILES = 100;

/** A device whose launch is measured. */
interface LaunchingDevice {
  ask(op: "launch" | "activate" | "revert" | "confirmLaunch", request: object): Promise<unknown>;
}

/** Duration of one launch and one activation, in milliseconds, and relative to one stat per file. */
export interface LaunchTimes {
  readonly finding: Finding;
  readonly ms: number;
  readonly lookMs: number;
}

/**
 * Times a launch and an activation of a device over a version of many files, against one `lstat` of each
 * by the runtime itself.
 */
export async function measureManyFiles(
  { runtime: { clock }, folder, quick, onRound }: BenchContext,
  language: string,
  open: (root: string) => LaunchingDevice,
): Promise<LaunchTimes> {
  const count = quick ? QUICK_FILES : FILES;
  const root = join(folder, `many-${language}`);
  const paths = writeVersion(root, count);
  const device = open(root);
  const version = { name: NAME, version: VERSION };
  const ours: Contender = {
    async prepare() { // the state of before, and each file looked at, as after every launch
      await device.ask("revert", { name: NAME });
      await device.ask("launch", { name: NAME });
      await device.ask("confirmLaunch", { name: NAME });
    },
    async run() {
      await device.ask("launch", { name: NAME });
      await device.ask("activate", version);
    },
  };
  const look: Contender = {
    run() {
      for (const path of paths) lstatSync(path);
    },
  };
  const [took = [], looks = []] = await timeRounds([ours, look], {
    rounds: quick ? 2 : ROUNDS,
    now: () => clock.monotonic(),
    onRound,
  });
  return {
    finding: {
      ours: `${language}: launch and activation, ${count} files`,
      against: "one lstat a file",
      of: "time",
      ratio: ratioOf(took, looks),
    },
    ms: median(took),
    lookMs: median(looks),
  };
}

/** The reference in this process. */
export function referenceAt(runtime: Runtime, root: string): LaunchingDevice {
  const device = createDevice({
    ...runtime,
    root,
    fetch: () => Promise.reject(new Error("offline")),
  });
  const operations: Record<
    string,
    (request: { name: string; version: string }) => Promise<unknown>
  > = {
    launch: device.launch,
    activate: device.activate,
    revert: device.revert,
    confirmLaunch: device.confirmLaunch,
  };
  return { ask: (op, request) => operations[op]?.(request as never) ?? Promise.resolve() };
}

/** A core in another process. */
export function coreAt(core: CoreProcess, root: string): LaunchingDevice {
  core.open(root);
  return core;
}

/**
 * Writes an active version of that many files, as a staging leaves it except for the note of its
 * folders. @returns Its files.
 */
function writeVersion(root: string, count: number): string[] {
  const content = "a";
  const ref = { hash: createHash("sha256").update(content).digest("hex"), size: 1 };
  const names = Array.from(
    { length: count },
    (_, at) => `assets/${Math.floor(at / FOLDER_FILES)}/${at}.png`,
  );
  const paths = names.map((name) => join(root, NAME, VERSION, name));
  for (const folder of new Set(paths.map(dirname))) mkdirSync(folder, { recursive: true });
  for (const path of paths) writeFileSync(path, content);
  const files = Object.fromEntries(names.map((name) => [name, ref]));
  const manifest = { schema: 1, name: NAME, version: VERSION, engineApi: 1, files };
  mkdirSync(join(root, ".complete"));
  writeFileSync(join(root, `.complete/${NAME}@${VERSION}.json`), JSON.stringify(manifest));
  writeFileSync(join(root, "state.json"), JSON.stringify({ active: { [NAME]: VERSION } }));
  return paths;
}
