import type { Platform } from "../../ports/host.ts";
import type { EnvOverride, Places } from "./descriptor.ts";

// Parts of several tools' descriptors.

/** Deadline of most programs for reporting their version, in milliseconds. */
export const QUICK_MS = 10_000;
/** Deadline of programs that start a JavaScript or Ruby runtime, on a cold and busy machine. */
export const SLOW_MS = 30_000;

/** No folder on any platform. */
export const NOWHERE: Places = { darwin: [], linux: [], win32: [] };

/** An app started from the desktop has no Homebrew on its PATH. */
export const HOMEBREW: Places = {
  darwin: ["/opt/homebrew/bin", "/usr/local/bin"],
  linux: [],
  win32: [],
};

/** The same folders on every platform. */
export function everywhere(...places: readonly string[]): Places {
  return { darwin: places, linux: places, win32: places };
}

/** A variable of this editor that names the tool. */
export function editorEnv(name: string): readonly EnvOverride[] {
  return [{ name, scope: "editor" }];
}

/** The text for one of the platforms. */
export function onPlatform(platform: Platform, text: Readonly<Record<Platform, string>>): string {
  return text[platform];
}
