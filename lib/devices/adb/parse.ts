import { plainText } from "../../core/plain-text.ts";
import type { LogLevel } from "../../device-bridge/mod.ts";
import type { LogLine } from "../logs/device-log.ts";
import type { Screen, ScreenSize } from "../screen/screen.ts";

// Parsers of the output of adb and of a phone's programs. Lines that do not parse are skipped:
// phones print more than was requested.

/** A phone in the list of adb. */
export interface ListedPhone {
  readonly serial: string;
  /** `device`, `offline`, `unauthorized`, …; `no permissions` as one. */
  readonly state: string;
  /** For people; the serial number if the phone reports no model. */
  readonly model: string;
}

/** States that adb reports; a line without one of them does not list a phone. */
const STATES =
  "no permissions|device|offline|unauthorized|authorizing|connecting|bootloader|recovery|sideload|rescue|host|unknown";
const LISTED = new RegExp(`^(\\S+)\\s+(${STATES})\\b(.*)$`);
/** Serial numbers that may be passed to adb. */
const SERIAL = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** `adb devices -l`: a line a phone, after one of its own. */
export function parseDevices(text: string): readonly ListedPhone[] {
  return lines(text).flatMap((line) => {
    const [, serial = "", state = "", rest = ""] = LISTED.exec(line) ?? [];
    if (!SERIAL.test(serial) || line.startsWith("*")) return [];
    const model = /\bmodel:(\S{1,100})/.exec(rest)?.[1]?.replaceAll("_", " ") ?? serial;
    return [{ serial, state, model: plainText(model, 100) }];
  });
}

/** Parses `wm size`: the override size if set. Its size is that of the unrotated phone. */
function parseSize(text: string): ScreenSize | null {
  const sizes = [...text.matchAll(/^(?:Physical|Override) size: (\d{1,5})x(\d{1,5})\s*$/gm)];
  const [, width, height] = sizes.at(-1) ?? [];
  return sizeOf(width, height);
}

/** `wm density`: dots per inch. */
function parseDensity(text: string): number | null {
  const found = [...text.matchAll(/^(?:Physical|Override) density: (\d{2,4})\s*$/gm)];
  const density = Number(found.at(-1)?.[1] ?? 0);
  return density > 0 ? density : null;
}

/** `dumpsys window displays`: the first display as it is turned now. */
function parseDisplay(text: string): ScreenSize & { readonly rotation: number } | null {
  const [, width, height] = /\bcur=(\d{1,5})x(\d{1,5})\b/.exec(text) ?? [];
  const size = sizeOf(width, height);
  const degrees = /\bm(?:Current|Display)?Rotation=ROTATION_(0|90|180|270)\b/.exec(text)?.[1];
  const quarters = /\b(?:m(?:Current|Display)?R|r)otation=([0-3])\b/.exec(text)?.[1];
  if (size === null) return null;
  return { ...size, rotation: Number(degrees ?? Number(quarters ?? 0) * 90) };
}

/** Density in dots per inch at which a pixel is a point. */
const POINT_DENSITY = 160;

/**
 * Returns the screen of a phone from the output of `dumpsys window displays`, `wm size` and `wm
 * density`.
 */
export function screenOf(text: string): Screen | null {
  const [turned, upright] = [parseDisplay(text), parseSize(text)];
  const screen = turned ?? (upright === null ? null : { ...upright, rotation: 0 });
  if (screen === null) return null;
  const unitsPerPoint = (parseDensity(text) ?? POINT_DENSITY) / POINT_DENSITY;
  return { ...screen, unitsPerPoint };
}

function sizeOf(width: string | undefined, height: string | undefined): ScreenSize | null {
  const size = { width: Number(width ?? 0), height: Number(height ?? 0) };
  return size.width > 0 && size.height > 0 ? size : null;
}

/** A socket on which a web view lets itself be debugged. */
export interface DebugSocket {
  /** Its name, without the `@`. */
  readonly name: string;
  /** The process of its app. */
  readonly pid: number;
}

/** `/proc/net/unix`: the web views that let themselves be debugged, each once. */
export function parseDebugSockets(text: string): readonly DebugSocket[] {
  const found = new Map<string, DebugSocket>();
  for (const [, name = "", pid] of text.matchAll(/@(webview_devtools_remote_(\d{1,10}))\s*$/gm)) {
    found.set(name, { name, pid: Number(pid) });
  }
  return [...found.values()];
}

/** Levels of logcat. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  V: "debug",
  D: "debug",
  I: "info",
  W: "warn",
  E: "error",
  F: "error",
  A: "error",
};
/** Seconds since the epoch, process, thread, level; the tag, a colon and the text follow. */
const LOGCAT = /^\s*(\d{6,12}\.\d{3,9})\s+\d+\s+\d+\s+([VDIWEFA])\s/;

/** Parses a line of `logcat -v epoch`; `null` for its headings and for continuation lines. */
export function parseLogcat(line: string): LogLine | null {
  const [head = "", seconds, letter = ""] = LOGCAT.exec(line) ?? [];
  const level = LEVELS[letter];
  const colon = line.indexOf(":", head.length);
  if (seconds === undefined || level === undefined || colon < 0) return null;
  const text = line.slice(colon + 1);
  return {
    t: Math.round(Number(seconds) * 1000),
    level,
    text: text.startsWith(" ") ? text.slice(1) : text,
    tag: line.slice(head.length, colon).trim(),
  };
}

function lines(text: string): readonly string[] {
  return text.split(/\r?\n/);
}
