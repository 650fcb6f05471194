import { decodeUtf8 } from "../core/bytes.ts";
import { isRecord, own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Failure } from "../core/result.ts";
import {
  checkSequence,
  DEFAULT_TARGET,
  EMBEDDED,
  isPositiveInteger,
  isSigned,
  manifestPath,
  type NativeUpdater,
  parseRelease,
  publicUrl,
  readRecord,
  RELEASE_PATH,
  type ReleaseFailureCode,
  type StageFailureCode,
} from "../ota-format/mod.ts";
import { Aborted, type ClientClock, reasonOf } from "./bounded.ts";
import { callSafely } from "./call-safely.ts";
import { type ClientFetch, fetchBytes } from "./fetch-bytes.ts";
import { fetchManifest } from "./fetch-manifest.ts";
import { ask, readBase, readDevice, toStageResult } from "./plugin.ts";
import { stage } from "./stage.ts";

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
   * For the release with its body, for each pause of the manifest (CHECK-10), and for each answer of
   * the plugin, in milliseconds that the device is awake. Default 15 s. A staging has none: it takes
   * as long as the bundle is large.
   */
  readonly deadlineMs?: number | undefined;
  /** Gives the check up, also while the plugin stages; what it has begun it may end by itself. */
  readonly signal?: AbortSignal | undefined;
  /** Measures the deadlines. Default the web view's own timers. */
  readonly clock?: ClientClock | undefined;
  /** Told how many bytes of release and manifest came, piece by piece. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
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
export function checkForUpdate(
  dependencies: CheckDependencies,
  connection: ConnectionInfo,
  onWillStage?: OnWillStage,
): Promise<CheckResult>;
/** The same with one argument less: a connection that says what it works with, too. */
export function checkForUpdate(
  connection: ConnectionInfo & CheckDependencies,
  onWillStage?: OnWillStage,
): Promise<CheckResult>;
export async function checkForUpdate(...given: Given): Promise<CheckResult> {
  try {
    const [connection, onWillStage] = isWhole(given) ? given : [given[1], given[2]];
    return await runCheck(
      given[0],
      connection,
      (update) => callSafely(() => onWillStage?.(update)),
    );
  } catch (thrown) {
    const code = thrown instanceof Aborted ? thrown.code : pluginCode(thrown) ?? "fault";
    return { result: "stage-failed", detail: `${code}: ${reasonOf(thrown)}` };
  }
}

/** The two ways to give what a check needs. */
type Given = [CheckDependencies, ConnectionInfo, (OnWillStage | undefined)?] | WholeGiven;
type WholeGiven = [ConnectionInfo & CheckDependencies, (OnWillStage | undefined)?];

function isWhole(given: Given): given is WholeGiven {
  return "baseUrl" in given[0];
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
  const { baseUrl, bundleName: name, engineApi } = connection;
  const fetched = await fetchBytes(dependencies, {
    url: publicUrl(baseUrl, RELEASE_PATH),
    maxBytes: LIMITS.releaseBytes,
    byPace: false,
  });
  if (!fetched.ok) return refused("no-release-for-bundle", fetched.error);
  const record = readRecord(fetched.value);
  if (!record.ok) return refused("no-release-for-bundle", record.error);

  if (!await isSigned(record.value, connection.publicKey)) { // CHECK-6
    return {
      result: "signature-invalid",
      detail: "signature: not signed by this app's key",
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
  const proof = device.wantsRelease ? { release: decodeUtf8(fetched.value) ?? "" } : {};
  const minSequence = device.minSequenceOf(`${target.app}/${target.channel}`);
  const order = checkSequence(release.sequence, minSequence);
  if (!order.ok) return refused("signature-invalid", order.error);
  if (release.sequence > minSequence) {
    await ask(dependencies, "acceptSequence", { ...target, sequence: release.sequence, ...proof });
  }

  const version = own(release.bundles, name);
  if (version === undefined) {
    return {
      result: "no-release-for-bundle",
      detail: `no-entry: no bundle ${JSON.stringify(name)}`,
    };
  }
  const { active, pending } = device;
  if (version === pending) return { result: "up-to-date", version };
  // With nothing active the app runs what its binary holds, which may be this very version.
  // No manifest is read for that where the plugin tells it (CHECK-8).
  const running = active ?? device.embedded ??
    (await readBase(dependencies, name, EMBEDDED))?.version;
  if (version === running) {
    if (pending !== undefined) await ask(dependencies, "revert", { name }); // the release went back
    return { result: "up-to-date", version };
  }
  if (device.rejected.includes(version)) {
    return {
      result: "version-rejected",
      version,
      detail: `quarantined: ${version} failed to boot; publish another one`,
    };
  }
  // A text would compare like a number, and is refused.
  if (!isPositiveInteger(engineApi) || release.minEngineApi > engineApi) {
    return tooOld(version, `the release needs engine API ${release.minEngineApi}`, engineApi);
  }

  onWillStage({ version, mandatory: release.mandatory });

  const ref = own(release.manifests, name);
  const staged = { result: "staged", version, mandatory: release.mandatory } as const;
  if (version === device.embedded && ref !== undefined && ref.hash === device.published) {
    await ask(dependencies, "revert", { name, toEmbedded: true }); // CHECK-13
    return staged;
  }
  const manifestUrl = publicUrl(baseUrl, manifestPath(name, version));
  const fetchedManifest = await fetchManifest(dependencies, manifestUrl, { name, version, ref });
  if (!fetchedManifest.ok) {
    const { code, message } = fetchedManifest.error;
    const result = code === "unsupported" ? "no-release-for-bundle" : "manifest-invalid";
    return { result, version, detail: `${code}: ${message}` };
  }
  const { manifest, text } = fetchedManifest.value;
  const exact = connection.engineApiMatch === "exact";
  const level = manifest.engineApi;
  if (exact ? level !== engineApi : !(level <= engineApi)) {
    const needs = `${version} needs engine API ${exact ? "exactly " : ""}${level}`;
    return tooOld(version, needs, engineApi);
  }

  const outcome = await stage(dependencies, {
    baseUrl,
    manifest,
    target: { name, version, manifest: text, ...proof },
    device,
  });
  if (outcome === null) {
    return {
      result: "no-bundle-zip-in-manifest",
      version,
      detail: "no-base: no base manifest, no complete bundle",
    };
  }
  const activated = outcome.ok
    ? toStageResult(await ask(dependencies, "activate", { name, version, ...proof }))
    : outcome;
  return activated.ok
    ? staged
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
