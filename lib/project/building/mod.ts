/** Building a project, without its editor. */
export { createBuilds, preflightTarget } from "./builds.ts";
export { neededTools } from "./needed-tools.ts";
export { buildWeb } from "./build.ts";
export type { Fact, UnknownFact } from "./plan/fact.ts";
export type { TargetPreflight } from "./target-preflight.ts";
