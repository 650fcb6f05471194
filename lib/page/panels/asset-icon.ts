import type { IconName } from "../parts/icon.tsx";

const ICONS: Readonly<Record<string, IconName>> = {
  animation: "history",
  animset: "history",
  audio: "audio",
  environment: "light",
  font: "text",
  material: "theme",
  mesh: "model",
  model: "model",
  particle: "light",
  prefab: "box",
  scene: "scene",
  script: "console",
  sprite: "view2d",
  texture: "view2d",
  timeline: "timeline",
};

/** The picture of a type of assets. */
export function iconOf(type: string): IconName {
  return ICONS[type] ?? "file";
}
