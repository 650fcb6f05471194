/** Building a project, without its editor. */
export { createBuilds } from "./builds.ts";
export { neededTools } from "./needed-tools.ts";
