import { encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  type BinaryBundle,
  checkSequence,
  DEFAULT_TARGET,
  isOlderThanBinary,
  isSigned,
  parseRelease,
  readRecord,
  type Release,
  type ReleaseTarget,
} from "../ota-format/mod.ts";

// The device's own check of a release, for apps whose binary holds the public key: a script that
// was injected into the page can stage and activate only what a signed release names (NAT-6,
// decision 89). The client checks before; nothing of its answer is reused.

/** Releases that a device accepts. */
export interface TrustedReleases extends Partial<ReleaseTarget> {
  /** base64url of the 32-byte Ed25519 public key. */
  readonly publicKey: string;
}

/** A release that the device does not trust. */
export type Untrusted = Failure<"untrusted">;

/** Version that an operation wants to use. */
export interface Wanted {
  /** The bundle's name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The text of its manifest, if it is to be staged, or present and to be activated. */
  readonly manifest?: string;
}

/**
 * Reads the release that a request carries.
 *
 * @param text The text of `release.json` as it was fetched; anything else is refused.
 * @param minSequence The sequence that the device has accepted for that app and channel (REL-6).
 */
export async function readTrusted(
  trusted: TrustedReleases,
  text: unknown,
  minSequence: number,
): Promise<Result<Release, Untrusted>> {
  if (typeof text !== "string") return refuse("the request has no text of it, expected `release`");
  const bytes = encodeUtf8(text);
  if (bytes.length > LIMITS.releaseBytes) {
    return refuse(`it has ${bytes.length} bytes, expected at most ${LIMITS.releaseBytes}`);
  }
  const record = readRecord(bytes);
  if (!record.ok) return refuse(record.error.message);
  if (!await isSigned(record.value, trusted.publicKey)) {
    return refuse("it is not signed by the key in this app");
  }
  const release = parseRelease(record.value, targetOf(trusted));
  if (!release.ok) return refuse(release.error.message);
  const order = checkSequence(release.value.sequence, minSequence);
  return order.ok ? release : refuse(order.error.message);
}

/** Returns the trusted line of releases. */
export function targetOf({ app, channel }: TrustedReleases): ReleaseTarget {
  return { app: app ?? DEFAULT_TARGET.app, channel: channel ?? DEFAULT_TARGET.channel };
}

/**
 * Whether a release names that version, and that manifest, and does not take the app back to before
 * its binary unasked (CHECK-14).
 *
 * @param binary The bundle of that name in the app's binary.
 */
export async function checkWanted(
  release: Release,
  { name, version, manifest }: Wanted,
  binary: BinaryBundle = {},
): Promise<Result<null, Untrusted>> {
  const named = own(release.bundles, name);
  if (named !== version) {
    return refuse(`it has ${named ?? "no version"} of ${name}, not ${version}`);
  }
  if (isOlderThanBinary(release, name, binary)) {
    return refuse(`its ${name} ${version} is older than what this app came with`);
  }
  if (manifest === undefined) return ok(null);
  const bytes = encodeUtf8(manifest);
  const ref = own(release.manifests, name);
  const isNamed = ref?.size === bytes.length && ref.hash === await sha256Hex(bytes);
  return isNamed ? ok(null) : refuse(`it names another manifest of ${name} ${version}`);
}

/** Whether a release has that sequence. */
export function checkWantedSequence(
  { app: ofApp, channel: ofChannel, sequence: found }: Release,
  { app, channel, sequence }: ReleaseTarget & Pick<Release, "sequence">,
): Result<null, Untrusted> {
  return app === ofApp && channel === ofChannel && sequence === found
    ? ok(null)
    : refuse(`it is ${ofApp}/${ofChannel} ${found}, not ${app}/${channel} ${sequence}`);
}

function refuse(why: string): Result<never, Untrusted> {
  return fail("untrusted", `Cannot trust the release: ${why}`);
}
