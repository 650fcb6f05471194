import { spawn } from "node:child_process";
import type { Platform } from "../../lib/ports/host.ts";

/** Where a person may see a window, and how one is asked for. */
export interface Screen {
  readonly platform: Platform;
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
}

/**
 * What opens an address in the person's browser. No shell takes part, and the address is our own.
 *
 * @returns The program with its arguments; `null` where nobody would see a window.
 */
export function openerOf({ platform, env }: Screen, url: string): readonly string[] | null {
  switch (platform) {
    case "darwin":
      return env("SSH_CONNECTION") === undefined ? ["open", url] : null;
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", url];
    case "linux":
      return env("DISPLAY") || env("WAYLAND_DISPLAY") ? ["xdg-open", url] : null;
  }
}

/** Opens an address where that can be done; who sees no window has the address. */
export function openAddress(screen: Screen, url: string): void {
  const [program, ...args] = openerOf(screen, url) ?? [];
  if (program === undefined) return;
  // The browser may be a child of it, and outlives this process.
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
}
