import { FileError } from "../../core/file-error.ts";
import { type Err, err, type Failure, type Result } from "../../core/result.ts";

/**
 * Why a tool could not be provided, as exactly as it is known (facts: a download error that turns
 * out to be a full disk or a virus scanner is what users of other installers complain about).
 */
export type InstallFailureCode =
  /** The server's name cannot be found. */
  | "dns"
  /** No connection to the server. */
  | "connect"
  /** The proxy refuses, or cannot be reached. */
  | "proxy"
  /** The certificate is not trusted. */
  | "tls"
  /** The server answers with a status that does not mean success. */
  | "http-status"
  /** No byte for longer than the deadline. */
  | "stalled"
  /** Fewer bytes than announced or pinned. */
  | "short"
  /** More bytes than pinned. */
  | "too-large"
  /** The bytes are not the pinned ones. */
  | "hash"
  /** No space for the download or for what it unpacks to. */
  | "disk-full"
  /** The folder cannot be written by this user. */
  | "not-writable"
  /** The archive is damaged, or holds what no tool's archive holds. */
  | "archive"
  /** Its place has files that the editor did not install. */
  | "occupied"
  /** Its place has files without a receipt of the editor's. */
  | "no-receipt"
  /** The finished folder cannot be put in its place (on Windows: something holds it open). */
  | "rename"
  /** A program that the installation runs failed. */
  | "process"
  /** The installed tool does not answer as expected. */
  | "smoke-test"
  /** The terms of what would be installed were not accepted. */
  | "licence"
  /** Another process is installing the tool, and does not come to an end. */
  | "busy"
  /** The caller ended it. */
  | "cancelled"
  /** The editor cannot provide this tool on this machine. */
  | "not-installable"
  /** The file system failed in another way. */
  | "io";

/** A failed installation: what was done, found and expected, and what to do about it. */
export interface InstallFailure extends Failure<InstallFailureCode> {
  /** Next step for the reader. */
  readonly next: string;
}

/** Builds an {@linkcode InstallFailure} and wraps it. */
export function failInstall(
  code: InstallFailureCode,
  message: string,
  next: string,
): Err<InstallFailure> {
  return err({ code, message, next });
}

const CODES: Readonly<Record<InstallFailureCode, true>> = {
  "dns": true,
  "connect": true,
  "proxy": true,
  "tls": true,
  "http-status": true,
  "stalled": true,
  "short": true,
  "too-large": true,
  "hash": true,
  "disk-full": true,
  "not-writable": true,
  "archive": true,
  "occupied": true,
  "no-receipt": true,
  "rename": true,
  "process": true,
  "smoke-test": true,
  "licence": true,
  "busy": true,
  "cancelled": true,
  "not-installable": true,
  "io": true,
};

/** Whether `code` is one of the codes: what another process wrote may be of another version. */
export function isInstallFailureCode(code: unknown): code is InstallFailureCode {
  return typeof code === "string" && Object.hasOwn(CODES, code);
}

/** The failure of a disk that is full. */
export function noSpace(message: string): Err<InstallFailure> {
  return failInstall(
    "disk-full",
    message,
    "Free space on that disk, or set SVC_TOOLCHAIN_DIR to a folder on another one",
  );
}

/** The failure of work in the toolchain folder that its caller ended. */
export function cancelled(what: string): Result<never, InstallFailure> {
  return failInstall(
    "cancelled",
    `Stopped before it could ${what}`,
    "Start it again: it goes on with what was downloaded",
  );
}

/** Whether a failed download says that no other can come either. */
export function endsAll({ code }: InstallFailure): boolean {
  return code === "cancelled" || code === "disk-full" || code === "not-writable" ||
    code === "busy" || code === "io";
}

/** Converts an error of the file system into a failure of the step `what` (`unpack the JDK`). */
export function fileFailure(thrown: unknown, what: string): Err<InstallFailure> {
  if (!(thrown instanceof FileError)) throw thrown;
  const message = `Cannot ${what}: ${thrown.message}`;
  switch (thrown.code) {
    case "full":
      return noSpace(message);
    case "denied":
    case "read-only":
      return failInstall(
        "not-writable",
        message,
        "Make the folder writable for this user, or set SVC_TOOLCHAIN_DIR to another one",
      );
    default:
      return failInstall("io", message, "Look at the folder that is named, then try again");
  }
}
