import { FileError } from "../../core/file-error.ts";
import { type Err, err } from "../../core/result.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";
import { fileFailure, type InstallFailure, type InstallFailureCode } from "../work/failure.ts";
import type { NetworkFailure } from "./network-failure.ts";

/** Subject of a download's failures. */
export interface DownloadSubject {
  /** The artifact, for people. */
  readonly name: string;
  /** Its real address, which is printed without secrets. */
  readonly url: string;
  /** Path of the downloaded file. */
  readonly to: string;
  /** The prefix that a mirror stands in for, and what names the mirror; `null` for none. */
  readonly mirror: { readonly of: string; readonly setBy: string } | null;
}

/** Ends a download; caught where it began, never outside this folder. */
export class DownloadEnd extends Error {
  readonly failure: InstallFailure;

  constructor(failure: InstallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Next step if the vendor's own address does not help. */
export const SET_MIRROR =
  'set a mirror in SVC_TOOLCHAIN_MIRRORS ({"URL prefix": "its replacement"})';

/** Creates the failure of a download: it begins with the action, and names a mirror. */
export function downloadEnd(
  subject: DownloadSubject,
  code: InstallFailureCode,
  { found, next }: { readonly found: string; readonly next: string },
): DownloadEnd {
  const { name, url, mirror } = subject;
  const from = mirror === null
    ? urlWithoutSecrets(url)
    : `${urlWithoutSecrets(url)}, the mirror of ${
      urlWithoutSecrets(mirror.of)
    } that ${mirror.setBy} names`;
  const message = `Cannot download ${name} from ${from}: ${found}`;
  const advice = mirror === null ? next : `${next}; or change the mirror in ${mirror.setBy}`;
  return new DownloadEnd({ code, message, next: advice });
}

/** {@linkcode downloadEnd} for a request that got no answer. */
export function noAnswer(
  subject: DownloadSubject,
  { code, found, proxy, certificateProblems }: NetworkFailure,
): DownloadEnd {
  const { hostname } = new URL(subject.url);
  switch (code) {
    case "dns":
      return downloadEnd(subject, code, {
        found: `the name ${hostname} cannot be found (${found})`,
        next: "Check the connection to the internet; behind a company proxy set HTTPS_PROXY",
      });
    case "proxy":
      return downloadEnd(subject, code, {
        found: proxy === null ? found : `the proxy ${proxy} gives no way through: ${found}`,
        next: "Check HTTPS_PROXY (http://user:password@host:port), or name hosts that need no " +
          "proxy in NO_PROXY",
      });
    case "tls": {
      const problems = certificateProblems.map((problem) => ` (${problem})`).join("");
      return downloadEnd(subject, code, {
        found: `the certificate of ${hostname} is not trusted: ${found}${problems}`,
        next: "If your company inspects its traffic, save its root certificate as a PEM file and " +
          "set NODE_EXTRA_CA_CERTS to it; else check the clock of this machine",
      });
    }
    case "connect":
      return downloadEnd(subject, code, {
        found: `no connection to ${hostname} (${found})`,
        next: "Check the connection and the firewall; behind a company proxy set HTTPS_PROXY",
      });
  }
}

/** Converts an error of a download into a failure; rethrows unexpected errors. */
export function failureOf(thrown: unknown, { name, to }: DownloadSubject): Err<InstallFailure> {
  if (thrown instanceof DownloadEnd) return err(thrown.failure);
  const failed = fileFailure(thrown, `download ${name} to ${to}`);
  return thrown instanceof FileError && thrown.code === "busy"
    ? err({ ...failed.error, code: "rename", next: "Close what holds the file open and try again" })
    : failed;
}
