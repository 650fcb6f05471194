import { decodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import {
  checkSequence,
  decide,
  DEFAULT_TARGET,
  EMBEDDED,
  isSigned,
  manifestPath,
  type NativeUpdater,
  parseRelease,
  publicUrl,
  readRecord,
  RELEASE_PATH,
  resultOfUnusable,
  tooOld,
} from "../ota-format/mod.ts";
import { Aborted, type ClientClock, reasonOf } from "./bounded.ts";
import { callSafely } from "./call-safely.ts";
import { type ClientFetch, fetchBytes } from "./fetch-bytes.ts";
import { fetchManifest } from "./fetch-manifest.ts";
import { ask, readBase, readDevice, stageCodeOf, toStageResult } from "./plugin.ts";
import { because, type CheckResult } from "./result.ts";
import { stage } from "./stage.ts";

/** The source of updates and the key that must have signed them: the project's `ota` block. */
export interface ConnectionInfo {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  /** base64url of the 32-byte Ed25519 public key. */
  readonly publicKey: string;
  /** The bundle that this app runs. */
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

/** Called once, when a release is verified and will be staged, before its manifest is fetched. */
export type OnWillStage = (
  update: { readonly version: string; readonly mandatory: boolean },
) => void;

/** Dependencies of a check. */
export interface CheckDependencies {
  /** The network. */
  readonly fetch: ClientFetch;
  /** The device. */
  readonly native: NativeUpdater;
  /**
   * For the release with its body, for each pause of the manifest (CHECK-10), and for each answer
   * of the plugin, in milliseconds that the device is awake. Default 15 s. A staging has no
   * deadline: its duration depends on the bundle's size.
   */
  readonly deadlineMs?: number | undefined;
  /** Cancels the check, also while the plugin stages; the plugin may finish a started staging. */
  readonly signal?: AbortSignal | undefined;
  /** Measures the deadlines. Default the web view's own timers. */
  readonly clock?: ClientClock | undefined;
  /** Called with the bytes of release and manifest, piece by piece. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * Searches a newer release, verifies it and has the device stage it, in one order of checks
 * (CHECK-1). Never throws, whatever the network, the plugin or the records do: a failing update
 * check must not stop a running game.
 *
 * @example
 * ```ts
 * import { checkForUpdate, type ConnectionInfo, type NativeUpdater } from "slipway/ota-client";
 *
 * export async function update(native: NativeUpdater, connection: ConnectionInfo) {
 *   const answer = await checkForUpdate({ ...connection, fetch, native });
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
/** The same check with one argument for connection and dependencies. */
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
    const code = thrown instanceof Aborted ? thrown.code : stageCodeOf(thrown) ?? "fault";
    return because("stage-failed", { code, message: reasonOf(thrown) });
  }
}

/** The two ways to pass the arguments of a check. */
type Given = [CheckDependencies, ConnectionInfo, (OnWillStage | undefined)?] | WholeGiven;
type WholeGiven = [ConnectionInfo & CheckDependencies, (OnWillStage | undefined)?];

function isWhole(given: Given): given is WholeGiven {
  return "baseUrl" in given[0];
}

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
  if (!fetched.ok) return because("no-release-for-bundle", fetched.error);
  const record = readRecord(fetched.value);
  if (!record.ok) return because("no-release-for-bundle", record.error);

  if (!await isSigned(record.value, connection.publicKey)) { // CHECK-6
    const message = "not signed by this app's key";
    return because("signature-invalid", { code: "bad-signature", message });
  }
  const target = {
    app: connection.app ?? DEFAULT_TARGET.app,
    channel: connection.channel ?? DEFAULT_TARGET.channel,
  };
  const parsed = parseRelease(record.value, target);
  if (!parsed.ok) return because(resultOfUnusable(parsed.error.code), parsed.error);
  const release = parsed.value;
  let device = await readDevice(dependencies, name);
  const proof = device.wantsRelease ? { release: decodeUtf8(fetched.value) ?? "" } : {};
  const minSequence = device.minSequenceOf(`${target.app}/${target.channel}`);
  const order = checkSequence(release.sequence, minSequence);
  if (!order.ok) return because("signature-invalid", order.error);
  if (release.sequence > minSequence) {
    await ask(dependencies, "acceptSequence", { ...target, sequence: release.sequence, ...proof });
  }

  const named = own(release.bundles, name);
  const { active, pending } = device;
  const app = { name, engineApi };
  let decided = decide(release, app, device);
  // The binary's own bundle may decide otherwise. Its manifest is not read if the plugin reports the version,
  // or if there is nothing to do (CHECK-8).
  const isOpen = decided.result === "stage" ||
    active === undefined && named !== undefined && decided.result !== "up-to-date";
  if (isOpen && device.embedded === undefined) {
    const base = await readBase(dependencies, name, EMBEDDED);
    device = { ...device, embedded: base?.version, released: base?.released };
    decided = decide(release, app, device);
  }
  if (decided.result !== "stage") {
    const runsIt = decided.result === "up-to-date" && decided.version === named;
    if (runsIt && pending && pending !== named) { // the release went back
      await ask(dependencies, "revert", { name });
      device = await readDevice(dependencies, name); // CHECK-17: what was dropped may be running
    }
    if (decided.result !== "up-to-date" || device.waiting === undefined) return decided;
    const { version, mandatory = release.mandatory } = device.waiting;
    return { ...decided, pending: { version, mandatory } };
  }
  const { version } = decided;

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
    const { error } = fetchedManifest;
    const isOwn = error.code === "unsupported";
    return because(isOwn ? "no-release-for-bundle" : "manifest-invalid", error, version);
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
    const message = "no base manifest, no complete bundle";
    return because("no-bundle-zip-in-manifest", { code: "no-base", message }, version);
  }
  // CHECK-18
  const mandatory = release.mandatory || !!device.waiting?.mandatory;
  const activated = outcome.ok
    ? toStageResult(await ask(dependencies, "activate", { name, version, mandatory, ...proof }))
    : outcome;
  if (activated.ok) return staged;
  const { code, detail: message } = activated;
  return because("stage-failed", { code, message }, version);
}
