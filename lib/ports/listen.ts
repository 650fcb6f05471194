import type { Failure, Result } from "../core/result.ts";
import type { Peer } from "./peer.ts";

/** Answers one request. @param peer The other end of its connection. */
export type Answering = (request: Request, peer: Peer) => Promise<Response> | Response;

/** A server that is listening. */
export interface Listening {
  /** Without a trailing slash. */
  readonly url: string;
  /** The port that is listened on. */
  readonly port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** Serves HTTP on an address of this machine; port 0 picks a free one. */
export type Listen = (
  handler: Answering,
  options: { readonly hostname: string; readonly port: number },
) => Promise<Result<Listening, Failure>>;
