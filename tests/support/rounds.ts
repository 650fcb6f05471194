import process from "node:process";

/** Whether this is the long run (`npm run soak`) and not the gate. */
export const soaking: boolean = process.env["SLIPWAY_SOAK"] === "1";

/**
 * Whether the gate runs the same under Deno as well, and whole: what is decided by no runtime is then
 * looked at in part, from a seed of its own.
 */
export const isSecond: boolean = !soaking && !("Deno" in globalThis);

/** How many rounds a repeated test goes: few in the gate, half of them the second time, many in the soak. */
export function rounds(gate: number, soak: number): number {
  if (soaking) return soak;
  return isSecond ? Math.ceil(gate / 2) : gate;
}

/** Of how many cases one is tried: of `gate` in the gate, of twice as many the second time; all in the soak. */
export function stride(gate: number): number {
  if (soaking) return 1;
  return isSecond ? 2 * gate : gate;
}
