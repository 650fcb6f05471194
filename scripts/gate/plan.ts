import type { Reach } from "./reach.ts";

// Which test files run when, where, and in whose company.

/** How much is run: what `npm test` runs, what `npm test -- --all` runs, what `npm run soak` runs. */
export type Extent = "quick" | "all" | "soak";

/** Test files that one process runs. */
export interface Batch {
  /** For reports: the one file, or the folder and which part of it. */
  readonly name: string;
  /** Paths below the checkout. */
  readonly files: readonly string[];
}

/**
 * Tests that take long and vary little, which the quick run leaves out: engines, real installers,
 * installations and publishers that are killed, races, benchmarks, large corpora.
 */
const LONG = [
  "tests/bench/bench.",
  "tests/contract/bucket-gcs.",
  "tests/contract/bucket-s3.",
  "tests/editor/real-animations.",
  "tests/editor/real-models.",
  "tests/engines/",
  "tests/native/capacitor-",
  "tests/native/end-to-end.",
  "tests/ota/coded.",
  "tests/ota/last-zip.",
  "tests/ota/power-cut-faults.",
  "tests/ota/publish-races.",
  "tests/ota/suspended-publisher.",
  "tests/project/build-clean-machine.",
  "tests/toolchain/install-faults.",
  "tests/toolchain/install-kill.",
  "tests/toolchain/install-npm.",
  "tests/toolchain/install-real.",
];

/**
 * Tests of the editor's page in a browser. The quick run has those that a change of the page reaches;
 * a whole one has none.
 */
export const BROWSER: readonly string[] = [
  "assets",
  "build-support",
  "device-view",
  "devices",
  "drop-and-journal",
  "dropping",
  "editing",
  "flat-look",
  "foreign-pages",
  "gestures",
  "hostile-project",
  "interruptions",
  "late-answers",
  "panels-accessible",
  "picture",
  "pictures",
  "playing",
  "project-menu",
  "publish",
  "sign-in",
  "timeline",
  "watch",
].map((name) => `tests/page/${name}.test.ts`);

/** What the page's browser tests load: a change of the service behind it reaches its own tests. */
const PAGE: readonly string[] = ["lib/page/page.tsx", "scripts/shared/bundle-runtime.mjs"];

/** Tests of the page without a browser: each quick run has them. */
const PAGE_MODEL = ["jobs", "model", "panels", "qr", "viewport"]
  .map((name) => `tests/page/${name}.test.ts`);

/** Where the runtime itself is what is tested: run under both, also in the quick run. */
const RUNTIME = [
  "tests/contract/",
  "tests/http/",
  "tests/toolchain/download.",
  "tests/toolchain/probe.",
  "tests/programs/which.",
];

/**
 * Tests of what runs in a process of its own (a browser, a benchmark, npm with the tools that it
 * installs): it is the same whichever runtime drives it, so it is driven once, by Deno.
 */
const DRIVEN = [
  "tests/bench/bench.",
  "tests/captures/captures.",
  "tests/engines/app-origins.",
  "tests/engines/best-score.",
  "tests/engines/capture-window.",
  "tests/engines/chromium.",
  "tests/engines/demo-show.",
  "tests/engines/device-phone.",
  "tests/engines/hostile-files.",
  "tests/engines/jsc.",
  "tests/engines/scene-view.",
  "tests/engines/sound.",
  "tests/engines/surface.",
  "tests/engines/webkit.",
  "tests/engines/picture",
  "tests/game-web/",
  "tests/engines/world.",
  // They ask Deno for its module graph.
  "tests/gate/arrows.",
  "tests/gate/doors.",
  "tests/gate/modules.",
  "tests/gate/names.",
  "tests/native/capacitor-",
  "tests/native/end-to-end.",
  "tests/page/",
  "tests/toolchain/install-npm.",
  "tests/toolchain/install-real.",
];

/** What a native core is held to, besides the vectors: the tests of the reference device. */
export const NATIVE_SUITES: readonly string[] = [
  "attacks",
  "background",
  "cheaper-way",
  "coded-download",
  "copies",
  "cut-disk",
  "damaged",
  "device",
  "device-page",
  "disk-codes",
  "download",
  "embedded-release",
  "folding",
  "idle-check",
  "native-requests",
  "own-network",
  "power-cut",
  "power-cut-faults",
  "power-cut-walk",
  "read-records",
  "real-disk",
  "resume",
  "staging",
  "staging-growth",
  "sweep",
  "synced-contents",
  "trusted",
  "two-processes",
  "unzip",
  "verify",
].map((name) => `tests/ota/${name}.test.ts`);

/** What compares a native core with this one, and is nothing without one. */
export const NATIVE_ONLY: readonly string[] = ["tests/native/differential.test.ts"];

/** What measures its own process, which others would disturb. */
const ALONE = ["tests/http/load."];

/** How many files share a process: enough to share what they load, few enough to fill all cores. */
const BATCH = 12;

/** Where a runtime may decide: a change elsewhere reaches a test under Deno alone. */
const DECIDED_BY_RUNTIME = ["adapters/", "lib/http/", "lib/ports/", "lib/programs/", "tests/"];

/** The test files that a run of this extent runs under a runtime. */
export function filesFor(
  files: readonly string[],
  { extent, runtime, reach }: {
    readonly extent: Extent;
    readonly runtime: "deno" | "node";
    /** What a change reaches; `null` for a run of the whole extent. */
    readonly reach?: Reach | null;
  },
): readonly string[] {
  return files.filter((file) => {
    if (runtime === "node" && isIn(DRIVEN, file)) return false;
    if (extent !== "quick") return true;
    if (isIn(LONG, file) || (runtime === "node" && !isIn(RUNTIME, file))) return false;
    if (reach === undefined || reach === null) return !BROWSER.includes(file);
    if (BROWSER.includes(file)) return reach.reaches([file], ["tests/"]) || reach.reaches(PAGE);
    if (runtime === "node") return reach.reaches([file], DECIDED_BY_RUNTIME);
    return PAGE_MODEL.includes(file) || reach.reaches([file]);
  });
}

/**
 * Puts files of one folder together, in their order: loading what they import costs more than most
 * of them take. Long ones stay alone and come first, so that none runs by itself at the end.
 */
export function batches(files: readonly string[], size: number = BATCH): readonly Batch[] {
  const alone = files.filter((file) =>
    isIn(ALONE, file) || isIn(LONG, file) || BROWSER.includes(file)
  );
  const folders = new Map<string, string[]>();
  for (const file of files) {
    if (alone.includes(file)) continue;
    const folder = file.split("/").slice(0, 2).join("/");
    folders.set(folder, [...folders.get(folder) ?? [], file]);
  }
  const shared = [...folders].flatMap(([folder, members]) => {
    const parts = Math.ceil(members.length / size);
    return Array.from({ length: parts }, (_, i): Batch => ({
      name: parts === 1 ? folder : `${folder} (${i + 1} of ${parts})`,
      // Neighbours are alike and often alike in length: dealt out, not cut.
      files: members.filter((_, at) => at % parts === i),
    }));
  });
  return [...alone.map((file) => ({ name: file, files: [file] })), ...shared];
}

function isIn(list: readonly string[], file: string): boolean {
  return list.some((beginning) => file.startsWith(beginning));
}
