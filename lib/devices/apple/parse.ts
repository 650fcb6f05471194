import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { plainText } from "../../core/plain-text.ts";
import type { LogLevel } from "../../device-bridge/mod.ts";
import type { LogLine } from "../logs/device-log.ts";

// Parsers of the output of Xcode's programs, in the format that their help declares stable: JSON.

/** A booted simulator, or a device that Xcode knows. */
export interface AppleDevice {
  readonly id: string;
  readonly name: string;
  /** Whether it can be reached now. */
  readonly isConnected: boolean;
}

/** Identifiers as Apple makes them: a UUID, or the two parts of a device's own. */
const ID =
  /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$|^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{16}$/;
const MAX_NAME = 100;

/** `simctl list devices booted --json`. */
export function parseSimulators(text: string): readonly AppleDevice[] {
  const parsed = parseJson(text);
  const byRuntime = isRecord(parsed) && isRecord(parsed["devices"]) ? parsed["devices"] : {};
  return Object.values(byRuntime).flatMap((list) => Array.isArray(list) ? list : []).flatMap(
    (one: unknown) => {
      const { udid, name, state } = isRecord(one) ? one : {};
      return deviceOf(udid, name, state === "Booted");
    },
  ).filter(({ isConnected }) => isConnected);
}

/** `devicectl list devices --json-output FILE`, of phones and tablets. */
export function parseConnected(text: string): readonly AppleDevice[] {
  const parsed = parseJson(text);
  const result = isRecord(parsed) ? parsed["result"] : undefined;
  const list = isRecord(result) ? result["devices"] : undefined;
  return (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
    if (!isRecord(one)) return [];
    const { identifier, deviceProperties, hardwareProperties, connectionProperties } = one;
    const { name } = isRecord(deviceProperties) ? deviceProperties : {};
    const { platform } = isRecord(hardwareProperties) ? hardwareProperties : {};
    const { tunnelState, pairingState } = isRecord(connectionProperties)
      ? connectionProperties
      : {};
    if (platform !== "iOS") return [];
    return deviceOf(identifier, name, pairingState === "paired" && tunnelState !== "unavailable");
  });
}

function deviceOf(id: unknown, name: unknown, isConnected: boolean): readonly AppleDevice[] {
  if (typeof id !== "string" || !ID.test(id)) return [];
  return [{ id, name: typeof name === "string" ? plainText(name, MAX_NAME) : id, isConnected }];
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  Debug: "debug",
  Info: "info",
  Error: "error",
  Fault: "error",
};

/** A line of `log show --style ndjson`: an object; `null` for any other. */
export function parseSystemLog(line: string): LogLine | null {
  const entry = parseJson(line);
  if (!isRecord(entry)) return null;
  const { timestamp, messageType, eventMessage, processImagePath } = entry;
  const t = typeof timestamp === "string" ? timeOf(timestamp) : NaN;
  if (Number.isNaN(t) || typeof eventMessage !== "string") return null;
  const level = typeof messageType === "string" ? LEVELS[messageType] ?? "log" : "log";
  const tag = typeof processImagePath === "string" ? processImagePath.split("/").at(-1) ?? "" : "";
  return { t, level, text: eventMessage, ...(tag !== "" && { tag }) };
}

/** `2026-05-01 10:00:00.123456-0700` as milliseconds since the epoch; `NaN` for anything else. */
function timeOf(text: string): number {
  const [, day, time, hours, minutes] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}\.\d{3})\d*([+-]\d{2}):?(\d{2})$/.exec(text) ?? [];
  return Date.parse(`${day}T${time}${hours}:${minutes}`);
}
