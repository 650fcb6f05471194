import { isRecord, own } from "../../core/json.ts";
import type { LogLevel } from "../../device-bridge/mod.ts";
import type { LogLine } from "../logs/device-log.ts";
import type { Fields } from "./client.ts";

// Parses console output of a page from events of the DevTools protocol.

const MAX_TEXT = 2_000;
const MAX_VALUES = 20;
/** Members of a value that are shown; engines name no more in a preview. */
const MAX_MEMBERS = 100;

/** Levels that the protocol calls otherwise; all else is a `log`. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  verbose: "debug",
  debug: "debug",
  info: "info",
  warning: "warn",
  error: "error",
  assert: "error",
};

/** Returns the line of a console event, or `null` for other events. */
export function consoleLine(method: string, params: Fields): LogLine | null {
  switch (method) {
    case "Runtime.consoleAPICalled": {
      const { type, args, timestamp } = params;
      const values: readonly unknown[] = Array.isArray(args) ? args.slice(0, MAX_VALUES) : [];
      const texts = values.map((value) => textOf(value).slice(0, MAX_TEXT));
      return line(timestamp, type, texts.join(" "));
    }
    case "Runtime.exceptionThrown": {
      const { timestamp, exceptionDetails } = params;
      return line(timestamp, "error", exceptionText(exceptionDetails));
    }
    case "Log.entryAdded": {
      const entry = params["entry"];
      if (!isRecord(entry)) return null;
      const { timestamp, level, text, url } = entry;
      const where = typeof url === "string" && url !== "" ? ` (${url.slice(0, 300)})` : "";
      return line(timestamp, level, `${wordOf(text)}${where}`);
    }
    default:
      return null;
  }
}

/** An exception in its own words. */
export function exceptionText(details: unknown): string {
  if (!isRecord(details)) return "an exception";
  const { text, exception } = details;
  const description = isRecord(exception) ? textOf(exception) : "";
  return [typeof text === "string" ? text : "", description].filter((part) => part !== "").join(
    " ",
  );
}

function line(timestamp: unknown, type: unknown, text: string): LogLine | null {
  if (typeof timestamp !== "number") return null;
  const level = typeof type === "string" ? own(LEVELS, type) ?? "log" : "log";
  return { t: Math.round(timestamp), level, text: text.slice(0, MAX_TEXT) };
}

/** A value of the page, as its console shows it. */
function textOf(value: unknown): string {
  if (!isRecord(value)) return "";
  const { value: plain, unserializableValue, description, preview } = value;
  if (typeof plain === "string") return plain;
  if (typeof unserializableValue === "string") return unserializableValue;
  if (isRecord(preview) && value["subtype"] !== "error") return previewText(preview);
  if (typeof description === "string") return description;
  return wordOf(plain === undefined ? value["type"] : plain);
}

/** Returns a text, a number or the like as text; an object, which may not convert, is empty. */
function wordOf(value: unknown): string {
  return typeof value === "object" && value !== null ? "" : String(value);
}

function previewText(preview: Fields): string {
  const { properties, overflow, subtype } = preview;
  const members: readonly unknown[] = Array.isArray(properties)
    ? properties.slice(0, MAX_MEMBERS)
    : [];
  const shown = members.filter(isRecord).map((
    { name, value },
  ) => subtype === "array" ? wordOf(value) : `${wordOf(name)}: ${wordOf(value)}`);
  const all = [...shown, ...(overflow === true ? ["…"] : [])].join(", ");
  return subtype === "array" ? `[${all}]` : `{${all}}`;
}
