import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import type { Bucket } from "../store/bucket.ts";
import { createGcsBucket, GCS_ENDPOINT } from "./bucket.ts";
import {
  findGcsCredentials,
  type GcsCredentialsDependencies,
  type GcsPlace,
} from "./credentials.ts";
import { isGoogle, isSameEndpoint, type NamedBy, notNamedByUser } from "../store/endpoints.ts";
import { isLoopback } from "../../core/loopback.ts";
import { prefixOf } from "../store/names.ts";

/** Bucket and prefix of a `gs:` URL. */
export interface GcsAddress {
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string;
  /** Decides which credentials it may see. */
  readonly place: GcsPlace;
}

/** Names as Google allows them (https://cloud.google.com/storage/docs/buckets#naming). */
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

const NAME_IT =
  "If the emulator is yours, start the service with STORAGE_EMULATOR_HOST set to its address";

/**
 * Opens a bucket on Google Cloud Storage with this machine's credentials. A URL that the user did
 * not give may name only Google's own endpoint, or the environment's.
 */
export async function openGcsBucket(
  dependencies: GcsCredentialsDependencies,
  url: URL,
  namedBy: NamedBy,
): Promise<Result<Bucket, Failure<"bad-bucket" | "endpoint-not-allowed" | "no-credentials">>> {
  const emulatorHost = dependencies.host.env("STORAGE_EMULATOR_HOST") ?? "";
  const address = parseGcsUrl(url, emulatorHost);
  if (!address.ok) return address;
  const { endpoint } = address.value;
  if (namedBy === "project" && url.searchParams.has("endpoint") && !isGoogle(endpoint)) {
    const emulator = emulatorOf(emulatorHost) ?? "";
    if (!isSameEndpoint(endpoint, emulator)) return notNamedByUser(endpoint, NAME_IT);
  }
  const credentials = await findGcsCredentials(dependencies, address.value);
  if (!credentials.ok) return credentials;
  return ok(createGcsBucket({
    ...dependencies,
    ...address.value,
    credentials: credentials.value,
  }));
}

/**
 * Reads `gs://bucket/prefix[?endpoint=…]`.
 *
 * @param emulatorHost The value of `STORAGE_EMULATOR_HOST`, empty if unset; `endpoint` takes
 * precedence.
 */
export function parseGcsUrl(
  url: URL,
  emulatorHost: string,
): Result<GcsAddress, Failure<"bad-bucket">> {
  const { hostname: bucket } = url;
  if (!BUCKET.test(bucket)) {
    return bad(
      `the bucket ${JSON.stringify(bucket)}`,
      "3 to 222 of a-z, 0-9, dot, dash, underscore",
    );
  }
  if (url.username !== "" || url.password !== "" || url.port !== "" || url.hash !== "") {
    return bad("a user, a port or a fragment", "gs://bucket/prefix[?endpoint=…]");
  }
  const prefix = prefixOf(url);
  if (prefix === null) return bad("an invalid prefix", "folders between single slashes");
  for (const name of new Set(url.searchParams.keys())) {
    if (name !== "endpoint") return bad(`the parameter ${JSON.stringify(name)}`, "endpoint");
  }
  const endpoints = url.searchParams.getAll("endpoint");
  const [endpoint] = endpoints;
  if (endpoints.length > 1) return bad("more than one endpoint", "at most one");
  if (endpoint !== undefined) return atEndpoint({ bucket, prefix }, endpoint);
  if (emulatorHost === "") return ok({ bucket, prefix, endpoint: GCS_ENDPOINT, place: "google" });
  const emulator = emulatorOf(emulatorHost);
  return emulator === null
    ? bad("STORAGE_EMULATOR_HOST", "a host and a port")
    : ok({ bucket, prefix, endpoint: emulator, place: placeOf(emulator) });
}

/** Checks the endpoint in a URL: a URL may come from anywhere, so it cannot name a server elsewhere. */
function atEndpoint(
  where: Pick<GcsAddress, "bucket" | "prefix">,
  text: string,
): Result<GcsAddress, Failure<"bad-bucket">> {
  const endpoint = originOf(text);
  const place = endpoint === null ? "elsewhere" : placeOf(endpoint);
  return endpoint === null || place === "elsewhere"
    ? bad(
      "that endpoint",
      "https://….googleapis.com or http on this machine; other emulators are named by STORAGE_EMULATOR_HOST",
    )
    : ok({ ...where, endpoint, place });
}

function placeOf(origin: string): GcsPlace {
  if (isLoopback(new URL(origin).hostname)) return "here";
  return isGoogle(origin) ? "google" : "elsewhere";
}

/** Returns the address in `STORAGE_EMULATOR_HOST`, whose scheme is optional; or `null`. */
function emulatorOf(host: string): string | null {
  return originOf(/^https?:\/\//.test(host) ? host : `http://${host}`);
}

/** An address without anything behind its host, or `null`. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  const bare = url.pathname === "/" && url.search === "" && url.hash === "" &&
    url.username === "" &&
    url.password === "";
  return bare ? url.origin : null;
}

function bad(found: string, expected: string): Result<never, Failure<"bad-bucket">> {
  return fail("bad-bucket", `A gs: URL has ${found}, expected ${expected}`);
}
