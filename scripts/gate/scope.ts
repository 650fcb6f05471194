import { changesBetween, changesSince, type Checkout, readCheckout } from "./checkout.ts";
import type { Machine } from "./context.ts";
import { readGreen } from "./green.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { createReach, type Reach } from "./reach.ts";

/** The scope of a run: the state of the checkout, its dependencies, and what a change reaches. */
export interface Scope {
  readonly checkout: Checkout;
  readonly inputs: Inputs;
  /** `null` if everything of the extent runs. */
  readonly reach: Reach | null;
  /** The base of the comparison, in words; empty if everything runs. */
  readonly base: string;
}

/** Options for the base of a run. */
export interface BaseOptions {
  /** Whether everything runs, regardless of changes. */
  readonly whole: boolean;
  /** A revision to compare with in place of the last green run. */
  readonly since?: string;
}

/** Reads the checkout and its changes. @returns A sentence if the base cannot be read. */
export async function readScope(
  machine: Machine,
  { whole, since }: BaseOptions,
): Promise<Scope | string> {
  const { root, cache } = machine;
  const checkout = readCheckout(root);
  const green = since === undefined && !whole ? readGreen(cache) : null;
  const changed = since === undefined
    ? green && changesBetween(green.checkout, checkout)
    : changesSince(root, since);
  if (since !== undefined && changed === null) {
    return `Cannot compare with ${JSON.stringify(since)}: git finds no such commit here`;
  }
  const { modules, sources } = await machine.house();
  const paths = new Set([...checkout.keys(), ...changed ?? []]);
  const inputs = readInputs({ modules, sources, paths });
  return {
    checkout,
    inputs,
    reach: changed === null ? null : createReach(inputs, changed),
    base: since ?? (green === null ? "" : `the last green run (${green.at})`),
  };
}
