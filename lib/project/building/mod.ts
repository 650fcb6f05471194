/** Building a project, without its editor. */
export { createBuilds, lacksOf } from "./builds.ts";
export type { ProjectLack } from "./capacitor.ts";
export { neededTools } from "./needed-tools.ts";
export { buildWeb } from "./build.ts";
