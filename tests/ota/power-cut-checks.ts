import assert from "node:assert/strict";
import { Disk } from "../support/power-cut-disk.ts";
import { soaking } from "../support/rounds.ts";
import {
  createPowerCutFiles,
  type DiskFault,
  type StepListener,
} from "../support/power-cut-files.ts";
import { emptyLedger, type Ledger, Phone } from "./power-cut-phone.ts";
import { assertWhole, installBinary, type Published, ROOT, treeOf } from "./power-cut-releases.ts";
import type { Scenario } from "./power-cut-scenarios.ts";

/** A disk and what its device has promised. */
export interface Moment {
  readonly disk: Disk;
  readonly ledger: Ledger;
}

/** A scenario with the releases that it is about. */
export interface Play extends Scenario {
  readonly published: Published;
}

/** Plays what comes before an operation, and shuts down cleanly. */
export async function prepare(play: Play): Promise<Moment> {
  const { published, before, embedded = false } = play;
  const disk = new Disk();
  await createPowerCutFiles(disk).files.makeDirectory("/data");
  if (embedded) await installBinary(published, disk);
  const ledger = emptyLedger();
  await before(new Phone(published, { disk, ledger, ...phoneOf(play) }));
  return { disk: disk.shutDown(), ledger };
}

/** Starts the device again on a copy of that disk. */
export function restart(
  { disk, ledger }: Moment,
  play: Play,
  how: { readonly fault?: DiskFault; readonly onStep?: StepListener; readonly brief?: boolean } =
    {},
): Phone {
  return new Phone(play.published, {
    disk: disk.shutDown(),
    ledger: structuredClone(ledger),
    ...phoneOf(play),
    ...how,
  });
}

/** What the phone of a scenario is like. */
export function phoneOf(
  { embedded = false, backOnTrial = false, capacity }: Scenario,
): { embedded: boolean; backOnTrial: boolean; capacity?: number } {
  return { embedded, backOnTrial, ...(capacity !== undefined && { capacity }) };
}

/**
 * The moments that a test has looked at. What comes of one is decided by what the disk holds, by what was
 * promised and by what its process did before: of those that are equal in this, one is looked at.
 */
export class Seen {
  readonly #moments = new Set<string>();
  /** How many of them a device has gone on from. */
  turns = 0;

  /** Adds a moment, and what its process has done. @returns Whether there was none like it. */
  add(moment: Moment, done = ""): boolean {
    const { size } = this.#moments;
    this.#moments.add(`${done} ${fingerprintOf(moment)}`);
    return this.#moments.size > size;
  }
}

/**
 * What a disk holds and what was promised of it. What is drawn anew each time is numbered: a record that
 * names the launch before the last is another than one that names the last.
 */
function fingerprintOf({ disk, ledger }: Moment): string {
  const drawn = new Map<string, string>();
  return JSON.stringify([ledger, treeOf(disk, ROOT)]).replaceAll(
    /(\d+-)?(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g,
    (id) => {
      const number = drawn.get(id) ?? `id ${drawn.size}`;
      drawn.set(id, number);
      return number;
    },
  );
}

/** The paths below the device's root. */
export function namesOn(disk: Disk): string {
  return Object.keys(treeOf(disk, ROOT)).join(" ");
}

/** The records say what one of the ledgers says, and what they trust is whole. */
export async function assertRecords(
  found: Moment,
  play: Play,
  allowed: readonly Ledger[],
): Promise<void> {
  const phone = restart(found, play);
  const { state, rejected, floor } = await phone.observe();
  assertOneOf(state, allowed.map((ledger) => ledger.state));
  assertOneOf(rejected, allowed.map((ledger) => ledger.rejected));
  assertOneOf(floor, allowed.map((ledger) => ledger.floor));
  assert.ok(floor >= found.ledger.floor, "the floor went down");
  const guarded = (await phone.device.getState({})).rejected?.["shell"] ?? [];
  for (const version of rejected) {
    assert.ok(guarded.includes(version), "the guard is written first");
  }
  for (const versions of [state?.active, state?.pending]) {
    const version = versions?.["shell"];
    if (version && version !== found.ledger.damaged) assertWhole(phone.io.disk, version);
  }
  for (const version of found.ledger.begun === null ? found.ledger.staged : []) {
    const { manifest } = await phone.device.readManifest?.({ name: "shell", version }) ?? {};
    assert.ok(manifest, `${version} was staged`);
    assertWhole(phone.io.disk, version);
  }
}

function assertOneOf(actual: unknown, allowed: readonly unknown[]): void {
  const text = JSON.stringify(actual);
  const texts = allowed.map((one) => JSON.stringify(one));
  assert.ok(texts.includes(text), `${text} is none of ${texts.join(" ")}`);
}

/** A launch that served nothing, for its attempt is not on the disk, is confirmed by nobody. */
export async function assertNoCredit(found: Moment, play: Play, before: Ledger): Promise<void> {
  const phone = restart(found, play);
  const { state } = await phone.observe();
  if (JSON.stringify(state?.bootAttempts) !== JSON.stringify(before.state?.bootAttempts)) return;
  const recorded = treeOf(found.disk, ROOT)["launch.json"] ?? "";
  if (found.ledger.tokens.some(({ token }) => recorded.includes(token))) return;
  await phone.device.confirmLaunch({ name: "shell" });
  assert.deepEqual((await phone.observe()).state?.confirmedBoots, state?.confirmedBoots);
}

/**
 * The operation can be done again, and the device comes to the newest release from there: after a
 * launch, and without one. The gate takes them in turns where that takes long, and goes on no further
 * once the process stands where one stood that did the same: most of what is found is mended by then.
 */
export async function assertGoesOn(found: Moment, play: Play, seen: Seen): Promise<void> {
  const turn = ++seen.turns;
  for (const launchFirst of soaking || !play.stages ? [true, false] : [turn % 2 === 0]) {
    const phone = restart(found, play);
    const { disk } = phone.io;
    let done = "";
    const mayEnd = (step: string) => {
      done += step;
      return !soaking && !seen.add({ disk, ledger: phone.ledger }, done);
    };
    if (launchFirst) {
      await assertLaunch(phone);
      if (mayEnd("launch")) continue;
    }
    await play.run(phone);
    assert.ok(phone.ledger.floor >= found.ledger.floor, "the floor went down");
    if (mayEnd("run")) continue;
    await assertLaunch(phone);
    if (mayEnd("launch")) continue;
    await arrive(phone, play);
  }
}

/** A launch serves a whole bundle that may boot, and keeps the counts. */
export async function assertLaunch(phone: Phone): Promise<void> {
  const version = await phone.launch();
  const { state, rejected, served, confirmed } = phone.ledger;
  const active = state?.active?.["shell"];
  const mayRot = ["embedded", phone.ledger.damaged].includes(version);
  if (!mayRot) assertWhole(phone.io.disk, version);
  if (version !== active) assert.ok(!rejected.includes(version), `${version} is quarantined`);
  for (const [tried, times] of Object.entries(served)) {
    if (tried !== "embedded") assert.ok(times <= 3, `${tried} was served ${times} times`);
  }
  if (phone.goesBackOnTrial) assertTried(phone.ledger);
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

/** No version is served more than six times in a row without a confirmation (DEV-50). */
function assertTried({ unconfirmed: { version, launches } }: Ledger): void {
  assert.ok(version === "embedded" || launches <= 6, `${version} was served ${launches} times`);
}

/** The device comes to the newest release, or, where that failed to boot, to the next. */
export async function arrive(phone: Phone, { published, latest }: Play): Promise<void> {
  const { disk } = phone.io;
  if (phone.ledger.damaged !== null) { // DEV-26: a confirmed launch finds it, the next one does not
    await assertLaunch(phone);
    await phone.confirm();
    assert.equal(await phone.launch(), "embedded");
  }
  for (const version of [latest, "v4"]) {
    const result = await phone.check(version);
    for (let boot = 0; boot < 4 && phone.ledger.state?.active?.["shell"] !== version; boot++) {
      await assertLaunch(phone);
      await phone.confirm();
    }
    if (phone.ledger.state?.active?.["shell"] === version) {
      const later = new Phone(published, { disk, ledger: phone.ledger });
      assert.equal(await later.launch(), version);
      await later.confirm();
      assertWhole(disk, version);
      await assertSwept(disk, version);
      return;
    }
    assert.ok(phone.ledger.rejected.includes(version), `${version} is not reached: ${result}`);
    assert.ok(phone.ledger.launches > 3, `${version} is quarantined`);
  }
  assert.fail("no version is reached");
}

/** Nothing is left over, but what a staging that was killed after the active version's left (DEV-38). */
async function assertSwept(disk: Disk, active: string): Promise<void> {
  const { files } = createPowerCutFiles(disk);
  const mark = await files.stat(`${ROOT}/.complete/shell@${active}.json`);
  for (const path of Object.keys(treeOf(disk, ROOT))) {
    const [folder] = /^\.staging\/[^/]+(?=\/)/.exec(path) ?? [];
    const left = folder === undefined ? null : await files.stat(`${ROOT}/${folder}`);
    if (left !== null && mark !== null && left.mtimeMs >= mark.mtimeMs) continue;
    assert.doesNotMatch(path, /^\.(staging|trash)\/|\.tmp$/, "it is left over");
  }
}
