import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import { createUpdateCheck } from "../../lib/ota-client/shared-check.ts";
import { EMBEDDED, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { NativeUpdater, StageFailureCode } from "../../lib/ota-format/native.ts";
import {
  createFakeNative,
  createWorld,
  type FakeNativeOptions,
  manifestOf,
  refOf,
  type World,
} from "../support/release-world.ts";

// The order of checks (CHECK-1), one row a failure. Every row also breaks something that is
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

const wentBack: FakeNativeOptions = {
  state: { active: { shell: "v3" } },
  embedded: { shell: "v2" },
  sequence: 7,
};
const V2_HASH =
  refOf(serializeManifest(manifestOf("v2", { "index.html": "two", "game.js": "same" }))).hash;

const rows: readonly Row[] = [
  {
    name: "offline",
    result: "no-release-for-bundle",
    detail: "unreachable",
    world: ({ served }) =>
      void served.set("release.json", () => Promise.reject(new TypeError("fetch failed"))),
  },
  {
    name: "critical members that are all known, and an unknown one that is not critical (REL-7)",
    result: "staged",
    world: (w) => w.release({ critical: ["sequence", "manifests"], later: 1 }),
  },
  {
    name: "a manifest with a critical member that is not known (REL-7)",
    result: "no-release-for-bundle",
    detail: "unsupported",
    world: async (w) => {
      const manifest = { ...manifestOf("v2", { "index.html": "two" }), critical: ["encoding"] };
      await w.release({ manifests: { shell: { ...w.manifest(manifest) } } });
    },
  },
  {
    name: "a signed manifest without files (MAN-5)",
    result: "manifest-invalid",
    detail: "no-files",
    world: async (w) => {
      await w.release({ manifests: { shell: { ...w.manifest(manifestOf("v2", {})) } } });
    },
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
    name: "no signature, and another schema", // CHECK-6
    result: "signature-invalid",
    detail: "bad-signature",
    world: ({ served }) => void served.set("release.json", '{"schema":9}'),
  },
  {
    name: "another key",
    result: "signature-invalid",
    detail: "bad-signature",
    connection: { publicKey: "A".repeat(43) },
  },
  {
    name: "a changed record",
    result: "signature-invalid",
    detail: "bad-signature",
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
    name: "a critical member that is not known, and another app (REL-7)",
    result: "no-release-for-bundle",
    detail: "unsupported",
    world: (w) => w.release({ critical: ["later"], later: 1, app: "other" }),
    asks: [],
  },
  {
    name: "a critical member that is not known, and a replay: the floor stays (REL-7)",
    result: "no-release-for-bundle",
    detail: "unsupported",
    device: { sequence: 8 },
    world: (w) => w.release({ critical: ["later"] }),
    asks: [],
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
  { // CHECK-13
    name: "embedded in the binary while another is active: no staging",
    result: "staged",
    device: { ...wentBack, published: { shell: V2_HASH } },
    world: ({ served }) => void served.delete("bundles/shell/v2/manifest.json"),
    asks: ["revert"],
  },
  {
    name: "embedded in the binary while another is active, with other files: the whole bundle",
    result: "staged",
    device: { ...wentBack, published: { shell: refOf("another").hash } },
    asks: ["stageUpdate", "activate"],
  },
  {
    name: "embedded in the binary while another is active, in an older plugin: the whole bundle",
    result: "staged",
    device: wentBack,
    asks: ["stageUpdate", "activate"],
  },
  {
    name: "quarantined, and embedded in the binary",
    result: "version-rejected",
    device: { ...wentBack, published: { shell: V2_HASH }, ...quarantined },
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
        serializeManifest(manifestOf("v2", { "index.html": "evil", "game.js": "same" })),
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
    name: "no base: the whole bundle", // CHECK-4
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
  ...([
    "download", // release and manifest came from that host just now
    "missing",
    "hash-mismatch",
    "size-mismatch",
  ] satisfies StageFailureCode[]).map((code): Row => ({ // CHECK-7
    name: `a file of the delta fails with ${code}: the whole bundle after all`,
    result: "staged",
    device: { ...delta, sequence: 7, delta: { ok: false, code, detail: "" } },
    asks: ["stageUpdateDelta", "stageUpdate", "activate"],
  })),
  {
    name: "no way leads there: each is tried once",
    result: "stage-failed",
    detail: "download",
    device: {
      ...delta,
      sequence: 7,
      staged: { shell: ["v1"] },
      delta: { ok: false, code: "download", detail: "the delta" },
      zipResult: { ok: false, code: "download", detail: "the zip" },
    },
    asks: ["stageUpdateDelta", "stageUpdate"],
  },
  {
    name: "a delta that is cancelled: no whole bundle",
    result: "stage-failed",
    detail: "cancelled",
    device: { ...delta, sequence: 7, delta: { ok: false, code: "cancelled", detail: "" } },
    asks: ["stageUpdateDelta"],
  },
  {
    name: "a delta without room: no whole bundle, which needs more",
    result: "stage-failed",
    detail: "disk-full",
    device: { ...delta, sequence: 7, delta: { ok: false, code: "disk-full", detail: "" } },
    asks: ["stageUpdateDelta"],
  },
  {
    name: "staging fails",
    result: "stage-failed",
    detail: "disk-full",
    device: {
      sequence: 7,
      zipResult: { ok: false, code: "disk-full", detail: "3 bytes are free" },
    },
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
  // CHECK-1, CHECK-5
  test(`checkForUpdate() ${row.name}: ${row.result}`, async () => {
    const world = await createWorld();
    await row.world?.(world);
    const native = createFakeNative(row.device);
    const reported: unknown[] = [];
    const check = await checkForUpdate(
      { fetch: world.fetch, native, deadlineMs: 5_000 },
      { ...world.connection, ...row.connection },
      (update) => reported.push(update),
    );
    assert.equal(check.result, row.result, JSON.stringify(check));
    if (row.detail !== undefined) {
      assert.ok(
        "detail" in check && check.detail?.startsWith(`${row.detail}: `),
        JSON.stringify(check),
      );
      assert.equal(check.code, row.detail); // for programs, the same alone
    }
    if (row.asks !== undefined) assert.deepEqual(native.calls.map(({ op }) => op), row.asks);
    const fetchedManifest = world.requests.some((path) => path.endsWith("manifest.json"));
    assert.ok(!fetchedManifest || reported.length === 1, "onWillStage comes before the manifest");
    if (check.result === "staged") {
      assert.deepEqual(reported, [{ version: "v2", mandatory: false }]);
    }
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

// CHECK-8
for (
  const [name, device] of [
    ["active", { state: { active: { shell: "v2" } } }],
    ["embedded", { embedded: { shell: "v2" }, manifests: { [EMBEDDED]: embedded("v2") } }],
    ["quarantined", { state: { active: { shell: "v1" }, rejected: { shell: ["v2"] } } }],
  ] as const
) {
  test(`checkForUpdate() reads no manifest of a base when the version is ${name}`, async () => {
    const world = await createWorld();
    const native = createFakeNative({ sequence: 7, ...device });
    let reads = 0;
    const counted: NativeUpdater = {
      ...native,
      readManifest: (request) => {
        reads++;
        return native.readManifest?.(request) ?? Promise.resolve({ manifest: null });
      },
    };
    const check = await checkForUpdate({ fetch: world.fetch, native: counted }, world.connection);
    assert.equal(check.result, name === "quarantined" ? "version-rejected" : "up-to-date");
    assert.equal(reads, 0);
    assert.deepEqual(world.requests, ["release.json"]);
  });
}

// DEV-18
test("checkForUpdate() plans over every version that a plugin tells of, and says where a copy is", async () => {
  const world = await createWorld();
  const native = createFakeNative({
    ...delta,
    staged: { shell: ["v0", "v1"] },
    manifests: {
      ...delta.manifests,
      v0: serializeManifest(manifestOf("v0", { "old.html": "two" })),
    },
  });
  await checkForUpdate({ fetch: world.fetch, native }, world.connection);
  const request = native.calls.find(({ op }) => op === "stageUpdateDelta")?.request;
  const urlOf = (text: string) =>
    `https://cdn.example/game/bundles/shell/v2/files/${refOf(text).hash}`;
  assert.deepEqual(request, {
    name: "shell",
    version: "v2",
    manifest: world.served.get("bundles/shell/v2/manifest.json"),
    base: "v1",
    copy: [
      { from: "game.js", path: "game.js", url: urlOf("same") },
      { from: "old.html", base: "v0", path: "index.html", url: urlOf("two") },
    ],
    download: [],
  });
});

// DIFF-3
for (
  const [name, v3, expected] of [
    ["once nothing is left to download", { "old.html": "two" }, ["v1", EMBEDDED, "v6", "v3"]],
    ["after five", { "old.html": "nothing" }, ["v1", EMBEDDED, "v6", "v3", "v2x"]],
  ] as const
) {
  test(`checkForUpdate() reads no further base ${name}`, async () => {
    const world = await createWorld();
    const staged = ["v0", "v1", "v2x", "v3", "v6"];
    const manifests = { ...delta.manifests, v3: serializeManifest(manifestOf("v3", v3)) };
    const tells = { staged: { shell: staged }, embedded: { shell: EMBEDDED } };
    const native = createFakeNative({ ...delta, ...tells, manifests });
    const reads: string[] = [];
    const counted: NativeUpdater = {
      ...native,
      readManifest: (request) => {
        reads.push(request.version);
        return native.readManifest?.(request) ?? Promise.resolve({ manifest: null });
      },
    };
    const check = await checkForUpdate({ fetch: world.fetch, native: counted }, world.connection);
    assert.equal(check.result, "staged");
    assert.deepEqual(reads, expected);
  });
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

const ODD_ANSWERS: readonly [string, () => unknown][] = [
  ["rejects", () => Promise.reject(new Error("plugin is gone"))],
  ["rejects with a plain object", () => Promise.reject({ code: "UNIMPLEMENTED" })],
  ["rejects with nothing", () => Promise.reject(undefined)],
  ["rejects with what cannot be shown", () => Promise.reject(Object.create(null))],
  ["throws", () => {
    throw new Error("bridge is gone");
  }],
  ["answers nothing", () => undefined],
  ["answers null", () => Promise.resolve(null)],
  ["answers a text", () => Promise.resolve("ok")],
  ["answers a list", () => Promise.resolve([])],
  ["answers numbers", () => Promise.resolve({ ok: 1, state: 3, sequence: 4, manifest: 5 })],
  ["hangs", () => new Promise(() => undefined)],
];

for (const [name, answer] of ODD_ANSWERS) {
  for (const op of ["getState", "acceptSequence", "readManifest", "activate"] as const) {
    test(`checkForUpdate() never throws when ${op} ${name}`, async () => {
      const world = await createWorld();
      const native = { ...createFakeNative(), [op]: answer };
      const check = await checkForUpdate(
        { fetch: world.fetch, native, deadlineMs: 60 },
        world.connection,
      );
      // Without a base, the whole bundle; a floor that was not raised stops the update.
      const expected = op === "readManifest" || name === "answers numbers" && op === "getState" ||
          op === "acceptSequence" && name.startsWith("answers")
        ? "staged"
        : "stage-failed";
      assert.equal(check.result, expected, JSON.stringify(check));
    });
  }
  for (const op of ["stageUpdate", "stageUpdateDelta"] as const) {
    test(`checkForUpdate() never throws when ${op} ${name}`, async () => {
      const world = await createWorld();
      const native = {
        ...createFakeNative(op === "stageUpdateDelta" ? delta : {}),
        [op]: answer,
      };
      const abort = new AbortController();
      const check = await checkForUpdate(
        { fetch: world.fetch, native, signal: abort.signal },
        world.connection,
        // A staging takes as long as it takes, unless the app gives it up.
        () => name === "hangs" && setTimeout(() => abort.abort(), 20),
      );
      assert.equal(check.result, "stage-failed", JSON.stringify(check));
    });
  }
}

// DEV-17
test("checkForUpdate() takes an older plugin without sequences, floors and manifests", async () => {
  const world = await createWorld();
  const { stageUpdate, stageUpdateDelta, activate, confirmBoot, revert, addListener } =
    createFakeNative();
  const old = { stageUpdate, stageUpdateDelta, activate, confirmBoot, revert, addListener };
  const native: NativeUpdater = Object.assign(createFakeNative(), old, {
    getState: () => Promise.resolve({ state: { active: { shell: "v1" } } }),
    acceptSequence: undefined,
    readManifest: undefined,
  });
  const check = await checkForUpdate({ fetch: world.fetch, native }, world.connection);
  assert.equal(check.result, "staged", JSON.stringify(check));
});

test("checkForUpdate() goes on when the callback throws: an update is what would mend it", async () => {
  const world = await createWorld();
  const check = await checkForUpdate(
    { fetch: world.fetch, native: createFakeNative() },
    world.connection,
    () => {
      throw new Error("the app's own bug");
    },
  );
  assert.deepEqual(check, { result: "staged", version: "v2", mandatory: false });
});

test("checkForUpdate() never throws when the connection is not one", async () => {
  const { fetch } = await createWorld();
  const nothing = JSON.parse('{"baseUrl":7}');
  const check = await checkForUpdate({ fetch, native: createFakeNative() }, nothing);
  assert.equal(check.result, "stage-failed");
  for (const wrong of [null, undefined, 7]) {
    const given = JSON.parse(JSON.stringify({ wrong }))["wrong"];
    const { result } = await checkForUpdate({ fetch, native: createFakeNative() }, given);
    assert.equal(result, "stage-failed");
    assert.equal((await checkForUpdate(given)).result, "stage-failed");
  }
});

test("checkForUpdate() asks past every cache: a portal's page must not be the answer for good", async () => {
  const world = await createWorld();
  const caches: unknown[] = [];
  const fetch = (url: string, init?: RequestInit) => {
    caches.push(init?.cache);
    return world.fetch(url);
  };
  await checkForUpdate({ fetch, native: createFakeNative() }, world.connection);
  assert.deepEqual(caches, ["no-store", "no-store"]);
});

for (
  const baseUrl of [
    "http://updates.example/game",
    "http://localhost.example",
    "http://localhost:80@updates.example",
    "http://127.0.0.1.example",
    "http://1279999999", // 76.75.71.255, as a number
    "ftp://updates.example",
    "https:updates.example", // of which a web view makes https://
    "https:/updates.example",
  ]
) {
  test(`checkForUpdate() asks nothing at ${baseUrl}, which a project's settings refuse, too`, async () => {
    const world = await createWorld();
    const connection = { ...world.connection, baseUrl };
    const check = await checkForUpdate(
      { fetch: world.fetch, native: createFakeNative() },
      connection,
    );
    assert.equal(check.result, "no-release-for-bundle");
    assert.ok("detail" in check && check.detail.startsWith("insecure: "), JSON.stringify(check));
    assert.deepEqual(world.requests, []);
  });
}

for (const baseUrl of ["http://127.0.0.1:8080/game", "HTTP://game.localhost", "http://[::1]/"]) {
  test(`checkForUpdate() asks on this device itself: ${baseUrl}`, async () => {
    const asked: string[] = [];
    const fetch = (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response("", { status: 404 }));
    };
    const { connection } = await createWorld();
    await checkForUpdate({ fetch, native: createFakeNative() }, { ...connection, baseUrl });
    assert.equal(asked.length, 1);
  });
}

for (const engineApi of ["0", "1.5", '"1"']) {
  test(`checkForUpdate() takes no engineApi ${engineApi} for a level`, async () => {
    const world = await createWorld();
    const connection = { ...world.connection, ...JSON.parse(`{"engineApi":${engineApi}}`) };
    const check = await checkForUpdate(
      { fetch: world.fetch, native: createFakeNative() },
      connection,
    );
    assert.equal(check.result, "engine-api-too-old");
  });
}

test("checkForUpdate(connection, onWillStage?) is called as the specification writes it", async () => {
  const world = await createWorld();
  const connection = { ...world.connection, fetch: world.fetch, native: createFakeNative() };
  const reported: string[] = [];
  const { result } = await checkForUpdate(connection, ({ version }) => reported.push(version));
  assert.deepEqual([result, reported], ["staged", ["v2"]]);
  assert.equal((await checkForUpdate(connection)).result, "staged");
});

test("createUpdateCheck() goes on when a callback throws, and tells the others", async () => {
  const throwing = () => {
    throw new TypeError("the app's own mistake");
  };
  const world = await createWorld();
  const check = createUpdateCheck({ fetch: world.fetch, native: createFakeNative() });
  const reported: string[] = [];
  const first = check(world.connection, throwing);
  const second = check(world.connection, ({ version }) => {
    reported.push(version);
    void check(world.connection, throwing).then(({ result }) => reported.push(result)); // joins late
  });
  assert.deepEqual([(await first).result, (await second).result], ["staged", "staged"]);
  assert.deepEqual(reported, ["v2", "staged"]);
});

test("createUpdateCheck() joins a running check, and tells both that it will stage", async () => {
  const world = await createWorld();
  const check = createUpdateCheck({ fetch: world.fetch, native: createFakeNative() });
  const reported: string[] = [];
  const first = check(world.connection, ({ version }) => reported.push(`first ${version}`));
  const second = check(world.connection, ({ version }) => {
    reported.push(`second ${version}`);
    // Joined after the others were told: told at once.
    void check(world.connection, () => reported.push("third"));
  });
  assert.deepEqual(await first, await second);
  assert.deepEqual(reported, ["first v2", "second v2", "third"]);
  assert.equal(world.requests.filter((path) => path === "release.json").length, 1);
  await check(world.connection);
  assert.equal(world.requests.filter((path) => path === "release.json").length, 2);
});

test("createUpdateCheck() keeps checks of different bundles apart", async () => {
  const world = await createWorld();
  const check = createUpdateCheck({ fetch: world.fetch, native: createFakeNative() });
  const answers = await Promise.all([
    check(world.connection),
    check({ ...world.connection, bundleName: "other" }),
  ]);
  assert.deepEqual(answers.map(({ result }) => result), ["staged", "no-release-for-bundle"]);
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

test("checkForUpdate() gives up the look for the reason as well, when fetch ignores its signal", async () => {
  const world = await createWorld();
  const fetch = (_url: string, init?: RequestInit) =>
    init?.method === "HEAD"
      ? new Promise<Response>(() => undefined)
      : Promise.reject(new TypeError("Failed to fetch"));
  const check = await checkForUpdate(
    { fetch, native: createFakeNative(), deadlineMs: 30 },
    world.connection,
  );
  assert.ok("detail" in check && check.detail.startsWith("timeout: "), JSON.stringify(check));
});

for (const [name, status] of [["204", 204], ["206", 206], ["304", 304]] as const) {
  test(`checkForUpdate() takes no ${name} for a release`, async () => {
    const world = await createWorld();
    const good = String(world.served.get("release.json"));
    const body = status === 206 ? good : null;
    world.served.set("release.json", () => Promise.resolve(new Response(body, { status })));
    const check = await checkForUpdate(
      { fetch: world.fetch, native: createFakeNative() },
      world.connection,
    );
    assert.ok("detail" in check && check.detail.startsWith("http-status: "));
  });
}

for (
  const [name, length, extra, detail] of [
    ["that says its length", "true", 0, null],
    ["that does not say its length", null, 0, "too-large"],
    ["that says too much", String(256 * 1024 + 1), 0, "too-large"],
    ["that turns out larger than it said", "10", 256 * 1024, "too-large"],
  ] as const
) {
  test(`checkForUpdate() in an engine without streams, with a body ${name}`, async () => {
    const world = await createWorld();
    const fetch = async (url: string) => {
      const response = await world.fetch(url);
      const bytes = await response.arrayBuffer();
      const text = new Uint8Array(bytes.byteLength + extra).fill(32);
      text.set(new Uint8Array(bytes));
      const said = length === "true" ? String(bytes.byteLength) : length;
      const bare = {
        status: 200,
        ok: true,
        url,
        headers: new Headers(said ? { "content-length": said } : {}),
      };
      return Object.assign(Object.create(null), bare, {
        body: undefined,
        arrayBuffer: () => Promise.resolve(text.buffer),
      });
    };
    const check = await checkForUpdate({ fetch, native: createFakeNative() }, world.connection);
    const answer = "detail" in check ? check.detail : check.result;
    assert.equal(answer.split(": ")[0], detail ?? "staged", answer);
  });
}
