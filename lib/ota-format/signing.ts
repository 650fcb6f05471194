import { getPublicKeyAsync, hashes, signAsync, utils, verifyAsync } from "@noble/ed25519";
import { fromBase64Url, toBase64Url } from "../core/base64url.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import type { JsonObject } from "../core/json.ts";
import { sha512 } from "../core/sha2.ts";
import { canonicalJson } from "./canonical-json.ts";

// Ed25519 over the canonical bytes of a record without its `sig` (SIG-2). In plain JavaScript
// throughout, so that signing and verifying are the same code on the desk and on the phone.

/** A signing key pair as the key file holds it: both halves base64url of 32 bytes. */
export interface KeyPair {
  /** The key with which apps verify (RFC 8032 §5.1.5). */
  readonly publicKey: string;
  /** The 32-byte seed of RFC 8032 §5.1.5. */
  readonly privateKey: string;
}

/** Decodes a 32-byte key (SIG-1). @returns `null` when `text` is not canonical base64url of 32 bytes. */
export function decodeKey(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes = fromBase64Url(text);
  return bytes !== null && bytes.length === 32 ? bytes : null;
}

/** Mints a key pair from the platform's random source. */
export async function generateKeyPair(): Promise<KeyPair> {
  const seed = utils.randomSecretKey();
  return { publicKey: toBase64Url(await publicKeyBytes(seed)), privateKey: toBase64Url(seed) };
}

/** The public half of a private key, or `null` when `privateKey` is not a key. */
export async function publicKeyOf(privateKey: string): Promise<string | null> {
  const seed = decodeKey(privateKey);
  return seed === null ? null : toBase64Url(await publicKeyBytes(seed));
}

function publicKeyBytes(seed: Uint8Array): Promise<Uint8Array> {
  useOwnSha512();
  return getPublicKeyAsync(seed);
}

/** The bytes that a signature covers: the record without `sig`, canonical (SIG-2). */
export function signedBytes(record: JsonObject): Uint8Array<ArrayBuffer> {
  return encodeUtf8(canonicalJson({ ...record, sig: undefined }));
}

/** Signs a record. @param privateKey Must be a key: see {@linkcode decodeKey}. @returns `sig`. */
export async function signRecord(record: JsonObject, privateKey: string): Promise<string> {
  const seed = decodeKey(privateKey);
  if (seed === null) {
    throw new RangeError("Cannot sign: the private key is not base64url of 32 bytes");
  }
  useOwnSha512();
  return toBase64Url(await signAsync(signedBytes(record), seed));
}

/**
 * Verifies a signature by strict RFC 8032 (SIG-3): small-order keys, non-canonical points and an S
 * that is not reduced are refused. Anything malformed is simply not valid (SIG-4).
 *
 * @param signature base64url of 64 bytes.
 * @param publicKey base64url of 32 bytes.
 */
export async function verifySignature(
  message: Uint8Array,
  signature: string,
  publicKey: string,
): Promise<boolean> {
  const sig = fromBase64Url(signature);
  const key = decodeKey(publicKey);
  if (sig === null || sig.length !== 64 || key === null) return false;
  useOwnSha512();
  try {
    return await verifyAsync(sig, message, key, { zip215: false });
  } catch {
    return false; // the library throws for some malformed points: not valid, as any other
  }
}

/**
 * Sets the library's SHA-512. By default it calls WebCrypto, which web views hide outside secure
 * contexts. The setting is global to the module; setting it again changes nothing.
 */
function useOwnSha512(): void {
  hashes.sha512Async = (message) => Promise.resolve(sha512(message));
}
