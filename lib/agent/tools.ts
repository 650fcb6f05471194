import { ASSET_TOOLS } from "./families/assets.ts";
import { JOB_TOOLS } from "./families/jobs.ts";
import { LAYOUT_TOOLS } from "./families/layout.ts";
import { OBSERVATION_TOOLS } from "./families/observation.ts";
import { OTA_TOOLS } from "./families/ota.ts";
import { SCENE_TOOLS } from "./families/scene.ts";
import { TOOLCHAIN_TOOLS } from "./families/toolchain.ts";
import { TRAIT_TOOLS } from "./families/traits.ts";
import type { Tool } from "./tool.ts";

/** Every tool, in the order in which agents read them. */
export const TOOLS: readonly Tool[] = [
  ...SCENE_TOOLS,
  ...LAYOUT_TOOLS,
  ...ASSET_TOOLS,
  ...TRAIT_TOOLS,
  ...OBSERVATION_TOOLS,
  ...TOOLCHAIN_TOOLS,
  ...OTA_TOOLS,
  ...JOB_TOOLS,
];
