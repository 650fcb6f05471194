import type { Entity, Handle, Rect, ScreenLayout, Viewport } from "../ports/mod.ts";
import { isOn } from "../../game/traits/mod.ts";
import { HitTest } from "../../game/play/mod.ts";

/**
 * Returns the game's responsive buttons and sticks in drawing order, with the entities that cover
 * them: each at the centre of its visible part, where a finger would tap.
 */
export function buttonHandles(
  entities: readonly Entity[],
  layout: Pick<ScreenLayout, "entries">,
  viewport: Viewport,
): readonly Handle[] {
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const rects = layout.entries.filter(({ layer }) => layer === "ui")
    .map(({ id, rect }) => [id, rect] as const);
  const test = new HitTest(byId, rects, viewport);
  return layout.entries.flatMap(({ id, rect, onScreen }): readonly Handle[] => {
    const entity = byId.get(id);
    const kind = entity?.traits["Button"] !== undefined ? "Button" : "Stick";
    const answering = entity?.traits[kind];
    if (entity === undefined || rect === null || answering === undefined) return [];
    if (!isOn(answering, "enabled")) return [];
    const { x, y } = middleOf(onScreen ? seenOf(rect, viewport) : rect);
    const over = test.over(entity, x, y);
    return [{
      id: `${kind.toLowerCase()}:${entity.guid}`,
      editor: "game",
      kind: kind.toLowerCase(),
      x,
      y,
      label: entity.name,
      entity: id,
      onScreen,
      ...(over !== null && { occludedBy: over }),
    }];
  });
}

/** Returns the part of a rectangle inside the viewport; there is one. */
function seenOf({ x, y, w, h }: Rect, { width, height }: Viewport): Rect {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  return { x: left, y: top, w: Math.min(width, x + w) - left, h: Math.min(height, y + h) - top };
}

function middleOf({ x, y, w, h }: Rect): { readonly x: number; readonly y: number } {
  return { x: x + w / 2, y: y + h / 2 };
}
