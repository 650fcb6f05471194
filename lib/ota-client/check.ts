import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { type Failure, messageOf } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import { planStage } from "../ota-format/diff.ts";
import {
  bundleZipPath,
  contentPath,
  manifestPath,
  publicUrl,
  RELEASE_PATH,
} from "../ota-format/layout.ts";
import {
  EMBEDDED,
  type Manifest,
  parseEmbeddedManifest,
  parseManifest,
} from "../ota-format/manifest.ts";
import type { DeviceState, NativeUpdater, StageResult } from "../ota-format/native.ts";
import {
  checkSequence,
  type ContentRef,
  DEFAULT_AUDIENCE,
  isSigned,
  parseRelease,
  readRecord,
  type ReleaseFailureCode,
} from "../ota-format/release.ts";
import { type ClientFetch, fetchBytes } from "./fetch-bytes.ts";

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
  /** `exact` for sub-game modules, which need the very level of their shell (spec §9.3). */
  readonly engineApiMatch?: "at-least" | "exact";
}

/** The answers of spec §7.1, and `stage-failed`. */
export type CheckResultName = CheckResult["result"];

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
  /** For each of the two records, in milliseconds. Default 15 s. */
  readonly deadlineMs?: number;
  /** Gives the check up. */
  readonly signal?: AbortSignal;
}

/** {@linkcode checkForUpdate} with its dependencies filled in. */
export type UpdateCheck = (
  connection: ConnectionInfo,
  onWillStage?: OnWillStage,
) => Promise<CheckResult>;

/** Binds a check to a network and a device. */
export function createUpdateCheck(dependencies: CheckDependencies): UpdateCheck {
  return (connection, onWillStage) => checkForUpdate(dependencies, connection, onWillStage);
}

/**
 * Looks for a newer release, verifies it and has the device stage it (CONTRACTS §4, order of
 * checks). Never throws: a failing update check must not stop a running game.
 */
export async function checkForUpdate(
  dependencies: CheckDependencies,
  connection: ConnectionInfo,
  onWillStage: OnWillStage = () => undefined,
): Promise<CheckResult> {
  try {
    return await runCheck(dependencies, connection, onWillStage);
  } catch (thrown) {
    return { result: "stage-failed", detail: `fault: ${messageOf(thrown)}` };
  }
}

async function runCheck(
  dependencies: CheckDependencies,
  connection: ConnectionInfo,
  onWillStage: OnWillStage,
): Promise<CheckResult> {
  const { native } = dependencies;
  const { bundleName: name, engineApi } = connection;

  const fetched = await fetchRecordBytes(
    dependencies,
    publicUrl(connection.baseUrl, RELEASE_PATH),
    {
      maxBytes: LIMITS.releaseBytes,
      cache: "no-store",
    },
  );
  if (!fetched.ok) return refused("no-release-for-bundle", fetched.error);
  const record = readRecord(fetched.value);
  if (!record.ok) return refused("no-release-for-bundle", record.error);

  if (!await isSigned(record.value, connection.publicKey)) {
    return {
      result: "signature-invalid",
      detail: "signature: the release is not signed by the key in this app",
    };
  }
  const audience = {
    app: connection.app ?? DEFAULT_AUDIENCE.app,
    channel: connection.channel ?? DEFAULT_AUDIENCE.channel,
  };
  const parsed = parseRelease(record.value, audience);
  if (!parsed.ok) return refused(RELEASE_REFUSAL[parsed.error.code], parsed.error);
  const release = parsed.value;

  const device = await native.getState({});
  const floor = own(device.sequence, `${audience.app}/${audience.channel}`) ?? 0;
  const order = checkSequence(release.sequence, floor);
  if (!order.ok) return refused("signature-invalid", order.error);
  if (release.sequence > floor) {
    await native.acceptSequence({ ...audience, sequence: release.sequence });
  }

  const version = own(release.bundles, name);
  if (version === undefined) {
    return {
      result: "no-release-for-bundle",
      detail: `no-entry: the release has no bundle ${JSON.stringify(name)}`,
    };
  }
  const active = own(device.state?.active, name);
  const pending = own(device.state?.pending, name);
  if (version === pending) return { result: "up-to-date", version };
  // With nothing active the app runs what its binary holds, which may be this very version.
  const base = await readBase(native, name, active ?? EMBEDDED);
  if (version === (active ?? base?.manifest.version)) {
    if (pending !== undefined) await native.revert({ name }); // the release went back
    return { result: "up-to-date", version };
  }
  if (isRejected(device, name, version)) {
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
    base: base ?? (active === undefined ? null : await readBase(native, name, EMBEDDED)),
  });
  if (staged === null) {
    return {
      result: "no-bundle-zip-in-manifest",
      version,
      detail: "no-base: the device has no base manifest, and the release no whole bundle",
    };
  }
  const activated = staged.ok ? await native.activate({ name, version }) : staged;
  return activated.ok
    ? { result: "staged", version, mandatory: release.mandatory }
    : { result: "stage-failed", version, detail: `${activated.code}: ${activated.detail}` };
}

const RELEASE_REFUSAL: Record<ReleaseFailureCode, "no-release-for-bundle" | "signature-invalid"> = {
  "unknown-schema": "no-release-for-bundle",
  "malformed": "no-release-for-bundle",
  "wrong-app": "signature-invalid",
  "wrong-channel": "signature-invalid",
  "no-sequence": "signature-invalid",
  "no-manifests": "signature-invalid",
};

function isRejected(device: DeviceState, name: string, version: string): boolean {
  return [device.state?.rejected, device.rejected].some((lists) =>
    own(lists, name)?.includes(version) ?? false
  );
}

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
    return invalid(`no-hash: the release does not say the manifest of ${name}`);
  }
  if (ref.size > LIMITS.manifestBytes) {
    return invalid(
      `too-large: the release says ${ref.size} bytes, expected at most ${LIMITS.manifestBytes}`,
    );
  }
  const url = publicUrl(baseUrl, manifestPath(name, version));
  const bytes = await fetchRecordBytes(dependencies, url, { maxBytes: ref.size });
  if (!bytes.ok) return invalid(`${bytes.error.code}: ${bytes.error.message}`);
  // Hashed before it is parsed, so no byte that is not signed for reaches a parser.
  const hash = await sha256Hex(bytes.value);
  if (bytes.value.length !== ref.size || hash !== ref.hash) {
    return invalid(`hash-mismatch: ${url} is not the manifest that the release was signed for`);
  }
  const manifest = parseManifest(bytes.value, { name, version });
  const text = decodeUtf8(bytes.value);
  if (!manifest.ok) return invalid(`${manifest.error.code}: ${manifest.error.message}`);
  if (text === null) return invalid("not-json: the manifest is not UTF-8");
  return { value: manifest.value, text };
}

interface StageInput {
  readonly manifest: Manifest;
  readonly text: string;
  readonly base: Base | null;
}

/** A bundle that lies on the device, whole, with its manifest. */
interface Base {
  /** How the device names it: a version, or `embedded`. */
  readonly at: string;
  readonly manifest: Manifest;
}

/** @returns `null` when there is neither a base to build on nor a whole bundle. */
async function stage(
  { native }: CheckDependencies,
  { baseUrl, bundleName: name }: ConnectionInfo,
  { manifest, text, base }: StageInput,
): Promise<StageResult | null> {
  const { version, bundleZip } = manifest;
  const whole = bundleZip && (() =>
    native.stageUpdate({
      name,
      version,
      manifest: text,
      zipUrl: publicUrl(baseUrl, bundleZipPath(name, version)),
    }));
  if (base === null) return whole === undefined ? null : await whole();
  const plan = planStage(base.manifest, manifest);
  const delta = await native.stageUpdateDelta({
    name,
    version,
    manifest: text,
    base: base.at,
    copy: plan.copy,
    download: plan.download.map(({ path, hash }) => ({
      path,
      url: publicUrl(baseUrl, contentPath(name, version, hash)),
    })),
  });
  // A base that is not what its manifest says is no base.
  return !delta.ok && delta.code === "base-missing" && whole !== undefined ? await whole() : delta;
}

/** A base that the device has under `at`; one that cannot be read is silently none (spec §7.1). */
async function readBase(native: NativeUpdater, name: string, at: string): Promise<Base | null> {
  const text = (await native.readManifest?.({ name, version: at }))?.manifest ?? null;
  if (text === null) return null;
  const manifest = at === EMBEDDED
    ? parseEmbeddedManifest(encodeUtf8(text))
    : parseManifest(encodeUtf8(text), { name, version: at });
  return manifest.ok && manifest.value.name === name ? { at, manifest: manifest.value } : null;
}

function fetchRecordBytes(
  { fetch, signal, deadlineMs = 15_000 }: CheckDependencies,
  url: string,
  bounds: { readonly maxBytes: number; readonly cache?: "no-store" },
): ReturnType<typeof fetchBytes> {
  return fetchBytes({ fetch, url, deadlineMs, ...bounds, ...(signal && { signal }) });
}

function refused(
  result: "no-release-for-bundle" | "signature-invalid",
  failure: Failure,
): CheckResult {
  return { result, detail: `${failure.code}: ${failure.message}` };
}

function tooOld(version: string, needs: string, has: number): CheckResult {
  return {
    result: "engine-api-too-old",
    version,
    detail: `engine-api: ${needs}, this app has ${has}`,
  };
}
