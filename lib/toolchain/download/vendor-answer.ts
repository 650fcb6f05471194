import { decodeUtf8, readAtMost } from "../../core/bytes.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import { networkFailure } from "./network-failure.ts";
import type { ArtifactContext } from "./artifacts.ts";
import { mirroredUrl } from "./mirrors.ts";

// Small questions to a vendor's server: an index, a list of hashes, a size. What is downloaded to be
// installed goes another way (download.ts).

/** Deadline of an answer, in milliseconds. */
const ANSWER_MS = 60_000;
/** The largest of them, Google's index, has a few megabytes. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** Dependencies of a question to a vendor. */
export type VendorContext = Pick<ArtifactContext, "fetch" | "clock" | "mirrors" | "signal">;

/** A server that gives no answer to use. */
export class VendorError extends Error {
  /** Whether it answered that there is no such thing. */
  readonly gone: boolean;

  constructor(message: string, { gone }: { readonly gone: boolean }) {
    super(message);
    this.gone = gone;
  }
}

/** A text, from the vendor or its mirror. @throws {VendorError} */
export async function vendorText(url: string, context: VendorContext): Promise<string> {
  return await asked(url, { method: "GET" }, context, async (response, signal) => {
    refuseFailure(response, url);
    const bytes = response.body === null
      ? new Uint8Array()
      : await readAtMost(response.body, MAX_TEXT_BYTES, signal);
    const text = bytes === null ? null : decodeUtf8(bytes);
    if (text !== null) return text;
    throw new VendorError("the answer is not a text that can be read", { gone: false });
  });
}

/**
 * The size that a server announces; `null` where it announces none.
 *
 * @throws {VendorError} where it does not have the file, or fails.
 */
export async function announcedSize(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  context: VendorContext,
): Promise<number | null> {
  const init = { method: "HEAD", ...(headers !== undefined && { headers }) };
  return await asked(url, init, context, (response) => {
    if (response.status === 405 || response.status === 501) return Promise.resolve(null);
    refuseFailure(response, url);
    const length = response.headers.get("content-length");
    return Promise.resolve(length === null ? null : Number(length));
  });
}

function refuseFailure({ ok, status }: Response, url: string): void {
  if (ok) return;
  const gone = status === 404 || status === 410;
  throw new VendorError(`${urlWithoutSecrets(url)} answers ${status}`, { gone });
}

async function asked<T>(
  url: string,
  init: RequestInit,
  { fetch, clock, mirrors, signal }: VendorContext,
  read: (response: Response, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { url: address } = mirroredUrl(url, mirrors);
  const shown = urlWithoutSecrets(address);
  let response: Response | undefined;
  const ask = async (ended: AbortSignal) => {
    response = await fetch(address, { ...init, signal: ended });
    return await read(response, ended);
  };
  try {
    return await withTimeout(ask, { clock, timeoutMs: ANSWER_MS, signal });
  } catch (thrown) {
    if (thrown instanceof VendorError) throw thrown;
    const isLate = thrown instanceof TimeoutError;
    const why = isLate ? `no answer within ${ANSWER_MS / 1000} s` : networkFailure(thrown).found;
    throw new VendorError(`${shown} cannot be read: ${why}`, { gone: false });
  } finally {
    if (response?.bodyUsed === false) await response.body?.cancel().catch(() => undefined);
  }
}
