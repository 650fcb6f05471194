import type { JsonObject } from "../../core/json.ts";
import { MAX_NAME_LENGTH } from "./config.ts";

/** The smallest settings of a project, named after its folder: what one begins with. */
export function newSettings(root: string): JsonObject {
  const folder = root.replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) ?? "";
  return {
    name: folder.trim().slice(0, MAX_NAME_LENGTH) || "Game",
    startScene: "scenes/main.scene.json",
    build: { web: { out: "dist" } },
  };
}

/** How `project.config.json` is written. */
export function configText(settings: JsonObject): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
