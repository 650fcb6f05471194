// node:zlib is native in Deno too, and takes half of what a CompressionStream does for small files.
export * from "../node/deflating.ts";
