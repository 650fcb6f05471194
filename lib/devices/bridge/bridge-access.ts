import { type Problem, problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";

/** How long apps may connect after pairing has started, in milliseconds: the lifetime of a code. */
const PAIRING_MS = 5 * 60_000;
/** The origins that web views give to the pages of apps. */
const APP_ORIGINS: readonly string[] = [
  "http://localhost",
  "https://localhost",
  "capacitor://localhost",
  "null",
];

/** Parts that decide when apps may connect. */
export interface BridgeAccessParts {
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns `devices.bridge` of the project; `null` if unset. */
  readonly bridgeAddress: () => Promise<string | null>;
}

/** Why apps may connect now. */
export type BridgeOpen =
  | { readonly by: "devices.bridge" }
  | { readonly by: "pairing"; readonly secondsLeft: number };

/** Decides when apps may connect, and from pages of which origins (DEV-42). */
export class BridgeAccess {
  readonly #parts: BridgeAccessParts;
  #pairingUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: BridgeAccessParts) {
    this.#parts = parts;
  }

  /** Lets apps connect for 5 minutes, whatever the project sets. */
  beginPairing(): void {
    this.#pairingUntil = this.#parts.clock.monotonic() + PAIRING_MS;
  }

  /** Refuses further apps, unless the project admits them. */
  endPairing(): void {
    this.#pairingUntil = Number.NEGATIVE_INFINITY;
  }

  /** Returns why apps may connect now; `null` if none may. */
  async open(): Promise<BridgeOpen | null> {
    return this.#openAt(await this.#parts.bridgeAddress());
  }

  #openAt(address: string | null): BridgeOpen | null {
    if (address !== null) return { by: "devices.bridge" };
    const leftMs = this.#pairingUntil - this.#parts.clock.monotonic();
    return leftMs > 0 ? { by: "pairing", secondsLeft: Math.ceil(leftMs / 1_000) } : null;
  }

  /** @returns `null`, 403 `foreign-origin` or 403 `bridge-closed`. */
  async refusal(origin: string | null): Promise<Problem | null> {
    const address = await this.#parts.bridgeAddress();
    if (origin !== null && !APP_ORIGINS.includes(origin) && !isPageAt(origin, address)) {
      return problem(
        403,
        "foreign-origin",
        `Found Origin ${JSON.stringify(origin.slice(0, 80))}, expected ${
          APP_ORIGINS.join(", ")
        }, ` +
          "none, or a page at the host of devices.bridge",
        "Open the game in its app, or serve its page at the host that devices.bridge names",
      );
    }
    if (this.#openAt(address) !== null) return null;
    return problem(
      403,
      "bridge-closed",
      "Found no devices.bridge in project.config.json and no pairing under way, expected one of them",
      "Set devices.bridge, or call device_list with pair=open",
    );
  }
}

/** Compares as text: a browser spells an origin in one way only. */
function isPageAt(origin: string, address: string | null): boolean {
  if (address === null) return false;
  const { host } = new URL(address);
  return [`http://${host}`, `https://${host}`].includes(origin);
}
