import assert from "node:assert/strict";
import { test } from "node:test";
import { isNative } from "../support/device-under-test.ts";
import { randomSurvival, type Survival, SURVIVALS } from "../support/power-cut-disk.ts";
import { type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { isSecond, rounds, soaking } from "../support/rounds.ts";
import {
  assertGoesOn,
  assertNoCredit,
  assertRecords,
  fingerprintOf,
  type Moment,
  namesOn,
  type Play,
  prepare,
  restart,
} from "./power-cut-checks.ts";
import type { Ledger } from "./power-cut-phone.ts";
import { publishVersions } from "./power-cut-releases.ts";
import { SCENARIOS } from "./power-cut-scenarios.ts";

const published = await publishVersions();
// Over a native core, and the second time, the gate leaves out what is rarely else: a cut after a step is
// mostly one before the next.
const isBrief = isSecond || (isNative && !soaking);
const MOMENTS = isBrief ? ["before"] as const : ["before", "after"] as const;
const DRAWN = isNative ? rounds(0, 3) : rounds(3, 60);
const seed = runSeed();

for (const scenario of SCENARIOS) {
  // DEV-2, DEV-3, DEV-4, DEV-6, DEV-8, BOOT-10
  test(`a power cut at any step of ${scenario.title}`, async () => {
    const play = { ...scenario, published };
    const start = await prepare(play);
    const uncut = restart(start, play, { brief: false });
    await play.run(uncut);
    const steps = uncut.io.steps("power");
    const random = seededRandom(seed);
    const seen = new Set<string>();
    for (let at = 1; at <= steps + 1; at++) { // the last one: after it returned
      for (const when of MOMENTS) {
        const { disk, ledger } = await cut(start, play, { kind: "power", at, when });
        const drawn = Array.from({ length: DRAWN }, () => randomSurvival(random));
        for (const survival of [...SURVIVALS, ...drawn]) {
          const found = { disk: disk.afterPowerCut(survival), ledger };
          const fingerprint = fingerprintOf(found);
          if (seen.has(fingerprint)) continue;
          seen.add(fingerprint);
          await named({ at, when, survival, found }, async () => {
            const returned = ledger.begun === null;
            const allowed: readonly Ledger[] = returned ? [ledger] : [start.ledger, uncut.ledger];
            await assertRecords(found, play, allowed);
            if (scenario.launches && !returned) await assertNoCredit(found, play, start.ledger);
            await assertGoesOn(found, play, seen.size);
          });
        }
      }
    }
  });
}

/** Runs the operation until its process dies. The disk is as programs would see it. */
async function cut(start: Moment, play: Play, fault: DiskFault): Promise<Moment> {
  const phone = restart(start, play, { fault, brief: !soaking });
  await play.run(phone).catch((thrown) => {
    if (!(thrown instanceof PowerCut)) throw thrown;
  });
  assert.equal(phone.io.met(), phone.ledger.begun !== null);
  return { disk: phone.io.disk, ledger: phone.ledger };
}

async function named(
  { at, when, survival, found }: {
    readonly at: number;
    readonly when: string;
    readonly survival: Survival;
    readonly found: Moment;
  },
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
