import type { LiveEntity, LiveWorld } from "./live-world.ts";

/** Shows or hides an entity, by each of its traits that are seen. */
export function show(world: LiveWorld, entity: LiveEntity, visible: boolean): void {
  for (const trait of ["Renderable3D", "Sprite", "Text", "UIElement"]) {
    world.set(entity, [trait, "visible"], visible);
  }
}
