// node:crypto is native in Deno too, and WebCrypto cannot hash a stream.
export * from "../node/hashing.ts";
