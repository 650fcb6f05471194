import { isLoopbackListener } from "../../core/loopback.ts";

/** Origin of a connection. */
export interface BridgeCaller {
  /** The address as the system formats it; empty if the server does not report it. */
  readonly address: string;
  /** The `Origin` of its page; `null` without one. */
  readonly origin: string | null;
}

/** Bounds of open connections. */
interface Most {
  readonly ofOne: number;
  readonly ofNetwork: number;
  readonly ofAll: number;
}

/** Counts open connections by caller, so that a caller with many does not keep others out. */
export class OpenConnections {
  readonly #most: Most;
  readonly #open = new Set<BridgeCaller>();

  /** @param most Connections of one caller, of one network, and of all. */
  constructor(most: Most) {
    this.#most = most;
  }

  /** Returns the exceeded bound for one more connection of a caller, or `null` if there is room. */
  excess(caller: BridgeCaller): { readonly found: number; readonly most: number } | null {
    const { ofOne, ofNetwork, ofAll } = this.#most;
    const [id, network] = [callerId(caller), networkOf(caller)];
    const counts = [
      [this.#count((one) => callerId(one) === id), ofOne],
      [this.#count((one) => networkOf(one) === network), ofNetwork],
      [this.#open.size, ofAll],
    ] as const;
    const over = counts.find(([found, most]) => found >= most);
    return over === undefined ? null : { found: over[0], most: over[1] };
  }

  /** Counts one in. @returns Counts it out. */
  add({ address, origin }: BridgeCaller): () => void {
    const one = { address, origin };
    this.#open.add(one);
    return () => void this.#open.delete(one);
  }

  #count(isMeant: (one: BridgeCaller) => boolean): number {
    return [...this.#open].filter(isMeant).length;
  }
}

/**
 * Returns the key of a caller: its address. All phones behind `adb reverse` come from loopback, as
 * do the pages of this machine's browsers, which cannot choose their origin: on loopback, the
 * origin counts too.
 */
export function callerId({ address, origin }: BridgeCaller): string {
  if (!isLoopbackListener(address)) return groupsOf(address).join(":");
  return origin === null ? "loopback" : `loopback, a page of ${origin}`; // one is called "null"
}

/**
 * Returns an IPv4 address, or the first 64 bits of an IPv6 address, within which a device chooses
 * its own addresses.
 */
function networkOf(caller: BridgeCaller): string {
  return isLoopbackListener(caller.address)
    ? callerId(caller)
    : groupsOf(caller.address).slice(0, 4).join(":");
}

/** The eight groups of an address of version 6; one of version 4, also a mapped one, is one group. */
function groupsOf(address: string): readonly string[] {
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return [mapped];
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return all.map((group) => group.replace(/^0+(?=.)/, ""));
}
