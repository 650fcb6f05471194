/**
 * Slipway takes a game from its editor to the player's phone: tools for agents, the toolchain of a
 * mobile build, and signed over-the-air updates. Everything here is web-standard; what a runtime
 * supplies comes from `./node` or `./deno`.
 *
 * @module
 */
export * from "./lib/ota-client/mod.ts";
