import { type Problem, refuse } from "../../core/problem.ts";
import { messageOf, ok, type Result } from "../../core/result.ts";

/** Fetches as a page does: `globalThis.fetch`, or a test's own. */
export type PageFetch = (url: string) => Promise<Response>;

/**
 * The bytes of a file of the game.
 *
 * @param most Bytes; a longer file is not read to its end.
 * @returns 503 `not-fetched`.
 */
export async function loadBytes(
  fetch: PageFetch,
  url: string,
  most: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
  try {
    const response = await fetch(url);
    if (response.ok) return await bytesOf(response, url, most);
    await response.body?.cancel();
    return notFetched(url, `found status ${response.status}, expected 200`);
  } catch (thrown) {
    return notFetched(url, messageOf(thrown));
  }
}

async function bytesOf(
  { body }: Response,
  url: string,
  most: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > most) {
      await reader?.cancel();
      return notFetched(url, `found more than ${most} bytes`);
    }
    chunks.push(read.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return ok(bytes);
}

function notFetched(url: string, found: string): Result<never, Problem> {
  return refuse(
    503,
    "not-fetched",
    `Cannot fetch ${url}: ${found}`,
    "See that the whole game was copied, and that it is opened over HTTP",
  );
}
