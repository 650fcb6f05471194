import { decodeUtf8, encodeUtf8, readAtMost, toHex } from "../../core/bytes.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type {
  Bucket,
  BucketFailure,
  BucketResult,
  ObjectBody,
  PutOptions,
  PutOutcome,
} from "./bucket.ts";
import { bytesBody } from "./objects.ts";
import { PRIVATE } from "./names.ts";

/** The one probe of a bucket: replaced over its tag, never removed, as publishers need not (PUB-14). */
export const PROBE: string = `${PRIVATE}probe`;

/** Prefix of probes that earlier publishers left; they are removed as unfinished. */
export const FORMER_PROBES: string = `${PROBE}-`;

/** The largest probe, in bytes; the answer to reading one is bounded by it. */
const PROBE_BYTES = 4096;
/** Replacements that other publishers may be first at, as they write the same probe. */
const ATTEMPTS = 20;

/** The conditions as a store spells them, for messages. */
export interface ConditionWords {
  /** The server, such as `https://storage.googleapis.com`. */
  readonly place: string;
  /** The condition that no object exists. */
  readonly absent: string;
  /** The condition that the object is unchanged. */
  readonly unchanged: string;
  /** Tag that the condition compares. */
  readonly tag: string;
}

/**
 * Proves with its probe that a store honours both conditions: where the probe is, it is not created
 * again; it is replaced over its tag, and not over the one before (PUB-14). Reading, writing and
 * listing are all the rights that this needs.
 */
export async function proveConditions(
  bucket: Pick<Bucket, "label" | "put" | "read">,
  words: ConditionWords,
): BucketResult<null> {
  const found = await prove(bucket, words);
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const { fault, next } = found.value;
  return fail(
    "unsupported",
    `Cannot publish to ${bucket.label}: ${words.place} ${fault}, so publishers could overwrite one another`,
    next ?? `Publish to a store with conditional writes (${words.absent} and ${words.unchanged})`,
  );
}

/** Something that a store does wrong, and what to do where that is known. */
interface Fault {
  readonly fault: string;
  readonly next?: string;
}

/** @returns What the store does wrong, `null` for nothing. */
async function prove(
  bucket: Pick<Bucket, "put" | "read">,
  words: ConditionWords,
): BucketResult<Fault | null> {
  const { absent, unchanged, tag } = words;
  const created = await write(bucket, { kind: "absent" });
  if (!created.ok) return unknown(absent, created.error);
  const again = created.value === "written" ? await write(bucket, { kind: "absent" }) : created;
  if (!again.ok) return again;
  if (again.value === "written") return ok({ fault: `ignores ${absent}` });

  let refused: string | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const there = await bucket.read(PROBE, PROBE_BYTES);
    if (!there.ok) return there;
    if (there.value === null) {
      const isCreated = created.value === "written";
      const fault = isCreated
        ? "does not show what was just written"
        : `refuses ${absent} where no object exists`;
      return ok({ fault });
    }
    const { tag: found } = there.value;
    if (found === refused) return ok(refusedTag(words, found)); // nobody else replaced it
    const when: PutOptions["when"] = { kind: "unchanged", tag: found };
    const replaced = await write(bucket, when);
    if (!replaced.ok) return unknown(unchanged, replaced.error);
    if (replaced.value === "written") {
      const stale = await write(bucket, when);
      if (!stale.ok) return stale;
      const fault = `ignores ${unchanged} with an older ${tag}`;
      return ok(stale.value === "lost" ? null : { fault });
    }
    refused = found;
  }
  return fail(
    "other",
    `Cannot prove conditional writes: other publishers replaced ${PROBE} ${ATTEMPTS} times`,
    "Publish again, with fewer publishers at once",
  );
}

/** A tag that a store shows and does not take: a weak one is changed by what stands before it. */
function refusedTag({ unchanged, tag }: ConditionWords, found: string): Fault {
  const fault = `refuses ${unchanged} with the ${tag} that is there`;
  if (!found.startsWith("W/")) return { fault };
  return {
    fault: `${fault}, a weak one (${found.slice(0, 40)})`,
    next: "Name the store itself as the endpoint: a proxy or CDN before it weakens tags, " +
      "as those do that compress",
  };
}

/** Writes the probe, with other bytes each time: a store may tell equal ones by equal tags. */
function write(
  bucket: Pick<Bucket, "put">,
  when: PutOptions["when"],
): BucketResult<PutOutcome> {
  return bucket.put(PROBE, bytesBody(encodeUtf8(probeText())), { ...PROBE_OPTIONS, when });
}

const PROBE_OPTIONS = { cacheControl: "no-store", contentType: "text/plain" };

/** A line that no other probe has. */
export function probeText(): string {
  return `A probe of publishers, who replace it. ${crypto.randomUUID()}\n`;
}

/** A probe, and its decoded bytes, which nobody else writes. */
export interface BucketProbe {
  readonly body: ObjectBody;
  readonly text: string;
}

/**
 * Replaces the probe.
 *
 * @param make Makes one, with other bytes each time: a tag that comes again would look refused to
 *   others.
 * @param look Looks at the store while the probe is that one.
 * @returns What it saw; `null` where other publishers were first each time.
 */
export async function withProbe<T>(
  bucket: Pick<Bucket, "put" | "read">,
  make: () => Promise<BucketProbe>,
  look: (probe: ObjectBody) => BucketResult<T>,
): BucketResult<T | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const there = await bucket.read(PROBE, PROBE_BYTES);
    if (!there.ok) return there;
    const when: PutOptions["when"] = { kind: "unchanged", tag: there.value?.tag ?? null };
    const { body, text } = await make();
    const put = await bucket.put(PROBE, body, { ...PROBE_OPTIONS, when });
    if (!put.ok) return put;
    if (put.value === "lost") continue;
    const seen = await look(body);
    if (!seen.ok) return seen;
    const after = await bucket.read(PROBE, PROBE_BYTES);
    if (!after.ok) return after;
    if (after.value !== null && await isShown({ body, text }, after.value.bytes)) return seen;
  }
  return ok(null);
}

/** Whether a store shows this probe: decoded, or as it was sent where it forgets that it is coded. */
async function isShown({ body, text }: BucketProbe, bytes: Uint8Array): Promise<boolean> {
  if (decodeUtf8(bytes) === text) return true;
  const sent = await readAtMost(await body.open(), PROBE_BYTES);
  return sent !== null && toHex(bytes) === toHex(sent);
}

/** A condition that the store does not know is not a failure of the line. */
function unknown(
  condition: string,
  failure: BucketFailure,
): Result<Fault, BucketFailure> {
  return failure.code === "unsupported"
    ? ok({ fault: `does not know ${condition}` })
    : { ok: false, error: failure };
}
