import { isRecord, own } from "../core/json.ts";
import {
  EMBEDDED,
  type EmbeddedManifest,
  isPositiveInteger,
  type Manifest,
  type NativeUpdater,
  parseEmbeddedManifest,
  parseManifest,
  type PartialBytes,
  type StageFailureCode,
} from "../ota-format/mod.ts";
import { bounded, DEADLINE_MS, type WaitBounds } from "./bounded.ts";
import { launchOf } from "./page-launch.ts";

// Answers of the native plugin. It may be older or newer than this client, and a native layer may have
// changed the values: each is checked before use.

/** The plugin, and how long each answer is waited for. Default 15 s. */
export interface PluginDependencies extends WaitBounds {
  readonly native: NativeUpdater;
}

/** The parts of the device's state that a check depends on. */
export interface KnownState {
  readonly active: string | undefined;
  readonly pending: string | undefined;
  /** The version that the next launch serves instead; `mandatory` is absent if it is not reported. */
  readonly waiting:
    | { readonly version: string; readonly mandatory: boolean | undefined }
    | undefined;
  readonly rejected: readonly unknown[];
  /** The version in the app binary, if the plugin reports it. */
  readonly embedded: string | undefined;
  /** The version released when the binary was built, if the plugin reports it (MAN-7). */
  readonly released: string | undefined;
  /** The hash of its released manifest, if the plugin reports it: then it accepts `toEmbedded`. */
  readonly published: string | undefined;
  /** Versions that are staged; `null` if the plugin does not report them. */
  readonly staged: readonly unknown[] | null;
  /** Bytes that lie there of contents on their way, by hash; unchecked. */
  readonly partial: PartialBytes;
  /** Whether it holds a public key of its own, and looks at the release itself (NAT-6). */
  readonly wantsRelease: boolean;
  /** The accepted sequence of a line of releases. */
  minSequenceOf(line: string): number;
}

/** Asks the plugin for the device's state; unreported facts count as absent. */
export async function readDevice(
  dependencies: PluginDependencies,
  name: string,
): Promise<KnownState> {
  const device = await ask(dependencies, "getState", {});
  if (!isRecord(device)) throw new TypeError(`getState answered ${typeof device}`);
  const state = isRecord(device["state"]) ? device["state"] : {};
  const textIn = (texts: unknown) => {
    const text = isRecord(texts) ? own(texts, name) : undefined;
    return typeof text === "string" ? text : undefined;
  };
  const active = textIn(state["active"]);
  const pending = textIn(state["pending"]);
  const embedded = textIn(device["embedded"]);
  const launch = launchOf(device);
  const pendingState = isRecord(device["pending"]) ? device["pending"] : {};
  // With neither, the next launch serves the binary's bundle, whatever this one did (CHECK-13).
  const version = pending ?? EMBEDDED;
  const isWaiting = (pending ?? !active) && launch["name"] === name &&
    launch["version"] !== version;
  const mandatory = pendingState["version"] === version
    ? pendingState["mandatory"] === true
    : undefined;
  return {
    active,
    pending,
    waiting: isWaiting ? { version: pending ?? embedded ?? version, mandatory } : undefined,
    rejected: [state["rejected"], device["rejected"]].map((lists) =>
      isRecord(lists) ? own(lists, name) : []
    ).flat(),
    embedded,
    published: textIn(device["published"]),
    released: textIn(device["released"]),
    staged: isRecord(device["staged"]) ? [own(device["staged"], name)].flat() : null,
    partial: isRecord(device["partial"]) ? device["partial"] : {},
    wantsRelease: typeof device["publicKey"] === "string",
    minSequenceOf(line) {
      const minSequence = isRecord(device["sequence"]) ? own(device["sequence"], line) : 0;
      return isPositiveInteger(minSequence) ? minSequence : 0;
    },
  };
}

/** Operations that are over in a moment, and that an older plugin may not have. */
type QuickOperation = "getState" | "acceptSequence" | "readManifest" | "activate" | "revert";

/**
 * Asks the plugin.
 *
 * @throws When the plugin does; {@linkcode Aborted} when it does not answer.
 */
export function ask(
  { native, deadlineMs = DEADLINE_MS, signal, clock }: PluginDependencies,
  operation: QuickOperation,
  request: object,
): Promise<unknown> {
  const call: unknown = native[operation];
  return bounded(operation, { deadlineMs, signal, clock }, () => {
    if (typeof call === "function") return call.call(native, request);
    if (operation === "acceptSequence" || operation === "readManifest") return undefined;
    throw new TypeError(`the plugin has no ${operation}`);
  });
}

/** A complete bundle on the device, by its manifest. */
export interface Base extends Manifest, Pick<EmbeddedManifest, "released"> {
  /** The device's name for it: a version, or `embedded`. */
  readonly at: string;
}

/** Reads the base that the device has under `at`; a failure silently gives none (CHECK-4). */
export async function readBase(
  dependencies: PluginDependencies,
  name: string,
  at: string,
): Promise<Base | null> {
  let answer: unknown;
  try {
    answer = await ask(dependencies, "readManifest", { name, version: at });
  } catch (thrown) {
    if (dependencies.signal?.aborted) throw thrown;
    return null; // the bundle archive needs no base
  }
  const text = isRecord(answer) ? answer["manifest"] : null;
  if (typeof text !== "string") return null;
  const manifest = at === EMBEDDED
    ? parseEmbeddedManifest(text)
    : parseManifest(text, { name, version: at });
  return manifest.ok && manifest.value.name === name ? { ...manifest.value, at } : null;
}

/** A `StageResult` of any plugin: an unknown code becomes `plugin`. */
export type StageOutcome = { readonly ok: true } | {
  readonly ok: false;
  readonly code: StageFailureCode | "plugin";
  readonly detail: string;
};

/** Reads a plugin's answer; anything but a clear success is a failure. */
export function toStageResult(answer: unknown): StageOutcome {
  if (!isRecord(answer)) return { ok: false, code: "plugin", detail: `answered ${typeof answer}` };
  const { ok, code, detail } = answer;
  if (ok === true) return { ok };
  const known = stageCodeOf(answer);
  return { ok: false, code: known ?? "plugin", detail: known ? `${detail}` : `${code}: ${detail}` };
}

/** Returns the code of a refusal, an answer or an error (NAT-5), if it is one of ours. */
export function stageCodeOf(
  refusal: unknown,
): Each<Exclude<StageFailureCode, Listed>> | undefined {
  const code = isRecord(refusal) ? refusal["code"] : undefined;
  return STAGE_CODES.find((known) => known === code);
}

/**
 * Failures of a delta after which the bundle archive is worth a try (CHECK-7). `download` does not
 * mean that the network is down: the manifest just came from that host.
 */
export const FILE_FAILURES = [
  "base-missing",
  "download",
  "missing",
  "hash-mismatch",
  "size-mismatch",
] as const satisfies readonly StageFailureCode[];

const STAGE_CODES = [
  ...FILE_FAILURES,
  "archive",
  "quarantined",
  "disk-full",
  "disk-read-only",
  "disk-failed",
  "damaged",
  "invalid",
  "untrusted",
  "cancelled",
  "io",
] as const satisfies readonly StageFailureCode[];

type Listed = typeof STAGE_CODES[number];

/** Lists every code: does not compile if one is missing. */
type Each<Lacking extends never> = Listed | Lacking;
