import { toHex } from "./bytes.ts";
import { sha256 } from "./sha2.ts";

/** A running SHA-256 (FIPS 180-4). */
export interface Sha256 {
  /** Feeds more bytes. */
  update(bytes: Uint8Array): void;
  /** Ends the hash. @returns 64 lower-case hexadecimal digits. */
  hex(): string;
}

/**
 * SHA-256 of bytes in memory, by WebCrypto if the engine has it. @returns 64 lower-case hex digits.
 */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Web views hide `crypto.subtle` outside secure contexts, and custom schemes may count as such.
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return toHex(sha256(bytes));
  return toHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

const HASH = /^[0-9a-f]{64}$/;

/** Whether `text` is a hash as every record spells it: 64 lower-case hexadecimal digits. */
export function isSha256Hex(text: string): boolean {
  return HASH.test(text);
}
