import { isRecord, own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion } from "../core/paths.ts";
import type { BootState } from "../ota-format/mod.ts";

// The boot watchdog as a pure function: (state, event, facts) → {state, target}. No clock, no disk,
// nothing that can fail. Every count is kept by bundle, so that no bundle rolls another back (BOOT-18).
// Swift and Java hold the same function; vectors/boot holds all to it.

/** The bundle or version that the boot hook serves. */
export type BootTarget =
  | { readonly kind: "embedded" }
  | { readonly kind: "version"; readonly version: string };

/** State and target after a boot decision. */
export interface BootDecision {
  /** The state to write; `null` writes none, because there was none. */
  readonly state: BootState | null;
  /** The bundle or version to serve. */
  readonly target: BootTarget;
}

/** Facts about the disk that a boot decision depends on. */
export interface BootFacts {
  /** Whether the folder of that version is staged completely. */
  readonly exists: (version: string) => boolean;
  /** `false` when the attempt could not be made durable. Default `true`. */
  readonly recorded?: boolean;
}

/** Facts about the launch that a confirmation depends on. */
export interface ConfirmFacts {
  /** The target that it served. */
  readonly booted: BootTarget;
  /** Whether that launch was counted before. */
  readonly counted: boolean;
}

/** A state with all six fields, so that every step reads the same. */
interface Full {
  readonly active: Readonly<Record<string, string>>;
  readonly pending: Readonly<Record<string, string>>;
  readonly bootAttempts: Readonly<Record<string, number>>;
  readonly confirmedBoots: Readonly<Record<string, number>>;
  readonly rejected: Readonly<Record<string, readonly string[]>>;
  readonly lastSeenBinaryVersion?: string;
}

const EMPTY: Full = { active: {}, pending: {}, bootAttempts: {}, confirmedBoots: {}, rejected: {} };
const EMBEDDED_TARGET: BootTarget = { kind: "embedded" };

/** Decides what this launch serves, and counts the attempt (BOOT-1 to BOOT-4, BOOT-8). */
export function boot(state: BootState | null, bundle: string, facts: BootFacts): BootDecision {
  if (state === null) return { state: null, target: EMBEDDED_TARGET }; // BOOT-1
  const full = fill(state);
  const pending = own(full.pending, bundle);
  if (facts.recorded === false) {
    return { state, target: serveActive(full, bundle, facts).target }; // BOOT-10
  }
  if (pending === undefined) return decisionOf(serveActive(full, bundle, facts)); // BOOT-8
  if (!facts.exists(pending)) {
    return decisionOf(serveActive(dropPending(full, bundle), bundle, facts)); // BOOT-2: no quarantine
  }
  const attempts = own(full.bootAttempts, bundle) ?? 0;
  if (attempts >= LIMITS.bootAttempts) { // BOOT-3
    const rejected = quarantine(full, bundle, pending);
    return decisionOf(serveActive(dropPending({ ...full, rejected }, bundle), bundle, facts));
  }
  const bootAttempts = { ...full.bootAttempts, [bundle]: attempts + 1 }; // BOOT-4
  return { state: tidy({ ...full, bootAttempts }), target: { kind: "version", version: pending } };
}

/** Counts a launch that reported fully booted; the second one makes the pending version active. */
export function confirm(
  state: BootState | null,
  bundle: string,
  facts: ConfirmFacts,
): BootState | null {
  if (state === null) return null;
  const full = fill(state);
  const pending = own(full.pending, bundle);
  if (pending === undefined) return state; // BOOT-5
  if (facts.booted.kind !== "version" || facts.booted.version !== pending) return state; // BOOT-6
  const confirms = own(full.confirmedBoots, bundle) ?? 0;
  const attempts = own(full.bootAttempts, bundle) ?? 0;
  if (facts.counted || confirms >= attempts) return state; // BOOT-7: once a launch
  if (confirms + 1 < LIMITS.bootConfirms) {
    return tidy({ ...full, confirmedBoots: { ...full.confirmedBoots, [bundle]: confirms + 1 } });
  }
  const active = { ...full.active, [bundle]: pending }; // BOOT-9
  return tidy({ ...dropPending(full, bundle), active });
}

/** Makes a staged version pending, in place of any earlier one (BOOT-17). */
export function activate(state: BootState | null, bundle: string, version: string): BootState {
  const full = dropPending(fill(state ?? {}), bundle);
  return tidy({ ...full, pending: { ...full.pending, [bundle]: version } });
}

/** Facts for putting the active version back on trial. */
export interface RetrialFacts {
  /** The version that was active before it; `null` for none. */
  readonly previous: string | null;
  /** Whether the folder of that version is staged completely. */
  readonly exists: (version: string) => boolean;
}

/**
 * Puts the active version back on trial (BOOT-21). The previous one takes its place when it is
 * staged and not rejected, otherwise the embedded bundle does (BOOT-22).
 */
export function retrial(
  state: BootState | null,
  bundle: string,
  { previous, exists }: RetrialFacts,
): BootState | null {
  if (state === null) return null;
  const full = fill(state);
  const version = own(full.active, bundle);
  if (version === undefined || own(full.pending, bundle) !== undefined) return state;
  const canServe = previous !== null && previous !== version && exists(previous) &&
    mayStage(state, bundle, previous);
  const active = canServe ? { ...full.active, [bundle]: previous } : without(full.active, bundle);
  return activate({ ...full, active }, bundle, version);
}

/** Options of a revert, in addition to dropping the pending version. */
export interface RevertOptions {
  /** Quarantines the dropped version (BOOT-19). */
  readonly quarantine?: boolean;
  /** Forgets the active version as well, so that the embedded bundle is served (BOOT-20). */
  readonly toEmbedded?: boolean;
}

/** Drops the pending version (BOOT-11); changes nothing if there is none. */
export function revert(
  state: BootState | null,
  bundle: string,
  { quarantine: isRejected = false, toEmbedded = false }: RevertOptions = {},
): BootState | null {
  if (state === null) return null;
  const full = fill(state);
  const pending = own(full.pending, bundle);
  const active = toEmbedded ? without(full.active, bundle) : full.active;
  if (pending === undefined && own(active, bundle) === own(full.active, bundle)) return state;
  const rejected = isRejected && pending !== undefined
    ? quarantine(full, bundle, pending)
    : full.rejected;
  return tidy(dropPending({ ...full, active, rejected }, bundle));
}

/** Notes which app binary runs; another one than last time starts afresh (BOOT-12, BOOT-13). */
export function newBinary(state: BootState | null, binaryVersion: string): BootState {
  const full = fill(state ?? {});
  const seen = full.lastSeenBinaryVersion;
  const kept = seen === undefined || seen === binaryVersion
    ? full
    : { ...EMPTY, rejected: full.rejected };
  return tidy({ ...kept, lastSeenBinaryVersion: binaryVersion });
}

/** Whether quarantine lets a version be staged; it never keeps one from booting (BOOT-14). */
export function mayStage(state: BootState | null, bundle: string, version: string): boolean {
  return !(own(state?.rejected, bundle) ?? []).includes(version);
}

/**
 * Reads `state.json`. It is damaged as a whole when any of the six fields has a wrong type, a count
 * is not a whole number ≥ 0, or a name or version breaks the rules; other fields are ignored
 * (BOOT-15).
 *
 * @returns `null` when damaged, which every decision treats as no state at all.
 */
export function parseBootState(value: unknown): BootState | null {
  if (!isRecord(value)) return null;
  const active = readMap(value["active"], readVersion);
  const pending = readMap(value["pending"], readVersion);
  const bootAttempts = readMap(value["bootAttempts"], readCount);
  const confirmedBoots = readMap(value["confirmedBoots"], readCount);
  const rejected = readMap(value["rejected"], readVersions);
  const binary = value["lastSeenBinaryVersion"];
  if (!active || !pending || !bootAttempts || !confirmedBoots || !rejected) return null;
  if (binary !== undefined && typeof binary !== "string") return null;
  const full = { active, pending, bootAttempts, confirmedBoots, rejected };
  return tidy(binary === undefined ? full : { ...full, lastSeenBinaryVersion: binary });
}

function serveActive(
  full: Full,
  bundle: string,
  facts: BootFacts,
): { full: Full; target: BootTarget } {
  const version = own(full.active, bundle);
  if (version === undefined) return { full, target: EMBEDDED_TARGET };
  if (facts.exists(version)) return { full, target: { kind: "version", version } };
  return { full: { ...full, active: without(full.active, bundle) }, target: EMBEDDED_TARGET };
}

function decisionOf(served: { full: Full; target: BootTarget }): BootDecision {
  return { state: tidy(served.full), target: served.target };
}

function dropPending(full: Full, bundle: string): Full {
  return {
    ...full,
    pending: without(full.pending, bundle),
    bootAttempts: without(full.bootAttempts, bundle),
    confirmedBoots: without(full.confirmedBoots, bundle),
  };
}

function quarantine(full: Full, bundle: string, version: string): Full["rejected"] {
  const known = own(full.rejected, bundle) ?? [];
  const listed = known.includes(version) ? known : [...known, version]; // an entry keeps its place
  return { ...full.rejected, [bundle]: listed.slice(-LIMITS.rejectedVersions) }; // BOOT-16
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
}

function fill(state: BootState): Full {
  return { ...EMPTY, ...state };
}

/** Omits empty fields, so that equal states have equal texts. */
function tidy(full: Full): BootState {
  const { active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion } = full;
  const lists = Object.fromEntries(Object.entries(rejected).filter(([, list]) => list.length > 0));
  return {
    ...(hasMembers(active) && { active }),
    ...(hasMembers(pending) && { pending }),
    ...(hasMembers(bootAttempts) && { bootAttempts }),
    ...(hasMembers(confirmedBoots) && { confirmedBoots }),
    ...(hasMembers(lists) && { rejected: lists }),
    ...(lastSeenBinaryVersion !== undefined && { lastSeenBinaryVersion }),
  };
}

function hasMembers(record: object): boolean {
  return Object.keys(record).length > 0;
}

/** @returns The map, `{}` when absent, `null` when it is not one or a member is wrong. */
function readMap<T>(
  value: unknown,
  read: (member: unknown) => T | null,
): Readonly<Record<string, T>> | null {
  if (value === undefined) return {};
  if (!isRecord(value)) return null;
  const map: Record<string, T> = {};
  for (const [bundle, member] of Object.entries(value)) {
    const parsed = isBundleName(bundle) ? read(member) : null;
    if (parsed === null) return null;
    map[bundle] = parsed;
  }
  return map;
}

function readVersion(value: unknown): string | null {
  return typeof value === "string" && isVersion(value) ? value : null;
}

function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function readVersions(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const versions: string[] = [];
  for (const member of value) {
    const version = readVersion(member);
    if (version === null) return null;
    versions.push(version);
  }
  return versions;
}
