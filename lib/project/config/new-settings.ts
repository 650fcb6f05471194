import type { JsonObject } from "../../core/json.ts";
import { MAX_PROJECT_NAME_LENGTH } from "./config.ts";

/** Returns the smallest settings of a new project, named after its folder. */
export function newSettings(root: string): JsonObject {
  const folder = root.replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) ?? "";
  return {
    name: folder.trim().slice(0, MAX_PROJECT_NAME_LENGTH) || "Game",
    startScene: "scenes/main.scene.json",
    build: { web: { out: "dist" } },
  };
}

/** Writes the text of `project.config.json`. */
export function configText(settings: JsonObject): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
