import { type Signal, signal } from "@preact/signals";
import type { Problem } from "../../core/problem.ts";
import { isRecord } from "../../core/json.ts";
import type { ReceivedChange } from "../wire/changes.ts";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService } from "../wire/service.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// The simulated phone's state in the service, loaded while it is shown.

/** Its state; missing texts are empty. */
export interface PagePhone {
  readonly power: "empty" | "off" | "on";
  readonly source: "" | "trial" | "project";
  /** The current action, or empty. */
  readonly doing: string;
  readonly phase: string;
  /** The address of the app's page. */
  readonly page: string;
  readonly serves: string;
  readonly boot: { readonly kind: string; readonly why: string };
  readonly versions: PagePhoneVersions;
  readonly published: readonly { readonly version: string; readonly isBroken: boolean }[];
  readonly staging: PhoneStaging | null;
  readonly switches: PagePhoneSwitches;
  readonly story: readonly PagePhoneEvent[];
}

/** Versions on the phone; empty if missing. */
export interface PagePhoneVersions {
  readonly embedded: string;
  readonly active: string;
  readonly pending: string;
  readonly previous: string;
  readonly rejected: readonly string[];
  readonly attempts: number;
  readonly confirmed: number;
}

/** Progress of a staging. */
export interface PhoneStaging {
  readonly version: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly filesDone: number;
  readonly filesTotal: number;
}

/** The world around the phone. */
export interface PagePhoneSwitches {
  readonly network: boolean;
  readonly diskFull: boolean;
  readonly breakBoot: boolean;
}

/** Something that happened. */
export interface PagePhoneEvent {
  readonly seq: number;
  readonly t: number;
  readonly mood: string;
  readonly text: string;
}

/** Arguments of `phone_do`. */
export type PhoneAsked = Readonly<Record<string, string | boolean>>;

/** The state last loaded; `null` before. */
export const phone: Signal<PagePhone | null> = signal(null);
/** Why the phone cannot be loaded or refused an action; otherwise `null`. */
export const phoneProblem: Signal<Problem | null> = signal(null);

const watched = signal(false);

/** Follows the phone. @returns Stops following. */
export function watchPhone(): () => void {
  watched.value = true;
  void loadPhone();
  return () => watched.value = false;
}

/** Reloads after the stream was interrupted. */
export function resumePhone(): void {
  if (watched.value) void loadPhone();
}

/** Takes a change of the stream. */
export function takePhone({ kind }: ReceivedChange): void {
  if (kind === "phone" && watched.value) void loadPhone();
}

/** Loads the phone's state. */
export const loadPhone: () => Promise<void> = oneAtATime(async () => {
  const answer = await callService("phone_state", { story: true });
  if (answer.ok) phone.value = phoneOf(answer.value);
  else phoneProblem.value = answer.error;
});

/** Runs an action. The stream also reports its result. */
export async function doPhone(asked: PhoneAsked): Promise<void> {
  phoneProblem.value = null;
  const answer = await callService("phone_do", asked);
  if (!answer.ok) phoneProblem.value = answer.error;
  await loadPhone();
}

function phoneOf(value: Readonly<Record<string, unknown>>): PagePhone {
  const { power, source, versions, boot, switches, staging } = value;
  return {
    power: power === "on" || power === "off" ? power : "empty",
    source: source === "trial" || source === "project" ? source : "",
    doing: textOrEmpty(value["doing"]),
    phase: textOrEmpty(value["phase"]),
    page: pageOf(value["page"]),
    serves: textOrEmpty(value["serves"]),
    boot: { kind: textOrEmpty(memberOf(boot, "kind")), why: textOrEmpty(memberOf(boot, "why")) },
    versions: {
      embedded: textOrEmpty(memberOf(versions, "embedded")),
      active: textOrEmpty(memberOf(versions, "active")),
      pending: textOrEmpty(memberOf(versions, "pending")),
      previous: textOrEmpty(memberOf(versions, "previous")),
      rejected: listOf(memberOf(versions, "rejected"), (one) => textOrEmpty(one) || null),
      attempts: numberOf(memberOf(versions, "attempts")),
      confirmed: numberOf(memberOf(versions, "confirmed")),
    },
    published: listOf(value["published"], (one) => ({
      version: textOrEmpty(memberOf(one, "version")),
      isBroken: memberOf(one, "isBroken") === true,
    })),
    staging: isRecord(staging)
      ? {
        version: textOrEmpty(staging["version"]),
        bytesDone: numberOf(staging["bytesDone"]),
        bytesTotal: numberOf(staging["bytesTotal"]),
        filesDone: numberOf(staging["filesDone"]),
        filesTotal: numberOf(staging["filesTotal"]),
      }
      : null,
    switches: {
      network: memberOf(switches, "network") !== false,
      diskFull: memberOf(switches, "diskFull") === true,
      breakBoot: memberOf(switches, "breakBoot") === true,
    },
    story: listOf(value["story"], (one) => ({
      seq: numberOf(memberOf(one, "seq")),
      t: numberOf(memberOf(one, "t")),
      mood: textOrEmpty(memberOf(one, "mood")),
      text: textOrEmpty(memberOf(one, "text")),
    })),
  };
}

/** An address of this machine, and no other scheme. */
function pageOf(value: unknown): string {
  const text = textOrEmpty(value);
  return text.startsWith("http://localhost:") ? text : "";
}
