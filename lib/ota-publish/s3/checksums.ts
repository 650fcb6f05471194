import { ok } from "../../core/result.ts";
import { openParts } from "../store/body-parts.ts";
import type { BucketResult, ExpectedBody } from "../store/bucket.ts";
import type { S3Object } from "./object.ts";
import { partBytesOf } from "./body.ts";
import { call, type S3Call } from "./requests.ts";
import type { S3Answer, S3Store } from "./store.ts";

// Every object is written with its SHA-256, which the store compares and keeps (S3 API, checking
// object integrity); of an object in parts it keeps the one of its parts' hashes, and how many
// they are. What no checksum vouches for is sent instead of copied (PUB-27).

/**
 * Sends a write under headers with a checksum; where the store refuses them, without, and from then
 * on at once.
 *
 * @param kind Stores differ in what they take of objects and of parts.
 */
export async function callChecked(
  store: S3Store,
  s3Call: S3Call,
  { kind, headers }: {
    readonly kind: "whole" | "parts";
    readonly headers: Readonly<Record<string, string>>;
  },
): BucketResult<S3Answer> {
  if (store.uncheckedWrites.has(kind)) return await call(store, s3Call);
  const answer = await call(store, { ...s3Call, headers: { ...s3Call.headers, ...headers } });
  const { code } = answer.ok ? { code: "" } : answer.error;
  if (code !== "other" && code !== "unsupported") return answer;
  const plain = await call(store, s3Call);
  if (!plain.ok) return answer;
  store.uncheckedWrites.add(kind);
  return plain;
}

/** Whether the store's own checksum of an object is that of the expected bytes. */
export async function isProven(
  store: S3Store,
  { checksum, size }: S3Object,
  expected: ExpectedBody,
): BucketResult<boolean> {
  if (checksum === null || size !== expected.size) return ok(false);
  if (checksum === base64OfHex(expected.hash)) return ok(true);
  if (!checksum.includes("-")) return ok(false);
  const bytes = Math.min(partBytesOf(expected), expected.size);
  return ok(checksum === await store.memory.within(bytes, () => hashParts(store, expected)));
}

/** The checksum of an object in parts; empty when the bytes can no longer be read. */
async function hashParts({ hashing }: S3Store, body: ExpectedBody): Promise<string> {
  const partBytes = partBytesOf(body);
  const buffer = new Uint8Array(partBytes);
  const all = hashing.createSha256();
  try {
    const parts = await openParts(body);
    try {
      for (let at = 0; at < body.size; at += partBytes) {
        const part = buffer.subarray(0, Math.min(partBytes, body.size - at));
        await parts.fill(part);
        const hash = hashing.createSha256();
        hash.update(part);
        all.update(bytesOfHex(hash.hex()));
      }
    } finally {
      await parts.close();
    }
  } catch {
    return ""; // sending it will tell why
  }
  return `${base64OfHex(all.hex())}-${Math.ceil(body.size / partBytes)}`;
}

/** A hash as the store spells it. */
export function base64OfHex(hex: string): string {
  return btoa(String.fromCharCode(...bytesOfHex(hex)));
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
