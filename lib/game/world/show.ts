import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";

/** Shows or hides an entity, through each of its visible traits. */
export function showEntity(world: LiveWorld, entity: LiveEntity, visible: boolean): void {
  const { Renderable3D, Sprite, Text, UIElement } = entity.traits;
  if (isOther(Renderable3D, visible)) world.set(entity, ["Renderable3D", "visible"], visible);
  if (isOther(Sprite, visible)) world.set(entity, ["Sprite", "visible"], visible);
  if (isOther(Text, visible)) world.set(entity, ["Text", "visible"], visible);
  if (isOther(UIElement, visible)) world.set(entity, ["UIElement", "visible"], visible);
}

function isOther(fields: LiveFields | undefined, visible: boolean): boolean {
  return fields !== undefined && fields["visible"] !== visible;
}
