import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeCore } from "../support/device-under-test.ts";
import { EVERYTHING, NOTHING, type Survival } from "../support/power-cut-disk.ts";
import { isSecond, soaking } from "../support/rounds.ts";
import { type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import {
  assertGoesOn,
  assertLaunch,
  assertRecords,
  phoneOf,
  type Play,
  prepare,
  restart,
  Seen,
} from "./power-cut-checks.ts";
import { Phone } from "./power-cut-phone.ts";
import { publishVersions } from "./power-cut-releases.ts";
import { EVERY_SCENARIO } from "./power-cut-many.ts";

const published = await publishVersions();

type Fault = Omit<DiskFault, "at">;

/** Every kind of fault, once or for ever. */
const FAULTS: readonly Fault[] = [
  { kind: "full", when: "before", forever: false },
  { kind: "io", when: "before", forever: true },
  { kind: "io", when: "after", forever: false },
  { kind: "full", when: "after", forever: true },
];

/** Those that the soak takes besides. */
const OTHERS: readonly Fault[] = FAULTS.map((fault) => ({ ...fault, forever: !fault.forever }));

/** A fault, the first step that meets it, and the distance to the next one, in steps. */
type Tried = readonly [fault: Fault, first: number, by: number];

/** Which share of the steps is this core's: the other core has another. */
const turn = nativeCore === "android" ? 1 : 0;

/**
 * In the gate the reference meets all faults at each step. The native cores, which take far longer, share
 * them: each step meets one of the four over one core, another over the other core. The second run of the
 * reference, under Node, meets each fault at every fourth step (decision 152).
 */
function faults(): readonly Tried[] {
  if (soaking) return [...FAULTS, ...OTHERS].map((fault): Tried => [fault, 1, 1]);
  if (nativeCore !== null) {
    return FAULTS.map((fault, at): Tried => [fault, 1 + (at + 2 * turn) % 4, 4]);
  }
  return FAULTS.map((fault, at): Tried => isSecond ? [fault, 1 + at, 4] : [fault, 1, 1]);
}

/**
 * The first step before which a process is killed, and the distance to the next. Nothing of a core runs any
 * more then, and `power-cut` has each core go on from what every step leaves.
 */
const [firstKill, killsApart] = soaking || (nativeCore === null && !isSecond)
  ? [1, 1]
  : [1 + turn, 2];

for (const scenario of EVERY_SCENARIO) {
  if (scenario.lastSteps !== undefined) continue; // the faults of another scenario, a hundred times
  const play: Play = { ...scenario, published };

  // DEV-9
  test(`a process killed at any step of ${scenario.title}, and the power cut later`, async () => {
    const start = await prepare(play);
    const seen = new Seen();
    for (let at = firstKill, met = true; met; at += killsApart) {
      const killed = restart(start, play, { fault: { kind: "power", at, when: "before" } });
      await play.run(killed).catch((thrown) => assert.ok(thrown instanceof PowerCut, thrown));
      met = killed.io.met();
      const { disk } = killed.io; // the machine runs on, and shows what was not synced
      const next = new Phone(published, { disk, ledger: killed.ledger, ...phoneOf(play) });
      await play.run(next);
      await examine({ phone: next, play, seen, where: `killed before step ${at}` }, [NOTHING]);
    }
  });

  test(`a disk that is full or broken at any step of ${scenario.title}`, async () => {
    const start = await prepare(play);
    const seen = new Seen();
    for (const [fault, first, by] of faults()) {
      const forever = fault.forever === true;
      const survivals = soaking ? [NOTHING, EVERYTHING] : [forever ? EVERYTHING : NOTHING];
      for (let at = first, met = true; met; at += by) {
        const phone = restart(start, play, { fault: { ...fault, at } });
        const where = JSON.stringify({ ...fault, at });
        await play.run(phone).catch(() => undefined);
        met = phone.io.met();
        await located(where, () => assertLaunch(phone));
        await phone.confirm().catch(() => undefined);
        if (!forever) await located(where, () => Promise.resolve(play.run(phone)));
        await examine({ phone, play, seen, where, lost: forever }, survivals);
      }
    }
  });
}

/** Cuts the power while the process is idle: what it was told must be there, and it goes on. */
async function examine(
  { phone, play, seen, where, lost = false }: {
    readonly phone: Phone;
    readonly play: Play;
    readonly seen: Seen;
    readonly where: string;
    readonly lost?: boolean;
  },
  survivals: readonly Survival[],
): Promise<void> {
  const { ledger, io } = phone;
  for (const survival of survivals) {
    const found = { disk: io.disk.afterPowerCut(survival), ledger };
    if (!seen.add(found)) continue;
    await located(`${where}; ${survival.name}`, async () => {
      // A disk that stays broken keeps no promise, and the boot hook returns all the same.
      if (ledger.begun === null && !lost) await assertRecords(found, play, [ledger]);
      await assertGoesOn(found, play, seen);
    });
  }
}

async function located(where: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    throw new Error(where, { cause: thrown });
  }
}
