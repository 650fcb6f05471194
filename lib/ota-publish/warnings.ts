import { own } from "../core/json.ts";
import { versionNumber } from "../core/paths.ts";
import { type Failure, ok } from "../core/result.ts";
import type { Manifest, Release } from "../ota-format/mod.ts";
import type { Bucket } from "./store/bucket.ts";
import type { SeenSequence } from "./seen.ts";

/** Something to know that does not stop a publish. */
export type PublishWarning = Failure<
  /** A web view may not be able to read the bucket. */
  | "cross-origin"
  /** The version is older than the one that the release names. */
  | "goes-back"
  /** A release was signed that players do not get. */
  | "release-behind"
  /** What was published could not be remembered. */
  | "memory"
  /** A file is published that usually holds secrets. */
  | "private-file"
>;

/** Who is told. */
interface Warned {
  readonly onWarning?: (warning: PublishWarning) => void;
}

/** A web view that may not read the bucket sees no update; but publishing goes on (PUB-9). */
export async function warnOfCrossOrigin(
  { bucket, onWarning }: Warned & { readonly bucket: Bucket },
): Promise<void> {
  const allowed = await bucket.allowCrossOrigin();
  if (!allowed.ok) {
    onWarning?.({ ...allowed.error, code: "cross-origin" });
  } else if (allowed.value.kind === "unsure") {
    const { message, next } = allowed.value;
    onWarning?.({ code: "cross-origin", message, next });
  }
}

/** Going back is allowed, and never by accident: a job of an old version may have run again. */
export function warnOfGoingBack(
  { onWarning }: Warned,
  current: Release | null,
  { name, version }: Pick<Manifest, "name" | "version">,
): void {
  const released = own(current?.bundles, name);
  if (released === undefined || versionNumber(released) <= versionNumber(version)) return;
  onWarning?.({
    code: "goes-back",
    message: `${name} goes back from ${released} to ${version}: its players get the older one`,
    next: `Unless that is meant, publish ${released} again, from the files that it was made of`,
  });
}

/** A publish was stopped in its last step, or an older release was put back: nobody can tell which. */
export function warnOfUnfinished(
  { onWarning }: Warned,
  current: Release | null,
  unfinished: Release | null,
): void {
  if (unfinished === null) return;
  const found = current === null ? "is not there" : `has sequence ${current.sequence}`;
  const bundles = Object.entries(unfinished.bundles).map((entry) => entry.join(" ")).join(", ");
  onWarning?.({
    code: "release-behind",
    message: `release.json ${found}, and sequence ${unfinished.sequence} was signed: ${bundles}`,
    next: "This publish keeps those versions; look who put an older release back, if anybody did",
  });
}

/** What is made for one machine or one person, by its name: environments, keys, repositories. */
const PRIVATE =
  /(?:^|\/)(?:\.env(?:\.[^/]*)?|\.npmrc|\.netrc|\.git(?:\/.*)?|\.ssh\/.*|id_(?:rsa|ecdsa|ed25519)|[^/]*\.(?:pem|p12|pfx|jks|keystore|mobileprovision))$/i;

/** Everybody can read a bucket that players read: what looks private is named before it is sent. */
export function warnOfPrivateFiles(
  { onWarning }: Warned,
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
): void {
  const found = Object.keys(files).filter((path) => PRIVATE.test(path)).sort();
  const [first] = found;
  if (first === undefined) return;
  const more = found.length > 1 ? ` and ${found.length - 1} more such files` : "";
  onWarning?.({
    code: "private-file",
    message: `${name} ${version} holds ${first}${more}: everybody can read what players can`,
    next:
      "Keep it out of the built folder; where it holds a secret that is published, replace that",
  });
}

/** The release is out: that it is not remembered makes the next publish less safe, not this one. */
export async function rememberRelease(
  { memory, onWarning }: Warned & { readonly memory?: SeenSequence },
  { name, version }: Pick<Manifest, "name" | "version">,
  sequence: number,
): Promise<void> {
  const remembered = await memory?.raise(sequence) ?? ok(0);
  if (remembered.ok) return;
  const { message, next } = remembered.error;
  onWarning?.({
    code: "memory",
    message:
      `${name} ${version} is published, but its sequence ${sequence} is not recorded: ${message}`,
    next: `${next}. Publish with --min-sequence ${sequence} next time`,
  });
}
