import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { checkArrows, readHouse } from "./arrows.ts";
import { checkClientSize } from "./client-size.ts";
import { checkConformance } from "./conformance.ts";
import { type Context, fromRun, tsc } from "./context.ts";
import { listFiles } from "./files.ts";
import { failed, fromViolations, type Outcome, passed, skipped } from "./outcome.ts";
import { checkOneZip } from "./one-zip.ts";
import * as packaging from "./packaging.ts";
import { publishDryRun } from "./publish.ts";
import { runReadme } from "./readme.ts";
import { checkRules } from "./rules.ts";
import type { Step } from "./runner.ts";
import { runSnippets } from "./snippets.ts";
import { buildStores } from "./store-binary.ts";
import { runTestFiles } from "./test-files.ts";
import { checkTypes, ENGINE_GATE, proveTypes, WEB_GATE } from "./types.ts";
import { checkVectors } from "./vectors.ts";

const SOURCES = ["mod.ts", "lib", "adapters", "scripts", "tests"];
const DOCUMENTED = [
  "mod.ts",
  "lib/ota-client/mod.ts",
  "adapters/node/mod.ts",
  "adapters/deno/mod.ts",
];
/**
 * Tests of what runs in a process of its own (a browser, a benchmark, npm with the tools that it
 * installs): it is the same whichever runtime drives it, so it is driven once, by Deno.
 */
const DRIVEN = [
  "tests/bench/bench.",
  "tests/engines/chromium.",
  "tests/engines/webkit.",
  "tests/engines/jsc.",
  "tests/toolchain/install-npm.",
  "tests/toolchain/install-real.",
];
const FILE_TIMEOUT_MS = 300_000;
const SOAK_FILE_TIMEOUT_MS = 3_600_000;
const NODES = ["20.20.2", "24.21.0"];

/** Every step of the gate. Long chains come first, so that they do not run alone at the end. */
export function gateSteps(context: Context): readonly Step[] {
  const { root } = context;
  const deno = (...args: readonly string[]) => async () =>
    fromRun(await context.exec([context.deno, ...args], { cwd: root }));
  const afterPack = { after: ["pack and install"] };
  return [
    { name: "pack and install", run: () => packaging.packAndInstall(context) },
    { name: "build", run: () => build(context) },
    { name: "format", run: deno("fmt", "--check") },
    { name: "lint", run: deno("lint") },
    { name: "type check", run: deno("check", "--quiet", ...SOURCES) },
    { name: "web types", run: () => checkTypes(context, WEB_GATE) },
    { name: "web types bite", run: () => proveTypes(context, WEB_GATE) },
    { name: "engine types", run: () => checkTypes(context, ENGINE_GATE) },
    { name: "engine types bite", run: () => proveTypes(context, ENGINE_GATE) },
    { name: "client size", run: () => checkClientSize(context) },
    { name: "arrows", run: () => fromViolations(checkArrows(readHouse(root))) },
    { name: "rules", run: () => fromViolations(checkRules(root)) },
    { name: "vectors", run: () => fromViolations(checkVectors(root)) },
    ...testSteps(context, { soak: false, files: testFiles(root) }),
    { name: "one zip everywhere", after: ["build"], run: () => checkOneZip(context, NODES) },
    { name: "conformance under Deno", run: () => checkConformance(context, "deno") },
    {
      name: "conformance under Node",
      after: ["build"],
      run: () => checkConformance(context, "node"),
    },
    { name: "replay vectors", run: () => replay(context) },
    { name: "doc lint", run: deno("doc", "--lint", "--quiet", ...DOCUMENTED) },
    { name: "snippets", run: () => runSnippets(context) },
    { name: "README commands", after: ["stores"], run: () => runReadme(context) },
    { name: "publish dry run", run: () => publishDryRun(context) },
    { name: "bins", run: () => fromViolations(packaging.checkBins(root)) },
    { name: "tarball contents", ...afterPack, run: () => packaging.checkContents(context) },
    ...NODES.map((version) => ({
      name: `tarball under Node ${version.split(".")[0]}`,
      ...afterPack,
      run: () => packaging.importUnderNode(context, version),
    })),
    { name: "tarball bins", ...afterPack, run: () => packaging.runBins(context) },
    ...(["nodenext", "bundler"] as const).map((resolution) => ({
      name: `tarball types, ${resolution}`,
      ...afterPack,
      run: () => packaging.checkConsumers(context, resolution),
    })),
    { name: "publint", ...afterPack, run: () => packaging.lintPackage(context) },
    { name: "are the types wrong", ...afterPack, run: () => packaging.lintPackageTypes(context) },
  ];
}

/** The long run: the tests with their long settings, and those that are nothing but long. */
export function soakSteps(context: Context): readonly Step[] {
  const files = [...testFiles(context.root), ...listFiles(context.root, ["tests"], [".soak.ts"])];
  return [
    { name: "build", run: () => build(context) },
    ...testSteps(context, { soak: true, files }),
  ];
}

/** The test files of a checkout. */
export function testFiles(root: string): readonly string[] {
  return listFiles(root, ["tests"], [".test.ts"]);
}

/** The tests under Deno and under Node, of some files. */
export function testSteps(
  context: Context,
  { soak, files }: { readonly soak: boolean; readonly files: readonly string[] },
): readonly Step[] {
  const settings = {
    files,
    fileTimeoutMs: soak ? SOAK_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS,
    env: soak ? { SLIPWAY_SOAK: "1" } : {},
  };
  const { node } = context;
  // Built before any test file runs: one that has to wait for a compiler would run out of time.
  let building: Promise<Outcome> | undefined;
  const stores = () => building ??= buildStores();
  return [
    { name: "stores", run: stores },
    {
      name: "tests under Deno",
      run: () => stores().then(() => runTestFiles(context, { ...settings, runtime: "deno" })),
    },
    {
      name: "tests under Node",
      after: ["build"],
      run: () =>
        node === null
          ? Promise.resolve(skipped("tests under Node", "found no node on PATH"))
          : stores().then(() =>
            runTestFiles(context, {
              ...settings,
              files: files.filter((file) => !DRIVEN.some((one) => file.startsWith(one))),
              runtime: "node",
            })
          ),
    },
  ];
}

/** Builds dist/, which Node runs the tests from. */
async function build(context: Context): Promise<Outcome> {
  rmSync(join(context.root, "dist"), { recursive: true, force: true });
  const config = join("scripts", "gate", "build.tsconfig.json");
  return fromRun(
    await context.exec([...tsc(context), "--pretty", "false", "-p", config], { cwd: context.root }),
  );
}

async function replay(context: Context): Promise<Outcome> {
  const script = join("scripts", "replay-vectors.ts");
  if (!existsSync(join(context.root, script))) return failed(`${script}: is missing`);
  const ran = await context.exec([context.deno, "run", "-A", script, "vectors"], {
    cwd: context.root,
  });
  return judgeReplay(ran.code, ran.output);
}

/** Counts what a replay program says in its last line, `N passed, N failed` (CONTRACTS §6). */
export function judgeReplay(code: number | null, output: string): Outcome {
  const match = /(\d+) passed, (\d+) failed\s*$/.exec(output);
  if (match === null) return failed(`${output}\nexpected a last line "N passed, N failed"`);
  const [count, failures] = [Number(match[1]), Number(match[2])];
  if (code === 0 && failures === 0 && count > 0) return passed(count);
  const shown = output.split("\n").filter((line) => !/"ok":\s*true/.test(line)).join("\n");
  return { ...failed(`${shown}\n(exit code ${code})`, Math.max(1, failures)), passed: count };
}

/**
 * How many commands run at once on this machine: one more than it has cores, since tests wait for
 * disks, sockets and other programs for a quarter of their time.
 */
export function placesHere(cores: number): number {
  const wanted = Number(process.env["SLIPWAY_JOBS"] ?? cores + 1);
  return Math.max(1, Math.min(8, Number.isSafeInteger(wanted) ? wanted : cores + 1));
}
