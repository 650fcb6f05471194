import { own } from "../core/json.ts";
import { type Failure, ok } from "../core/result.ts";
import { serviceWorkersAmong } from "../core/service-worker.ts";
import type { Manifest, Release } from "../ota-format/mod.ts";
import type { Bucket } from "./store/bucket.ts";
import { type EarlierVersion, readPublishedManifest } from "./plan.ts";
import type { OrderedChange } from "./release-order.ts";
import type { SeenSequence } from "./seen.ts";

/** Something to know that does not stop a publish. */
export type PublishWarning = Failure<
  /** A web view may not be able to read the bucket. */
  | "cross-origin"
  /** Players are taken back to an older version, as requested. */
  | "goes-back"
  /** Nothing tells which sequence phones have seen, so one was chosen. */
  | "first-sequence"
  /** A release was signed that players do not get. */
  | "release-behind"
  /** The publish could not be remembered. */
  | "memory"
  /** The page that the app opens is missing. */
  | "no-entry-page"
  /** The served size differs from the manifest's: phones may take the more expensive way. */
  | "served"
  /** A service worker is published: it may answer in place of the plugin. */
  | "service-worker"
  /** Source maps are published: they hold the sources. */
  | "source-map"
>;

/** Receiver of warnings. */
interface Warned {
  readonly onWarning?: (warning: PublishWarning) => void;
}

/**
 * Warns if web views may not read the bucket, because they would see no update; the publish
 * continues (PUB-9).
 */
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

/** Warns of an intended step back, since it reaches players (PUB-32). */
export function warnOfGoingBack(
  { onWarning }: Warned,
  { name, version, from, goesBack }: OrderedChange,
): void {
  if (!goesBack || from === null) return;
  const message = from === version
    ? `Players whose app came with a newer ${name} than ${version} go back to it`
    : `${name} goes back from ${from} to ${version}: its players get the older one, also those ` +
      "whose app came with a newer one";
  const next = `Unless this is intended, publish a version above ${from}`;
  onWarning?.({ code: "goes-back", message, next });
}

/**
 * Warns that the sequence is a guess: with `first`, and without knowledge of what phones have seen
 * (PUB-23).
 */
export function warnOfFirstSequence(
  { onWarning }: Warned,
  { minSequence }: { readonly minSequence: number },
  { publisher, next }: {
    readonly publisher: { readonly bucket: Pick<Bucket, "label">; readonly minSequence: number };
    readonly next: number;
  },
): void {
  if (publisher.minSequence === minSequence) return;
  onWarning?.({
    code: "first-sequence",
    message:
      `It is unknown which sequence phones have seen of ${publisher.bucket.label}: the release ` +
      `gets ${next}, more than ten for each version there`,
    next: `If phones have seen a higher one (replayed), publish with --first --min-sequence N`,
  });
}

/**
 * Warns that a publish was stopped in its last step, or an older release was put back: the two look
 * alike.
 */
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
    next:
      "Publishing continues from the signed release; find out who removed or restored release.json",
  });
}

/** The page that a web view opens first. */
const ENTRY_PAGE = "index.html";

/**
 * Warns if the version does not have the page of the version before: it would not start, and no
 * phone can tell in advance.
 */
export function warnOfLostEntryPage(
  { onWarning }: Warned,
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
  { current, earlier }: {
    readonly current: Release | null;
    readonly earlier: readonly Pick<EarlierVersion, "version" | "manifest">[];
  },
): void {
  const before = own(current?.bundles, name);
  const released = earlier.find((one) => one.version === before)?.manifest;
  if (released === undefined || own(files, ENTRY_PAGE) !== undefined) return;
  if (own(released.files, ENTRY_PAGE) === undefined) return;
  onWarning?.({
    code: "no-entry-page",
    message: `${name} ${version} has no ${ENTRY_PAGE}, and ${released.version} has one`,
    next: "Check that the build ended, and that the folder is the one that holds the page",
  });
}

/**
 * Compares again with the base of a claim, because another version may have been released during a
 * long upload (PUB-32).
 *
 * @param looked The version of the first comparison.
 */
export function recheckEntryPage(
  { bucket, onWarning }: Warned & { readonly bucket: Bucket },
  manifest: Pick<Manifest, "name" | "version" | "files">,
  looked: string | null,
): (base: Release | null) => Promise<void> {
  let last = looked;
  return async (base) => {
    const version = own(base?.bundles, manifest.name);
    if (version === undefined || version === last) return;
    last = version;
    const released = await readPublishedManifest(bucket, { name: manifest.name, version });
    if (!released.ok || released.value === null) return; // a warning less
    const earlier = [{ version, manifest: released.value.manifest }];
    warnOfLostEntryPage({ ...(onWarning && { onWarning }) }, manifest, { current: base, earlier });
  };
}

/**
 * Warns of source maps: players download them without need, and everybody can read the sources in
 * them.
 */
export function warnOfSourceMaps(
  { onWarning }: Warned,
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
): void {
  const maps = Object.entries(files).filter(([path]) => /\.(?:js|mjs|css|wasm)\.map$/.test(path));
  const [first] = maps;
  if (first === undefined) return;
  const bytes = maps.reduce((sum, [, { size }]) => sum + size, 0);
  const what = maps.length === 1 ? first[0] : `${first[0]} and ${maps.length - 1} more source maps`;
  onWarning?.({
    code: "source-map",
    message: `${name} ${version} holds ${what}, ${bytes} bytes: everybody can read the sources`,
    next: "Build without source maps, or keep them elsewhere",
  });
}

/** A service worker answers before the app's web view asks the plugin: it would keep the old version. */
export function warnOfServiceWorkers(
  { onWarning }: Warned,
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
): void {
  const found = serviceWorkersAmong(Object.keys(files));
  const [first] = found;
  if (first === undefined) return;
  const what = found.length === 1 ? first : `${first} and ${found.length - 1} more`;
  onWarning?.({
    code: "service-worker",
    message:
      `${name} ${version} holds ${what}: in an app a service worker answers with the version ` +
      "that it cached, in place of the one that was just updated to",
    next:
      "Build for apps without it (vite-plugin-pwa, ngsw), or register none where Capacitor runs",
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
