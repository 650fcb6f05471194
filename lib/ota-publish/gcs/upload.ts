import { concatBytes, encodeUtf8 } from "../../core/bytes.ts";
import { err, fail, messageOf, ok } from "../../core/result.ts";
import { type BodyParts, openParts } from "../store/body-parts.ts";
import type { BucketResult, ObjectBody, PutOptions, PutOutcome } from "../store/bucket.ts";
import { createCrc32c } from "./crc32c.ts";
import {
  call,
  DECODED_SIZE,
  findObject,
  type GcsStore,
  malformed,
  objectPath,
  uploadPath,
  WRITE_ID,
} from "./requests.ts";
import { cancelSession, sendChunks, type SessionEnd } from "./session.ts";
import { nameOf } from "../store/names.ts";
import { resolveRefused } from "../store/requests.ts";

/** Up to this size an object is sent in one request, in bytes. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Upload sessions that are started for one object, should the store lose one. */
const SESSIONS = 3;

/** Writes an object when the condition holds; the condition travels with the request. */
export async function putObject(
  store: GcsStore,
  key: string,
  { body, options }: { readonly body: ObjectBody; readonly options: PutOptions },
): BucketResult<PutOutcome> {
  const write: Write = { key, body, options, id: crypto.randomUUID() };
  return await store.memory.within(
    Math.min(body.size, WHOLE_BYTES),
    () => body.size <= WHOLE_BYTES ? putSingle(store, write) : putInChunks(store, write),
  );
}

/** The metadata that an object is written with. */
export function metadataOf(
  { options, id, body, crc32c }: {
    readonly options: Omit<PutOptions, "when">;
    readonly id: string;
    readonly body?: Pick<ObjectBody, "decodedSize">;
    /** Checksum of the bytes: the store accepts no others (PUB-27). */
    readonly crc32c?: string;
  },
): Record<string, unknown> {
  const { cacheControl, contentType } = options;
  const decoded = body?.decodedSize;
  return {
    cacheControl,
    contentType,
    ...(decoded !== undefined && { contentEncoding: "gzip" }),
    ...(crc32c !== undefined && { crc32c }),
    metadata: {
      [WRITE_ID]: id,
      ...(decoded !== undefined && { [DECODED_SIZE]: String(decoded) }),
    },
  };
}

interface Write {
  readonly key: string;
  readonly body: ObjectBody;
  readonly options: PutOptions;
  /** Written with the object, so that it can be told from another writer's. */
  readonly id: string;
}

async function putSingle(store: GcsStore, write: Write): BucketResult<PutOutcome> {
  const { key, body, options, id } = write;
  const content = new Uint8Array(body.size);
  const filled = await withParts(store, write, async (parts) => {
    await parts.fill(content);
    return null;
  });
  if (!filled.ok) return filled;
  const crc = createCrc32c();
  crc.update(content);
  const boundary = `slipway-${crypto.randomUUID()}`;
  const metadata = JSON.stringify({
    name: nameOf(store, key),
    ...metadataOf({ ...write, crc32c: crc.base64() }),
  });
  const head = encodeUtf8(
    `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${metadata}\r\n` +
      `--${boundary}\r\ncontent-type: ${options.contentType}\r\n\r\n`,
  );
  const tail = encodeUtf8(`\r\n--${boundary}--\r\n`);
  const answer = await call(store, {
    action: actionOf(key),
    method: "POST",
    path: uploadPath(store),
    query: { uploadType: "multipart", fields: "generation", ...conditionOf(options) },
    headers: { "content-type": `multipart/related; boundary=${boundary}` },
    body: concatBytes([head, content, tail]),
    accept: [412],
  });
  if (!answer.ok) return answer;
  if (answer.value.status !== 412) return ok("written");
  return await resolveRefused(findObject(store, key), id);
}

async function putInChunks(store: GcsStore, write: Write): BucketResult<PutOutcome> {
  const { key, body, id } = write;
  const action = actionOf(key);
  for (let attempt = 1; attempt <= SESSIONS; attempt++) {
    const opened = await openSession(store, write);
    if (!opened.ok) return opened;
    if (opened.value === null) return await resolveRefused(findObject(store, key), id);
    const session = { store, action, url: opened.value, size: body.size };
    const crc = createCrc32c();
    const sent = await withParts(store, write, (parts) =>
      sendChunks(session, {
        ...parts,
        async fill(part) {
          await parts.fill(part);
          crc.update(part);
        },
      }));
    const ending: SessionEnd = sent.ok ? sent.value : { kind: "failed", failure: sent.error };
    if (ending.kind === "written") {
      return await checkWritten(store, key, { sent: crc.base64(), stored: ending.crc32c });
    }
    if (ending.kind === "refused") return await resolveRefused(findObject(store, key), id);
    await cancelSession(session);
    if (ending.kind === "failed") return err(ending.failure);
  }
  return fail(
    "unreachable",
    `Cannot ${action} in ${store.label}: the store lost ${SESSIONS} uploads of it`,
    "Try again later",
  );
}

/** Begins an upload in chunks. @returns Its address, `null` when the condition was refused. */
async function openSession(store: GcsStore, write: Write): BucketResult<string | null> {
  const { key, body, options } = write;
  const action = actionOf(key);
  const answer = await call(store, {
    action,
    method: "POST",
    path: uploadPath(store),
    query: { uploadType: "resumable", name: nameOf(store, key), ...conditionOf(options) },
    headers: {
      "x-upload-content-type": options.contentType,
      "x-upload-content-length": String(body.size),
    },
    body: metadataOf(write),
    accept: [412],
  });
  if (!answer.ok) return answer;
  if (answer.value.status === 412) return ok(null);
  const location = answer.value.headers.get("location") ?? "";
  return URL.canParse(location, store.endpoint)
    ? ok(new URL(location, store.endpoint).href)
    : malformed(store, action, "no address of an upload");
}

/** Removes what was written, when its sum is not that of what was sent: a session has no sum before. */
async function checkWritten(
  store: GcsStore,
  key: string,
  { sent, stored }: { readonly sent: string; readonly stored: string | null },
): BucketResult<PutOutcome> {
  if (stored === null || stored === sent) return ok("written");
  const action = actionOf(key);
  await call(store, { action, method: "DELETE", path: objectPath(store, key), accept: [404] });
  return fail(
    "other",
    `Cannot ${action} in ${store.label}: the store has CRC-32C ${stored}, expected ${sent}`,
    "Try again",
  );
}

/** Works with a body in pieces, and releases it. A body that fails is a failure like any other. */
async function withParts<T>(
  store: GcsStore,
  { key, body }: Write,
  work: (parts: BodyParts) => Promise<T>,
): BucketResult<T> {
  let parts: BodyParts | null = null;
  try {
    parts = await openParts(body);
    return ok(await work(parts));
  } catch (thrown) {
    return fail("other", `Cannot ${actionOf(key)} in ${store.label}: ${messageOf(thrown)}`);
  } finally {
    await parts?.close();
  }
}

/** The condition of a write: a generation, 0 for none. */
function conditionOf({ when }: PutOptions): { readonly ifGenerationMatch: string } {
  return { ifGenerationMatch: when.kind === "absent" ? "0" : when.tag ?? "0" };
}

function actionOf(key: string): string {
  return `write ${JSON.stringify(key)}`;
}
