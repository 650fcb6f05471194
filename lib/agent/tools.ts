import { ANIMATION_TOOLS } from "./tools/animation.ts";
import { ASSET_TOOLS } from "./tools/assets.ts";
import { BUILD_TOOLS } from "./tools/build.ts";
import { CAPTURE_TOOLS } from "./tools/captures.ts";
import { DEVICE_TOOLS } from "./tools/devices.ts";
import { ENTITY_EDIT_TOOLS } from "./tools/entities.ts";
import { ENTITY_QUERY_TOOLS } from "./tools/entity-queries.ts";
import { HANDLE_TOOLS } from "./tools/handles.ts";
import { INPUT_TOOLS } from "./tools/input.ts";
import { JOB_TOOLS } from "./tools/jobs.ts";
import { JOURNAL_TOOLS } from "./tools/journal.ts";
import { LAYOUT_TOOLS } from "./tools/layout.ts";
import { createMetaTools } from "./tools/meta.ts";
import { OBSERVATION_TOOLS } from "./tools/observation.ts";
import { OTA_TOOLS } from "./tools/ota.ts";
import { OTA_UPKEEP_TOOLS } from "./tools/ota-upkeep.ts";
import { PHONE_TOOLS } from "./tools/phone.ts";
import { PLAY_TOOLS } from "./tools/play.ts";
import { PREFAB_TOOLS } from "./tools/prefabs.ts";
import { PROJECT_TOOLS } from "./tools/project.ts";
import { SCENE_TOOLS } from "./tools/scene.ts";
import { TOOLCHAIN_TOOLS } from "./tools/toolchain.ts";
import { TOOLCHAIN_INSTALL_TOOLS, TOOLCHAIN_MORE_TOOLS } from "./tools/toolchain-install.ts";
import { TRAIT_TOOLS } from "./tools/traits.ts";
import { VIEW_TOOLS } from "./tools/view.ts";
import { WATCH_TOOLS } from "./tools/watch.ts";
import type { Tool } from "./declaration/tool.ts";
import type { Toolset } from "./declaration/toolsets.ts";

/** The toolsets that a connection chooses from, in the order in which agents read them. */
export const TOOLSETS: readonly Toolset[] = [
  { name: "scene", tools: SCENE_TOOLS },
  { name: "entities", tools: [...ENTITY_EDIT_TOOLS, ...ENTITY_QUERY_TOOLS] },
  { name: "prefabs", tools: PREFAB_TOOLS },
  { name: "view", tools: VIEW_TOOLS },
  { name: "traits", tools: TRAIT_TOOLS },
  { name: "assets", tools: ASSET_TOOLS },
  { name: "animation", tools: ANIMATION_TOOLS },
  { name: "layout", tools: LAYOUT_TOOLS },
  { name: "play", tools: PLAY_TOOLS },
  { name: "input", tools: [...HANDLE_TOOLS, ...INPUT_TOOLS] },
  { name: "observation", tools: [...OBSERVATION_TOOLS, ...WATCH_TOOLS, ...JOURNAL_TOOLS] },
  { name: "captures", tools: CAPTURE_TOOLS },
  { name: "devices", tools: DEVICE_TOOLS },
  { name: "project", tools: PROJECT_TOOLS },
  { name: "toolchain", tools: [...TOOLCHAIN_TOOLS, ...TOOLCHAIN_INSTALL_TOOLS] },
  { name: "build", tools: BUILD_TOOLS },
  { name: "ota", tools: OTA_TOOLS },
  { name: "toolchain-more", tools: TOOLCHAIN_MORE_TOOLS, isSeldom: true },
  { name: "ota-upkeep", tools: OTA_UPKEEP_TOOLS, isSeldom: true },
  { name: "phone", tools: PHONE_TOOLS, isSeldom: true },
  { name: "jobs", tools: JOB_TOOLS },
];

/** The tools that every connection has, whatever toolsets it chose. */
export const META_TOOLS: readonly Tool[] = createMetaTools(TOOLSETS);

/** Every tool, in the order in which agents read them. */
export const TOOLS: readonly Tool[] = [
  ...META_TOOLS,
  ...TOOLSETS.flatMap(({ tools }) => tools),
];
