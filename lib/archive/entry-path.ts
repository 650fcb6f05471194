import { encodeUtf8, isWellFormed } from "../core/bytes.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Platform } from "../ports/host.ts";

// The allowed names of entries of a tool's archive. Unlike those of a bundle (lib/core/paths.ts)
// they need not be valid on every machine: a Linux tool may have `a:b`, and `Case` beside `case`.

/** The longest name that every file system takes, in UTF-8 bytes. */
const SEGMENT_BYTES = 255;
/** Well below Linux's bound of a path (4,096), to leave room for the folder before it. */
const PATH_BYTES = 2_048;
/** Segments of one path: deeper trees are made to break programs. */
const DEPTH = 128;

// C0, DEL and C1. The second range cannot be typed, so no editor shows what it does.
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const DRIVE = /^[A-Za-z]:/;
/** Devices of Windows, in every folder and with any ending; some with superscript digits. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\.|$)/i;

/**
 * Splits an entry's name into segments for a platform, and drops `.` and empty ones.
 *
 * @returns Or the fault of the name, as the end of a sentence about the entry.
 */
export function entryPath(name: string, platform: Platform): Result<readonly string[], string> {
  const wrong = textFault(name) ??
    (name.startsWith("/") ? "is an absolute path, expected a relative one" : null);
  if (wrong !== null) return err(wrong);
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length > DEPTH) {
    return err(`lies ${segments.length} folders deep, expected at most ${DEPTH}`);
  }
  const bytes = encodeUtf8(name).length;
  if (bytes > PATH_BYTES) return err(`is a path of ${bytes} bytes, expected at most ${PATH_BYTES}`);
  for (const segment of segments) {
    const fault = segmentFault(segment, platform);
    if (fault !== null) return err(fault);
  }
  return ok(segments);
}

/**
 * Splits a symbolic link's target into segments, and keeps `..`: the tree decides whether they lead
 * outside.
 *
 * @returns Or the fault of the target.
 */
export function linkTarget(target: string): Result<readonly string[], string> {
  if (target === "") return err("is a link to nothing, expected a relative path");
  const quoted = JSON.stringify(target.slice(0, 120));
  if (target.startsWith("/")) {
    return err(`is a link to the absolute path ${quoted}, expected a relative one`);
  }
  const fault = textFault(target);
  if (fault !== null) return err(`is a link to ${quoted}, which ${fault}`);
  const bytes = encodeUtf8(target).length;
  if (bytes > PATH_BYTES) {
    return err(`is a link to a path of ${bytes} bytes, expected at most ${PATH_BYTES}`);
  }
  return ok(target.split("/").filter((segment) => segment !== "" && segment !== "."));
}

/** Names that are one on the platform's usual file system have one key. */
export function nameKey(segment: string, platform: Platform): string {
  if (platform === "linux") return segment;
  return segment.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC"); // ß is ss, ſ is s
}

/** Finds a fault that no name may have on any platform. */
function textFault(text: string): string | null {
  if (CONTROL.test(text)) return "has a control character, expected none";
  if (text.includes("\ufffd") || !isWellFormed(text)) return "is not UTF-8, expected that";
  if (text.includes("\\")) return "has a backslash, expected / between names";
  // On Windows `C:..` is relative to the drive's current folder.
  return DRIVE.test(text) ? "starts with a drive letter, expected a relative path" : null;
}

function segmentFault(segment: string, platform: Platform): string | null {
  if (segment === "..") return "has a '..' segment, expected a path that stays inside";
  const bytes = encodeUtf8(segment).length;
  if (bytes > SEGMENT_BYTES) {
    return `has a name of ${bytes} bytes, expected at most ${SEGMENT_BYTES}`;
  }
  if (platform !== "win32") return null;
  const bad = /[<>:"|?*]/.exec(segment)?.[0];
  if (bad !== undefined) return `has a '${bad}', expected only what Windows can store`;
  if (/[. ]$/.test(segment)) {
    return "has a name that ends with a dot or a space, expected only what Windows can store";
  }
  return DEVICE.test(segment)
    ? "has the name of a Windows device, expected only what Windows can store"
    : null;
}
