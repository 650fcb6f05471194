import assert from "node:assert/strict";
import { test } from "node:test";
import { type Survival, SURVIVALS } from "../support/power-cut-disk.ts";
import { type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import {
  assertGoesOn,
  assertLaunch,
  assertRecords,
  fingerprintOf,
  type Play,
  prepare,
  restart,
} from "./power-cut-checks.ts";
import { Phone, publishVersions } from "./power-cut-phone.ts";
import { SCENARIOS } from "./power-cut-scenarios.ts";

const published = await publishVersions();
/** The harshest: what was promised must have been synced. */
const [NOTHING = SURVIVALS[1], EVERYTHING] = SURVIVALS;

for (const scenario of SCENARIOS) {
  const play: Play = { ...scenario, published };

  test(`a process that is killed at any step of ${scenario.title}, then a power cut`, async () => {
    const start = await prepare(play);
    const seen = new Set<string>();
    for (let at = 1, met = true; met; at++) {
      const killed = restart(start, play, { kind: "power", at, when: "before" });
      await play.run(killed).catch((thrown) => assert.ok(thrown instanceof PowerCut, thrown));
      met = killed.io.met();
      const { embedded = false } = play;
      const { disk } = killed.io; // the machine runs on: what was not synced is there
      const next = new Phone(published, { disk, ledger: killed.ledger, embedded });
      await play.run(next);
      const found = { disk: disk.afterPowerCut(NOTHING), ledger: next.ledger };
      const fingerprint = await fingerprintOf(found);
      if (seen.has(fingerprint)) continue;
      seen.add(fingerprint);
      await at_(at, () => assertRecords(found, play, [next.ledger]));
      await at_(at, () => assertGoesOn(found, play));
    }
  });

  for (const kind of ["full", "io"] as const) {
    for (const forever of [false, true]) {
      test(`a disk that is ${kind} ${forever ? "from" : "at"} any step of ${scenario.title} on`, async () => {
        const start = await prepare(play);
        const seen = new Set<string>();
        for (let at = 1, met = true; met; at++) {
          for (const when of ["before", "after"] as const) {
            const fault: DiskFault = { kind, at, when, forever };
            const phone = restart(start, play, fault);
            await play.run(phone).catch(() => undefined);
            met = phone.io.met();
            await at_(`${when} ${at}`, () => assertLaunch(phone));
            await phone.confirm().catch(() => undefined);
            if (!forever) {
              await at_(`${when} ${at}`, async () => {
                await play.run(phone);
                const { disk, ledger } = phone.io.disk.afterPowerCut(NOTHING) && {
                  disk: phone.io.disk.afterPowerCut(NOTHING),
                  ledger: phone.ledger,
                };
                await assertRecords({ disk, ledger }, play, [ledger]);
              });
            }
            for (const survival of [NOTHING, EVERYTHING]) {
              if (survival === undefined) continue;
              const found = { disk: phone.io.disk.afterPowerCut(survival), ledger: phone.ledger };
              const fingerprint = await fingerprintOf(found);
              if (seen.has(fingerprint)) continue;
              seen.add(fingerprint);
              await at_(`${when} ${at}; ${survival.name}`, () => assertGoesOn(found, play));
            }
          }
        }
      });
    }
  }
}

async function at_(where: unknown, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    throw new Error(`step ${where}`, { cause: thrown });
  }
}
