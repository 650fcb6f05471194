import { compareCodeUnits, own } from "../core/json.ts";
import { versionNumber } from "../core/paths.ts";
import type { BootState } from "./native.ts";

/** A version of a bundle. */
export interface BundleVersion {
  /** The bundle. */
  readonly name: string;
  /** `v<N>`. */
  readonly version: string;
}

/** Versions on a device, and the facts that decide which it needs. */
export interface HeldVersions {
  /** Boot state. */
  readonly state: BootState | null;
  /** The version to go back to, by bundle. */
  readonly previous: Readonly<Record<string, string>>;
  /** Every version that is quarantined, by bundle. */
  readonly rejected: Readonly<Record<string, readonly string[]>>;
  /** Every version on the device, by bundle. */
  readonly staged: Readonly<Record<string, readonly string[]>>;
  /** Versions that were staged in the last seven days, as `<name>@<version>`. */
  readonly young: readonly string[];
  /** Versions that are served, staged or copied from, as `<name>@<version>`. */
  readonly busy: readonly string[];
}

/**
 * Lists the versions that nothing needs any more, in the order of removal: quarantined ones first,
 * then by bundle and number (DEV-22). A quarantined version is the next one's source of copies, so
 * it stays until a newer one is active, a new app binary was launched, or it is removed `forRoom`.
 * Without an active or pending version, as after a new binary, the newest good version that is
 * young stays unless room is needed: the next check may use it.
 */
export function deadVersions(
  { state, previous, rejected, staged, young, busy }: HeldVersions,
  { forRoom = false, newBinary = false }: {
    readonly forRoom?: boolean;
    readonly newBinary?: boolean;
  } = {},
): readonly BundleVersion[] {
  const quarantined: BundleVersion[] = [];
  const others: BundleVersion[] = [];
  const bundles = Object.entries(staged).sort(([a], [b]) => compareCodeUnits(a, b));
  for (const [name, versions] of bundles) {
    const active = own(state?.active, name);
    const pending = own(state?.pending, name);
    const isWanted = (version: string) =>
      !forRoom && active === undefined && pending === undefined &&
      young.includes(`${name}@${version}`) && !own(rejected, name)?.includes(version);
    const newestWanted = inOrder(versions).filter(isWanted).pop();
    for (const version of inOrder(versions)) {
      const isNeeded = [active, pending, newestWanted].includes(version) ||
        busy.includes(`${name}@${version}`);
      if (isNeeded) continue;
      if (own(rejected, name)?.includes(version)) {
        if (forRoom || newBinary || (active !== undefined && isOlder(version, active))) {
          quarantined.push({ name, version });
        }
      } else if (version !== own(previous, name)) others.push({ name, version });
    }
  }
  return [...quarantined, ...others];
}

function inOrder(versions: readonly string[]): string[] {
  return [...versions].sort((a, b) => isOlder(a, b) ? -1 : 1);
}

function isOlder(version: string, other: string): boolean {
  return versionNumber(version) < versionNumber(other);
}
