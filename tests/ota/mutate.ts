import { joined } from "../support/hostile-zips.ts";
import type { Random } from "../support/random.ts";

/** An archive with a bit, a byte or a piece of it changed by chance. */
export function mutate(
  zip: Uint8Array<ArrayBuffer>,
  { next, below }: Random,
): Uint8Array<ArrayBuffer> {
  const at = below(zip.length);
  if (next() < 0.6) { // a bit, or a byte to one of the values that matter
    const byte = zip[at] ?? 0;
    zip[at] = next() < 0.5 ? byte ^ 1 << below(8) : [0, 1, 0x7f, 0x80, 0xff][below(5)] ?? 0;
    return zip;
  }
  if (next() < 0.3) return zip.slice(0, Math.max(1, at));
  const from = below(zip.length);
  const piece = zip.slice(from, from + below(40)); // moved, doubled or cut out
  return joined([zip.slice(0, at), piece, zip.slice(at + (next() < 0.5 ? piece.length : 0))]);
}
