import {
  checkForUpdate,
  type CheckResult,
  type ClientFetch,
  type ConnectionInfo,
  createAppUpdater,
  createUpdateCheck,
  diffManifests,
  type NativeUpdater,
} from "../../lib/ota-client/mod.ts";

// The client's cases, as they run unchanged in every engine: bundled into a page, in a bare shell,
// or imported. Nothing here is of any one runtime; what the bucket answers is hostile-bucket.ts's.

/** What an engine gives the cases. */
export interface EngineWorld {
  /** Where the hostile bucket is; another origin than the page's. */
  readonly origin: string;
  readonly publicKey: string;
  /** Whether the engine keeps pages from reading other origins. */
  readonly enforcesCors: boolean;
  /** Absent: the engine's own. */
  readonly fetch?: ClientFetch;
}

/** One case: rejects when it fails. */
export interface ClientCase {
  readonly name: string;
  readonly run: (world: EngineWorld) => Promise<void>;
}

interface Row {
  /** The folder of the bucket. */
  readonly at: string;
  readonly result: CheckResult["result"];
  /** What `detail` may start with: engines report some breaks in their own way. */
  readonly detail?: readonly string[];
  /** For what never ends. */
  readonly deadlineMs?: number;
  readonly floor?: number;
  readonly quarantined?: boolean;
}

const SOON = 1_000; // in which the good record before the bad one must be there
const UNREADABLE = ["not-json", "broken-off", "unreachable"];
const DIFFERENT = ["hash-mismatch", "broken-off", "unreachable", "too-large"];

/** How the two records go wrong on their way, and what each then is. */
const WRONG: readonly (readonly [
  name: string,
  release: readonly string[] | null,
  manifest: readonly string[] | null,
  deadlineMs?: number,
])[] = [
  ["404", ["http-status"], ["http-status"]],
  ["403", ["http-status"], ["http-status"]],
  ["500", ["http-status"], ["http-status"]],
  ["304", ["http-status", "unreachable"], ["http-status", "unreachable"]],
  ["html", ["not-json"], DIFFERENT],
  ["empty", ["not-json"], DIFFERENT],
  ["bom", ["not-json"], DIFFERENT],
  ["short", UNREADABLE, DIFFERENT],
  ["understated", UNREADABLE, DIFFERENT],
  ["gzip-twice", UNREADABLE, DIFFERENT],
  ["gzip-cut", UNREADABLE, DIFFERENT],
  ["endless", ["too-large"], ["too-large"]],
  ["trickle", ["timeout", "too-large"], ["timeout", "too-large"], SOON],
  ["silent", ["timeout"], ["timeout"], SOON],
  ["hang", ["timeout"], ["timeout"], SOON],
  ["reset", ["unreachable"], ["unreachable"]],
  ["wrong-type", null, null],
  ["gzip", null, null],
];

const rows: readonly Row[] = [
  { at: "good", result: "staged" },
  { at: "large-manifest", result: "staged" },
  ...WRONG.flatMap(([name, release, manifest, deadlineMs]): Row[] => {
    const more = deadlineMs === undefined ? {} : { deadlineMs };
    return [
      release === null
        ? { at: `release-${name}`, result: "staged" }
        : { at: `release-${name}`, result: "no-release-for-bundle", detail: release, ...more },
      manifest === null
        ? { at: `manifest-${name}`, result: "staged" }
        : { at: `manifest-${name}`, result: "manifest-invalid", detail: manifest, ...more },
    ];
  }),
  { at: "release-redirect", result: "staged" },
  { at: "release-redirect-loop", result: "no-release-for-bundle", detail: ["unreachable"] },
  { at: "replayed", result: "signature-invalid", detail: ["replayed"] },
  { at: "sequence-jump", result: "signature-invalid", detail: ["sequence-jump"] },
  { at: "wrong-app", result: "signature-invalid", detail: ["wrong-app"] },
  { at: "wrong-channel", result: "signature-invalid", detail: ["wrong-channel"] },
  { at: "unknown-schema", result: "no-release-for-bundle", detail: ["unknown-schema"] },
  { at: "no-entry", result: "no-release-for-bundle", detail: ["no-entry"] },
  { at: "min-engine-api", result: "engine-api-too-old", detail: ["engine-api"] },
  { at: "manifest-engine-api", result: "engine-api-too-old", detail: ["engine-api"] },
  { at: "no-zip", result: "no-bundle-zip-in-manifest", detail: ["no-base"] },
  { at: "stripped", result: "signature-invalid", detail: ["bad-signature"] },
  { at: "other-bytes", result: "signature-invalid", detail: ["bad-signature"] },
  { at: "duplicate-key", result: "no-release-for-bundle", detail: ["not-json"] },
  { at: "swapped", result: "manifest-invalid", detail: ["hash-mismatch"] },
  { at: "other-name", result: "manifest-invalid", detail: ["wrong-bundle"] },
  { at: "other-version", result: "manifest-invalid", detail: ["wrong-bundle"] },
  { at: "climbing-path", result: "manifest-invalid", detail: ["path"] },
  { at: "good", result: "version-rejected", detail: ["quarantined"], quarantined: true },
];

/** A plugin that notes what it is asked. */
function fakeNative(row: Partial<Row> = {}): { native: NativeUpdater; asked: string[] } {
  const asked: string[] = [];
  const yes = (operation: string) => () => {
    asked.push(operation);
    return Promise.resolve({ ok: true } as const);
  };
  const nothing = () => Promise.resolve();
  return {
    asked,
    native: {
      stageUpdate: yes("stageUpdate"),
      stageUpdateDelta: yes("stageUpdateDelta"),
      activate: yes("activate"),
      confirmBoot: nothing,
      revert: nothing,
      acceptSequence: nothing,
      readManifest: () => Promise.resolve({ manifest: null }),
      getState: () =>
        Promise.resolve({
          state: row.quarantined ? { rejected: { shell: ["v2"] } } : null,
          sequence: { "default/production": 5 },
        }),
      addListener: () => Promise.resolve({ remove: nothing }),
    },
  };
}

function connect({ origin, publicKey }: EngineWorld, at: string): ConnectionInfo {
  return { baseUrl: `${origin}/${at}`, publicKey, bundleName: "shell", engineApi: 1 };
}

function fetchOf({ fetch }: EngineWorld): ClientFetch {
  return fetch ?? ((url, init) => globalThis.fetch(url, init));
}

function expect(holds: boolean, found: unknown): void {
  if (!holds) throw new Error(`found ${JSON.stringify(found)}`);
}

function expectDetail(check: CheckResult, codes: readonly string[]): void {
  const detail = "detail" in check ? check.detail ?? "" : "";
  expect(codes.some((code) => detail.startsWith(`${code}: `)), check);
}

function rowCase(row: Row): ClientCase {
  return {
    name: `${row.at}: ${row.result}`,
    async run(world) {
      const { native, asked } = fakeNative(row);
      let reported = 0;
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native, deadlineMs: row.deadlineMs ?? 8_000 },
        connect(world, row.at),
        () => void reported++,
      );
      expect(check.result === row.result, check);
      if (row.detail) expectDetail(check, row.detail);
      const staged = row.result === "staged";
      expect(asked.join() === (staged ? "stageUpdate,activate" : ""), asked);
      expect(!staged || reported === 1, reported);
    },
  };
}

/** A network that never answers the path, and ignores its signal as well. */
function deaf(fetch: ClientFetch, path: string): ClientFetch {
  return (url, init) => url.endsWith(path) ? new Promise(() => undefined) : fetch(url, init);
}

const more: readonly ClientCase[] = [
  ...(["release", "manifest"] as const).map((what): ClientCase => ({
    name: `${what} without the cross-origin header: cors where the engine enforces it`,
    async run(world) {
      const { native } = fakeNative();
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native },
        connect(world, `${what}-no-cors`),
      );
      if (world.enforcesCors) expectDetail(check, ["cors"]);
      else expect(check.result === "staged", check);
    },
  })),
  {
    name: "no server at all: unreachable",
    async run(world) {
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native: fakeNative().native },
        // Port 9 is closed, and no browser opens it.
        { ...connect(world, "good"), baseUrl: "http://127.0.0.1:9/good" },
      );
      expectDetail(check, ["unreachable"]);
    },
  },
  ...(["release.json", "manifest.json"] as const).map((path): ClientCase => ({
    name: `a redirect of ${path} from https to http: insecure-redirect`,
    async run(world) {
      const fetch: ClientFetch = async (url, init) => {
        const below = url.slice("https://cdn.example".length);
        const response = await fetchOf(world)(`${world.origin}${below}`, init);
        const from = below.endsWith(path) ? `http://cdn.example${below}` : url;
        return Object.defineProperty(response, "url", { value: from });
      };
      const connection = { ...connect(world, "good"), baseUrl: "https://cdn.example/good" };
      const check = await checkForUpdate({ fetch, native: fakeNative().native }, connection);
      expectDetail(check, ["insecure-redirect"]);
    },
  })),
  ...(["release.json", "manifest.json"] as const).map((path): ClientCase => ({
    name: `a fetch of ${path} that ignores its signal: given up`,
    async run(world) {
      const fetch = deaf(fetchOf(world), path);
      const connection = connect(world, "good");
      const { native } = fakeNative();
      expectDetail(await checkForUpdate({ fetch, native, deadlineMs: SOON }, connection), [
        "timeout",
      ]);
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 50);
      const given = await checkForUpdate({ fetch, native, signal: abort.signal }, connection);
      expectDetail(given, ["cancelled"]);
    },
  })),
  {
    name: "a signal in the middle of a body: cancelled",
    async run(world) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 100);
      const { native } = fakeNative();
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native, signal: abort.signal },
        connect(world, "release-hang"),
      );
      expectDetail(check, ["cancelled"]);
    },
  },
  {
    name: "a signal that was given before: cancelled, and nothing is staged",
    async run(world) {
      const abort = new AbortController();
      abort.abort();
      const { native, asked } = fakeNative();
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native, signal: abort.signal },
        connect(world, "good"),
      );
      expectDetail(check, ["cancelled"]);
      expect(asked.length === 0, asked);
    },
  },
  {
    name: "a plugin that never ends its staging: cancelled by the signal",
    async run(world) {
      const abort = new AbortController();
      const stageUpdate = () => {
        setTimeout(() => abort.abort(), 50);
        return new Promise<never>(() => {});
      };
      const native = { ...fakeNative().native, stageUpdate };
      const check = await checkForUpdate(
        { fetch: fetchOf(world), native, signal: abort.signal },
        connect(world, "good"),
      );
      expect(check.result === "stage-failed", check);
      expectDetail(check, ["cancelled"]);
    },
  },
  {
    name: "two callers: one check, one answer",
    async run(world) {
      let requests = 0;
      const fetch: ClientFetch = (url, init) => {
        requests++;
        return fetchOf(world)(url, init);
      };
      const check = createUpdateCheck({ fetch, native: fakeNative().native });
      const [one, two] = await Promise.all([
        check(connect(world, "good")),
        check(connect(world, "good")),
      ]);
      expect(one === two && one.result === "staged" && requests === 2, [one, two, requests]);
    },
  },
  {
    name: "the app's updater: mandatory is false and ready to restart, optional is true",
    async run(world) {
      for (const mandatory of [true, false]) {
        const states: (string | undefined)[] = [];
        let ended = (_result: CheckResult) => {};
        const end = new Promise<CheckResult>((resolve) => ended = resolve);
        const updater = createAppUpdater({
          ota: { enabled: true, ...connect(world, mandatory ? "mandatory" : "good") },
          fetch: fetchOf(world),
          loadNative: () => Promise.resolve(fakeNative().native),
          onResult: ended,
        });
        updater.gate.subscribe((state) => states.push(state?.state));
        expect(await updater.checkAppOtaUpdate() === !mandatory, mandatory);
        expect((await end).result === "staged", await end);
        expect(
          states.join() === (mandatory ? "downloading,ready-to-restart" : "downloading,"),
          states,
        );
      }
    },
  },
  {
    name: "the app's updater, disabled: no request, no plugin",
    async run(world) {
      const never = () => Promise.reject(new Error("must not be called"));
      const updater = createAppUpdater({
        ota: { enabled: false, ...connect(world, "good") },
        fetch: never,
        loadNative: never,
        onResult: (result) => expect(false, result),
      });
      expect(await updater.checkAppOtaUpdate(), "false");
    },
  },
  {
    name: "diffManifests compares path and hash",
    run() {
      const file = (hash: string) => ({ hash, size: 1 });
      const diff = diffManifests(
        { files: { a: file("1"), b: file("2"), c: file("3") } },
        { files: { a: file("1"), b: file("4"), d: file("3") } },
      );
      expect(
        JSON.stringify(diff) ===
          '{"copy":["a"],"download":[{"path":"b","hash":"4","size":1},{"path":"d","hash":"3","size":1}],"remove":["c"]}',
        diff,
      );
      return Promise.resolve();
    },
  },
];

/** Every case, in order. */
export const clientCases: readonly ClientCase[] = [...rows.map(rowCase), ...more];

/** What came of a case: `null`, or what went wrong. */
export interface CaseOutcome {
  readonly name: string;
  readonly failure: string | null;
}

/** Runs every case, three at a time: a browser opens six connections to one server. */
export async function runClientCases(world: EngineWorld): Promise<readonly CaseOutcome[]> {
  const outcomes: CaseOutcome[] = [];
  let next = 0;
  async function runInTurn(): Promise<void> {
    for (;;) {
      const index = next++;
      const now = clientCases[index];
      if (now === undefined) return;
      const failure = await now.run(world).then(
        () => null,
        (thrown) => thrown instanceof Error ? thrown.message : "threw no error",
      );
      outcomes[index] = { name: now.name, failure };
    }
  }
  await Promise.all([runInTurn(), runInTurn(), runInTurn()]);
  return outcomes;
}
