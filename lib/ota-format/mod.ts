/** The update records: their shapes, their canonical bytes, their signatures. */
export * from "./canonical-json.ts";
export * from "./diff.ts";
export * from "./layout.ts";
export * from "./manifest.ts";
export * from "./native.ts";
export * from "./release.ts";
export * from "./signing.ts";
