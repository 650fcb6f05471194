import { escapeInvisible, invisibleIn } from "./invisible.ts";
import { checkPath, type PathFailureCode, refusePath } from "./paths.ts";
import { type Failure, ok, type Result } from "./result.ts";

// Rules for a path on a developer's machine, in addition to those of a phone (paths.ts), before a
// file is created there. Separate from paths.ts, because old web views do not support the features
// used here.

/** Why a path that is yet to be made is refused. */
export type NewPathFailureCode =
  | PathFailureCode
  | "hidden"
  | "windows-name"
  | "invisible-character";

// A device name with any extension, and spaces before it.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9¹²³]|lpt[1-9¹²³]) *(?:\.|$)/i;

/** Whether Windows takes a name for a device, such as `CON`, `nul.txt` or `COM1`. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}

/**
 * Checks the path of a new file or folder: all of {@linkcode checkPath}, and that every system
 * shows, accepts and reads it alike. Refuses hidden segments (listings of a project skip them, and
 * `.env` or `.git` is never an asset), and names that Windows reads differently: device names,
 * `<>:"|?*`, a dot or a space at the end (Win32 naming conventions).
 */
export function checkNewPath(path: string): Result<string, Failure<NewPathFailureCode>> {
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const invisible = invisibleIn(path);
  if (invisible !== null) {
    return refusePath(
      escapeInvisible(path),
      "invisible-character",
      `it has the invisible character ${invisible}`,
    );
  }
  for (const segment of path.split("/")) {
    const shown = JSON.stringify(segment.slice(0, 120));
    if (segment.startsWith(".")) return refusePath(path, "hidden", `${shown} begins with a dot`);
    const sign = /[<>:"|?*]/.exec(segment)?.[0];
    const why = isDeviceName(segment)
      ? `${shown} is a device on Windows`
      : sign !== undefined
      ? `${shown} has a ${sign}, which Windows refuses in names`
      : /[. ]$/.test(segment)
      ? `${shown} ends in a dot or a space, which Windows leaves out`
      : null;
    if (why !== null) return refusePath(path, "windows-name", why);
  }
  return ok(path);
}
