import assert from "node:assert/strict";
import { test } from "node:test";
import { isNative } from "../support/device-under-test.ts";
import { randomSurvival, type Survival, SURVIVALS } from "../support/power-cut-disk.ts";
import { type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds, soaking } from "../support/rounds.ts";
import {
  assertGoesOn,
  assertNoCredit,
  assertRecords,
  type Moment,
  namesOn,
  type Play,
  prepare,
  restart,
  Seen,
} from "./power-cut-checks.ts";
import type { Ledger } from "./power-cut-phone.ts";
import { publishVersions } from "./power-cut-releases.ts";
import { EVERY_SCENARIO } from "./power-cut-many.ts";

const published = await publishVersions();
const DRAWN = isNative ? rounds(0, 3) : rounds(3, 60);
const seed = runSeed();

for (const scenario of EVERY_SCENARIO) {
  // DEV-2, DEV-3, DEV-4, DEV-6, DEV-8, BOOT-10
  test(`a power cut at any step of ${scenario.title}`, async () => {
    const play = { ...scenario, published };
    const start = await prepare(play);
    const uncut = restart(start, play, { brief: false });
    await play.run(uncut);
    const random = seededRandom(seed);
    const seen = new Seen();
    const survivals = () => [
      ...SURVIVALS,
      ...Array.from({ length: DRAWN }, () => randomSurvival(random)),
    ];
    const steps = uncut.io.steps("power");
    const first = Math.max(1, steps + 1 - (scenario.lastSteps ?? steps));
    const outcomes = soaking
      ? cuts(start, play, { first, steps, survivals })
      : await photographed(start, play, { first, survivals });
    for await (const outcome of outcomes) {
      const { found } = outcome;
      if (!seen.add(found)) continue;
      await named(outcome, async () => {
        const returned = found.ledger.begun === null;
        const allowed: readonly Ledger[] = returned ? [found.ledger] : [start.ledger, uncut.ledger];
        await assertRecords(found, play, allowed);
        if (scenario.launches && !returned) await assertNoCredit(found, play, start.ledger);
        await assertGoesOn(found, play, seen);
      });
    }
  });
}

/** What is found after one power cut. */
interface CutOutcome {
  readonly at: number;
  readonly when: DiskFault["when"];
  readonly survival: Survival;
  readonly found: Moment;
}

/**
 * What is found after a power cut before and after each step of the operation, which runs once: a process
 * that is dead changes nothing more, so the disk of that moment is all that it leaves. That it does die
 * at each step is what `power-cut-faults` shows, and the soak here.
 */
async function photographed(
  start: Moment,
  play: Play,
  { first, survivals }: {
    readonly first: number;
    readonly survivals: () => readonly Survival[];
  },
): Promise<readonly CutOutcome[]> {
  const outcomes: CutOutcome[] = [];
  const photograph = (when: DiskFault["when"], at: number) => {
    if (at < first) return;
    const ledger = structuredClone(phone.ledger);
    for (const survival of survivals()) {
      outcomes.push({
        at,
        when,
        survival,
        found: { disk: phone.io.disk.afterPowerCut(survival), ledger },
      });
    }
  };
  const phone = restart(start, play, { onStep: photograph, brief: play.allWays !== true });
  await play.run(phone);
  const unasked = outcomes.filter(({ found }) => found.ledger.begun === null);
  assert.deepEqual(unasked, [], "a step of no operation");
  photograph("before", phone.io.steps("power") + 1); // after it returned
  return outcomes;
}

/** The same of an operation that is run anew for each power cut, and dies of it. */
async function* cuts(
  start: Moment,
  play: Play,
  { first, steps, survivals }: {
    readonly first: number;
    readonly steps: number;
    readonly survivals: () => readonly Survival[];
  },
): AsyncGenerator<CutOutcome> {
  for (let at = first; at <= steps + 1; at++) { // the last one: after it returned
    for (const when of ["before", "after"] as const) {
      const { disk, ledger } = await cut(start, play, { kind: "power", at, when });
      for (const survival of survivals()) {
        yield { at, when, survival, found: { disk: disk.afterPowerCut(survival), ledger } };
      }
    }
  }
}

/** Runs the operation until its process dies. The disk is as programs would see it. */
async function cut(start: Moment, play: Play, fault: DiskFault): Promise<Moment> {
  const phone = restart(start, play, { fault, brief: false });
  await play.run(phone).catch((thrown) => {
    if (!(thrown instanceof PowerCut)) throw thrown;
  });
  assert.equal(phone.io.met(), phone.ledger.begun !== null);
  return { disk: phone.io.disk, ledger: phone.ledger };
}

async function named(
  { at, when, survival, found }: CutOutcome,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const where = `${when} step ${at}; ${survival.name}; SLIPWAY_SEED=${seed}`;
    const disk = namesOn(found.disk);
    throw new Error(`${where}; the disk holds ${disk}`, { cause: thrown });
  }
}
