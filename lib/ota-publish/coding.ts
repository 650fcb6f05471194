import { encodeUtf8 } from "../core/bytes.ts";
import { atResolved } from "../core/inside.ts";
import { forEachParallel } from "../core/parallel.ts";
import { ok } from "../core/result.ts";
import type { ContentRef, Manifest } from "../ota-format/mod.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Hashing } from "../ports/hashing.ts";
import { isCompressed } from "./pack.ts";
import { distinctContents } from "./plan.ts";
import type { Bucket, BucketResult, ExpectedBody } from "./store/bucket.ts";
import { createByteBudget } from "./store/byte-budget.ts";
import { PROBE, probeText, withProbe } from "./store/probe.ts";
import { type Contents, readUnchanged, streamBytes } from "./store/unchanged.ts";

// Contents and manifests are stored gzip-coded if that saves a tenth (PUB-28). Their keys, signed
// hashes and sizes stay those of the decoded bytes; the number of served bytes is written beside
// them.

/**
 * Smallest coded content, in bytes: below it, the headers of a response cost as much as coding
 * saves.
 */
const SMALLEST = 1024;
/** Largest coded content, in bytes: it is coded in memory, and an interrupted download starts again. */
const LARGEST = 32 * 1024 * 1024;
/** Contents that a plan codes at the same time. */
const CONCURRENCY = 8;
/** Highest ratio of coded to original size that is worth coding. */
const WORTH_IT = 0.9;

/** Codes contents, by the platform. */
export interface Coding {
  readonly hashing: Hashing;
  readonly deflating: Deflating;
}

/** Whether a file is worth a trial, by its name and its size. */
export function mayBeCoded(path: string, size: number): boolean {
  return size >= SMALLEST && size <= LARGEST && !isCompressed(path);
}

/**
 * Codes a hashed file with gzip.
 *
 * @returns `null` if that does not save a tenth.
 * @throws If the file changed after it was hashed.
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
    open: () => Promise.resolve(streamBytes(coded)),
  };
}

/** Returns a manifest with the served size of each coded content, given by hash. */
export function withServed(manifest: Manifest, served: ReadonlyMap<string, number>): Manifest {
  const files = Object.entries(manifest.files).map(([path, { hash, size }]) => {
    const bytes = served.get(hash);
    return [path, bytes === undefined ? { hash, size } : { hash, size, served: bytes }] as const;
  });
  return { ...manifest, files: Object.fromEntries(files) };
}

/**
 * Computes the served size of each content that would be coded, by its hash. Takes the sizes of
 * earlier versions from their manifests.
 */
export async function planServed(
  contents: Contents & Coding,
  { folder, manifest, earlier }: {
    readonly folder: string;
    readonly manifest: Manifest;
    readonly earlier: readonly { readonly manifest: Manifest }[];
  },
): Promise<ReadonlyMap<string, number>> {
  const inFolder = { ...contents, files: atResolved(contents.files) };
  const known = new Map<string, ContentRef>();
  for (const { manifest: { files } } of earlier) {
    for (const ref of Object.values(files)) known.set(ref.hash, ref);
  }
  const served = new Map<string, number>();
  const memory = createByteBudget(2 * LARGEST);
  const all = [...distinctContents(manifest).values()];
  await forEachParallel(all, CONCURRENCY, async ({ path, ...ref }) => {
    if (contents.signal?.aborted || !mayBeCoded(path, ref.size)) return;
    const trial = async () =>
      (await codeContent(inFolder, `${folder}/${path}`, ref).catch(() => null))?.size;
    const size = known.get(ref.hash)?.served ?? await memory.within(ref.size, trial);
    if (size !== undefined) served.set(ref.hash, size);
  });
  return served;
}

/** Proves that a store serves coded contents as such; `null` if it does not. */
export async function provenCoding(bucket: Bucket, coding: Coding): BucketResult<Coding | null> {
  if (!bucket.keepsHeaders) return ok(null);
  const make = async () => {
    const text = probeText().repeat(20);
    const body = await codeBytes(coding, encodeUtf8(text));
    if (body === null) throw new Error("Twenty equal lines are not worth coding");
    return { body, text };
  };
  const seen = await withProbe(bucket, make, async ({ size: coded, decodedSize }) => {
    const there = await bucket.stat(PROBE);
    if (!there.ok) return there;
    return ok(there.value?.size === decodedSize && there.value?.served === coded);
  });
  if (!seen.ok) { // a store may refuse the header
    return seen.error.code === "unsupported" || seen.error.code === "other" ? ok(null) : seen;
  }
  return ok(seen.value === true ? coding : null);
}
