import process from "node:process";

/** Whether this is the long run (`npm run soak`) and not the gate. */
export const soaking: boolean = process.env["SLIPWAY_SOAK"] === "1";

/**
 * True if the gate also runs this file under Deno, in full. Behaviour that no runtime decides is
 * then checked only in part, from a different seed.
 */
export const isSecond: boolean = !soaking && !("Deno" in globalThis);

/**
 * Returns the number of rounds of a repeated test: few in the gate, half as many in the second
 * runtime, many in the soak.
 */
export function rounds(gate: number, soak: number): number {
  if (soaking) return soak;
  return isSecond ? Math.ceil(gate / 2) : gate;
}

/**
 * Returns a stride n, so that one of n cases is tried: `gate` in the gate, twice as many in the
 * second runtime, 1 in the soak.
 */
export function stride(gate: number): number {
  if (soaking) return 1;
  return isSecond ? 2 * gate : gate;
}
