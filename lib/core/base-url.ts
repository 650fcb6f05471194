import { isLoopback } from "./loopback.ts";

/** A name or an address: the host is written into the policy of a built page, and means itself there. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

/**
 * An address as it must be spelled, for paths are put behind it as it is: `URL` also takes spaces around
 * it and `https:host`, which leads a page of https back to itself.
 */
const SPELLED = /^https?:\/\/[^\p{C}\s\\/?#@]+(?:\/[^\p{C}\s\\?#]*)?$/iu;

/** Why players cannot fetch from an address. */
export type BaseUrlFault = "no-address" | "insecure";

/**
 * Whether players can fetch from there (CHECK-16): an address of https, or of http on loopback, without
 * query, fragment and credentials. What comes over plain HTTP others on the way can replace.
 *
 * @returns `null` where they can.
 */
export function baseUrlFault(text: string): BaseUrlFault | null {
  if (!SPELLED.test(text) || !URL.canParse(text)) return "no-address";
  const { protocol, hostname } = new URL(text);
  if (!HOST.test(hostname)) return "no-address";
  return protocol === "https:" || isLoopback(hostname) ? null : "insecure";
}
