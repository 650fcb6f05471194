import type { CheckResult } from "../../ota-client/mod.ts";
import type { OtaProgress } from "../../ota-format/mod.ts";

// What is known of the simulated phone, as everyone is told.

/** Whose updates its app takes: those of a private bucket of the phone, or the project's own. */
export type PhoneSource = "trial" | "project";

/** What can be done with it; `start` installs the app where none is, and opens it anew. */
export type PhoneAction =
  | "start"
  | "kill"
  | "check"
  | "back"
  | "reset"
  | "publish"
  | "publish-broken";

/** Where an update is on its way: in the order of the client and the device. */
export type PhonePhase =
  | "idle"
  | "checking"
  | "verifying"
  | "staging"
  | "activating"
  | "booting";

/** What a person or an agent has done to the phone, in words that a story tells. */
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
  /** Trusted: what the phone goes back to. */
  readonly active: string | null;
  /** Staged, or on trial. */
  readonly pending: string | null;
  /** Trusted before the active one. */
  readonly previous: string | null;
  /** Quarantined, oldest first. */
  readonly rejected: readonly string[];
  /** Launches that the pending version has had. */
  readonly attempts: number;
  /** Those of them that were confirmed. */
  readonly confirmed: number;
}

/** What a check for an update answered. */
export interface PhoneCheck {
  /** The code of the answer. */
  readonly result: CheckResult["result"];
  /** The version that it is about. */
  readonly version: string | null;
  /** Why no update came; `null` where one did, or none was needed. */
  readonly detail: string | null;
}

/** The simulated phone, whole. */
export interface PhoneState {
  /** `empty`: no app is installed. `off`: it does not run. */
  readonly power: "empty" | "off" | "on";
  /** Whose updates its app takes; `null` without an app. */
  readonly source: PhoneSource | null;
  /** The action under way; `null` for none. */
  readonly doing: PhoneAction | null;
  /** Where an update, or a start, is on its way. */
  readonly phase: PhonePhase;
  /** The page of the app that runs, for a frame; `null` where none runs, or nothing can serve it. */
  readonly page: string | null;
  /** The version that it is of: `embedded`, or `v<N>`. */
  readonly serves: string | null;
  /** How its start went. */
  readonly boot: PhoneBoot;
  /** What is on the phone. */
  readonly versions: PhoneVersions;
  /** What the phone's private bucket has, oldest first. */
  readonly published: readonly PublishedVersion[];
  /** How far the staging under way is, or the last one was. */
  readonly staging: OtaProgress | null;
  /** What the last check for an update answered. */
  readonly check: PhoneCheck | null;
  /** What was done to the world around it. */
  readonly switches: PhoneSwitches;
  /** What happened, oldest first: the newest sixty. */
  readonly story: readonly PhoneEvent[];
}

/** A version in the phone's private bucket. */
export interface PublishedVersion {
  /** `v<N>`. */
  readonly version: string;
  /** Whether half of its first scene is missing, as in builds that break. */
  readonly isBroken: boolean;
}

/** What a person can do to the world around the phone. */
export interface PhoneSwitches {
  /** Whether there is a network. */
  readonly network: boolean;
  /** Whether nothing more fits onto its disk. */
  readonly diskFull: boolean;
  /** Whether the next start of the app fails. */
  readonly breakBoot: boolean;
}

/** What is asked of the phone. */
export interface PhoneRequest {
  /** Absent: only the switches are set. */
  readonly action?: PhoneAction | undefined;
  /** Of `start` and `reset`: another one than it has makes it another app, which is installed anew. */
  readonly source?: PhoneSource | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly network?: boolean | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly diskFull?: boolean | undefined;
  /** See {@linkcode PhoneSwitches}. */
  readonly breakBoot?: boolean | undefined;
}
