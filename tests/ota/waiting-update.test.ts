import assert from "node:assert/strict";
import { test } from "node:test";
import { createAppUpdater } from "../../lib/ota-client/app-updater.ts";
import { confirmLaunch } from "../../lib/ota-client/page-launch.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import { until } from "../support/until.ts";
import {
  createFakeNative,
  createWorld,
  type FakeNative,
  type FakeNativeOptions,
  manifestOf,
  type World,
} from "../support/release-world.ts";

// A staged update that waits (CHECK-17): a page that is created again within the same launch (by Back and
// opening the app, a reload, or a web view whose process ended) gets no further than the first one.

const runs = (version: string) => ({ name: "shell", version, token: "t" });
const PENDING_V2 = { state: { pending: { shell: "v2" } } };
const waits = (mandatory: boolean): FakeNativeOptions => ({
  ...PENDING_V2,
  launch: runs("embedded"),
  pending: { name: "shell", version: "v2", mandatory },
});

interface Row {
  readonly what: string;
  readonly device: FakeNativeOptions;
  /** The release; `null` if it cannot be fetched. */
  readonly release:
    | { readonly mandatory: boolean; readonly bundles?: Record<string, string> }
    | null;
  readonly mayLoad: boolean;
  readonly pending?: unknown;
}

const ROWS: readonly Row[] = [
  {
    what: "a mandatory one",
    device: waits(true),
    release: { mandatory: true },
    mayLoad: false,
    pending: { version: "v2", mandatory: true },
  },
  {
    what: "an optional one",
    device: waits(false),
    release: { mandatory: false },
    mayLoad: true,
    pending: { version: "v2", mandatory: false },
  },
  {
    what: "one that was mandatory when it was staged",
    device: waits(true),
    release: { mandatory: false },
    mayLoad: false,
    pending: { version: "v2", mandatory: true },
  },
  {
    what: "a mandatory one, without a network",
    device: waits(true),
    release: null,
    mayLoad: false,
  },
  {
    what: "an optional one, without a network",
    device: waits(false),
    release: null,
    mayLoad: true,
  },
  {
    what: "a mandatory one that runs already",
    device: { ...waits(true), launch: runs("v2") },
    release: { mandatory: true },
    mayLoad: true,
  },
  {
    what: "a mandatory one of another bundle",
    device: { ...waits(true), launch: { ...runs("v1"), name: "lobby" } },
    release: { mandatory: true },
    mayLoad: true,
  },
  {
    what: "one whose plugin does not tell it: the release decides",
    device: { ...PENDING_V2, launch: runs("embedded") },
    release: { mandatory: true },
    mayLoad: false,
    pending: { version: "v2", mandatory: true },
  },
  {
    what: "one whose plugin does not tell it, optional by the release",
    device: { ...PENDING_V2, launch: runs("embedded") },
    release: { mandatory: false },
    mayLoad: true,
    pending: { version: "v2", mandatory: false },
  },
  { // CHECK-13
    what: "the bundle in the binary, by a mandatory release",
    device: { embedded: { shell: "v2" }, launch: runs("v3") },
    release: { mandatory: true },
    mayLoad: false,
    pending: { version: "v2", mandatory: true },
  },
  {
    what: "the bundle in the binary, by an optional release",
    device: { embedded: { shell: "v2" }, launch: runs("v3") },
    release: { mandatory: false },
    mayLoad: true,
    pending: { version: "v2", mandatory: false },
  },
  { // the page that has the device revert, too
    what: "the bundle in the binary, by a mandatory release back from the version that runs",
    device: { state: { pending: { shell: "v3" } }, embedded: { shell: "v2" }, launch: runs("v3") },
    release: { mandatory: true },
    mayLoad: false,
    pending: { version: "v2", mandatory: true },
  },
  { // CHECK-17: the target is active, so there is nothing to do (spec §3.2, §7.1)
    what: "the active version, by a mandatory release back from the version that runs",
    device: { state: { active: { shell: "v2" }, pending: { shell: "v3" } }, launch: runs("v3") },
    release: { mandatory: true },
    mayLoad: true,
  },
  {
    what: "the active version, by a page created again after that",
    device: { state: { active: { shell: "v2" } }, launch: runs("v3") },
    release: { mandatory: true },
    mayLoad: true,
  },
  {
    what: "one whose plugin does not tell it, without a network",
    device: { ...PENDING_V2, launch: runs("embedded") },
    release: null,
    mayLoad: true,
  },
  {
    what: "a mandatory one that the release went back from",
    device: { ...waits(true), state: { active: { shell: "v1" }, pending: { shell: "v2" } } },
    release: { mandatory: true, bundles: { shell: "v1" } },
    mayLoad: true,
  },
  {
    what: "a mandatory one where the boot hook did not run",
    device: { ...PENDING_V2, pending: { name: "shell", version: "v2", mandatory: true } },
    release: { mandatory: true },
    mayLoad: true,
  },
];

/** A page after its check. */
interface Loaded {
  readonly mayLoad: boolean;
  /** The gate: its state, and the version in it. */
  readonly shown: string | undefined;
  readonly version: string | undefined;
  readonly result: CheckResult | undefined;
  readonly calls: FakeNative["calls"];
}

/** The page's check. */
async function load(
  world: World,
  device: FakeNativeOptions,
): Promise<Loaded> {
  let result: CheckResult | undefined;
  const native = createFakeNative(device);
  const updater = createAppUpdater({
    ota: { enabled: true, ...world.connection },
    fetch: world.fetch,
    loadNative: () => Promise.resolve(native),
    onResult: (answer) => result = answer,
  });
  const mayLoad = await updater.checkAppOtaUpdate();
  await until("the check ends", () => result !== undefined);
  const gate = updater.gate.current();
  return { mayLoad, shown: gate?.state, version: gate?.version, result, calls: native.calls };
}

for (const { what, device, release, mayLoad, pending } of ROWS) {
  test(`checkAppOtaUpdate() where ${what} waits: ${mayLoad} (CHECK-17)`, async () => {
    const world = await createWorld();
    if (release === null) world.served.clear();
    else await world.release({ ...release });
    const loaded = await load(world, device);
    assert.equal(loaded.mayLoad, mayLoad);
    assert.equal(loaded.shown, mayLoad ? undefined : "ready-to-restart");
    if (release === null) assert.equal(loaded.result?.result, "no-release-for-bundle");
    else {
      assert.equal(loaded.result?.result, "up-to-date");
      const reported = loaded.result?.result === "up-to-date" ? loaded.result.pending : undefined;
      assert.deepEqual(reported, pending);
    }
  });
}

for (
  const { what, device, mandatory, mayLoad } of [
    { what: "a mandatory one", device: waits(true), mandatory: true, mayLoad: false },
    { what: "an optional one", device: waits(false), mandatory: false, mayLoad: true },
    {
      what: "a mandatory one that runs already",
      device: { ...waits(true), launch: runs("v2") },
      mandatory: false,
      mayLoad: true,
    },
  ]
) {
  test(`an optional v3 is released while ${what} waits: ${mayLoad} (CHECK-18)`, async () => {
    const world = await createWorld();
    const ref = world.manifest(manifestOf("v3", { "index.html": "three" }));
    const manifests = { shell: { ...ref } };
    await world.release({ bundles: { shell: "v3" }, manifests, sequence: 8 });
    const loaded = await load(world, device);
    assert.equal(loaded.mayLoad, mayLoad);
    assert.equal(loaded.shown, mayLoad ? undefined : "ready-to-restart");
    const result = { result: "staged", version: "v3", mandatory: false }; // of the release alone
    assert.deepEqual(loaded.result, result);
    const activated = loaded.calls.find(({ op }) => op === "activate")?.request;
    assert.deepEqual(activated, { name: "shell", version: "v3", mandatory });
  });
}

test("a mandatory one that waits is restarted into where an optional v3 cannot be staged (CHECK-18)", async () => {
  const world = await createWorld();
  const ref = world.manifest(manifestOf("v3", { "index.html": "three" }));
  await world.release({ bundles: { shell: "v3" }, manifests: { shell: { ...ref } }, sequence: 8 });
  const zipResult = { ok: false, code: "disk-full", detail: "no room" } as const;
  const loaded = await load(world, { ...waits(true), zipResult });
  assert.equal(loaded.mayLoad, false);
  assert.equal(loaded.version, "v2");
  assert.equal(loaded.result?.result, "stage-failed");
});

test("what the page itself was served by counts, not the plugin's newest launch (CHECK-17, NAT-7)", async () => {
  const world = await createWorld();
  await world.release({ mandatory: true });
  const newest = { ...waits(true), launch: { name: "shell", version: "v2" } };
  assert.equal((await load(world, newest)).mayLoad, true);
  await inPage({ ...runs("embedded") }, async () => {
    assert.equal((await load(world, newest)).mayLoad, false);
  });
});

interface ConfirmRow {
  readonly what: string;
  readonly page?: unknown;
  readonly device: FakeNativeOptions;
  readonly confirms: unknown;
}

const OWN = { name: "shell", version: "v1", token: "own" };
const CONFIRMS: readonly ConfirmRow[] = [
  {
    what: "the page's own launch before the plugin's newest",
    page: OWN,
    device: { launch: runs("v2") },
    confirms: { name: "shell", token: "own" },
  },
  {
    what: "what the plugin tells, where no script told the page",
    device: { launch: runs("v1") },
    confirms: { name: "shell", token: "t" },
  },
  {
    what: "nothing, without a token",
    device: { launch: { name: "shell", version: "v2" } },
    confirms: null,
  },
  { what: "nothing, without a launch", device: {}, confirms: null },
  {
    what: "what the plugin tells, where the page's is none",
    page: "v1",
    device: { launch: runs("v1") },
    confirms: { name: "shell", token: "t" },
  },
];

for (const { what, page, device, confirms } of CONFIRMS) {
  test(`confirmLaunch() confirms ${what} (NAT-7)`, async () => {
    const native = createFakeNative(device);
    await inPage(page, () => confirmLaunch(native));
    const asked = native.calls.map(({ op, request }) => [op, request]);
    assert.deepEqual(asked, confirms === null ? [] : [["confirmBoot", confirms]]);
  });
}

/** Runs `work` as in a page that finds that launch when it begins. */
async function inPage(launch: unknown, work: () => Promise<void>): Promise<void> {
  if (launch === undefined) return await work();
  Object.defineProperty(globalThis, "slipwayLaunch", { value: launch, configurable: true });
  try {
    await work();
  } finally {
    Reflect.deleteProperty(globalThis, "slipwayLaunch");
  }
}
