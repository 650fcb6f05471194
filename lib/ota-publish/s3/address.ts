import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { Bucket } from "../store/bucket.ts";
import {
  isAmazon,
  isPrivate,
  isSameEndpoint,
  type NamedBy,
  notNamedByUser,
} from "../store/endpoints.ts";
import { createS3Bucket } from "./bucket.ts";
import { findS3Settings, type S3CredentialsDependencies } from "./credentials.ts";
import { prefixOf } from "../store/names.ts";
import type { StoreRequestDependencies } from "../store/requests.ts";

/** The place of an S3 store. {@linkcode createS3Bucket} has defaults for absent members. */
export interface S3Place {
  readonly endpoint?: string;
  readonly region?: string;
}

/** The parts of an `s3:` URL. */
export interface S3Address extends S3Place {
  readonly bucket: string;
  readonly prefix: string;
}

/** Bucket names that S3 and compatible stores allow, or once allowed. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
/** A region, which becomes part of a host's name. */
const REGION = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const PARAMETERS: readonly string[] = ["endpoint", "region"];

/**
 * Opens a bucket of an S3 store with the keys that the environment holds. An endpoint in a URL that
 * the user did not give must be Amazon's own, or the one that the environment names.
 */
export async function openS3Bucket(
  dependencies: S3CredentialsDependencies & StoreRequestDependencies & {
    readonly hashing: Hashing;
  },
  url: URL,
  namedBy: NamedBy,
): Promise<Result<Bucket, Failure<"bad-bucket" | "endpoint-not-allowed" | "no-credentials">>> {
  const address = parseS3Url(url);
  if (!address.ok) return address;
  const settings = await findS3Settings(dependencies);
  if (!settings.ok) return settings;
  const { credentials, ...configured } = settings.value;
  const { endpoint } = address.value;
  if (endpoint !== undefined && namedBy === "project" && !isAmazon(endpoint)) {
    const isTheUsers = isSameEndpoint(endpoint, configured.endpoint ?? "");
    if (!isTheUsers) return notNamedByUser(endpoint, nameIt(dependencies.host.cli));
  }
  const place = checkPlace({ ...configured, ...address.value }, "The environment");
  if (!place.ok) return place;
  return ok(createS3Bucket({ ...dependencies, ...address.value, ...place.value, credentials }));
}

function nameIt(cli: string): string {
  return "If the store is yours, start the service with AWS_ENDPOINT_URL_S3 set to its address " +
    `(or give the AWS profile an endpoint_url), or publish with '${cli} publish --bucket URL'`;
}

/** Reads `s3://bucket/prefix[?endpoint=…&region=…]`. What it says goes before the environment. */
export function parseS3Url(url: URL): Result<S3Address, Failure<"bad-bucket">> {
  // A bucket is not a host name: capitals are kept, and anything but plain names is refused.
  const { host: bucket } = url;
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    return bad("An s3: URL has a user or a fragment", "keys in the environment, never in the URL");
  }
  if (!BUCKET.test(bucket)) {
    return bad(
      `An s3: URL has the bucket ${JSON.stringify(bucket)}`,
      "3 to 255 letters, digits, dots, dashes, underscores",
    );
  }
  const prefix = prefixOf(url);
  if (prefix === null) {
    return bad("An s3: URL has an invalid prefix", "folders between single slashes");
  }
  const place: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.includes(name)) {
      return bad(`An s3: URL has the parameter ${JSON.stringify(name)}`, PARAMETERS.join(" or "));
    }
    if (Object.hasOwn(place, name)) return bad(`An s3: URL has two of ${name}`, "at most one");
    place[name] = value;
  }
  const checked = checkPlace(place, "An s3: URL");
  return checked.ok ? ok({ bucket, prefix, ...checked.value }) : checked;
}

/** @param who Who says so, for the message. */
function checkPlace(
  { endpoint, region }: S3Place,
  who: string,
): Result<S3Place, Failure<"bad-bucket">> {
  if (region !== undefined && !REGION.test(region)) {
    return bad(`${who} has the region ${JSON.stringify(region)}`, "one such as eu-central-1");
  }
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    return bad(
      `${who} has an invalid endpoint`,
      "https://host[:port][/path], or http on this machine",
    );
  }
  return ok({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
}

/** Whether an address may be a store's: a session token must not pass a network in the open. */
function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && isPrivate(text) &&
    url.search === "" && url.hash === "" && url.username === "" && url.password === "";
}

function bad(found: string, expected: string): Result<never, Failure<"bad-bucket">> {
  return fail("bad-bucket", `${found}, expected ${expected}`);
}
