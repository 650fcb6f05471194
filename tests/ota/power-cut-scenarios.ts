import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { Phone } from "./power-cut-phone.ts";
import { ROOT } from "./power-cut-releases.ts";

/** One operation of the device, and what came before it. */
export interface Scenario {
  readonly title: string;
  /** Leads to the operation; all of it is on the disk when the operation begins. */
  readonly before: (phone: Phone) => Promise<unknown>;
  /** The operation. It may be done again, in the same process or in another. */
  readonly run: (phone: Phone) => Promise<unknown>;
  /** The release that the bucket holds. */
  readonly latest: string;
  /** Whether the app binary holds a bundle. Default no. */
  readonly embedded?: boolean;
  /** Whether the operation stages, which takes its time. */
  readonly stages?: boolean;
  /** Bytes that fit on the disk. Default endless. */
  readonly capacity?: number;
  /** Whether an active version goes back on trial (DEV-50). Default no. */
  readonly backOnTrial?: boolean;
  /** Whether the gate too goes the ways of the whole check: one may leave what another lacks room for. */
  readonly allWays?: boolean;
  /** Whether the operation is a launch. */
  readonly launches?: boolean;
  /** How many of its last steps are cut; those before are as another scenario's. Default all. */
  readonly lastSteps?: number;
}

/** Takes a version from the check to its second confirmation. */
export async function makeActive(phone: Phone, version: string): Promise<void> {
  assert.equal(await phone.check(version), "staged");
  for (let boot = 0; boot < 2; boot++) {
    assert.equal(await phone.launch(), version);
    await phone.confirm();
  }
  assert.equal(phone.ledger.state?.active?.["shell"], version);
}

async function v1(phone: Phone): Promise<void> {
  await makeActive(phone, "v1");
}

async function pendingV2(phone: Phone): Promise<void> {
  await v1(phone);
  assert.equal(await phone.check("v2"), "staged");
}

async function quarantinedV2(phone: Phone): Promise<void> {
  await pendingV2(phone);
  for (let crash = 0; crash < 3; crash++) assert.equal(await phone.launch(), "v2");
  assert.equal(await phone.launch(), "v1");
  assert.deepEqual(phone.ledger.rejected, ["v2"]);
}

/** Every process so far, and this one if it launches twice. */
function processesUntil({ pid }: Phone): readonly number[] {
  return Array.from({ length: pid }, (_, at) => at + 1);
}

const nothing = () => Promise.resolve();

function checks(version: string): (phone: Phone) => Promise<void> {
  return async (phone) => {
    const result = await phone.check(version);
    assert.ok(result === "staged" || result === "up-to-date", result);
  };
}

export function all(
  ...steps: readonly ((phone: Phone) => Promise<unknown>)[]
): (phone: Phone) => Promise<void> {
  return async (phone) => {
    for (const step of steps) await step(phone);
  };
}

export const launch = (phone: Phone): Promise<string> => phone.launch();
export const confirm = (phone: Phone): Promise<void> => phone.confirm();

async function stages(phone: Phone): Promise<void> {
  const staged = await phone.stage("v2");
  assert.ok(staged.ok, JSON.stringify(staged));
}

async function leaveThings(phone: Phone): Promise<void> {
  const { files } = phone;
  for (const folder of [".staging/shell@v2.left/art", ".trash/shell@v1.left/art"]) {
    await files.makeDirectory(`${ROOT}/${folder}`);
    await files.write(`${ROOT}/${folder}/a.bin`, new Uint8Array(9));
  }
  await files.write(`${ROOT}/.staging/shell@v2.left.zip`, new Uint8Array(9));
}

/** What a killed staging of v2 leaves: a content that is whole, and a part of another. */
async function leaveContents({ files }: Phone): Promise<void> {
  await files.makeDirectory(`${ROOT}/.partial`);
  for (const [content, bytes] of [["two", "two"], ["new", "ne"]] as const) {
    const hash = createHash("sha256").update(content).digest("hex");
    await files.write(`${ROOT}/.partial/${hash}.${"0".repeat(24)}`, encodeUtf8(bytes));
  }
}

/** Replaces a file, because another version may share its bytes (DEV-60). */
function damage(file: string, size = 9): (phone: Phone) => Promise<void> {
  return async ({ files }) => {
    await files.remove(`${ROOT}/${file}`);
    await files.write(`${ROOT}/${file}`, new Uint8Array(size));
  };
}

/** Disk operations of the device for a version of few files. */
export const SCENARIOS: readonly Scenario[] = [
  {
    title: "the first check of all, from a zip",
    before: nothing,
    run: checks("v1"),
    stages: true,
    latest: "v1",
  },
  {
    title: "a staging alone, with no folder to begin with",
    before: nothing,
    run: stages,
    stages: true,
    latest: "v2",
  },
  {
    title: "a delta on the active version",
    before: v1,
    run: checks("v2"),
    stages: true,
    latest: "v2",
  },
  {
    title: "a delta on the embedded bundle",
    before: nothing,
    run: checks("v2"),
    stages: true,
    latest: "v2",
    embedded: true,
  },
  {
    title: "a delta of which a killed process left contents",
    before: all(v1, leaveContents),
    run: checks("v2"),
    stages: true,
    latest: "v2",
  },
  {
    title: "a staging of what is there",
    before: all(pendingV2, (phone) => phone.revert()),
    run: checks("v2"),
    stages: true,
    latest: "v2",
  },
  {
    title: "a staging of what is there, damaged",
    before: all(pendingV2, (phone) => phone.revert(), damage("shell/v2/game.js")),
    run: checks("v2"),
    stages: true,
    latest: "v2",
  },
  {
    title: "a staging of what is there with a damaged mark",
    before: all(pendingV2, (phone) => phone.revert(), damage(".complete/shell@v2.json", 5_000)),
    run: checks("v2"),
    stages: true,
    latest: "v2",
  },
  {
    title: "an activation",
    before: all(v1, stages),
    run: (phone) => phone.activate("v2"),
    latest: "v2",
  },
  {
    title: "an activation of a mandatory version",
    before: all(v1, stages),
    run: (phone) => phone.activate("v2", { mandatory: true }),
    latest: "v2",
  },
  {
    title: "a release that goes back to the active version",
    before: pendingV2,
    run: (phone) => phone.revert(),
    latest: "v2",
  },
  {
    title: "a release that goes back to the embedded version",
    before: all(v1, launch),
    run: (phone) => phone.revert({ toEmbedded: true }),
    latest: "v1",
    embedded: true,
  },
  {
    title: "a launch of the active version",
    before: v1,
    run: launch,
    latest: "v1",
    launches: true,
  },
  { title: "a first launch", before: pendingV2, run: launch, latest: "v2", launches: true },
  {
    title: "a second launch, the first unconfirmed",
    before: all(pendingV2, launch),
    run: launch,
    latest: "v2",
    launches: true,
  },
  {
    title: "a launch with the attempts used up",
    before: all(pendingV2, launch, launch, launch),
    run: launch,
    latest: "v2",
    launches: true,
  },
  {
    title: "a first confirmation",
    before: all(pendingV2, launch),
    run: confirm,
    latest: "v2",
  },
  {
    title: "a first confirmation, of the second launch",
    before: all(pendingV2, launch, launch),
    run: confirm,
    latest: "v2",
  },
  {
    title: "a second confirmation, which supersedes a version",
    before: all(v1, (phone) => makeActive(phone, "v2"), checks("v3"), launch, confirm, launch),
    run: confirm,
    latest: "v3",
  },
  {
    title: "a confirmation with an old token",
    before: all(pendingV2, launch, launch),
    run: (phone) => phone.confirm(-2),
    latest: "v2",
  },
  {
    title: "a launch of a new app binary",
    before: all((phone) => phone.launch("1"), quarantinedV2, checks("v3"), launch, confirm),
    run: (phone) => phone.launch("2"),
    latest: "v3",
    launches: true,
  },
  {
    title: "an accepted sequence",
    before: v1,
    run: (phone) => phone.accept(Math.max(7, phone.ledger.floor)),
    latest: "v1",
  },
  {
    title: "the first accepted sequence",
    before: nothing,
    run: (phone) => phone.accept(1),
    latest: "v1",
  },
  {
    title: "a confirmation that sweeps leftovers",
    before: all(v1, stages, leaveThings, launch),
    run: confirm,
    latest: "v3",
  },
  {
    title: "a confirmation that finds the active version damaged",
    before: all(v1, launch, (phone) => phone.rot("v1", "game.js")),
    run: confirm,
    latest: "v1",
  },
  {
    title: "a launch and its confirmation, after the app was updated by its store",
    before: all((phone) => phone.launch("1"), quarantinedV2),
    run: all((phone) => phone.launch("2"), confirm),
    latest: "v3",
  },
  {
    title: "a launch that puts the active version back on trial", // DEV-51
    before: all(v1, (phone) => makeActive(phone, "v2"), launch, launch, launch),
    run: launch,
    latest: "v3",
    launches: true,
    backOnTrial: true,
  },
  {
    title: "a launch after one that the user ended", // DEV-55
    before: all(v1, launch),
    run: (phone) => phone.launch(undefined, processesUntil(phone)),
    latest: "v2",
    launches: true,
    backOnTrial: true,
  },
  {
    title: "a confirmation of an active version that can go back on trial",
    before: all(v1, launch),
    run: confirm,
    latest: "v2",
    backOnTrial: true,
  },
  {
    title: "a staging with little room",
    before: quarantinedV2,
    run: checks("v3"),
    stages: true,
    latest: "v3",
    capacity: 5_200,
    allWays: true,
  },
];
