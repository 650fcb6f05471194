import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { findBrowser } from "../../lib/toolchain/mod.ts";
import { HARBOR } from "../sample/levels.ts";
import { packageRoot } from "../shared/runtime.ts";
import { bareScene } from "./bare-scene.ts";
import { builtSample, openBuilt } from "./built-sample.ts";
import { median, ratioOf } from "./measure.ts";
import { type MeasuredPage, measurePages } from "./measured-pages.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";

/**
 * The first round only fills caches and does not count; the same applies to the first batch of
 * frames.
 */
const FULL = { rounds: 7, frames: 20, batches: 6 };
const QUICK = { rounds: 1, frames: 1, batches: 1 };
/** Mean difference per channel, of 255, up to which both pages count as equal. */
const MOST_DIFFERENT = 8;

const OURS = ["start to the first frame", "main thread of a frame"] as const;
const AGAINST = "a bare three.js page of the same scene";

/** A level of the built sample in a browser, against a page that shows the same with three.js alone. */
export async function measureGamePage(context: BenchContext): Promise<Found> {
  const { quick, onRound } = context;
  const { rounds, frames, batches } = quick ? QUICK : FULL;
  const about =
    "The first level of the built sample in Chromium, drawn by software, against a page of three.js and " +
    "nothing else that draws the same moving picture, as one writes it by hand: same models and textures, " +
    "lights, shadows, sky and size; a mesh for each thing, all of them put in each frame where the game " +
    "was noted to put them, as far as they move. The game also makes a step a frame, and draws particles " +
    "and its 2D and UI layers. The start is that from the navigation to the first picture that is really " +
    "drawn. Of a frame it is the time of the processor that the main thread takes, whatever it does, in " +
    `${batches} batches of ${frames} frames: how long the one that draws lets it wait is another's.`;
  const found = await findBrowser(context.runtime);
  if (!found.present) {
    return {
      about,
      findings: OURS.map((ours): Finding => ({
        ours,
        against: AGAINST,
        of: "time",
        notMeasured: found.reason,
      })),
    };
  }
  const built = await builtSample(context, HARBOR);
  await writeBarePage(built, context.runtime.clock, frames * (batches + 1));
  const pages = ["index.html", "bare.html"];
  const asked = Array.from({ length: rounds * 2 }, (_, n) => (n + (n >> 1)) % 2);
  const measured = await measurePages({
    browser: found.path,
    folder: built,
    pages: asked.map((page) => pages[page] ?? ""),
    frames,
    batches,
    onPage: (done) => onRound(done, asked.length),
  });
  const of = (page: number) => measured.filter((_, n) => asked[n] === page).slice(quick ? 0 : 1);
  const [ours, theirs] = [of(0), of(1)];
  assertSamePicture(ours, theirs);
  const starts = (all: readonly MeasuredPage[]) => all.map(({ startMs }) => startMs);
  const framesMs = (all: readonly MeasuredPage[]) => all.map(({ frameMs }) => median(frameMs));
  const ms = (times: readonly number[]) => median(times).toFixed(2);
  return {
    about,
    findings: [
      {
        ours: OURS[0],
        against: AGAINST,
        of: "time",
        ratio: ratioOf(starts(ours), starts(theirs)),
      },
      {
        ours: OURS[1],
        against: AGAINST,
        of: "time",
        ratio: ratioOf(framesMs(ours), framesMs(theirs)),
      },
    ],
    counts: {
      head: ["what", "game, ms", "bare page, ms"],
      rows: [
        [OURS[0], ms(starts(ours)), ms(starts(theirs))],
        [OURS[1], ms(framesMs(ours)), ms(framesMs(theirs))],
      ],
    },
  };
}

async function writeBarePage(
  folder: string,
  clock: BenchContext["runtime"]["clock"],
  steps: number,
): Promise<void> {
  const content = await openBuilt(folder);
  const { scene, moves } = await bareScene(content, HARBOR, { folder, clock, steps });
  writeFileSync(join(folder, "bare.json"), JSON.stringify(scene));
  writeFileSync(join(folder, "moves.json"), JSON.stringify(moves));
  writeFileSync(
    join(folder, "bare.html"),
    '<!doctype html><html><head><meta charset="utf-8"></head><body style="margin: 0">' +
      '<script type="module" src="./bare.js"></script></body></html>',
  );
  await build({
    entryPoints: [join(packageRoot(), "scripts", "bench", "pages", "bare.js")],
    outfile: join(folder, "bare.js"),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
  });
}

/** Fails if the pages showed different pictures, because their times are then not comparable. */
function assertSamePicture(ours: readonly MeasuredPage[], theirs: readonly MeasuredPage[]): void {
  for (const [place, name] of [[0, "first"], [1, "last"]] as const) {
    const one = ours[0]?.thumbnails[place] ?? [];
    const other = theirs[0]?.thumbnails[place] ?? [];
    const sum = one.reduce((total, value, n) => total + Math.abs(value - (other[n] ?? NaN)), 0);
    const mean = sum / one.length;
    if (mean <= MOST_DIFFERENT) continue;
    throw new Error(`The ${name} pictures differ by ${mean.toFixed(1)} of 255: not the same scene`);
  }
}
