import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { Host } from "../ports/host.ts";
import type { Bucket } from "./store/bucket.ts";
import type { NamedBy } from "./store/endpoints.ts";
import { createFileBucket } from "./file/bucket.ts";
import { type GcsAddress, openGcsBucket, parseGcsUrl } from "./gcs/address.ts";
import { GCS_ENDPOINT } from "./gcs/bucket.ts";
import { openS3Bucket, parseS3Url, type S3Address } from "./s3/address.ts";
import { storeLabel } from "./store/names.ts";

/** Why a bucket URL does not open. */
export type OpenBucketFailure = Failure<
  "bad-bucket" | "endpoint-not-allowed" | "no-credentials"
>;

/** Dependencies of a bucket of any kind. */
export interface OpenBucketDependencies {
  /** The file system. */
  readonly files: Files;
  /** Computes tags and signatures. */
  readonly hashing: Hashing;
  /** Deadlines, and the waits between tries. */
  readonly clock: Clock;
  /** The network. */
  readonly fetch: Fetch;
  /** The environment and the home folder, which hold credentials. */
  readonly host: Host;
  /** Cancels every running operation. */
  readonly signal?: AbortSignal;
}

const EXPECTED =
  "file:///folder, s3://bucket/prefix[?endpoint=…&region=…] or gs://bucket/prefix[?endpoint=…]";

/**
 * Opens the bucket that a URL names (PUB-18). Sends no request to the store.
 *
 * @param namedBy The origin of the URL: `project` for everything that a project's files or an agent
 * say. Such a URL cannot choose a server that gets credentials; the environment and the AWS profile
 * can.
 * @returns `endpoint-not-allowed` with the setting that allows it.
 */
export async function openBucket(
  dependencies: OpenBucketDependencies,
  url: string,
  namedBy: NamedBy,
): Promise<Result<Bucket, OpenBucketFailure>> {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  switch (parsed?.protocol) {
    case "file:": {
      const folder = bucketFolder(parsed, dependencies.host.platform);
      return folder === null ? badBucket(url) : ok(createFileBucket({ ...dependencies, folder }));
    }
    case "s3:":
      return await openS3Bucket(dependencies, parsed, namedBy);
    case "gs:":
      return await openGcsBucket(dependencies, parsed, namedBy);
    default:
      return badBucket(url);
  }
}

/**
 * Describes the bucket of a URL in words, without secrets, with the server that the URL names.
 * Opens nothing and searches no credentials.
 *
 * @returns `bad-bucket` for a URL without a bucket.
 */
export function describeBucket(
  url: string,
  platform: Host["platform"],
): Result<string, Failure<"bad-bucket">> {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  switch (parsed?.protocol) {
    case "file:": {
      const folder = bucketFolder(parsed, platform);
      return folder === null ? badBucket(url) : ok(`file://${folder}`);
    }
    case "s3:": {
      const address = parseS3Url(parsed);
      return address.ok ? ok(describe("s3", address.value)) : address;
    }
    case "gs:": {
      const address = parseGcsUrl(parsed, "");
      return address.ok ? ok(describe("gs", address.value)) : address;
    }
    default:
      return badBucket(url);
  }
}

function describe(scheme: "s3" | "gs", address: S3Address | GcsAddress): string {
  const { endpoint } = address;
  const isOwn = endpoint === undefined || endpoint === GCS_ENDPOINT;
  return `${storeLabel(scheme, address)}${isOwn ? "" : ` at ${endpoint}`}`;
}

/**
 * Returns the absolute folder of a `file:` URL, without a slash at its end; `null` for a URL
 * without a folder.
 */
export function bucketFolder(url: URL, platform: Host["platform"]): string | null {
  if (url.protocol !== "file:") return null;
  if (url.hostname !== "" || url.search !== "" || url.hash !== "") return null;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname).replace(/\/+$/, "");
  } catch {
    return null; // a percent sign that encodes nothing
  }
  if (path === "" || path.includes("\0") || /%2f/i.test(url.pathname)) return null;
  if (/^[\\/]{2}/.test(path)) return null; // Windows logs in at the server of such a path
  return platform === "win32" ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
}

function badBucket(url: string): Result<never, Failure<"bad-bucket">> {
  // A URL may carry secrets in its query or user name, so the message shows neither.
  const shown = JSON.stringify(url.replace(/\?.*$/s, "?…").replace(/\/\/[^/]*@/, "//…@"));
  return fail("bad-bucket", `${shown} names no bucket: expected ${EXPECTED}`);
}
