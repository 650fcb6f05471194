import process from "node:process";

/** Whether this is the long run (`npm run soak`) and not the gate. */
export const soaking: boolean = process.env["SLIPWAY_SOAK"] === "1";

/** How many rounds a repeated test goes: few in the gate, many in the soak. */
export function rounds(gate: number, soak: number): number {
  return soaking ? soak : gate;
}
