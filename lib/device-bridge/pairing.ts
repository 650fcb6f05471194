import { encodeUtf8, toHex } from "../core/bytes.ts";
import { sha256 } from "../core/sha2.ts";

// How an app and an editor prove to each other that one person holds both: the first time by a code
// that the app shows and the person types into the editor, later by a key derived from it. The
// editor proves first. An app that proved first would give a stranger's editor everything it needs
// to try the 2^40 codes offline.

/** 32 letters and digits that are not mistaken for each other. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 8;
const CODE = /^[2-9A-HJ-NP-Z]{8}$/;
const BLOCK_BYTES = 64;

/** The two ends of one connection, and the random text of each. */
export interface Meeting {
  /** The app's id. */
  readonly app: string;
  /** The editor's id. */
  readonly editor: string;
  /** The app's nonce. */
  readonly appNonce: string;
  /** The editor's nonce. */
  readonly editorNonce: string;
}

/** A new code: 40 random bits, as 8 characters. */
export function newCode(random: Randomness): string {
  return Array.from(random(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Creates that many random bytes. */
export type Randomness = (length: number) => Uint8Array;

/** A nonce, or an id: 128 random bits in hexadecimal digits. */
export function newNonce(random: Randomness): string {
  return toHex(random(16));
}

/** Whether text is a nonce or an id. */
export function isNonce(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text);
}

/**
 * Reads a code as people type it, with spaces, hyphens and small letters. @returns `null` if it is
 * not a code.
 */
export function readCode(typed: string): string | null {
  const code = typed.replace(/[\s-]/g, "").toUpperCase();
  return CODE.test(code) ? code : null;
}

/** A code as it is shown: `ABCD EFGH`. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}

/** Computes one end's proof that it has the secret: the code, or the key. */
export function proofOf(secret: string, by: "app" | "editor", meeting: Meeting): string {
  return hmac(secret, `slipway bridge 1\n${by}\n${meetingText(meeting)}`);
}

/** Derives the key for later connections. Neither end sends it. */
export function keyOf(code: string, meeting: Meeting): string {
  return hmac(code, `slipway bridge 1\nkey\n${meetingText(meeting)}`);
}

function meetingText({ app, editor, appNonce, editorNonce }: Meeting): string {
  return [app, editor, appNonce, editorNonce].join("\n");
}

/** Compares in constant time, so that the duration does not reveal the first difference. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** HMAC-SHA-256 (RFC 2104) in hexadecimal digits; here because web views hide WebCrypto from some schemes. */
function hmac(secret: string, text: string): string {
  const bytes = encodeUtf8(secret);
  const key = bytes.length > BLOCK_BYTES ? sha256(bytes) : bytes;
  const padded = (value: number) =>
    Uint8Array.from({ length: BLOCK_BYTES }, (_, i) => (key[i] ?? 0) ^ value);
  const inner = sha256(joined(padded(0x36), encodeUtf8(text)));
  return toHex(sha256(joined(padded(0x5c), inner)));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
