import { encodeUtf8 } from "./bytes.ts";
import { sha256Hex } from "./sha256.ts";

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether `text` is a 36-character dashed UUID in lower case: one value has one spelling. */
export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/**
 * Yields every UUID in a text, in the form of {@linkcode isGuid}. Searches for the first dash: a
 * pattern tried at each hexadecimal digit takes seconds on a file of such digits.
 */
export function* guidsIn(text: string): Iterable<string> {
  for (let dash = text.indexOf("-", 8); dash >= 0; dash = text.indexOf("-", dash + 1)) {
    if (text.charAt(dash + 5) !== "-" || text.charAt(dash + 1) === "-") continue;
    const guid = text.slice(dash - 8, dash + 28);
    if (isGuid(guid)) yield guid;
  }
}

/** UTF-16 units that are looked through between two turns: about ten milliseconds at worst. */
const PIECE = 1024 * 1024;
const GUID_LENGTH = 36;

/**
 * The UUIDs of a long text, each once, as {@linkcode guidsIn} finds them.
 *
 * @param turn Lets others have their turn.
 */
export async function guidsOf(
  text: string,
  turn: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < text.length; at += PIECE) {
    await turn();
    for (const guid of guidsIn(text.slice(at, at + PIECE + GUID_LENGTH))) found.add(guid);
  }
  return found;
}

/**
 * Derives a UUID from `name` alone, so that an entity without a stored one gets the same on every
 * machine: version 8 over SHA-256 (RFC 9562 §5.8, appendix B.2).
 *
 * @param namespace Distinguishes equal names of different kinds.
 */
export async function guidFromName(namespace: string, name: string): Promise<string> {
  const hash = await sha256Hex(encodeUtf8(`${namespace}:${name}`));
  const variant = (0x8 | (Number.parseInt(hash.charAt(16), 16) & 0x3)).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

/** Returns a new random UUID: version 4 (RFC 9562 §5.4). */
export function freshGuid(): string {
  return crypto.randomUUID();
}
