import process from "node:process";

export { type Random, seededRandom } from "../../scripts/bench/random.ts";

/** The seed of this run: `SLIPWAY_SEED`, else the clock's. Tests print it when they fail. */
export function runSeed(): number {
  const given = Number(process.env["SLIPWAY_SEED"]);
  return Number.isSafeInteger(given) && given > 0 ? given : Date.now() % 2 ** 32;
}
