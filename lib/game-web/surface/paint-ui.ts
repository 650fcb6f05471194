import type { AssetDetails } from "../../game/assets/mod.ts";
import { textSize } from "../../game/layout/mod.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { Entity, LayoutEntry, Rect, ScreenLayout, TraitFields } from "../../game/types/mod.ts";
import type { LiveWorld } from "../../game/world/mod.ts";
import type { SeenMoment } from "../content/mod.ts";
import {
  fillOf,
  type Frame,
  type Paint,
  pictureOf,
  type PlacedPaint,
  UNMOVED,
  wordsOf,
} from "./paint.ts";

/** Inherited settings for painting an element and its descendants. */
interface Setting {
  readonly frame: Frame;
  readonly alpha: number;
}

const PLAIN: Setting = { frame: UNMOVED, alpha: 1 };

/** The paints of an element in a setting. */
interface Painted extends Setting {
  readonly paints: readonly Paint[];
}

interface Painting {
  readonly world: LiveWorld | null;
  readonly entries: readonly LayoutEntry[];
  readonly pressed: string;
  readonly paints: readonly Paint[];
}

/** The paints of the UI layer. Unchanged ones are the same values again. */
export class PaintsUi {
  readonly #details: AssetDetails;
  /** By layout entry: a new entry replaces it once the element has changed. */
  readonly #known = new WeakMap<LayoutEntry, Painted>();
  /** The last paints, with their inputs. */
  #last: Painting = { world: null, entries: [], pressed: "", paints: [] };

  constructor(details: AssetDetails) {
    this.#details = details;
  }

  /**
   * Returns the paints in document order: of each element its background, its image, its words.
   *
   * @param pressed The pressed buttons.
   */
  of(
    { world }: SeenMoment["game"],
    { entries }: ScreenLayout,
    pressed: readonly number[],
  ): readonly Paint[] {
    const own = entries.filter(({ layer }) => layer === "ui");
    const last = this.#last;
    const isSame = last.world === world && last.pressed === pressed.join() &&
      last.entries.length === own.length && own.every((entry, n) => entry === last.entries[n]);
    if (isSame) return last.paints;
    const paints = this.#paint(world, own, pressed);
    this.#last = { world, entries: own, pressed: pressed.join(), paints };
    return paints;
  }

  #paint(
    world: LiveWorld,
    entries: readonly LayoutEntry[],
    pressed: readonly number[],
  ): readonly Paint[] {
    const settings = new Map<number, Setting>();
    const paints: Paint[] = [];
    for (const entry of entries) {
      const { id, rect, onScreen } = entry;
      const entity = rect !== null ? world.get(id) : undefined;
      const element = entity?.traits["UIElement"];
      if (rect === null || entity === undefined || element === undefined) continue;
      const above = settings.get(entity.parentId ?? 0) ?? PLAIN;
      const button = pressed.includes(id) ? entity.traits["Button"] : undefined;
      const frame = button === undefined
        ? above.frame
        : scaledAbout(above.frame, rect, numberIn(button, "pressedScale", 1));
      const alpha = above.alpha * numberIn(element, "opacity", 1);
      let painted = this.#known.get(entry);
      if (painted?.frame !== frame || painted.alpha !== alpha) {
        const setting = { frame, alpha };
        const own = onScreen && alpha > 0
          ? paintsOf(entity, rect, { setting, details: this.#details })
          : [];
        painted = { ...setting, paints: own };
        this.#known.set(entry, painted);
      }
      settings.set(id, painted);
      for (const paint of painted.paints) paints.push(paint);
    }
    return paints;
  }
}

function paintsOf(
  entity: Entity,
  rect: Rect,
  { setting, details }: { readonly setting: Setting; readonly details: AssetDetails },
): readonly Paint[] {
  const { UIElement: element = {}, Sprite: sprite, Text: text } = entity.traits;
  const paints: Paint[] = [];
  const background = textIn(element, "background");
  if (background !== "" && !/^#.{6}00$/.test(background)) {
    paints.push(fillOf(background, { ...setting, box: rect }));
  }
  const inside = contentOf(rect, numberIn(element, "padding"));
  if (sprite !== undefined && textIn(sprite, "image") !== "") {
    paints.push(pictureOf(sprite, { ...setting, box: inside }));
  }
  if (text !== undefined && textIn(text, "text") !== "") {
    const { width, height } = textSize(entity, details, inside.w) ?? { width: 0, height: 0 };
    const placed: PlacedPaint = { ...setting, box: placedIn(inside, { width, height }, element) };
    paints.push(wordsOf(text, placed, inside.w));
  }
  return paints;
}

/** The part of a box within its padding. */
function contentOf({ x, y, w, h }: Rect, padding: number): Rect {
  return {
    x: x + padding,
    y: y + padding,
    w: Math.max(0, w - 2 * padding),
    h: Math.max(0, h - 2 * padding),
  };
}

/** Returns the place of words in a box with free space: that of an only child. */
function placedIn(
  { x, y, w, h }: Rect,
  { width, height }: { readonly width: number; readonly height: number },
  element: TraitFields,
): Rect {
  const isRow = textIn(element, "direction").startsWith("row");
  const along = textIn(element, "justify");
  const across = textIn(element, "align");
  const [horizontal, vertical] = isRow ? [along, across] : [across, along];
  const before = shareBefore(horizontal);
  return {
    // Stretched words use the whole width for their alignment.
    x: before === 0 ? x : x + before * (w - width),
    y: y + shareBefore(vertical) * (h - height),
    w: before === 0 ? w : width,
    h: height,
  };
}

function shareBefore(where: string): number {
  switch (where) {
    case "center":
    case "space-around":
    case "space-evenly":
      return 0.5;
    case "end":
      return 1;
    default:
      return 0;
  }
}

/** Returns a frame that scales a box about its centre. */
function scaledAbout([a, b, c, d, e, f]: Frame, { x, y, w, h }: Rect, factor: number): Frame {
  const right = (x + w / 2) * (1 - factor);
  const down = (y + h / 2) * (1 - factor);
  return [
    a * factor,
    b * factor,
    c * factor,
    d * factor,
    a * right + c * down + e,
    b * right + d * down + f,
  ];
}
