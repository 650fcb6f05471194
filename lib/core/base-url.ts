import { isLoopback } from "./loopback.ts";

/** A name or an address: the host is written into the policy of a built page, and means itself there. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

/** Why an address is none that players fetch from. */
export type BaseUrlFault = "no-address" | "insecure";

/**
 * Whether players can fetch from there (CHECK-16): an address of https, or of http on loopback, without
 * query, fragment and credentials. What comes over plain HTTP others on the way can replace.
 *
 * @returns `null` where they can.
 */
export function baseUrlFault(text: string): BaseUrlFault | null {
  if (!URL.canParse(text)) return "no-address";
  const { protocol, hostname, username, password } = new URL(text);
  // Paths are put behind it, so a query or a fragment, also an empty one, would swallow them.
  if (/[?#]/.test(text) || username !== "" || password !== "") return "no-address";
  if (!/^https?:$/.test(protocol) || !HOST.test(hostname)) return "no-address";
  return protocol === "https:" || isLoopback(hostname) ? null : "insecure";
}
