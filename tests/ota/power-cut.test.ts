import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk, randomSurvival, SURVIVALS } from "../support/power-cut-disk.ts";
import { createPowerCutFiles, type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import {
  assertWhole,
  emptyLedger,
  installBinary,
  type Ledger,
  Phone,
  publishVersions,
  readTree,
  ROOT,
} from "./power-cut-phone.ts";
import { type Scenario, SCENARIOS } from "./power-cut-scenarios.ts";

const published = await publishVersions();
const seed = runSeed();

/** A disk and what its device has promised. */
interface Moment {
  readonly disk: Disk;
  readonly ledger: Ledger;
}

/** Plays what comes before an operation, and shuts down cleanly. */
async function prepare({ before, embedded = false }: Scenario): Promise<Moment> {
  const disk = new Disk();
  await createPowerCutFiles(disk).files.makeDirectory("/data");
  if (embedded) await installBinary(published, disk);
  const ledger = emptyLedger();
  await before(new Phone(published, { disk, ledger, embedded }));
  return { disk: disk.shutDown(), ledger };
}

/** Starts the device again on a copy of that disk. */
function restart(
  { disk, ledger }: Moment,
  { embedded = false }: Scenario,
  fault?: DiskFault,
): Phone {
  return new Phone(published, {
    disk: disk.shutDown(),
    ledger: structuredClone(ledger),
    embedded,
    ...(fault && { fault }),
  });
}

for (const scenario of SCENARIOS) {
  test(`a power cut at any step of ${scenario.title}`, async () => {
    const start = await prepare(scenario);
    const whole = restart(start, scenario);
    await scenario.run(whole);
    const after = whole.ledger;
    const steps = whole.io.steps("power");
    const random = seededRandom(seed);
    const seen = new Set<string>();
    for (let at = 1; at <= steps + 1; at++) {
      for (const when of ["before", "after"] as const) {
        const phone = restart(start, scenario, { kind: "power", at, when });
        await scenario.run(phone).catch((thrown) => {
          if (!(thrown instanceof PowerCut)) throw thrown;
        });
        assert.equal(phone.io.met(), at <= steps);
        const survivals = [...SURVIVALS];
        for (let i = rounds(2, 40); i > 0; i--) survivals.push(randomSurvival(random));
        for (const survival of survivals) {
          const found = { disk: phone.io.disk.afterPowerCut(survival), ledger: phone.ledger };
          const fingerprint = await fingerprintOf(found);
          if (seen.has(fingerprint)) continue;
          seen.add(fingerprint);
          try {
            await examine(found, scenario, [start.ledger, after]);
          } catch (thrown) {
            const where = `step ${at} of ${steps}, ${when}; ${survival.name}; SLIPWAY_SEED=${seed}`;
            const left = JSON.stringify(await readTree(phone.files, "").catch(() => null));
            throw new Error(
              `${where}: ${left ?? ""}${
                JSON.stringify(await readTree(createPowerCutFiles(found.disk).files, ROOT))
              }`,
              { cause: thrown },
            );
          }
        }
      }
    }
    console.log(scenario.title, steps, seen.size);
  });
}

/** What a disk holds and what was promised of it, without what is drawn anew each time. */
async function fingerprintOf({ disk, ledger }: Moment): Promise<string> {
  const tree = await readTree(createPowerCutFiles(disk).files, "");
  return JSON.stringify([tree, ledger]).replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, "id");
}

/** Everything that must hold after a power cut, whatever survived it. */
async function examine(
  found: Moment,
  scenario: Scenario,
  [before, after]: readonly [Ledger, Ledger],
): Promise<void> {
  const returned = found.ledger.begun === null;
  const look = restart(found, scenario);
  const { state, rejected, floor } = await look.observe();
  const allowed = returned ? [after] : [before, after];
  assertOneOf(state, allowed.map((ledger) => ledger.state));
  assertOneOf(rejected, allowed.map((ledger) => ledger.rejected));
  assertOneOf(floor, allowed.map((ledger) => ledger.floor));
  const guarded = (await look.device.getState({})).rejected?.["shell"] ?? [];
  for (const version of rejected) {
    assert.ok(guarded.includes(version), "the guard is written first");
  }
  for (const versions of [state?.active, state?.pending]) {
    if (versions?.["shell"]) await assertWhole(look.files, versions["shell"]);
  }
  await assertNoCredit(found, scenario, before);
  for (const launchFirst of [true, false]) {
    const phone = restart(found, scenario);
    if (launchFirst) await assertLaunch(phone);
    await scenario.run(phone);
    assert.ok(phone.ledger.floor >= found.ledger.floor);
    await assertLaunch(phone);
    await arrive(phone, scenario.latest);
  }
}

function assertOneOf(actual: unknown, allowed: readonly unknown[]): void {
  const text = JSON.stringify(actual);
  const texts = allowed.map((one) => JSON.stringify(one));
  assert.ok(texts.includes(text), `${text} is none of ${texts.join(" ")}`);
}

/** A launch whose attempt is not on the disk is confirmed by nobody. */
async function assertNoCredit(found: Moment, scenario: Scenario, before: Ledger): Promise<void> {
  if (scenario.launches !== true) return;
  const phone = restart(found, scenario);
  const { state } = await phone.observe();
  if (JSON.stringify(state?.bootAttempts) !== JSON.stringify(before.state?.bootAttempts)) return;
  if (found.ledger.begun === null) return;
  await phone.device.confirmLaunch({ name: "shell" });
  assert.deepEqual((await phone.observe()).state?.confirmedBoots, state?.confirmedBoots);
}

/** A launch serves a whole bundle that may boot, and keeps the counts. */
async function assertLaunch(phone: Phone): Promise<void> {
  const version = await phone.launch();
  const { state, rejected, served, confirmed } = phone.ledger;
  const active = state?.active?.["shell"];
  if (version !== "embedded") await assertWhole(phone.files, version);
  if (version !== active) assert.ok(!rejected.includes(version), `${version} is quarantined`);
  for (const [tried, times] of Object.entries(served)) {
    if (tried !== "embedded") assert.ok(times <= 3, `${tried} was served ${times} times`);
  }
  const pending = state?.pending?.["shell"];
  if (pending !== undefined) {
    const attempts = state?.bootAttempts?.["shell"] ?? 0;
    const credit = state?.confirmedBoots?.["shell"] ?? 0;
    assert.ok(attempts >= (served[pending] ?? 0), "an attempt was lost");
    assert.ok(credit <= (confirmed[pending]?.length ?? 0), "a credit without a confirmation");
  }
  if (active !== undefined) assert.ok((confirmed[active]?.length ?? 0) >= 2, `${active} is active`);
  for (const bad of rejected) {
    if (bad === active) continue;
    const staged = await phone.stage(bad);
    assert.ok(!staged.ok && staged.code === "quarantined", JSON.stringify(staged));
  }
}

/** From here the device comes to the newest release, or, where that failed to boot, to the next. */
async function arrive(phone: Phone, latest: string): Promise<void> {
  for (const version of [latest, "v4"]) {
    const result = await phone.check(version);
    for (let boot = 0; boot < 4 && phone.ledger.state?.active?.["shell"] !== version; boot++) {
      await assertLaunch(phone);
      await phone.confirm();
    }
    if (phone.ledger.state?.active?.["shell"] === version) {
      assert.equal(await phone.launch(), version);
      await assertWhole(phone.files, version);
      for (const name of [".staging", ".trash"]) {
        assert.equal(await phone.files.stat(`${ROOT}/${name}`), null, `${name} is left`);
      }
      return;
    }
    assert.ok(phone.ledger.rejected.includes(version), `${version} is not reached: ${result}`);
    assert.ok(phone.ledger.launches > 3, `${version} is quarantined`);
  }
  assert.fail("no version is reached");
}
