/**
 * The service as one function from `Request` to `Response`.
 *
 * @module
 */
export type { Access } from "./guard.ts";
export { createHandler, type Handler, type HandlerOptions } from "./handler.ts";
export { checkToken, mintToken } from "./token.ts";
// Types of other areas that these mention.
export type { Failure } from "../core/result.ts";
export type { Clock } from "../ports/clock.ts";
export type { Peer, PeerUser } from "../ports/peer.ts";
