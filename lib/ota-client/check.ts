import { decodeUtf8 } from "../core/bytes.ts";
import { isRecord, own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Failure } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  bundleZipPath,
  cheaperWay,
  checkSequence,
  contentPath,
  type ContentRef,
  DEFAULT_TARGET,
  EMBEDDED,
  isSigned,
  type Manifest,
  manifestPath,
  type NativeUpdater,
  parseManifest,
  parseRelease,
  planStage,
  publicUrl,
  readRecord,
  RELEASE_PATH,
  type ReleaseFailureCode,
  type StageFailureCode,
} from "../ota-format/mod.ts";
import { Aborted, bounded, DEADLINE_MS, reasonOf } from "./bounded.ts";
import { type ClientFetch, fetchBytes } from "./fetch-bytes.ts";
import {
  ask,
  type Base,
  readBase,
  readBases,
  readDevice,
  type StageOutcome,
  toStageResult,
} from "./plugin.ts";

/** Where updates come from and what they must be signed with: the project's `ota` block. */
export interface ConnectionInfo {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  /** base64url of the 32-byte Ed25519 public key. */
  readonly publicKey: string;
  /** Which bundle this app runs. */
  readonly bundleName: string;
  /** The engine API level of this app. */
  readonly engineApi: number;
  /** Default `default`. */
  readonly app?: string;
  /** Default `production`. */
  readonly channel?: string;
  /** `exact` for sub-game modules, which need the very level of their shell (CHECK-5). */
  readonly engineApiMatch?: "at-least" | "exact";
}

/** What a check found and did. `detail` starts with a stable code, then says it in words. */
export type CheckResult =
  | { readonly result: "up-to-date"; readonly version: string }
  | { readonly result: "staged"; readonly version: string; readonly mandatory: boolean }
  | {
    readonly result:
      | "no-release-for-bundle"
      | "signature-invalid"
      | "engine-api-too-old"
      | "manifest-invalid"
      | "no-bundle-zip-in-manifest"
      | "version-rejected"
      | "stage-failed";
    readonly version?: string;
    readonly detail: string;
  };

/** Told once, when a release is verified and will be staged, before its manifest is fetched. */
export type OnWillStage = (
  update: { readonly version: string; readonly mandatory: boolean },
) => void;

/** What a check works with. */
export interface CheckDependencies {
  /** The network. */
  readonly fetch: ClientFetch;
  /** The device. */
  readonly native: NativeUpdater;
  /**
   * For each of the two records with its body, and for each answer of the plugin, in milliseconds.
   * Default 15 s. A staging has none: it takes as long as the bundle is large.
   */
  readonly deadlineMs?: number;
  /** Gives the check up, also while the plugin stages; what it has begun it may end by itself. */
  readonly signal?: AbortSignal;
}

/** {@linkcode checkForUpdate} with its dependencies filled in. */
export type UpdateCheck = (
  connection: ConnectionInfo,
  onWillStage?: OnWillStage,
) => Promise<CheckResult>;

/**
 * Binds a check to a network and a device. Who calls it while a check of the same connection runs
 * joins that check: both get its answer, and both are told that it will stage.
 */
export function createUpdateCheck(dependencies: CheckDependencies): UpdateCheck {
  const running = new Map<string, SharedCheck>();
  return async (connection, onWillStage = () => undefined) => {
    const key = JSON.stringify(connection);
    let shared = running.get(key);
    if (shared === undefined) {
      const listeners: OnWillStage[] = [];
      const started: SharedCheck = {
        listeners,
        answer: checkForUpdate(dependencies, connection, (update) => {
          started.update = update;
          for (const listener of listeners) listener(update);
        }),
      };
      running.set(key, shared = started);
      void started.answer.then(() => running.delete(key));
    }
    if (shared.update) onWillStage(shared.update);
    else shared.listeners.push(onWillStage);
    return await shared.answer;
  };
}

interface SharedCheck {
  readonly listeners: OnWillStage[];
  readonly answer: Promise<CheckResult>;
  update?: Parameters<OnWillStage>[0];
}

/**
 * Looks for a newer release, verifies it and has the device stage it, in one order of checks
 * (CHECK-1). Never throws, whatever the network, the plugin or the records do: a failing update
 * check must not stop a running game.
 *
 * @example
 * ```ts
 * import { checkForUpdate, type ConnectionInfo, type NativeUpdater } from "slipway/ota-client";
 *
 * export async function update(native: NativeUpdater, connection: ConnectionInfo) {
 *   const answer = await checkForUpdate({ fetch, native }, connection);
 *   switch (answer.result) {
 *     case "staged":
 *       return `${answer.version} boots at the next launch`;
 *     case "up-to-date":
 *       return `${answer.version} is the newest`;
 *     default:
 *       return `${answer.result}: ${answer.detail}`;
 *   }
 * }
 * ```
 */
export async function checkForUpdate(
  dependencies: CheckDependencies,
  connection: ConnectionInfo,
  onWillStage: OnWillStage = () => undefined,
): Promise<CheckResult> {
  try {
    return await runCheck(dependencies, connection, onWillStage);
  } catch (thrown) {
    const code = thrown instanceof Aborted ? thrown.code : pluginCode(thrown) ?? "fault";
    return { result: "stage-failed", detail: `${code}: ${reasonOf(thrown)}` };
  }
}

/** The code that the plugin rejected with (NAT-5), where it is one of ours. */
function pluginCode(thrown: unknown): StageFailureCode | null {
  const code = isRecord(thrown) ? thrown["code"] : undefined;
  return REJECTIONS.find((known) => known === code) ?? null;
}

const REJECTIONS: readonly StageFailureCode[] = [
  "disk-full",
  "disk-read-only",
  "disk-failed",
  "io",
  "invalid",
];

async function runCheck(
  dependencies: CheckDependencies,
  connection: ConnectionInfo,
  onWillStage: OnWillStage,
): Promise<CheckResult> {
  const { bundleName: name, engineApi } = connection;

  const fetched = await fetchRecordBytes(
    dependencies,
    publicUrl(connection.baseUrl, RELEASE_PATH),
    LIMITS.releaseBytes,
  );
  if (!fetched.ok) return refused("no-release-for-bundle", fetched.error);
  const record = readRecord(fetched.value);
  if (!record.ok) return refused("no-release-for-bundle", record.error);

  if (!await isSigned(record.value, connection.publicKey)) { // CHECK-6
    return {
      result: "signature-invalid",
      detail: "signature: the release is not signed by the key in this app",
    };
  }
  const target = {
    app: connection.app ?? DEFAULT_TARGET.app,
    channel: connection.channel ?? DEFAULT_TARGET.channel,
  };
  const parsed = parseRelease(record.value, target);
  if (!parsed.ok) return refused(RELEASE_REFUSAL[parsed.error.code], parsed.error);
  const release = parsed.value;

  const device = await readDevice(dependencies, name);
  const minSequence = device.minSequenceOf(`${target.app}/${target.channel}`);
  const order = checkSequence(release.sequence, minSequence);
  if (!order.ok) return refused("signature-invalid", order.error);
  if (release.sequence > minSequence) {
    await ask(dependencies, "acceptSequence", { ...target, sequence: release.sequence });
  }

  const version = own(release.bundles, name);
  if (version === undefined) {
    return {
      result: "no-release-for-bundle",
      detail: `no-entry: the release has no bundle ${JSON.stringify(name)}`,
    };
  }
  const { active, pending } = device;
  if (version === pending) return { result: "up-to-date", version };
  // With nothing active the app runs what its binary holds, which may be this very version.
  // No manifest is read for that where the plugin tells it (CHECK-8).
  const running = active ?? device.embedded ??
    (await readBase(dependencies, name, EMBEDDED))?.manifest.version;
  if (version === running) {
    if (pending !== undefined) await ask(dependencies, "revert", { name }); // the release went back
    return { result: "up-to-date", version };
  }
  if (device.rejected.includes(version)) {
    return {
      result: "version-rejected",
      version,
      detail: `quarantined: ${version} failed to boot on this device; publish a new version`,
    };
  }
  if (!(release.minEngineApi <= engineApi)) { // also for what is no number at all
    return tooOld(version, `the release needs engine API ${release.minEngineApi}`, engineApi);
  }

  onWillStage({ version, mandatory: release.mandatory });

  const manifest = await fetchManifest(dependencies, connection, {
    version,
    ref: own(release.manifests, name),
  });
  if ("result" in manifest) return manifest;
  const exact = connection.engineApiMatch === "exact";
  const level = manifest.value.engineApi;
  if (exact ? level !== engineApi : !(level <= engineApi)) {
    return tooOld(
      version,
      `${version} needs engine API ${exact ? "exactly " : ""}${level}`,
      engineApi,
    );
  }

  const staged = await stage(dependencies, connection, {
    manifest: manifest.value,
    text: manifest.text,
    bases: await readBases(dependencies, name, device),
    plansMore: device.staged !== null,
  });
  if (staged === null) {
    return {
      result: "no-bundle-zip-in-manifest",
      version,
      detail: "no-base: the device has no base manifest, and the release no complete bundle",
    };
  }
  const activated = staged.ok
    ? toStageResult(await ask(dependencies, "activate", { name, version }))
    : staged;
  return activated.ok
    ? { result: "staged", version, mandatory: release.mandatory }
    : { result: "stage-failed", version, detail: `${activated.code}: ${activated.detail}` };
}

const RELEASE_REFUSAL: Record<ReleaseFailureCode, "no-release-for-bundle" | "signature-invalid"> = {
  "unknown-schema": "no-release-for-bundle",
  "unsupported": "no-release-for-bundle",
  "malformed": "no-release-for-bundle",
  "wrong-app": "signature-invalid",
  "wrong-channel": "signature-invalid",
  "no-sequence": "signature-invalid",
  "no-manifests": "signature-invalid",
};

type FetchedManifest = { readonly value: Manifest; readonly text: string };

async function fetchManifest(
  dependencies: CheckDependencies,
  { baseUrl, bundleName: name }: ConnectionInfo,
  { version, ref }: { version: string; ref: ContentRef | undefined },
): Promise<FetchedManifest | CheckResult> {
  const invalid = (detail: string): CheckResult => ({
    result: "manifest-invalid",
    version,
    detail,
  });
  if (ref === undefined) {
    return invalid(`no-hash: the release does not name the manifest of ${name}`);
  }
  if (ref.size > LIMITS.manifestBytes) {
    return invalid(
      `too-large: the release says ${ref.size} bytes, expected at most ${LIMITS.manifestBytes}`,
    );
  }
  const url = publicUrl(baseUrl, manifestPath(name, version));
  const bytes = await fetchRecordBytes(dependencies, url, ref.size);
  if (!bytes.ok) return invalid(`${bytes.error.code}: ${bytes.error.message}`);
  // Hashed before it is parsed, so no byte that is not signed for reaches a parser.
  const hash = await sha256Hex(bytes.value);
  if (bytes.value.length !== ref.size || hash !== ref.hash) {
    return invalid(`hash-mismatch: ${url} is not the manifest that the release was signed for`);
  }
  const manifest = parseManifest(bytes.value, { name, version });
  const text = decodeUtf8(bytes.value);
  if (!manifest.ok && manifest.error.code === "unsupported") {
    return { ...refused("no-release-for-bundle", manifest.error), version };
  }
  if (!manifest.ok) return invalid(`${manifest.error.code}: ${manifest.error.message}`);
  if (text === null) return invalid("not-json: the manifest is not UTF-8");
  return { value: manifest.value, text };
}

interface StageInput {
  readonly manifest: Manifest;
  readonly text: string;
  readonly bases: readonly Base[];
  /** Whether the plugin takes copies with a base and a URL of their own (DEV-17). */
  readonly plansMore: boolean;
}

/** What a delta answers when a file of it cannot be had, and the whole bundle may do (CHECK-7). */
const FILE_FAILURES: readonly string[] = [
  "base-missing",
  "download",
  "hash-mismatch",
  "size-mismatch",
];

/** @returns `null` when there is neither a base to build on nor a whole bundle. */
async function stage(
  { native, signal }: CheckDependencies,
  { baseUrl, bundleName: name }: ConnectionInfo,
  { manifest, text, bases, plansMore }: StageInput,
): Promise<StageOutcome | null> {
  const { version, bundleZip } = manifest;
  const target = { name, version, manifest: text };
  const until = signal ? { signal } : {};
  const stageZip = async () => {
    const zipUrl = publicUrl(baseUrl, bundleZipPath(name, version));
    const request = { ...target, zipUrl };
    return toStageResult(await bounded("staging", until, () => native.stageUpdate(request)));
  };
  const [base, ...others] = bases;
  if (base === undefined) return bundleZip ? await stageZip() : null;
  const plan = planStage(
    base.manifest,
    manifest,
    others.map(({ at, manifest: { files } }) => ({ at, files })),
  );
  if (cheaperWay(plan, manifest) === "zip") return await stageZip();
  const located = <T extends { readonly path: string }>(file: T): T & { readonly url: string } => {
    const hash = own(manifest.files, file.path)?.hash ?? "";
    return { ...file, url: publicUrl(baseUrl, contentPath(name, version, hash)) };
  };
  const request = {
    ...target,
    base: base.at,
    copy: plansMore ? plan.copy.map(located) : plan.copy,
    download: plan.download.map(({ path }) => located({ path })),
  };
  const delta = toStageResult(
    await bounded("staging", until, () => native.stageUpdateDelta(request)),
  );
  const isFile = !delta.ok && FILE_FAILURES.includes(delta.code);
  return isFile && bundleZip ? await stageZip() : delta;
}

function fetchRecordBytes(
  { fetch, signal, deadlineMs = DEADLINE_MS }: CheckDependencies,
  url: string,
  maxBytes: number,
): ReturnType<typeof fetchBytes> {
  return fetchBytes({ fetch, url, deadlineMs, maxBytes, ...(signal && { signal }) });
}

function refused(
  result: "no-release-for-bundle" | "signature-invalid",
  failure: Failure,
): CheckResult & { readonly detail: string } {
  return { result, detail: `${failure.code}: ${failure.message}` };
}

function tooOld(version: string, needs: string, has: number): CheckResult {
  return {
    result: "engine-api-too-old",
    version,
    detail: `engine-api: ${needs}, this app has ${has}`,
  };
}
