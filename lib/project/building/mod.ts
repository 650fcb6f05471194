/** Building a project, without its editor. */
export type { BuildLacks } from "./build-target.ts";
export { buildLacks, createBuilds } from "./builds.ts";
export { neededTools } from "./needed-tools.ts";
export { buildWeb } from "./build.ts";
