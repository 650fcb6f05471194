import { type Signal, signal } from "@preact/signals";
import type { Problem } from "../../core/problem.ts";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService } from "../wire/service.ts";

// Devices that are connected, as the service reaches them.

/** A device in the list; missing texts are empty. */
export interface PageDevice {
  readonly id: string;
  readonly name: string;
  readonly transport: string;
  readonly state: string;
  readonly can: readonly string[];
  /** The next step if it cannot be used. */
  readonly next: string;
}

/** A picture of a screen. */
export interface Screenshot {
  /** URL of the picture. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** A line of a log. */
export interface DeviceLine {
  readonly seq: number;
  readonly t: number;
  readonly level: string;
  readonly tag: string;
  readonly text: string;
}

/** The devices last found; `null` before. */
export const devices: Signal<readonly PageDevice[] | null> = signal(null);
/** Reasons why the service does not see more. */
export const deviceNotes: Signal<readonly string[]> = signal([]);
/** Number of apps that wait to be paired. */
export const waitingApps: Signal<number> = signal(0);
/** End of pairing, in milliseconds since 1970; `null` unless it was opened for a time. */
export const pairingEnds: Signal<number | null> = signal(null);
/** Whether `devices.bridge` of the project lets apps in. */
export const isBridgeSet: Signal<boolean> = signal(false);
/** Why there is no list, or no pairing; `null` for neither. */
export const devicesProblem: Signal<Problem | null> = signal(null);
/** Whether a search is in progress. */
export const isLookingForDevices: Signal<boolean> = signal(false);

/**
 * Searches for devices on the user's request. @param asked To pair one by its code, or to forget
 * one.
 */
export async function loadDevices(
  asked: { readonly pair?: string; readonly forget?: string } = {},
): Promise<boolean> {
  isLookingForDevices.value = true;
  devicesProblem.value = null;
  const succeeded = await lookForDevices(asked);
  isLookingForDevices.value = false;
  return succeeded;
}

/** Keeps the list current while it is visible: unplugged devices disappear. */
export async function lookForDevices(
  asked: { readonly pair?: string; readonly forget?: string } = {},
  signal?: AbortSignal,
): Promise<boolean> {
  const answer = await callService("device_list", asked, signal);
  if (signal?.aborted === true) return false;
  if (!answer.ok) {
    devicesProblem.value = answer.error;
    return false;
  }
  devices.value = listOf(answer.value["devices"], deviceOf);
  waitingApps.value = numberOf(answer.value["waiting"]);
  const open = answer.value["open"];
  isBridgeSet.value = textOrEmpty(memberOf(open, "by")) === "devices.bridge";
  const secondsLeft = numberOf(memberOf(open, "secondsLeft"));
  pairingEnds.value = secondsLeft > 0 ? Date.now() + secondsLeft * 1_000 : null;
  deviceNotes.value = listOf(answer.value["notes"], (note) => textOrEmpty(note) || null);
  return true;
}

function deviceOf(value: unknown): PageDevice | null {
  const id = textOrEmpty(memberOf(value, "id"));
  return id === "" ? null : {
    id,
    name: textOrEmpty(memberOf(value, "name")) || id,
    transport: textOrEmpty(memberOf(value, "transport")),
    state: textOrEmpty(memberOf(value, "state")),
    can: listOf(memberOf(value, "can"), (one) => textOrEmpty(one) || null),
    next: textOrEmpty(memberOf(value, "next")),
  };
}

/** Takes a picture of a device's screen. */
export async function screenshotOf(
  device: string,
  signal: AbortSignal,
): Promise<Screenshot | Problem> {
  const answer = await callService("device_screenshot", { device }, signal);
  if (!answer.ok) return answer.error;
  return {
    url: textOrEmpty(answer.value["url"]),
    width: numberOf(answer.value["width"], 1),
    height: numberOf(answer.value["height"], 1),
  };
}

/** The lines of a log after a number. */
export async function linesOf(
  device: string,
  kind: "console" | "native",
  { since, signal }: { readonly since: number; readonly signal: AbortSignal },
): Promise<readonly DeviceLine[] | Problem> {
  const more = since > 0 ? { since } : {};
  const answer = await callService(`device_${kind}_logs`, { device, limit: 200, ...more }, signal);
  return answer.ok ? listOf(answer.value["entries"], lineOf) : answer.error;
}

function lineOf(value: unknown): DeviceLine {
  return {
    seq: numberOf(memberOf(value, "seq")),
    t: numberOf(memberOf(value, "t")),
    level: textOrEmpty(memberOf(value, "level")),
    tag: textOrEmpty(memberOf(value, "tag")),
    text: textOrEmpty(memberOf(value, "text")),
  };
}
