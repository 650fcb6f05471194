import type { CheckResult } from "../../ota-client/mod.ts";
import type { OtaProgress } from "../../ota-format/mod.ts";

// State of the simulated phone, as all readers get it.

/** Source of the app's updates: a private bucket of the phone, or the project's own bucket. */
export type PhoneSource = "trial" | "project";

/** Actions on the phone; `start` installs the app if needed, and opens it again. */
export type PhoneAction =
  | "start"
  | "kill"
  | "check"
  | "back"
  | "reset"
  | "publish"
  | "publish-broken";

/** The progress of an update, in the order of the client and the device. */
export type PhonePhase =
  | "idle"
  | "checking"
  | "verifying"
  | "staging"
  | "activating"
  | "booting";

/** An action of a user or an agent on the phone, as the story shows it. */
export interface PhoneEvent {
  /** Grows, and is never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** Whether it is good or bad for the player. */
  readonly mood: "plain" | "good" | "bad";
  /** A sentence without its period, of at most 400 characters. */
  readonly text: string;
}

/** The page of the app that was opened last. */
export type PhoneBoot =
  | { readonly kind: "none" }
  /** Served, and neither confirmed nor failed yet. */
  | { readonly kind: "starting" }
  | { readonly kind: "confirmed" }
  | { readonly kind: "failed"; readonly why: string };

/** Versions of the bundle on the phone; `null` for none. */
export interface PhoneVersions {
  /** In the app's binary: `v<N>` or `embedded`. */
  readonly embedded: string | null;
  /** Confirmed: the version to which the phone goes back. */
  readonly active: string | null;
  /** Staged, or on trial. */
  readonly pending: string | null;
  /** Trusted before the active one. */
  readonly previous: string | null;
  /** Quarantined, oldest first. */
  readonly rejected: readonly string[];
  /** Launches that the pending version has had. */
  readonly attempts: number;
  /** Confirmed ones among them. */
  readonly confirmed: number;
}

/** Result of a check for an update. */
export interface PhoneCheck {
  /** The code of the answer. */
  readonly result: CheckResult["result"];
  /** The version that it is about. */
  readonly version: string | null;
  /** Why no update came; `null` if one came, or none was needed. */
  readonly detail: string | null;
}

/** The complete state of the simulated phone. */
export interface PhoneState {
  /** `empty`: no app is installed. `off`: it does not run. */
  readonly power: "empty" | "off" | "on";
  /** Source of its app's updates; `null` without an app. */
  readonly source: PhoneSource | null;
  /** The running action; `null` for none. */
  readonly doing: PhoneAction | null;
  /** The progress of an update, or of a start. */
  readonly phase: PhonePhase;
  /** The page of the running app, for a frame; `null` if none runs, or nothing can serve it. */
  readonly page: string | null;
  /** The version that it is of: `embedded`, or `v<N>`. */
  readonly serves: string | null;
  /** The outcome of its start. */
  readonly boot: PhoneBoot;
  /** Versions on the phone. */
  readonly versions: PhoneVersions;
  /** Versions in the phone's private bucket, oldest first. */
  readonly published: readonly PublishedVersion[];
  /** The progress of the current staging, or of the last one. */
  readonly staging: OtaProgress | null;
  /** Result of the last check for an update. */
  readonly check: PhoneCheck | null;
  /** Conditions around the phone. */
  readonly switches: PhoneSwitches;
  /** The newest sixty events, oldest first. */
  readonly story: readonly PhoneEvent[];
}

/** A version in the phone's private bucket. */
export interface PublishedVersion {
  /** `v<N>`. */
  readonly version: string;
  /** Whether half of its first scene is missing, as in builds that break. */
  readonly isBroken: boolean;
}

/** Conditions around the phone that a user can set. */
export interface PhoneSwitches {
  /** Whether there is a network. */
  readonly network: boolean;
  /** Whether its disk is full. */
  readonly diskFull: boolean;
  /** Whether the next start of the app fails. */
  readonly breakBoot: boolean;
}

/** A request to the phone. */
export interface PhoneRequest {
  /** Absent: only the switches are set. */
  readonly action?: PhoneAction | undefined;
  /**
   * For `start` and `reset`: a source other than the current one makes it a new app, which is
   * installed.
   */
  readonly source?: PhoneSource | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly network?: boolean | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly diskFull?: boolean | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly breakBoot?: boolean | undefined;
}
