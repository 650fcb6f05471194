import { fail, type Failure, type Result } from "../../core/result.ts";
import { isLoopback } from "../../core/loopback.ts";

// A signed request tells a server who asks and lets it answer as the store. So credentials go to
// Amazon's and Google's own hosts, and else only where this machine's user says: a project comes
// from anywhere, and an agent reads texts from anywhere.

/**
 * Origin of a bucket's URL: the user (a flag of a command line), or a project's files or an agent.
 */
export type NamedBy = "user" | "project";

/** Hosts of Amazon S3, and of nothing else that Amazon lets run under its name. */
const AMAZON =
  /^(.+\.)?s3([.-](dualstack|fips|accelerate))*([.-][a-z]{2}(-[a-z]+)+-\d+)?\.amazonaws\.com(\.cn)?$/;

/** Whether an address is Amazon S3's own. */
export function isAmazon(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" && AMAZON.test(hostname);
}

/** Whether an address is one of Google's own. */
export function isGoogle(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" && hostname.endsWith(".googleapis.com");
}

/** Whether nobody on the way can read what is sent there: https, or this machine itself. */
export function isPrivate(endpoint: string): boolean {
  const url = new URL(endpoint);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Whether two addresses are one, whatever stands at their ends. */
export function isSameEndpoint(one: string, other: string): boolean {
  const plain = (address: string) => new URL(address).href.replace(/\/+$/, "");
  return URL.canParse(other) && plain(one) === plain(other);
}

/** Refuses a server that only a project or an agent names. @param next What to set. */
export function notNamedByUser(
  endpoint: string,
  next: string,
): Result<never, Failure<"endpoint-not-allowed">> {
  return fail(
    "endpoint-not-allowed",
    `Cannot send signed requests to ${
      new URL(endpoint).origin
    }: found it in the project or in an ` +
      "argument only, expected the store's own host or an endpoint that the user of this machine names",
    next,
  );
}
