import { encodeUtf8 } from "../core/bytes.ts";
import { ok } from "../core/result.ts";
import type { Manifest } from "../ota-format/mod.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Hashing } from "../ports/hashing.ts";
import { isCompressed } from "./pack.ts";
import type { Bucket, BucketResult, ExpectedBody } from "./store/bucket.ts";
import { PROBE } from "./store/probe.ts";
import { type Contents, readUnchanged, streamOf } from "./store/unchanged.ts";

// Contents and manifests are stored gzip-coded where that saves a tenth (PUB-28). Their keys, signed
// hashes and sizes stay those of the decoded bytes; how many are served stands beside them.

/** What is smaller is stored as it is, in bytes: an answer's headers weigh as much as what is saved. */
const SMALLEST = 1024;
/** What is larger, too: a coded download that was interrupted begins again (DEVICE.md). */
const LARGEST = 8 * 1024 * 1024;
/** What coding must leave at most, of one. */
const WORTH_IT = 0.9;

/** What codes: the platform. */
export interface Coding {
  readonly hashing: Hashing;
  readonly deflating: Deflating;
}

/** Whether a file is worth a trial, by its name and its size. */
export function mayBeCoded(path: string, size: number): boolean {
  return size >= SMALLEST && size <= LARGEST && !isCompressed(path);
}

/**
 * A file that was hashed before, gzip-coded.
 *
 * @returns `null` when that does not save a tenth.
 * @throws When the file is no longer what was hashed.
 */
export async function codeContent(
  contents: Contents & Coding,
  path: string,
  ref: { readonly hash: string; readonly size: number },
): Promise<ExpectedBody | null> {
  return await codeBytes(contents, await readUnchanged(contents, path, ref));
}

/** Bytes at hand, gzip-coded; `null` when that does not save a tenth, or they are too few or many. */
export async function codeBytes(
  { deflating, hashing }: Coding,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ExpectedBody | null> {
  if (!mayBeCoded("", bytes.length)) return null;
  const coded = await deflating.deflate(bytes, "gzip");
  if (coded.length > bytes.length * WORTH_IT) return null;
  const hash = hashing.createSha256();
  hash.update(coded);
  return {
    size: coded.length,
    decodedSize: bytes.length,
    hash: hash.hex(),
    open: () => Promise.resolve(streamOf(coded)),
  };
}

/** A manifest that tells how many bytes of each content are served, by hash, where it is coded. */
export function withServed(manifest: Manifest, served: ReadonlyMap<string, number>): Manifest {
  const files = Object.entries(manifest.files).map(([path, { hash, size }]) => {
    const bytes = served.get(hash);
    return [path, bytes === undefined ? { hash, size } : { hash, size, served: bytes }] as const;
  });
  return { ...manifest, files: Object.fromEntries(files) };
}

/** What contents may be coded with in a store: nothing where it does not serve them as coded. */
export async function provenCoding(bucket: Bucket, coding: Coding): BucketResult<Coding | null> {
  const probe = bucket.keepsHeaders
    ? await codeBytes(coding, encodeUtf8("A probe of a publisher; it may be removed.\n".repeat(50)))
    : null;
  if (probe === null) return ok(null);
  const key = `${PROBE}${crypto.randomUUID()}`;
  const put = await bucket.put(key, probe, {
    cacheControl: "no-store",
    contentType: "text/plain",
    when: { kind: "absent" },
  });
  if (!put.ok) { // a store may refuse the header
    return put.error.code === "unsupported" || put.error.code === "other" ? ok(null) : put;
  }
  const there = await bucket.stat(key);
  const removed = await bucket.remove(key);
  if (!there.ok) return there;
  if (!removed.ok) return removed;
  const { size, served } = there.value ?? {};
  return ok(size === probe.decodedSize && served === probe.size ? coding : null);
}
