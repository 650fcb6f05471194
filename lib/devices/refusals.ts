import { type Problem, refuse } from "../core/problem.ts";
import type { Result } from "../core/result.ts";
import type { DeviceEntry } from "./types/device.ts";

/** Next step while an app waits to be paired. */
export const PAIR_NEXT =
  "Read the code on the app's screen, and call device_list with pair=<the code>";

/** Refuses an id that no device has. @returns 404 `no-such-device`. */
export function noSuchDevice(id: string, entries: readonly DeviceEntry[]): Problem {
  const refused = refuse(
    404,
    "no-such-device",
    `There is no device ${JSON.stringify(id.slice(0, 80))}; there are: ${namesOf(entries)}`,
    "Give the id of one of them, or call device_list",
  );
  return refused.error;
}

/**
 * Refuses a call while no device can be used.
 *
 * @param notes Why a transport has none.
 * @param waiting Apps that wait to be paired.
 * @returns 422 `no-device`.
 */
export function noDevice(
  entries: readonly DeviceEntry[],
  notes: readonly string[],
  waiting: number,
): Result<never, Problem> {
  const unusable = entries.find(({ next }) => next !== undefined);
  const detail = entries.length === 0
    ? `No device is connected. ${notes.join(". ")}`
    : `No device can be used yet; there are: ${namesOf(entries)}`;
  const hint = waiting > 0 ? PAIR_NEXT : unusable?.next ??
    "Plug in an Android phone with USB debugging, or open a build with devices.bridge; " +
      "the simulated phone is driven by phone_do";
  return refuse(422, "no-device", detail, hint);
}

/** Lists devices by id, name, and state unless ready. */
export function namesOf(entries: readonly DeviceEntry[]): string {
  const named = entries.map(({ id, name, state }) =>
    `${id} (${name}${state === "ready" ? "" : `, ${state}`})`
  );
  return named.length === 0 ? "none" : named.join(", ");
}
