import type { Entity, Rect, ScreenLayout, Viewport } from "../types/mod.ts";
import { isOn, numberIn, textIn } from "../traits/value.ts";

/** The entities at a point of the screen. */
export interface Hit {
  /** The button that answers there; `null` for none. */
  readonly button: Entity | null;
  /** The entity over a button that would have answered; `null` for none. */
  readonly occludedBy: number | null;
}

/** Finds the buttons of the UI layer at a point, in the order in which they are drawn. */
export class HitTest {
  readonly #entities: ReadonlyMap<number, Entity>;
  /** The painted entities, the topmost first. */
  readonly #painted: readonly { readonly entity: Entity; readonly rect: Rect }[];

  readonly #screen: Rect;

  constructor(entities: readonly Entity[], layout: ScreenLayout, { width, height }: Viewport) {
    this.#screen = { x: 0, y: 0, w: width, h: height };
    this.#entities = new Map(entities.map((entity) => [entity.id, entity]));
    this.#painted = layout.entries.flatMap(({ id, layer, rect }) => {
      const entity = this.#entities.get(id);
      const isSeen = layer === "ui" && rect !== null && entity !== undefined && paints(entity);
      return isSeen ? [{ entity, rect }] : [];
    }).reverse();
  }

  /** The button that a tap at this point presses, or what keeps it from one; none beyond the screen. */
  at(x: number, y: number): Hit {
    if (!contains(this.#screen, x, y)) return { button: null, occludedBy: null };
    const under = this.#painted.filter(({ rect }) => contains(rect, x, y));
    const [top] = under;
    if (top === undefined) return { button: null, occludedBy: null };
    const button = this.#buttonOf(top.entity);
    if (button !== null) return { button, occludedBy: null };
    const hidden = under.some(({ entity }) => this.#buttonOf(entity) !== null);
    return { button: null, occludedBy: hidden ? top.entity.id : null };
  }

  /** The entity over the middle of a button; `null` for none. */
  over(button: Entity, x: number, y: number): number | null {
    const [top] = this.#painted.filter(({ rect }) => contains(rect, x, y));
    if (top === undefined || this.#isWithin(top.entity, button.id)) return null;
    return top.entity.id;
  }

  /** The nearest of an entity and those above it that is a button which answers. */
  #buttonOf(entity: Entity): Entity | null {
    for (let at: Entity | undefined = entity; at !== undefined; at = this.#parentOf(at)) {
      if (at.traits["Button"] !== undefined) {
        return isOn(at.traits["Button"], "enabled") ? at : null;
      }
    }
    return null;
  }

  #isWithin(entity: Entity, id: number): boolean {
    for (let at: Entity | undefined = entity; at !== undefined; at = this.#parentOf(at)) {
      if (at.id === id) return true;
    }
    return false;
  }

  #parentOf({ parentId }: Entity): Entity | undefined {
    return parentId === null ? undefined : this.#entities.get(parentId);
  }
}

/** Whether anything is to be seen of an element: a plain box only groups others. */
function paints({ traits }: Entity): boolean {
  const element = traits["UIElement"];
  if (element === undefined || numberIn(element, "opacity", 1) === 0) return false;
  if (traits["Button"] !== undefined || traits["Sprite"] !== undefined) return true;
  if (textIn(traits["Text"], "text") !== "") return true;
  const background = textIn(element, "background");
  return background.length === 7 || (background.length === 9 && !background.endsWith("00"));
}

function contains({ x, y, w, h }: Rect, px: number, py: number): boolean {
  return px >= x && px < x + w && py >= y && py < y + h;
}
