import type { Entity, Rect, Viewport } from "../types/mod.ts";
import { isOn, numberIn, textIn } from "../traits/value.ts";

/** The entities at a point of the screen. */
export interface Hit {
  /** The responding button or stick, or `null`. */
  readonly answering: Entity | null;
  /** The entity that covers a button or stick which would have responded, or `null`. */
  readonly occludedBy: number | null;
}

/** The entities of a scene, by id. */
export interface EntitiesById {
  get(id: number): Entity | undefined;
}

/** Finds the responding element of the UI layer at a point, by drawing order. */
export class HitTest {
  readonly #entities: EntitiesById;
  /** The painted entities, the topmost first. */
  readonly #painted: readonly { readonly entity: Entity; readonly rect: Rect }[];
  readonly #screen: Rect;

  /** @param rects Of the UI layer, in drawing order; `null` if hidden. */
  constructor(
    entities: EntitiesById,
    rects: Iterable<readonly [id: number, rect: Rect | null]>,
    { width, height }: Viewport,
  ) {
    this.#screen = { x: 0, y: 0, w: width, h: height };
    this.#entities = entities;
    this.#painted = [...rects].flatMap(([id, rect]) => {
      const entity = entities.get(id);
      return rect !== null && entity !== undefined && paints(entity) ? [{ entity, rect }] : [];
    }).reverse();
  }

  /**
   * Returns the element that a tap at this point hits, or the one that covers it; nothing outside
   * the screen.
   */
  at(x: number, y: number): Hit {
    const nothing = { answering: null, occludedBy: null };
    if (!contains(this.#screen, x, y)) return nothing;
    const under = this.#painted.filter(({ rect }) => contains(rect, x, y));
    const [top] = under;
    if (top === undefined) return nothing;
    const answering = this.#answeringOf(top.entity);
    if (answering !== null) return { answering, occludedBy: null };
    const hidden = under.some(({ entity }) => this.#answeringOf(entity) !== null);
    return { answering: null, occludedBy: hidden ? top.entity.id : null };
  }

  /** Returns the entity that covers the centre of a button, or `null`. */
  over(button: Entity, x: number, y: number): number | null {
    const [top] = this.#painted.filter(({ rect }) => contains(rect, x, y));
    if (top === undefined || this.#isWithin(top.entity, button.id)) return null;
    return top.entity.id;
  }

  /** Returns the nearest responding button or stick among an entity and its ancestors. */
  #answeringOf(entity: Entity): Entity | null {
    for (let at: Entity | undefined = entity; at !== undefined; at = this.#parentOf(at)) {
      const asked = at.traits["Button"] ?? at.traits["Stick"];
      if (asked !== undefined) return isOn(asked, "enabled") ? at : null;
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

/** Returns whether an element is visible: a plain box only groups others. */
function paints({ traits }: Entity): boolean {
  const element = traits["UIElement"];
  if (element === undefined || numberIn(element, "opacity", 1) === 0) return false;
  if (["Button", "Stick", "Sprite"].some((trait) => traits[trait] !== undefined)) return true;
  if (textIn(traits["Text"], "text") !== "") return true;
  const background = textIn(element, "background");
  return background.length === 7 || (background.length === 9 && !background.endsWith("00"));
}

function contains({ x, y, w, h }: Rect, px: number, py: number): boolean {
  return px >= x && px < x + w && py >= y && py < y + h;
}
