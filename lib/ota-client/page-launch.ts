import { isRecord } from "../core/json.ts";
import type { NativeUpdater } from "../ota-format/mod.ts";

/** Globals of a page: the app puts its launch there before the page's first script. */
type PageGlobals = typeof globalThis & { readonly slipwayLaunch?: unknown };

/** A launch as the page or the plugin reports it: no member of it is checked yet. */
export type ToldLaunch = Readonly<Record<string, unknown>>;

/**
 * The launch that served this page, or the plugin's newest one if no document-start script set it
 * (NAT-7).
 */
export function launchOf({ launch }: { readonly launch?: unknown }): ToldLaunch {
  const { slipwayLaunch: own }: PageGlobals = globalThis;
  return isRecord(own) ? own : isRecord(launch) ? launch : {};
}

/**
 * Confirms that this version boots; call it on the first frame that a player can use. It confirms
 * the launch that served this very page, and does nothing in a page without a launch.
 */
export async function confirmLaunch(
  native: Pick<NativeUpdater, "getState" | "confirmBoot">,
): Promise<void> {
  const own = launchOf({});
  const { name, token } = "token" in own ? own : launchOf(await native.getState({}));
  if (typeof name === "string" && typeof token === "string") {
    await native.confirmBoot({ name, token });
  }
}
