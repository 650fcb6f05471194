import { parseJson } from "../../core/json-text.ts";
import { fail, ok } from "../../core/result.ts";
import type { BucketResult } from "../store/bucket.ts";
import { type AccessToken, parseToken, type TokenDependencies } from "./token.ts";
import { sendOnce, sendRepeatedly } from "../store/requests.ts";

// Google's machines have a server of their own that gives out tokens of their account
// (https://cloud.google.com/compute/docs/metadata/overview).

/** The default address of that server. */
export const METADATA_HOST = "metadata.google.internal";
const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
/** Bounds the wait on machines without that server, in milliseconds. */
const PROBE_TIMEOUT_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Gets a token of the machine's own account.
 *
 * @param host The server; `null` checks quickly whether one exists.
 */
export async function metadataServerToken(
  dependencies: TokenDependencies,
  host: string | null,
): BucketResult<AccessToken> {
  const url = `http://${host ?? METADATA_HOST}${PATH}`;
  if (!URL.canParse(url)) {
    const found = `GCE_METADATA_HOST is ${JSON.stringify(host)}, expected a host and a port`;
    return fail("other", found, "Correct it, or unset it");
  }
  const request = {
    method: "GET",
    url,
    headers: { "metadata-flavor": "Google" },
    maxAnswerBytes: MAX_ANSWER_BYTES,
  };
  const exchange = host === null
    ? await sendOnce({ ...dependencies, deadlineMs: PROBE_TIMEOUT_MS }, request)
    : await sendRepeatedly(dependencies, request);
  if (exchange.kind !== "answered") {
    return fail(
      "unreachable",
      `no metadata server at ${host ?? METADATA_HOST}: ${exchange.message}`,
    );
  }
  const { status, headers, bytes } = exchange.answer;
  const token = status === 200 && headers.get("metadata-flavor") === "Google"
    ? parseToken(parseJson(bytes))
    : null;
  return token === null
    ? fail(
      "denied",
      `the metadata server at ${host ?? METADATA_HOST} has no token (HTTP ${status})`,
    )
    : ok(token);
}
