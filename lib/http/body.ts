import { decodeUtf8, readAtMost } from "../core/bytes.ts";
import { isRecord } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";

/** Bytes of a request body (CONTRACTS §1). */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads the body of a `POST`: one JSON object of at most 8 MiB. No body at all is an empty object.
 *
 * @returns 400 for what is no JSON object, 413 for what is too large.
 */
export async function readJsonBody(
  request: Request,
): Promise<Result<Record<string, unknown>, Problem>> {
  const bytes = request.body === null
    ? new Uint8Array()
    : await readAtMost(request.body, MAX_BODY_BYTES, request.signal);
  if (bytes === null) return tooLarge();
  if (bytes.length === 0) return ok({});
  // Whoever sends a body says what it is: a page of another site can send text unasked.
  if (request.headers.get("content-type") === null) return notJson("no content type");
  const text = decodeUtf8(bytes);
  if (text === null) return notJson("bytes that are not UTF-8");
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? ok(value) : notJson(`JSON that is no object`);
  } catch {
    return notJson("text that does not parse");
  }
}

/** Checks what a request says about its body before any of it is read. */
export function checkBodyHeaders(headers: Headers): Problem | null {
  const type = headers.get("content-type");
  if (type !== null && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return notJson(`content type ${JSON.stringify(type.slice(0, 80))}`).error;
  }
  const length = Number(headers.get("content-length") ?? 0);
  return length > MAX_BODY_BYTES ? tooLarge().error : null;
}

function notJson(found: string): { readonly ok: false; readonly error: Problem } {
  return refuse(
    400,
    "bad-body",
    `Cannot read the body: found ${found}, expected a JSON object`,
    "Send content-type: application/json and a body like {}",
  );
}

function tooLarge(): { readonly ok: false; readonly error: Problem } {
  return refuse(
    413,
    "body-too-large",
    `The body is over ${MAX_BODY_BYTES} bytes`,
    "Send less, in several calls",
  );
}
