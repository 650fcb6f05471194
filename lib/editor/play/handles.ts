import type { Entity, Handle, Layout } from "../ports.ts";
import { isOn } from "../traits/value.ts";
import { HitTest } from "./hits.ts";

/** The buttons of the game that answer, in drawing order, with what lies over them. */
export function buttonHandles(entities: readonly Entity[], layout: Layout): readonly Handle[] {
  const test = new HitTest(entities, layout);
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return layout.entries.flatMap(({ id, rect, onScreen }): readonly Handle[] => {
    const entity = byId.get(id);
    const button = entity?.traits["Button"];
    if (entity === undefined || rect === null || button === undefined) return [];
    if (!isOn(button, "enabled")) return [];
    const [x, y] = [rect.x + rect.w / 2, rect.y + rect.h / 2];
    const over = test.over(entity, x, y);
    return [{
      id: `button:${entity.guid}`,
      editor: "game",
      kind: "button",
      x,
      y,
      label: entity.name,
      entity: id,
      onScreen,
      ...(over !== null && { occludedBy: over }),
    }];
  });
}
