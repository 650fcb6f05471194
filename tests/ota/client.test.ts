import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForUpdate, type CheckResult } from "../../lib/ota-client/check.ts";
import { EMBEDDED, serializeManifest } from "../../lib/ota-format/manifest.ts";
import {
  createFakeNative,
  createWorld,
  type FakeNativeOptions,
  manifestOf,
  refOf,
  type World,
} from "../support/release-world.ts";

// The order of checks of CONTRACTS §4, one row a failure. Every row also breaks something that is
// checked later, so that a check in the wrong place answers wrongly.

interface Row {
  readonly name: string;
  readonly result: CheckResult["result"];
  /** The code that `detail` starts with. */
  readonly detail?: string;
  readonly device?: FakeNativeOptions;
  readonly world?: (world: World) => Promise<void> | void;
  readonly connection?: Partial<World["connection"]>;
  /** What the plugin is asked to do, in order. */
  readonly asks?: readonly string[];
}

const quarantined = { rejected: { shell: ["v2"] } };
const delta: FakeNativeOptions = {
  state: { active: { shell: "v1" } },
  manifests: {
    v1: serializeManifest(manifestOf("v1", { "index.html": "one", "game.js": "same" })),
  },
};

const rows: readonly Row[] = [
  {
    name: "offline",
    result: "no-release-for-bundle",
    detail: "unreachable",
    world: ({ served }) =>
      void served.set("release.json", () => Promise.reject(new TypeError("fetch failed"))),
  },
  {
    name: "404",
    result: "no-release-for-bundle",
    detail: "http-status",
    world: ({ served }) => void served.delete("release.json"),
  },
  {
    name: "500",
    result: "no-release-for-bundle",
    detail: "http-status",
    world: ({ served }) =>
      void served.set("release.json", () => Promise.resolve(new Response("{}", { status: 500 }))),
  },
  {
    name: "a release over the cap",
    result: "no-release-for-bundle",
    detail: "too-large",
    world: ({ served }) => void served.set("release.json", " ".repeat(256 * 1024 + 1)),
  },
  {
    name: "a captive portal's page",
    result: "no-release-for-bundle",
    detail: "not-json",
    world: ({ served }) => void served.set("release.json", "<!doctype html>Sign in"),
  },
  {
    name: "a list",
    result: "no-release-for-bundle",
    detail: "not-object",
    world: ({ served }) => void served.set("release.json", "[]"),
  },
  {
    name: "a truncated release",
    result: "no-release-for-bundle",
    detail: "not-json",
    world: ({ served }) =>
      void served.set("release.json", String(served.get("release.json")).slice(0, -5)),
  },
  {
    name: "no signature, and another schema",
    result: "signature-invalid",
    detail: "signature",
    world: ({ served }) => void served.set("release.json", '{"schema":9}'),
  },
  {
    name: "another key",
    result: "signature-invalid",
    detail: "signature",
    connection: { publicKey: "A".repeat(43) },
  },
  {
    name: "a changed record",
    result: "signature-invalid",
    detail: "signature",
    world: ({ served }) =>
      void served.set("release.json", String(served.get("release.json")).replace('"v2"', '"v9"')),
  },
  {
    name: "another schema, and another app",
    result: "no-release-for-bundle",
    detail: "unknown-schema",
    world: (w) => w.release({ schema: 2, app: "other" }),
  },
  {
    name: "another app, and no entry",
    result: "signature-invalid",
    detail: "wrong-app",
    world: (w) => w.release({ app: "other", bundles: {} }),
  },
  {
    name: "another channel",
    result: "signature-invalid",
    detail: "wrong-channel",
    world: (w) => w.release({ channel: "beta" }),
  },
  {
    name: "no sequence",
    result: "signature-invalid",
    detail: "no-sequence",
    world: (w) => w.release({ sequence: 0 }),
  },
  {
    name: "no manifests",
    result: "signature-invalid",
    detail: "no-manifests",
    world: (w) => w.release({ manifests: [] }),
  },
  {
    name: "a replay, and no entry",
    result: "signature-invalid",
    detail: "replayed",
    device: { sequence: 8 },
    world: (w) => w.release({ bundles: {} }),
    asks: [],
  },
  {
    name: "a sequence jump",
    result: "signature-invalid",
    detail: "sequence-jump",
    world: (w) => w.release({ sequence: 1_000_001 }),
    asks: [],
  },
  {
    name: "no entry; the floor is raised",
    result: "no-release-for-bundle",
    detail: "no-entry",
    world: (w) => w.release({ bundles: { game: "v1" }, minEngineApi: 99 }),
    asks: ["acceptSequence"],
  },
  {
    name: "an inherited name is no entry",
    result: "no-release-for-bundle",
    detail: "no-entry",
    connection: { bundleName: "constructor" },
  },
  {
    name: "active, though quarantined and too new",
    result: "up-to-date",
    device: { state: { active: { shell: "v2" }, ...quarantined } },
    world: (w) => w.release({ minEngineApi: 99 }),
    asks: ["acceptSequence"],
  },
  {
    name: "pending",
    result: "up-to-date",
    device: { state: { active: { shell: "v1" }, pending: { shell: "v2" } }, sequence: 7 },
    asks: [],
  },
  {
    name: "active while another is pending drops that",
    result: "up-to-date",
    device: { state: { active: { shell: "v2" }, pending: { shell: "v3" } }, sequence: 7 },
    asks: ["revert"],
  },
  {
    name: "embedded in the binary",
    result: "up-to-date",
    device: { manifests: { [EMBEDDED]: embedded("v2") }, sequence: 7 },
    asks: [],
  },
  {
    name: "quarantined, and too new",
    result: "version-rejected",
    detail: "quarantined",
    device: { state: quarantined },
    world: (w) => w.release({ minEngineApi: 99 }),
  },
  {
    name: "quarantined in the guard alone",
    result: "version-rejected",
    detail: "quarantined",
    device: quarantined,
  },
  {
    name: "minEngineApi, before any manifest",
    result: "engine-api-too-old",
    detail: "engine-api",
    world: async (w) => {
      w.served.delete("bundles/shell/v2/manifest.json");
      await w.release({ minEngineApi: 4 });
    },
  },
  {
    name: "a manifest that is not there",
    result: "manifest-invalid",
    detail: "http-status",
    world: ({ served }) => void served.delete("bundles/shell/v2/manifest.json"),
  },
  {
    name: "another manifest under a valid signature",
    result: "manifest-invalid",
    detail: "hash-mismatch",
    world: ({ served }) =>
      void served.set(
        "bundles/shell/v2/manifest.json",
        serializeManifest(manifestOf("v2", { "index.html": "evil", "game.js": "same" })).padEnd(0),
      ),
  },
  {
    name: "a longer manifest",
    result: "manifest-invalid",
    detail: "too-large",
    world: ({ served }) =>
      void served.set(
        "bundles/shell/v2/manifest.json",
        `${served.get("bundles/shell/v2/manifest.json")} `,
      ),
  },
  {
    name: "a manifest that the release does not name",
    result: "manifest-invalid",
    detail: "no-hash",
    world: (w) => w.release({ manifests: {} }),
  },
  {
    name: "a manifest said to be over the cap",
    result: "manifest-invalid",
    detail: "too-large",
    world: (w) =>
      w.release({ manifests: { shell: { hash: refOf("").hash, size: 9 * 1024 * 1024 } } }),
  },
  {
    name: "a signed manifest for another version",
    result: "manifest-invalid",
    detail: "wrong-bundle",
    world: (w) => publishAs(w, manifestOf("v3", { a: "a" })),
  },
  {
    name: "a signed manifest with a path that climbs",
    result: "manifest-invalid",
    detail: "path",
    world: (w) => publishAs(w, manifestOf("v2", { "../a": "a" })),
  },
  {
    name: "a signed manifest that is no JSON",
    result: "manifest-invalid",
    detail: "not-json",
    world: (w) => publishText(w, "{"),
  },
  {
    name: "the manifest's engineApi",
    result: "engine-api-too-old",
    detail: "engine-api",
    world: (w) => publishAs(w, manifestOf("v2", { a: "a" }, { engineApi: 4 })),
  },
  {
    name: "exact engineApi, one above",
    result: "engine-api-too-old",
    detail: "engine-api",
    connection: { engineApiMatch: "exact" },
  },
  {
    name: "exact engineApi, equal",
    result: "staged",
    connection: { engineApiMatch: "exact", engineApi: 1 },
  },
  {
    name: "no base and no zip",
    result: "no-bundle-zip-in-manifest",
    detail: "no-base",
    world: (w) => publishAs(w, withoutZip()),
  },
  {
    name: "no base: the whole bundle",
    result: "staged",
    device: { sequence: 7 },
    asks: ["stageUpdate", "activate"],
  },
  {
    name: "a damaged base: the whole bundle",
    result: "staged",
    device: { state: { active: { shell: "v1" } }, sequence: 7, manifests: { v1: "{" } },
    asks: ["stageUpdate", "activate"],
  },
  {
    name: "a base: the delta",
    result: "staged",
    device: { ...delta, sequence: 7 },
    asks: ["stageUpdateDelta", "activate"],
  },
  {
    name: "a base and no zip: the delta",
    result: "staged",
    device: { ...delta, sequence: 7 },
    world: (w) => publishAs(w, withoutZip()),
    asks: ["stageUpdateDelta", "activate"],
  },
  {
    name: "an embedded base: the delta",
    result: "staged",
    device: { sequence: 7, manifests: { [EMBEDDED]: embedded("v1") } },
    asks: ["stageUpdateDelta", "activate"],
  },
  {
    name: "an active version without manifest: the embedded base",
    result: "staged",
    device: {
      sequence: 7,
      state: { active: { shell: "v1" } },
      manifests: { [EMBEDDED]: embedded(EMBEDDED) },
    },
    asks: ["stageUpdateDelta", "activate"],
  },
  {
    name: "a base that is not what it says: the whole bundle after all",
    result: "staged",
    device: { ...delta, sequence: 7, delta: { ok: false, code: "base-missing", detail: "" } },
    asks: ["stageUpdateDelta", "stageUpdate", "activate"],
  },
  {
    name: "staging fails",
    result: "stage-failed",
    detail: "disk-full",
    device: { sequence: 7, whole: { ok: false, code: "disk-full", detail: "3 bytes are free" } },
    asks: ["stageUpdate"],
  },
  {
    name: "activating fails",
    result: "stage-failed",
    detail: "io",
    device: { sequence: 7, activated: { ok: false, code: "io", detail: "" } },
    asks: ["stageUpdate", "activate"],
  },
];

for (const row of rows) {
  test(`checkForUpdate() ${row.name}: ${row.result}`, async () => {
    const world = await createWorld();
    await row.world?.(world);
    const native = createFakeNative(row.device);
    const told: unknown[] = [];
    const check = await checkForUpdate(
      { fetch: world.fetch, native, deadlineMs: 5_000 },
      { ...world.connection, ...row.connection },
      (update) => told.push(update),
    );
    assert.equal(check.result, row.result, JSON.stringify(check));
    if (row.detail !== undefined) {
      assert.ok(
        "detail" in check && check.detail.startsWith(`${row.detail}: `),
        JSON.stringify(check),
      );
    }
    if (row.asks !== undefined) assert.deepEqual(native.calls.map(({ op }) => op), row.asks);
    const fetchedManifest = world.requests.some((path) => path.endsWith("manifest.json"));
    assert.ok(!fetchedManifest || told.length === 1, "onWillStage comes before the manifest");
    if (check.result === "staged") assert.deepEqual(told, [{ version: "v2", mandatory: false }]);
  });
}

function embedded(version: string): string {
  const manifest = manifestOf(version, { "index.html": "one", "game.js": "same" });
  return serializeManifest({ ...manifest, app: "default", channel: "production", sequence: 1 });
}

function withoutZip() {
  const { bundleZip: _zip, ...manifest } = manifestOf("v2", { "index.html": "two" });
  return manifest;
}

async function publishAs(world: World, manifest: ReturnType<typeof manifestOf>): Promise<void> {
  await publishText(world, serializeManifest(manifest));
}

async function publishText(world: World, text: string): Promise<void> {
  world.served.set("bundles/shell/v2/manifest.json", text);
  await world.release({ manifests: { shell: refOf(text) } });
}

test("checkForUpdate() asks for copies and for single files by their content", async () => {
  const world = await createWorld();
  const native = createFakeNative(delta);
  await checkForUpdate({ fetch: world.fetch, native }, world.connection);
  const request = native.calls.find(({ op }) => op === "stageUpdateDelta")?.request;
  assert.deepEqual(request, {
    name: "shell",
    version: "v2",
    manifest: world.served.get("bundles/shell/v2/manifest.json"),
    base: "v1",
    copy: [{ from: "game.js", path: "game.js" }],
    download: [{
      path: "index.html",
      url: `https://cdn.example/game/bundles/shell/v2/files/${refOf("two").hash}`,
    }],
  });
});

test("checkForUpdate() never throws, whatever the plugin and the callback do", async () => {
  const world = await createWorld();
  const broken = () => Promise.reject(new Error("plugin is gone"));
  for (
    const op of ["getState", "acceptSequence", "stageUpdate", "activate", "readManifest"] as const
  ) {
    const native = { ...createFakeNative(), [op]: broken };
    const check = await checkForUpdate({ fetch: world.fetch, native }, world.connection);
    assert.equal(check.result, "stage-failed", op);
  }
  const check = await checkForUpdate(
    { fetch: world.fetch, native: createFakeNative() },
    world.connection,
    () => {
      throw new Error("the app's own bug");
    },
  );
  assert.equal(check.result, "stage-failed");
});

test("checkForUpdate() gives a hanging server up at its deadline, and at a signal", async () => {
  const world = await createWorld();
  world.served.set("release.json", () => new Promise(() => undefined));
  const native = createFakeNative();
  const late = await checkForUpdate(
    { fetch: world.fetch, native, deadlineMs: 20 },
    world.connection,
  );
  assert.ok("detail" in late && late.detail.startsWith("timeout: "));
  const abort = new AbortController();
  const pending = checkForUpdate(
    { fetch: world.fetch, native, signal: abort.signal },
    world.connection,
  );
  abort.abort();
  const cancelled = await pending;
  assert.ok("detail" in cancelled && cancelled.detail.startsWith("cancelled: "));
});

test("checkForUpdate() tells a missing cross-origin rule from no network", async () => {
  const world = await createWorld();
  const opaque = Object.defineProperty(new Response(null), "status", { value: 0 });
  const fetch = (_url: string, init?: RequestInit) =>
    init?.mode === "no-cors"
      ? Promise.resolve(opaque)
      : Promise.reject(new TypeError("Failed to fetch"));
  const check = await checkForUpdate({ fetch, native: createFakeNative() }, world.connection);
  assert.equal(check.result, "no-release-for-bundle");
  assert.ok("detail" in check && check.detail.startsWith("cors: "));
});
