import { type Err, err, type Failure } from "../../core/result.ts";

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
  /** The server answers with a status that is no success. */
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
  /** The finished folder cannot be put in its place (on Windows: something holds it open). */
  | "rename"
  /** A program that the installation runs failed. */
  | "process"
  /** What was installed does not answer as it should. */
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
