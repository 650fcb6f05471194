import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk, NOTHING, randomSurvival } from "../support/power-cut-disk.ts";
import { createPowerCutFiles, PowerCut } from "../support/power-cut-files.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import {
  arrive,
  assertLaunch,
  assertRecords,
  namesOn,
  type Play,
  restart,
} from "./power-cut-checks.ts";
import { emptyLedger, type Ledger, Phone } from "./power-cut-phone.ts";
import { publishVersions } from "./power-cut-releases.ts";

// Lives of a phone whose power is cut again and again, at any step of anything: what each process
// was told lasts, a version that crashes gets its three launches and no more, and in the end the
// newest release runs.

const published = await publishVersions();
const seed = runSeed();
const STEPS = 30;

test("a phone whose power is cut again and again keeps what it was told", async () => {
  for (let life = 0; life < rounds(12, 600); life++) {
    const random = seededRandom(seed + life);
    const backOnTrial = life % 2 === 1;
    const reported: string[] = [];
    try {
      await live(random, { reported, backOnTrial });
    } catch (thrown) {
      throw new Error(`SLIPWAY_SEED=${seed + life}: ${reported.join(", ")}`, { cause: thrown });
    }
  }
});

async function live(
  random: Random,
  { reported, backOnTrial }: { readonly reported: string[]; readonly backOnTrial: boolean },
): Promise<void> {
  let disk = new Disk();
  await createPowerCutFiles(disk).files.makeDirectory("/data");
  disk = disk.shutDown();
  const ledger = emptyLedger();
  const play: Play = {
    published,
    latest: "v3",
    backOnTrial,
    title: "a life",
    before: () => Promise.resolve(),
    run: () => Promise.resolve(),
  };
  for (let process = 0; process < STEPS; process++) {
    const at = 1 + random.below(60);
    const when = random.below(2) === 0 ? "before" : "after";
    const phone = new Phone(published, {
      disk,
      ledger,
      backOnTrial,
      fault: { kind: "power", at, when },
    });
    reported.push(`start, cut ${when} ${at}`);
    try {
      for (;;) await step(phone, random, reported);
    } catch (thrown) {
      if (!(thrown instanceof PowerCut)) throw thrown;
    }
    const survival = random.below(3) === 0 ? NOTHING : randomSurvival(random);
    disk = phone.io.disk.afterPowerCut(survival);
    reported.push(`${survival.name} of ${namesOn(disk)}`);
    await afterCut({ disk, ledger }, play);
  }
  const phone = new Phone(published, { disk, ledger, backOnTrial });
  await assertLaunch(phone);
  await arrive(phone, play);
}

/** What was promised is there. From here the ledger goes on with what the disk holds. */
async function afterCut(
  found: { readonly disk: Disk; readonly ledger: Ledger },
  play: Play,
): Promise<void> {
  const { ledger } = found;
  if (ledger.begun === null) await assertRecords(found, play, [ledger]);
  const { state, floor, rejected } = await restart(found, play).observe();
  assert.ok(floor >= ledger.floor, `the floor went from ${ledger.floor} to ${floor}`);
  for (const version of ledger.rejected) assert.ok(rejected.includes(version), version);
  const attempts = state?.bootAttempts?.["shell"] ?? 0;
  const pending = state?.pending?.["shell"] ?? "";
  if (ledger.begun?.startsWith("check") && attempts === 0) delete ledger.served[pending];
  if (pending !== "" && pending === ledger.state?.active?.["shell"]) delete ledger.served[pending];
  Object.assign(ledger, { state, floor, rejected, begun: null, staged: [] });
  await assertLaunch(restart(found, play));
}

async function step(
  phone: Phone,
  random: Random,
  reported: string[],
): Promise<void> {
  const version = `v${1 + random.below(3)}`;
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    [`check ${version}`, () => phone.check(version)],
    [`check v3`, () => phone.check("v3")],
    ["launch", () => assertLaunch(phone)],
    ["launch", () => assertLaunch(phone)],
    ["confirm", () => phone.confirm()],
    ["revert", () => phone.revert()],
    ["revert to embedded", () => phone.revert({ toEmbedded: true })],
  ];
  const [name, run] = steps[random.below(steps.length)] ?? ["", () => Promise.resolve()];
  reported.push(name);
  await run();
}
