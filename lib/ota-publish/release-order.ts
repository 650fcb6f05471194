import { own } from "../core/json.ts";
import { versionNumber } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { Release } from "../ota-format/mod.ts";

// A release that lowers a bundle takes its players back, so this must not happen by accident
// (PUB-32): a repeated job of an old version, or one that was overtaken by the next, stops. The
// order is checked before the long upload, and again at each claim.

/** Why a version is not released. */
export type OrderFailureCode =
  /** Another version was released in between. */
  | "superseded"
  /** It is lower than the released version. */
  | "older";

/** A change of a bundle, and the facts on which it was decided. */
export interface OrderedChange {
  /** The bundle. */
  readonly name: string;
  /** The version that players are to get. */
  readonly version: string;
  /** The version in the release when the change was decided; `null` for none. */
  readonly from: string | null;
  /**
   * Whether going back is intended: the release says so to apps that hold a newer version (REL-9).
   */
  readonly goesBack: boolean;
  /** Whether any other version than `from` makes the change void: a rollback is a choice between two. */
  readonly onlyFrom?: boolean;
}

/** Whether a release that is built upon `base` may name the change's version. */
export function checkOrder(
  base: Pick<Release, "bundles"> | null,
  { name, version, from, goesBack, onlyFrom = false }: OrderedChange,
): Result<null, Failure<OrderFailureCode>> {
  const named = own(base?.bundles, name);
  if (named === undefined || named === version) return ok(null);
  const isOther = named !== from && (onlyFrom || from === null || isLower(from, named));
  if (isOther && (onlyFrom || isLower(version, named))) {
    return fail(
      "superseded",
      `Cannot release ${name} ${version}: ${named} was released in between${
        onlyFrom ? `, and this rollback was meant for ${from ?? "none"}` : ""
      }`,
      onlyFrom
        ? "Read the history, and roll back from the current release"
        : `Nothing needs to be done if players should keep ${named}: ${version} is in the bucket, but ` +
          `no player receives it. To release it, publish it again with --allow-older (the tool: allowOlder=1)`,
    );
  }
  if (!isLower(version, named) || goesBack) return ok(null);
  return fail(
    "older",
    `Cannot release ${name} ${version}: ${named} is released, and its players would go back`,
    "Publish a higher version; to go back, use --allow-older (the tool: " +
      "allowOlder=1), or roll back to a version that was released before",
  );
}

/** A version to publish. */
export interface WantedVersion {
  /** The bundle. */
  readonly name: string;
  /** The version that players are to get. */
  readonly version: string;
  /** Whether they may be taken back. */
  readonly allowOlder?: boolean | undefined;
  /** Version in the release when this was decided; if absent, the version that is there now. */
  readonly from?: string | null | undefined;
}

/** Decides whether a version may be released over `base` (PUB-32). */
export function decideOrder(
  base: Pick<Release, "bundles"> | null,
  { name, version, allowOlder = false, from = own(base?.bundles, name) ?? null }: WantedVersion,
): Result<OrderedChange, Failure<OrderFailureCode>> {
  // Also for the released version itself: an app that came with a newer one goes back only if the
  // release says so.
  const goesBack = allowOlder && from !== null && !isLower(from, version);
  const change = { name, version, from, goesBack };
  const order = checkOrder(base, change);
  return order.ok ? ok(change) : order;
}

/** Returns the `backTo` of a release after a change: a version that does not go back removes its entry. */
export function mergeBackTo(
  base: Pick<Release, "bundles" | "backTo"> | null,
  { name, version, goesBack }: OrderedChange,
): Pick<Release, "backTo"> {
  const said = { ...base?.backTo };
  if (goesBack) said[name] = version;
  else if (own(base?.bundles, name) !== version) delete said[name];
  return Object.keys(said).length === 0 ? {} : { backTo: said };
}

function isLower(version: string, other: string): boolean {
  return versionNumber(version) < versionNumber(other);
}
