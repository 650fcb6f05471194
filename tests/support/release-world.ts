import { createHash } from "node:crypto";
import type { ConnectionInfo } from "../../lib/ota-client/check.ts";
import { manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { DeviceState, NativeUpdater, StageResult } from "../../lib/ota-format/native.ts";
import { type ContentRef, type Release, SCHEMA } from "../../lib/ota-format/release.ts";
import { generateKeyPair, signRecord } from "../../lib/ota-format/signing.ts";
import type { JsonObject } from "../../lib/core/json.ts";

/** Hash and size of a text. */
export function refOf(text: string): ContentRef {
  const bytes = new TextEncoder().encode(text);
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

/** A manifest of files given by their texts. */
export function manifestOf(
  version: string,
  files: Record<string, string>,
  more: Partial<Manifest> = {},
): Manifest {
  const refs = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, refOf(text)]));
  return {
    schema: SCHEMA,
    name: "shell",
    version,
    engineApi: 1,
    files: refs,
    bundleZip: refOf("zip"),
    ...more,
  };
}

/** The answers of a test's network, by path below the base URL. */
export type Served = Map<string, string | (() => Promise<Response>)>;

/** A published release in memory: `serve` maps paths to texts. */
export interface World {
  readonly connection: ConnectionInfo;
  readonly served: Served;
  readonly requests: string[];
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Signs a record and serves it. */
  release(over?: Partial<Release> | JsonObject): Promise<void>;
  /** Serves a manifest and returns its reference in the release. */
  manifest(manifest: Manifest): ContentRef;
}

/** Creates a world in which v2 of `shell` is released. */
export async function createWorld(): Promise<World> {
  const baseUrl = "https://cdn.example/game";
  const { publicKey, privateKey } = await generateKeyPair();
  const served: Served = new Map();
  const requests: string[] = [];
  const world: World = {
    connection: { baseUrl, publicKey, bundleName: "shell", engineApi: 3 },
    served,
    requests,
    async fetch(url) {
      const path = url.slice(baseUrl.length + 1);
      requests.push(path);
      const answer = served.get(path);
      if (answer === undefined) return new Response("not found", { status: 404 });
      return typeof answer === "string" ? new Response(answer) : await answer();
    },
    async release(over = {}) {
      const record: JsonObject = {
        schema: 1,
        app: "default",
        channel: "production",
        sequence: 7,
        bundles: { shell: "v2" },
        manifests: { shell: { ...v2Ref } },
        mandatory: false,
        minEngineApi: 1,
        ...toJson(over),
      };
      served.set(
        "release.json",
        JSON.stringify({ ...record, sig: await signRecord(record, privateKey) }),
      );
    },
    manifest(manifest) {
      const text = serializeManifest(manifest);
      served.set(manifestPath(manifest.name, manifest.version), text);
      return refOf(text);
    },
  };
  const v2Ref = world.manifest(manifestOf("v2", { "index.html": "two", "game.js": "same" }));
  await world.release();
  return world;
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** A plugin that records its calls and gives prepared answers. */
export interface FakeNative extends NativeUpdater {
  readonly calls: { op: string; request: unknown }[];
}

/** The state and the answers of a {@linkcode FakeNative}. */
export interface FakeNativeOptions {
  readonly state?: DeviceState["state"];
  readonly sequence?: number;
  readonly rejected?: DeviceState["rejected"];
  readonly staged?: DeviceState["staged"];
  readonly embedded?: DeviceState["embedded"];
  readonly published?: DeviceState["published"];
  readonly launch?: DeviceState["launch"];
  readonly pending?: DeviceState["pending"];
  readonly manifests?: Readonly<Record<string, string>>;
  readonly zipResult?: StageResult;
  readonly delta?: StageResult;
  readonly activated?: StageResult;
}

/** Makes a plugin of that state. */
export function createFakeNative(options: FakeNativeOptions = {}): FakeNative {
  const calls: FakeNative["calls"] = [];
  let state = options.state ?? null;
  const note = <T>(op: string, request: unknown, answer: T): Promise<T> => {
    calls.push({ op, request });
    return Promise.resolve(answer);
  };
  return {
    calls,
    getState: () =>
      Promise.resolve({
        state,
        sequence: { "default/production": options.sequence ?? 0 },
        ...(options.rejected && { rejected: options.rejected }),
        ...(options.staged && { staged: options.staged }),
        ...(options.embedded && { embedded: options.embedded }),
        ...(options.published && { published: options.published }),
        ...(options.launch && { launch: options.launch }),
        ...(options.pending && { pending: options.pending }),
      }),
    acceptSequence: (request) => note("acceptSequence", request, undefined),
    readManifest: ({ version }) =>
      Promise.resolve({ manifest: options.manifests?.[version] ?? null }),
    stageUpdate: (request) => note("stageUpdate", request, options.zipResult ?? { ok: true }),
    stageUpdateDelta: (request) => note("stageUpdateDelta", request, options.delta ?? { ok: true }),
    activate: (request) => note("activate", request, options.activated ?? { ok: true }),
    confirmBoot: (request) => note("confirmBoot", request, undefined),
    revert(request) {
      const { [request.name]: _dropped, ...pending } = state?.pending ?? {};
      if (state !== null) state = { ...state, pending };
      return note("revert", request, undefined);
    },
    addListener: () => Promise.resolve({ remove: () => Promise.resolve() }),
  };
}
