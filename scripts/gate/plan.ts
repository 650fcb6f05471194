import type { Reach } from "./reach.ts";
import { subjectOf } from "./subjects.ts";

// When and where test files run. Their grouping is in batches.ts.

/** The extent of a run: `npm test`, `npm test -- --all`, `npm run soak`. */
export type Extent = "quick" | "all" | "soak";

/**
 * Tests that take long and vary little, which the quick run leaves out: engines, real installers,
 * installations and publishers that are killed, races, benchmarks, large corpora.
 */
export const LONG: readonly string[] = [
  "tests/bench/bench.", // every part once, and two native cores are built for it unless they exist
  "tests/contract/bucket-gcs.",
  "tests/contract/bucket-s3.",
  "tests/editor/real-animations.",
  "tests/editor/real-models.",
  "tests/engines/",
  "tests/native/android-core.", // compilers, and Android's API
  "tests/native/android-interim.",
  "tests/native/capacitor-",
  "tests/native/end-to-end.",
  "tests/native/ios-",
  "tests/ota/coded.",
  "tests/ota/last-zip.",
  "tests/ota/power-cut-faults.",
  "tests/ota/power-cut.", // each step of each scenario; the quick run has random ones, power-cut-walk
  "tests/ota/publish-races.", // each round has eight publishers, and repeats the killed ones
  "tests/ota/suspended-publisher.",
  "tests/project/build-clean-machine.",
  "tests/project/plan-real-", // Capacitor itself makes eight apps
  "tests/toolchain/install-faults.", // per fault: two installations and a repair
  "tests/toolchain/install-kill.", // each is a killed process and one that continues
  "tests/toolchain/install-npm.",
  "tests/toolchain/install-real.",
];

/**
 * Those of them that the quick run includes if their subject or the test itself changed, each with
 * the path prefixes of its subject; a complete quick run includes none.
 */
export const LONG_IF_REACHED: Readonly<Record<string, readonly string[]>> = {
  "tests/native/android-core.test.ts": ["native/android/"],
  "tests/ota/power-cut.test.ts": ["lib/archive/", "lib/ota-device/", "lib/ota-format/"],
  "tests/project/plan-real-apps.test.ts": ["lib/project/building/"],
};

/**
 * Tests that drive a browser over a page, each with the path prefixes of its subject. The quick run
 * includes one if its subject or the test itself changed; a complete quick run includes none.
 */
export const BROWSER: Readonly<Record<string, readonly string[]>> = {
  "tests/captures/captures.test.ts": ["lib/project/captures/", "lib/game-web/render.ts"],
  "tests/game-web/hidden-page.test.ts": ["lib/game-web/play.ts"],
  "tests/game-web/input.test.ts": ["lib/game-web/input/"],
  "tests/game-web/picture.test.ts": ["lib/game-web/picture/"],
  "tests/game-web/picture-looks.test.ts": ["lib/game-web/picture/"],
  "tests/game-web/picture-models.test.ts": ["lib/game-web/picture/model"],
  "tests/game-web/played-page.test.ts": [
    "lib/game-web/play.ts",
    "lib/game-web/game-views.ts",
    "lib/game-web/content/",
  ],
  "tests/game-web/quality-drawn.test.ts": ["lib/game-web/picture/quality"],
  "tests/page/assets.test.ts": [
    "lib/page/panels/asset",
    "lib/page/panels/add-asset",
    "lib/page/model/asset",
    "lib/page/model/previews",
  ],
  "tests/page/build-support.test.ts": [
    "lib/page/dialogs/build",
    "lib/page/dialogs/job-view",
    "lib/page/dialogs/tool-",
    "lib/page/model/toolchain",
    "lib/page/model/job",
    "lib/page/wire/jobs",
  ],
  "tests/page/content-addresses.test.ts": ["lib/game-web/content/", "lib/game-web/picture/model"],
  "tests/page/content-ways.test.ts": [
    "lib/http/page-routes",
    "lib/page/panels/asset-sound",
    "lib/project/content/",
  ],
  "tests/page/device-view.test.ts": ["lib/page/dialogs/device-", "lib/page/model/devices"],
  "tests/page/devices.test.ts": [
    "lib/page/dialogs/devices",
    "lib/page/dialogs/phone-",
    "lib/page/dialogs/qr-code",
    "lib/page/model/devices",
    "lib/page/model/phone",
  ],
  "tests/page/drop-and-journal.test.ts": [
    "lib/page/panels/journal",
    "lib/page/model/drop",
    "lib/page/model/journal",
    "lib/page/model/event-words",
  ],
  "tests/page/dropping.test.ts": ["lib/page/viewport/dropping"],
  "tests/page/editing.test.ts": [
    "lib/page/panels/hierarchy",
    "lib/page/panels/inspector",
    "lib/page/panels/field-input",
    "lib/page/panels/add-entity",
    "lib/page/panels/activity",
    "lib/page/model/actions",
    "lib/page/model/fields",
    "lib/page/model/tree-moves",
  ],
  "tests/page/flat-look.test.ts": ["lib/page/viewport/flat"],
  "tests/page/foreign-pages.test.ts": ["lib/page/wire/service"],
  "tests/page/gestures.test.ts": [
    "lib/page/viewport/gesture",
    "lib/page/viewport/look",
    "lib/page/viewport/select",
  ],
  "tests/page/hostile-project.test.ts": ["lib/page/parts/"],
  "tests/page/interruptions.test.ts": ["lib/page/wire/changes"],
  "tests/page/late-answers.test.ts": ["lib/page/model/editor.ts", "lib/page/model/one-at-a-time"],
  "tests/page/panels-accessible.test.ts": [
    "lib/page/panels/panels.css",
    "lib/page/parts/",
    "lib/page/model/regions",
    "lib/page/page.css",
    "lib/page/shell.tsx",
  ],
  "tests/page/picture.test.ts": [
    "lib/page/viewport/picture",
    "lib/page/viewport/over-picture",
    "lib/page/viewport/overlay",
    "lib/page/viewport/transforming",
    "lib/page/viewport/gizmo",
    "lib/page/viewport/viewport",
  ],
  "tests/page/pictures.test.ts": ["lib/page/dialogs/dialogs.css", "lib/page/page.css"],
  "tests/page/playing.test.ts": [
    "lib/page/panels/toolbar",
    "lib/page/viewport/play",
    "lib/page/viewport/posing",
    "lib/page/model/game",
  ],
  "tests/page/project-menu.test.ts": [
    "lib/page/dialogs/settings",
    "lib/page/panels/project-menu",
    "lib/page/model/commands",
    "lib/page/model/scenes",
    "lib/page/model/settings",
    "lib/page/model/capture-window",
  ],
  "tests/page/publish.test.ts": [
    "lib/page/dialogs/publish",
    "lib/page/dialogs/keys",
    "lib/page/model/updates",
  ],
  "tests/page/sign-in.test.ts": ["lib/page/panels/sign-in"],
  "tests/page/timeline.test.ts": [
    "lib/page/panels/timeline",
    "lib/page/model/timeline",
    "lib/page/model/clip-tracks",
    "lib/page/model/pose",
  ],
  "tests/page/watch.test.ts": [
    "lib/page/panels/watch",
    "lib/page/model/watches",
    "lib/page/model/sparkline",
  ],
};

/** Browser tests that use the whole page or game: any change of its modules reaches them. */
const THROUGH_ALL: Readonly<Record<string, readonly string[]>> = {
  "tests/game-web/played-page.test.ts": ["lib/game-web/play.ts"],
  "tests/page/playing.test.ts": ["lib/page/page.tsx"],
};

/** Tests of the page without a browser: each quick run has them. */
const PAGE_MODEL = ["jobs", "model", "panels", "qr", "viewport"]
  .map((name) => `tests/page/${name}.test.ts`);

/** Tests of the runtime itself: run under both, even in the quick run. */
const RUNTIME = [
  "tests/contract/",
  "tests/http/",
  "tests/toolchain/download.",
  "tests/toolchain/probe.",
  "tests/programs/which.",
];

/**
 * Those of them that test code behind the routes, or call a handler without a socket: the quick run
 * has them under Deno only.
 */
const SAME_UNDER_BOTH = [
  "at-once",
  "budget-transports",
  "caller",
  "changes",
  "events",
  "follow",
  "guard",
  "handler",
  "ota",
  "page",
  "session",
  "toolchain",
  "turns",
  "uploads",
  "whole",
].map((name) => `tests/http/${name}.`);

/**
 * Tests of separate processes (a browser, a benchmark, npm with the tools that it installs), which
 * are the same under either runtime: run once, by Deno.
 */
const DRIVEN = [
  "tests/bench/bench.",
  "tests/captures/captures.",
  "tests/engines/app-origins.",
  "tests/engines/best-score.",
  "tests/engines/built-game.",
  "tests/engines/capture-window.",
  "tests/engines/chromium.",
  "tests/engines/demo-show.",
  "tests/engines/device-phone.",
  "tests/engines/hostile-files.",
  "tests/engines/jsc.",
  "tests/engines/sample-devices.",
  "tests/engines/scene-view.",
  "tests/engines/sound.",
  "tests/engines/surface.",
  "tests/engines/webkit.",
  "tests/engines/picture",
  "tests/game-web/",
  "tests/engines/world.",
  "tests/gate/hung.", // runs the files that hang under both
  // They ask Deno for its module graph.
  "tests/gate/arrows.",
  "tests/gate/doors.",
  "tests/gate/inputs.",
  "tests/gate/modules.",
  "tests/gate/names.",
  "tests/gate/owners.",
  "tests/native/android-interim.",
  "tests/native/capacitor-",
  "tests/native/end-to-end.",
  "tests/native/ios-",
  "tests/page/",
  "tests/toolchain/install-npm.",
  "tests/toolchain/install-real.",
];

/** Tests of the reference device that a native core must pass, in addition to the vectors. */
export const NATIVE_SUITES: readonly string[] = [
  "attacks",
  "back-on-trial",
  "background",
  "bad-inodes",
  "bad-sectors",
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
  "kept",
  "lying-zip",
  "many-files",
  "month",
  "native-requests",
  "older-than-binary",
  "own-network",
  "page-launch",
  "power-cut",
  "power-cut-faults",
  "power-cut-walk",
  "read-records",
  "real-disk",
  "resume",
  "sharing",
  "staging",
  "staging-growth",
  "sweep",
  "synced-contents",
  "trusted",
  "two-processes",
  "unzip",
  "verify",
  "ways",
].map((name) => `tests/ota/${name}.test.ts`);

/** Tests that compare a native core with the reference. */
export const NATIVE_ONLY: readonly string[] = ["tests/native/differential.test.ts"];

/** Tests that measure their own process, which others would disturb, or change its user, which disturbs others. */
export const ALONE: readonly string[] = [
  "tests/contract/closed-folder.",
  "tests/http/load.",
  "tests/ota/staging-growth.",
];

/**
 * Tests of what a runtime makes of the disk: under Node their temporary files are on it. Those of
 * all others are in memory.
 */
export const ON_DISK: readonly string[] = ["tests/archive/", "tests/contract/", "tests/programs/"];

/** Tests of the numbers that a game computes: Node optimizes its physics, as it does for users. */
export const COMPILED: readonly string[] = ["tests/game/"];

/** Areas in which the runtime matters: a change elsewhere reaches tests under Deno only. */
const DECIDED_BY_RUNTIME = ["adapters/", "lib/http/", "lib/ports/", "lib/programs/", "tests/"];

/** The test files that a run of this extent runs under a runtime. */
export function filesFor(
  files: readonly string[],
  { extent, runtime, reach }: {
    readonly extent: Extent;
    readonly runtime: "deno" | "node";
    /** The parts that a change reaches; `null` for a complete run. */
    readonly reach?: Reach | null;
  },
): readonly string[] {
  return files.filter((file) => {
    if (runtime === "node" && isIn(DRIVEN, file)) return false;
    if (extent !== "quick") return true;
    const about = BROWSER[file] ?? LONG_IF_REACHED[file];
    if (about === undefined && isIn(LONG, file)) return false;
    if (runtime === "node" && !isDecidedByRuntime(file)) return false;
    if (reach === undefined || reach === null) return about === undefined;
    if (about !== undefined) return isShown(file, about, reach);
    if (runtime === "node" && !reach.reaches([file], DECIDED_BY_RUNTIME)) return false;
    return PAGE_MODEL.includes(file) || reach.reaches([file], subjectOf(file));
  });
}

function isDecidedByRuntime(file: string): boolean {
  return isIn(RUNTIME, file) && !isIn(SAME_UNDER_BOTH, file);
}

/** Whether a change reaches a test that a complete quick run omits. */
function isShown(file: string, about: readonly string[], reach: Reach): boolean {
  return reach.touches(about) || reach.reaches([file], ["tests/"]) ||
    reach.reaches(THROUGH_ALL[file] ?? []);
}

/** Whether a file begins as a row of a list does. */
export function isIn(list: readonly string[], file: string): boolean {
  return list.some((beginning) => file.startsWith(beginning));
}
