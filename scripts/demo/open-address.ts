import { spawn } from "node:child_process";
import type { Platform } from "../../lib/ports/host.ts";

/** The environment in which a window might be visible. */
export interface Screen {
  readonly platform: Platform;
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
}

/**
 * Returns the command that opens an address in the user's browser. It uses no shell, and the
 * address is trusted.
 *
 * @returns The program with its arguments; `null` if no window would be visible.
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

/** Opens an address if possible; otherwise the user has the printed address. */
export function openAddress(screen: Screen, url: string): void {
  const [program, ...args] = openerOf(screen, url) ?? [];
  if (program === undefined) return;
  // The browser may be a child of it, and outlives this process.
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
}
