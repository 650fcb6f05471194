import assert from "node:assert/strict";
import type { Bucket, ObjectBody, PutOptions } from "../../lib/ota-publish/store/bucket.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { ABSENT } from "../support/store-world.ts";

// What the suites of the bucket contract are written with.

/** Headers that a store serves an object under. */
export type ObjectHeaders = Pick<PutOptions, "cacheControl" | "contentType">;

/** A bucket that is empty, and its own. */
export interface OpenedBucket {
  readonly bucket: Bucket;
  /** What the store serves an object under; absent where it does not serve. */
  readonly headersOf?: (key: string) => Promise<ObjectHeaders>;
  /** Leaves behind what a writer that dies leaves behind. @returns How many things. */
  readonly leaveLitter: () => Promise<number>;
  /** Removes what the test left, when that is worth it. */
  readonly close: () => Promise<void>;
}

/** A store that the contract is held against. */
export interface BucketContract {
  /** Begins every title, such as `s3:`. */
  readonly label: string;
  /** Why it cannot run here; `false` where it can. */
  readonly skip: string | false;
  /** Opens an empty bucket. */
  readonly open: () => Promise<OpenedBucket>;
  /** What {@linkcode Bucket.allowCrossOrigin} says of a fresh bucket, and when it is asked again. */
  readonly crossOrigin: readonly [string, string];
  /** The same store with credentials that it refuses; absent where it asks for none. */
  readonly openDenied?: () => Promise<Bucket>;
  /** A store of this kind where nothing listens; absent where there is no network. */
  readonly openUnreachable?: () => Promise<Bucket>;
  /** What no label and no message may hold. */
  readonly secrets: readonly string[];
}

/** One mebibyte. */
export const MIB: number = 1024 * 1024;

/** How a release is written over the one of a tag, or where there is none. */
export function over(tag: string | null): PutOptions {
  return {
    cacheControl: "no-cache, max-age=0",
    contentType: "application/json",
    when: { kind: "unchanged", tag },
  };
}

/** Bytes as something to write. */
export function bodyOf(bytes: Uint8Array<ArrayBuffer>): ObjectBody {
  return { size: bytes.length, open: () => Promise.resolve(new Blob([bytes]).stream()) };
}

/** A text as something to write. */
export function text(words: string): ObjectBody {
  return bodyOf(new TextEncoder().encode(words));
}

/** Bytes in which parts that change places are seen; `seed` tells writers apart. */
export function pattern(length: number, seed = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = i * 31 + (i >> 8) + (i >> 16) * 7 + seed;
  return bytes;
}

/** A body of 1 MiB pieces at most that fails half-way. */
export function failingBody(size: number, reason: string): ObjectBody {
  let sent = 0;
  const piece = Math.min(MIB, Math.ceil(size / 4));
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= size / 2) return controller.error(new Error(reason));
        sent += piece;
        controller.enqueue(new Uint8Array(piece));
      },
    });
  return { size, open: () => Promise.resolve(stream()) };
}

/** A small object that must be there. */
export async function readText(
  bucket: Bucket,
  key: string,
): Promise<{ readonly text: string; readonly tag: string }> {
  const read = await bucket.read(key, 1_000);
  assert.ok(read.ok && read.value !== null, `${key}: ${JSON.stringify(read)}`);
  return { text: new TextDecoder().decode(read.value.bytes), tag: read.value.tag };
}

/** Writes many small objects. */
export async function putMany(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += 32) {
    const batch = keys.slice(i, i + 32);
    const written = await Promise.all(batch.map((key) => bucket.put(key, text("four"), ABSENT)));
    for (const [j, outcome] of written.entries()) {
      assert.deepEqual(outcome, { ok: true, value: "written" }, batch[j]);
    }
  }
}

/** All objects below a prefix, by key. */
export async function objectsOf(
  bucket: Bucket,
  prefix: string,
): Promise<Map<string, { readonly size: number; readonly modified: number }>> {
  const found = new Map<string, { readonly size: number; readonly modified: number }>();
  for await (const object of bucket.objects(prefix)) {
    assert.ok(object.ok, JSON.stringify(object));
    const { key, ...facts } = object.value;
    assert.ok(!found.has(key), `${key} is listed twice`);
    found.set(key, facts);
  }
  return found;
}

/** The names one level below a prefix, in order. */
export async function namesOf(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const listed = await bucket.list(prefix);
  assert.ok(listed.ok, JSON.stringify(listed));
  return [...listed.value].sort();
}

/** A clock that does not wait between tries, and still knows deadlines, which are longer. */
export function impatient(clock: Clock): Clock {
  return {
    ...clock,
    sleep: (ms, signal) => clock.sleep(ms < 10_000 ? 0 : ms, signal),
  };
}

/** Registers a test that gets an empty bucket. */
export type Check = (title: string, work: (opened: OpenedBucket) => Promise<void>) => void;
