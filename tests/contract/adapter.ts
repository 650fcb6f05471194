/** The adapter of the runtime that runs the test. */
export const adapter: typeof import("../../adapters/node/mod.ts") = "Deno" in globalThis
  ? await import("../../adapters/deno/mod.ts")
  : await import("../../adapters/node/mod.ts");
