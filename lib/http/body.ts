import { eventLoopTurn, runCooperatively } from "../core/cooperative.ts";
import { jsonFileParsing } from "../core/json-pieces.ts";
import { decodeUtf8, readAtMost } from "../core/bytes.ts";
import { isRecord } from "../core/json.ts";
import { type Problem, problem, refuse } from "../core/problem.ts";
import { messageOf, ok, type Result } from "../core/result.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { Clock } from "../ports/clock.ts";

/** Bytes of a request body (HTTP-4). */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Maximum bytes of a body from a sender that has not yet presented a token or a ticket. */
export const MAX_STRANGERS_BODY_BYTES = 8 * 1024;

/** Time for a body to arrive, in milliseconds: 8 MiB at 1 Mbit/s. */
const BODY_MS = 70_000;

/**
 * Reads the body of a request; an absent body is empty.
 *
 * @param maxBytes 8 MiB when absent.
 * @returns 400 for a body that breaks off, is framed wrongly or does not arrive within 70 s, 413
 * for one over `maxBytes`.
 */
export async function readBody(
  { body, signal }: Request,
  clock: Pick<Clock, "sleep">,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
  if (body === null) return ok(new Uint8Array());
  let reading: Promise<unknown> = Promise.resolve();
  const read = (ended: AbortSignal) => {
    const pending = readAtMost(body, maxBytes, ended);
    reading = pending;
    return pending;
  };
  try {
    const timeout = { clock: afterATurn(clock), timeoutMs: BODY_MS, signal };
    const bytes = await withTimeout(read, timeout);
    return bytes === null ? tooLarge(maxBytes) : ok(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TimeoutError)) {
      if (signal.aborted) throw thrown;
      const detail = `Cannot read the body: ${messageOf(thrown)}`;
      return refuse(400, "bad-body", detail, "Send it whole, as HTTP has it");
    }
    await reading.catch(() => undefined); // the signal ends it
    const detail = `The body did not arrive within ${BODY_MS / 1000} s`;
    return refuse(400, "body-too-slow", detail, "Send it at once, when it is ready");
  }
}

/** Wraps a clock whose sleep may resolve immediately, so that available bytes are still read. */
function afterATurn(clock: Pick<Clock, "sleep">): Pick<Clock, "sleep"> {
  return {
    async sleep(ms, signal) {
      await clock.sleep(ms, signal);
      await eventLoopTurn();
    },
  };
}

/**
 * Reads the body of a `POST`: one JSON object. An absent body is an empty object.
 *
 * @param maxBytes 8 MiB when absent.
 * @returns 400 for anything but a JSON object or for a slow body, 413 for a body that is too large.
 */
export async function readJsonBody(
  request: Request,
  clock: Pick<Clock, "sleep">,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<Result<Record<string, unknown>, Problem>> {
  const read = await readBody(request, clock, maxBytes);
  if (!read.ok) return read;
  const bytes = read.value;
  if (bytes.length === 0) return ok({});
  // A body needs a content type: a page of another site can send text without a preflight request.
  if (request.headers.get("content-type") === null) return notJson("no content type");
  const parsed = await runCooperatively(jsonFileParsing("", bytes), {
    now: () => performance.now(),
  });
  if (!parsed.ok) {
    const isText = decodeUtf8(bytes) !== null;
    return notJson(isText ? "text that does not parse" : "bytes that are not UTF-8");
  }
  return isRecord(parsed.value) ? ok(parsed.value) : notJson("JSON that is not an object");
}

/** Checks the headers that describe a request's body, before reading it. */
export function checkBodyHeaders(headers: Headers): Problem | null {
  const type = headers.get("content-type");
  if (type !== null && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return notJson(`content type ${JSON.stringify(type.slice(0, 80))}`).error;
  }
  const length = Number(headers.get("content-length") ?? 0);
  return length > MAX_BODY_BYTES ? tooLarge().error : null;
}

/** Refuses a compressed body (RFC 9110 §8.4), which would be read as if it were not compressed. */
export function checkContentCoding(headers: Headers): Problem | null {
  const coding = headers.get("content-encoding");
  if (coding === null || /^(?:identity)?$/i.test(coding)) return null;
  return problem(
    400,
    "bad-body",
    `Cannot read the body: found content coding ${JSON.stringify(coding.slice(0, 80))}, ` +
      "expected none",
    "Send it uncompressed, without Content-Encoding",
  );
}

function notJson(found: string): { readonly ok: false; readonly error: Problem } {
  return refuse(
    400,
    "bad-body",
    `Cannot read the body: found ${found}, expected a JSON object`,
    "Send content-type: application/json and a body like {}",
  );
}

function tooLarge(maxBytes = MAX_BODY_BYTES): { readonly ok: false; readonly error: Problem } {
  return refuse(
    413,
    "body-too-large",
    `The body is over ${maxBytes} bytes`,
    "Send less, in several calls",
  );
}
