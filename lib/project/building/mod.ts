/** Building a project, without its editor. */
export type { BuildLacks } from "./build-target.ts";
export {
  buildLacks,
  createBuilds,
  targetLacks,
  type TargetPreflight,
  withLacks,
} from "./builds.ts";
export { neededTools } from "./needed-tools.ts";
export { buildWeb } from "./build.ts";
