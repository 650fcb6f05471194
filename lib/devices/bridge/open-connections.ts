/** The bound of connections that are open at once. */
interface Most {
  readonly ofOne: number;
  readonly ofAll: number;
}

/**
 * Counts connections by the network that they come from, so that whoever keeps many open keeps out
 * nobody of another network.
 */
export class OpenConnections {
  readonly #most: Most;
  readonly #open = new Map<string, number>();

  /** @param most Connections of one network, and of all of them. */
  constructor(most: Most) {
    this.#most = most;
  }

  /** How many are too many already for one more from there; `null` where there is room. */
  excess(address: string): { readonly found: number; readonly most: number } | null {
    const ofOne = this.#open.get(networkOf(address)) ?? 0;
    const ofAll = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    if (ofOne >= this.#most.ofOne) return { found: ofOne, most: this.#most.ofOne };
    return ofAll >= this.#most.ofAll ? { found: ofAll, most: this.#most.ofAll } : null;
  }

  /** Counts one in. @returns Counts it out; to be called once. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#count(network, 1);
    return () => this.#count(network, -1);
  }

  #count(network: string, change: 1 | -1): void {
    const count = (this.#open.get(network) ?? 0) + change;
    if (count > 0) this.#open.set(network, count);
    else this.#open.delete(network);
  }
}

/** An address of version 4; of version 6 its first 64 bits, of which a machine has all addresses. */
function networkOf(address: string): string {
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped.startsWith("127.") ? "loopback" : mapped;
  if (address === "::1") return "loopback";
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
