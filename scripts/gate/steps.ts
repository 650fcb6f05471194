import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { checkArrows } from "./arrows.ts";
import { checkBundled } from "./bundled.ts";
import { checkClientSize, checkPageSize } from "./client-size.ts";
import { checkConformance } from "./conformance.ts";
import { type Context, fromRun, tsc } from "./context.ts";
import { checkDependencies } from "./dependencies.ts";
import { checkDoors, checkListed, checkLoads } from "./doors.ts";
import { listFiles } from "./files.ts";
import { checkLedger } from "./ledger.ts";
import { checkLinks } from "./links.ts";
import { nativeSteps } from "./native.ts";
import { fromViolations, type Outcome, skipped } from "./outcome.ts";
import { createReference, judgeReplay } from "./replay.ts";
import { runExamples } from "./examples.ts";
import { readEntries } from "./house.ts";
import { checkNames, readDocs } from "./names.ts";
import { checkWords } from "./marks.ts";
import { checkOneZip } from "./one-zip.ts";
import { checkOwners } from "./owners.ts";
import * as packaging from "./packaging.ts";
import { publishDryRun } from "./publish.ts";
import { runReadme } from "./readme.ts";
import { checkRooms } from "./rooms.ts";
import { checkRules } from "./rules.ts";
import type { Step } from "./runner.ts";
import { checkUnderDeno, runSnippets } from "./snippets.ts";
import { buildStores } from "./store-binary.ts";
import { type Extent, filesFor, NATIVE_ONLY } from "./plan.ts";
import { runTestFiles } from "./test-files.ts";
import {
  checkAllTypes,
  checkTypes,
  ENGINE_GATE,
  GAME_GATE,
  PAGE_GATE,
  proveTypes,
  START_GATE,
  WEB_GATE,
} from "./types.ts";
import { checkVectors } from "./vectors.ts";

const SHIPPED = ["mod.ts", "lib", "adapters", "scripts"];
const SOURCES = ["mod.ts", "lib", "adapters", "scripts", "tests"];
const BUILD_CONFIG = "scripts/gate/build.tsconfig.json";
const LENGTHS = "scripts/gate/lengths.json";
const STORES = "scripts/gate/store-binary.ts";
const SIZES = "scripts/gate/client-size.ts";
const GAME_RUNTIME = ["lib/game-web/start.ts", "scripts/shared/bundle-runtime.mjs"];
const SILENCE_MS = 300_000;
const SOAK_SILENCE_MS = 3_600_000;
const NODES = ["20.20.2", "24.21.0"];

/** Every step of the gate. Long chains come first, so that they do not run alone at the end. */
export function gateSteps(context: Context, extent: Extent): readonly Step[] {
  const { root } = context;
  const reference = createReference(context);
  const deno = (...args: readonly string[]) => async () =>
    fromRun(await context.exec([context.deno, ...args], { cwd: root }));
  const packed = { after: ["pack and install"], long: true } as const;
  return [
    {
      name: "pack and install",
      long: true,
      produces: true,
      run: () => packaging.packAndInstall(context),
    },
    buildStep(context),
    { name: "types", check: true, run: () => checkAllTypes(context) },
    { name: "lint", check: true, run: deno("lint") },
    { name: "words", check: true, run: () => checkWords(context, SOURCES) },
    { name: "lengths", check: true, run: deno("lint", "-c", LENGTHS, ...SHIPPED) },
    { name: "waits", check: true, run: deno("lint", "-c", "scripts/gate/waits.json", "tests") },
    { name: "web types", check: true, run: () => checkTypes(context, WEB_GATE) },
    { name: "page types", check: true, run: () => checkTypes(context, PAGE_GATE) },
    { name: "format", check: true, run: deno("fmt", "--check") },
    { name: "engine types", check: true, run: () => checkTypes(context, ENGINE_GATE) },
    { name: "start types", check: true, run: () => checkTypes(context, START_GATE) },
    { name: "game types", check: true, run: () => checkTypes(context, GAME_GATE) },
    { name: "arrows", check: true, run: () => checkHouse(context) },
    { name: "names", check: true, run: () => checkExports(context) },
    { name: "rules", check: true, run: () => fromViolations(checkRules(root)) },
    { name: "rooms", check: true, run: () => fromViolations(checkRooms(root)) },
    { name: "links", check: true, run: () => fromViolations(checkLinks(root)) },
    { name: "vectors", check: true, run: () => fromViolations(checkVectors(root)) },
    { name: "dependencies", check: true, run: () => fromViolations(checkDependencies(root)) },
    { name: "ledger", check: true, run: () => fromViolations(checkLedger(root)) },
    { name: "bins", check: true, run: () => fromViolations(packaging.checkBins(root)) },
    { name: "entries", check: true, run: () => fromViolations(packaging.checkEntries(root)) },
    {
      // Deno's own checker has no faster mode; it checks nothing twice.
      name: "types under Deno",
      long: true,
      run: () => checkUnderDeno(context, checkedByDeno(root)),
    },
    { name: "web types bite", long: true, run: () => proveTypes(context, WEB_GATE) },
    { name: "page types bite", long: true, run: () => proveTypes(context, PAGE_GATE) },
    { name: "engine types bite", long: true, run: () => proveTypes(context, ENGINE_GATE) },
    { name: "start types bite", long: true, run: () => proveTypes(context, START_GATE) },
    { name: "game types bite", long: true, run: () => proveTypes(context, GAME_GATE) },
    {
      name: "client size",
      inputs: ["lib/ota-client/mod.ts", SIZES],
      run: () => checkClientSize(context),
    },
    {
      name: "runtime size",
      inputs: [...GAME_RUNTIME, SIZES],
      run: () => checkPageSize(context, "game"),
    },
    {
      name: "page size",
      inputs: ["lib/page/page.tsx", ...GAME_RUNTIME, SIZES],
      run: () => checkPageSize(context, "page"),
    },
    {
      name: "replay vectors",
      inputs: ["scripts/replay-vectors.ts", "vectors"],
      run: async () => {
        const { code, output } = await reference();
        return judgeReplay(code, output);
      },
    },
    ...nativeSteps(context, { reference }),
    ...testSteps(context, { extent, files: testFiles(root) }),
    {
      // A publisher for each runtime and time zone, half a second of CPU time each.
      name: "one zip everywhere",
      after: ["build"],
      long: true,
      run: () => checkOneZip(context, NODES),
    },
    // Four runs of the suite and three of the inspector, each a process of about a second: they are not ours.
    { name: "conformance under Deno", long: true, run: () => checkConformance(context, "deno") },
    {
      name: "conformance under Node",
      after: ["build"],
      long: true,
      run: () => checkConformance(context, "node"),
    },
    { name: "doc lint", check: true, run: deno("doc", "--lint", "--quiet", ...documented(root)) },
    { name: "snippets", long: true, run: () => runSnippets(context) },
    { name: "examples", ...packed, run: () => runExamples(context) },
    {
      // As long as what readers type: it installs tools, and runs through the life of a game's
      // updates.
      name: "README commands",
      after: ["stores", "pack and install"],
      long: true,
      run: () => runReadme(context),
    },
    { name: "publish dry run", long: true, run: () => publishDryRun(context) },
    { name: "tarball contents", ...packed, run: () => packaging.checkContents(context) },
    ...NODES.map((version) => ({
      name: `tarball under Node ${version.split(".")[0]}`,
      ...packed,
      run: () => packaging.importUnderNode(context, version),
    })),
    { name: "tarball bins", ...packed, run: () => packaging.runBins(context) },
    ...(["nodenext", "bundler"] as const).map((resolution) => ({
      name: `tarball types, ${resolution}`,
      ...packed,
      run: () => packaging.checkConsumers(context, resolution),
    })),
    // Four bundles, and in each format a build, a picture by a browser and a publication: 10 s of CPU time.
    { name: "bundled editor", ...packed, run: () => checkBundled(context) },
    { name: "publint", ...packed, run: () => packaging.lintPackage(context) },
    { name: "are the types wrong", ...packed, run: () => packaging.lintPackageTypes(context) },
  ];
}

/** Returns the steps of `npm run check`, for the moment before a commit. */
export function checkSteps(context: Context): readonly Step[] {
  return gateSteps(context, "quick").filter((step) => step.check === true);
}

/** The test files of a checkout. */
export function testFiles(root: string): readonly string[] {
  return listFiles(root, ["tests"], [".test.ts"]).filter((path) => !NATIVE_ONLY.includes(path));
}

/**
 * Returns the steps for some test files under Deno and under Node, without a step for a runtime
 * that runs none.
 */
export function testSteps(
  context: Context,
  { extent, files, apart = false }: {
    readonly extent: Extent;
    readonly files: readonly string[];
    /** Whether each file gets a process of its own. */
    readonly apart?: boolean;
  },
): readonly Step[] {
  const soak = extent === "soak";
  // Built before any test file runs, so that none waits for a compiler.
  let building: Promise<Outcome> | undefined;
  const stores = () => building ??= buildStores();
  const step = (runtime: "deno" | "node", name: string): readonly Step[] => {
    const chosen = filesFor(files, { extent, runtime, reach: context.reach });
    if (chosen.length === 0) return [];
    const run = async () => {
      if (runtime === "node" && context.node === null) {
        return skipped(name, "found no node on PATH");
      }
      await stores();
      return await runTestFiles(context, {
        runtime,
        files: chosen,
        apart: apart || soak,
        again: !apart && !soak,
        tracked: apart,
        silenceMs: soak ? SOAK_SILENCE_MS : SILENCE_MS,
        env: soak ? { SLIPWAY_SOAK: "1" } : {},
        inputs: runtime === "node" ? [BUILD_CONFIG] : [],
      });
    };
    const after = runtime === "node" ? ["build"] : [];
    return [{ name, after, inputs: chosen, keepsParts: true, run }];
  };
  return [
    { name: "stores", inputs: [STORES], produces: true, run: stores },
    ...step("deno", "tests under Deno"),
    ...step("node", "tests under Node"),
  ];
}

/** Checks imports between files, and the loads of entries. */
async function checkHouse(context: Context): Promise<Outcome> {
  const house = await context.house();
  return fromViolations(
    [checkArrows, checkDoors, checkListed, checkLoads].flatMap((check) => check(house)),
  );
}

/** Checks for exported names that no file imports, and for those that two files define. */
async function checkExports(context: Context): Promise<Outcome> {
  const house = await context.house();
  const docs = await readDocs(context, house);
  return fromViolations(
    [checkNames, checkOwners].flatMap((check) => check(house, docs, context.root)),
  );
}

/** Every entry of the package but the command line. */
function documented(root: string): readonly string[] {
  return Object.entries(readEntries(root))
    .filter(([subpath]) => subpath !== "./cli")
    .map(([, file]) => file);
}

/**
 * Returns the sources except those of pages, whose types no runtime has; test scripts import them
 * too.
 */
function checkedByDeno(root: string): readonly string[] {
  const areas = readdirSync(join(root, "lib"))
    .filter((name) => !["game-web", "page"].includes(name)).map((name) => `lib/${name}`);
  const tests = listFiles(root, ["tests"], [".ts"]);
  return [...SOURCES.filter((name) => name !== "lib" && name !== "tests"), ...areas, ...tests];
}

/** Builds dist/, which Node runs the tests from. */
export function buildStep(context: Context): Step {
  return { name: "build", produces: true, run: () => build(context) };
}

async function build(context: Context): Promise<Outcome> {
  rmSync(join(context.root, "dist"), { recursive: true, force: true });
  const command = [...tsc(context), "--pretty", "false", "-p", BUILD_CONFIG];
  return fromRun(await context.exec(command, { cwd: context.root }));
}

/**
 * Returns the number of concurrent commands on this machine: two more than its cores, because tests
 * wait for sockets and other programs for nearly half of their time.
 */
export function placesHere(cores: number): number {
  const requested = Number(process.env["SLIPWAY_JOBS"] ?? cores + 2);
  return Math.max(1, Math.min(8, Number.isSafeInteger(requested) ? requested : cores + 2));
}
