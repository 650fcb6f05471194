// Deno has no atomic exclusive create with modes, no reflink copy and no statfs of its own; its node:fs has.
export * from "../node/files.ts";
