/**
 * Slipway takes a game from its editor to the player's phone: tools for agents, the toolchain of a
 * mobile build, and signed over-the-air updates. Here is what most programs begin with; each area has
 * an entry of its own with all of it (`./editor`, `./toolchain`, `./ota-publish` …). Everything is
 * web-standard: what a runtime supplies comes from `./node` or `./deno`, and what runs inside the app
 * from `./ota-client`.
 *
 * @module
 */
export {
  type EditorServiceOptions,
  openService,
  type ProjectServiceOptions,
  type Service,
  type ServiceOptions,
} from "./lib/service/mod.ts";
export { type Offer, type Tool, TOOLS, TOOLSETS } from "./lib/agent/mod.ts";
export {
  type Editor,
  type EmbeddedEditor,
  openEmbeddedEditor,
  type TraitSchema,
} from "./lib/editor/mod.ts";
export { type ProjectConfig, readProjectConfig } from "./lib/project/mod.ts";
export { openToolchain, type Toolchain } from "./lib/toolchain/mod.ts";
export {
  type Bucket,
  createKey,
  embedManifest,
  loadKey,
  openBucket,
  prune,
  publish,
} from "./lib/ota-publish/mod.ts";
export type { Problem } from "./lib/core/problem.ts";
export type { Result } from "./lib/core/result.ts";
export type { GameRuntime } from "./lib/ports/game-runtime.ts";
export type { Runtime } from "./lib/ports/runtime.ts";
