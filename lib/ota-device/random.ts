import { toHex } from "../core/bytes.ts";

/** 96 random bits in hex: for launch tokens, and for names that must not meet another. */
export function randomId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(12)));
}
