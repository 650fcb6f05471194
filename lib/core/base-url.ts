import { isLoopback } from "./loopback.ts";

/** A name or an address; the policy of a built page contains the host literally. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

/**
 * An address as it must be spelled, for paths are put behind it as it is: `URL` also takes spaces around
 * it and `https:host`, which leads a page of https back to itself.
 */
const SPELLED = /^https?:\/\/[^\p{C}\s\\/?#@]+(?:\/[^\p{C}\s\\?#]*)?$/iu;

/** Why players cannot fetch from an address. */
export type BaseUrlFault = "no-address" | "insecure";

/**
 * Checks whether players can fetch from an address (CHECK-16): https, or http on loopback, without
 * query, fragment and credentials. On plain HTTP others on the way can replace the content.
 *
 * @returns `null` if they can.
 */
export function baseUrlFault(text: string): BaseUrlFault | null {
  if (!SPELLED.test(text) || !URL.canParse(text)) return "no-address";
  const { protocol, hostname } = new URL(text);
  if (!HOST.test(hostname)) return "no-address";
  return protocol === "https:" || isLoopback(hostname) ? null : "insecure";
}
