/**
 * The service as one function from `Request` to `Response`.
 *
 * @module
 */
export type { Access } from "./guard.ts";
export { checkToken, mintToken } from "./token.ts";
export { createHandler, type Handler, type HandlerOptions } from "./handler.ts";
