import {
  Align,
  Direction,
  Display,
  Edge,
  FlexDirection,
  Gutter,
  Justify,
  MeasureMode,
  type Node,
  PositionType,
  Wrap,
  type Yoga,
} from "yoga-layout/load";
import { eachOf, type Work } from "../../core/cooperative.ts";
import type { AssetDetails } from "../assets/details.ts";
import type { Entity, Rect, TraitFields, Viewport } from "../types/mod.ts";
import { isOn, numberIn, textIn } from "../traits/value.ts";
import { spriteSize, textSize } from "./measured.ts";
import { isBox, type LaidOut, sameBoxes, treesOf, type UiMemory } from "./ui-memory.ts";

/** Boxes nested deeper have no place: the flexbox engine recurses on a stack of fixed size. */
const MAX_DEPTH = 256;

const DIRECTIONS: Readonly<Record<string, FlexDirection>> = {
  column: FlexDirection.Column,
  row: FlexDirection.Row,
  "column-reverse": FlexDirection.ColumnReverse,
  "row-reverse": FlexDirection.RowReverse,
};
const JUSTIFY: Readonly<Record<string, Justify>> = {
  start: Justify.FlexStart,
  center: Justify.Center,
  end: Justify.FlexEnd,
  "space-between": Justify.SpaceBetween,
  "space-around": Justify.SpaceAround,
  "space-evenly": Justify.SpaceEvenly,
};
const ALIGN: Readonly<Record<string, Align>> = {
  auto: Align.Auto,
  stretch: Align.Stretch,
  start: Align.FlexStart,
  center: Align.Center,
  end: Align.FlexEnd,
  baseline: Align.Baseline,
};

interface Box {
  readonly entity: Entity;
  readonly node: Node;
  readonly children: Box[];
}

/** Inputs of the UI layer's layout in addition to the entities. */
export interface UiSurroundings {
  readonly yoga: Yoga;
  readonly viewport: Viewport;
  readonly details: AssetDetails;
}

/**
 * Returns the rectangle of every UI entity with a UIElement, `null` if it or an ancestor is hidden.
 * A box without a UI parent is a root, laid out in the viewport on its own.
 *
 * @param entities Parents before their children.
 * @param memory Unchanged trees of boxes are not laid out again.
 */
export function* layoutUi(
  entities: readonly Entity[],
  surroundings: UiSurroundings,
  memory?: UiMemory,
): Work<ReadonlyMap<number, Rect | null>> {
  if (memory === undefined) return yield* layOut(entities, surroundings);
  const { yoga, viewport: { width, height }, details } = surroundings;
  const seenWith = [yoga, width, height, details];
  const boxes = entities.filter(isBox);
  const all = memory.rectsOf(seenWith, boxes);
  if (all !== null) return all;
  const rects = new Map<number, Rect | null>();
  const laidOut = new Map<number, LaidOut>();
  const before = memory.of(seenWith);
  for (const [root, tree] of treesOf(boxes)) {
    const known = before.get(root);
    const isSame = known !== undefined && sameBoxes(known.tree, tree);
    const own = isSame ? known.rects : yield* layOut(tree, surroundings);
    laidOut.set(root, { tree, rects: own });
    for (const [id, rect] of own) rects.set(id, rect);
  }
  memory.keep(seenWith, { boxes, rects, laidOut });
  return rects;
}

function* layOut(
  entities: readonly Entity[],
  surroundings: UiSurroundings,
): Work<ReadonlyMap<number, Rect | null>> {
  const { yoga, viewport: { width, height } } = surroundings;
  const rects = new Map<number, Rect | null>();
  const roots: Box[] = [];
  const canvases: Node[] = [];
  try {
    yield* grow(entities, { roots, rects, surroundings });
    for (const { entity, node } of roots) {
      const canvas = yoga.Node.create();
      canvases.push(canvas);
      canvas.insertChild(node, 0);
      if (textIn(entity.traits["UIElement"], "heightUnit") === "auto") node.setFlexGrow(1);
      canvas.calculateLayout(width, height, Direction.LTR);
      yield;
    }
    collect(roots, rects);
  } finally {
    // The engine's memory is not collected. Work that was aborted has roots without a canvas.
    for (const canvas of canvases) canvas.freeRecursive();
    for (const { node } of roots.slice(canvases.length)) node.freeRecursive();
  }
  return rects;
}

/** Builds the trees of boxes; every entity gets `null` until its box is measured. */
function* grow(
  entities: readonly Entity[],
  { roots, rects, surroundings }: {
    readonly roots: Box[];
    readonly rects: Map<number, Rect | null>;
    readonly surroundings: UiSurroundings;
  },
): Work<void> {
  const boxes = new Map<number, Box & { depth: number }>();
  yield* eachOf(entities, (entity) => {
    const fields = entity.layer === "ui" ? entity.traits["UIElement"] : undefined;
    if (fields === undefined) return;
    const isRoot = entity.parentId === null || !rects.has(entity.parentId);
    const parent = isRoot ? undefined : boxes.get(entity.parentId ?? 0);
    rects.set(entity.id, null);
    const depth = (parent?.depth ?? 0) + 1;
    if (!isOn(fields, "visible") || depth > MAX_DEPTH || (!isRoot && parent === undefined)) {
      return; // with all below: they find no box of their parent
    }
    const node = surroundings.yoga.Node.create();
    const box = { entity, node, children: [], depth };
    boxes.set(entity.id, box);
    style(node, fields);
    if (parent === undefined) roots.push(box);
    else {
      parent.node.insertChild(node, parent.children.length);
      parent.children.push(box);
    }
  });
  for (const { entity, node, children } of boxes.values()) {
    if (children.length === 0) fitToContent(node, entity, surroundings.details);
  }
}

function style(node: Node, fields: TraitFields): void {
  node.setDisplay(Display.Flex);
  node.setFlexDirection(DIRECTIONS[textIn(fields, "direction")] ?? FlexDirection.Column);
  node.setFlexWrap(fields["wrap"] === true ? Wrap.Wrap : Wrap.NoWrap);
  node.setJustifyContent(JUSTIFY[textIn(fields, "justify")] ?? Justify.FlexStart);
  node.setAlignItems(ALIGN[textIn(fields, "align")] ?? Align.Stretch);
  node.setAlignSelf(ALIGN[textIn(fields, "alignSelf")] ?? Align.Auto);
  node.setFlexGrow(numberIn(fields, "grow"));
  node.setFlexShrink(numberIn(fields, "shrink"));
  node.setWidth(length(fields, "width"));
  node.setHeight(length(fields, "height"));
  node.setMinWidth(numberIn(fields, "minWidth") || undefined);
  node.setMinHeight(numberIn(fields, "minHeight") || undefined);
  node.setMaxWidth(numberIn(fields, "maxWidth") || undefined);
  node.setPadding(Edge.All, numberIn(fields, "padding"));
  node.setMargin(Edge.All, numberIn(fields, "margin"));
  node.setGap(Gutter.All, numberIn(fields, "gap"));
  const absolute = textIn(fields, "position") === "absolute";
  node.setPositionType(absolute ? PositionType.Absolute : PositionType.Relative);
  const pinX = textIn(fields, "pinX");
  const pinY = textIn(fields, "pinY");
  if (pinX === "left" || pinX === "both") node.setPosition(Edge.Left, numberIn(fields, "left"));
  if (pinX === "right" || pinX === "both") node.setPosition(Edge.Right, numberIn(fields, "right"));
  if (pinY === "top" || pinY === "both") node.setPosition(Edge.Top, numberIn(fields, "top"));
  if (pinY === "bottom" || pinY === "both") {
    node.setPosition(Edge.Bottom, numberIn(fields, "bottom"));
  }
}

function length(fields: TraitFields, name: "width" | "height"): number | "auto" | `${number}%` {
  const unit = textIn(fields, `${name}Unit`);
  if (unit === "px") return numberIn(fields, name);
  return unit === "percent" ? `${numberIn(fields, name)}%` : "auto";
}

/** Lets a box without children be as large as its Text or Sprite wants. */
function fitToContent(node: Node, entity: Entity, details: AssetDetails): void {
  const { Text: text, Sprite: sprite } = entity.traits;
  if (text === undefined && sprite === undefined) return;
  node.setMeasureFunc((width, widthMode, height, heightMode) => {
    const bound = widthMode === MeasureMode.Undefined ? Infinity : width;
    const desired = textSize(entity, details, bound) ?? spriteSize(entity, details) ??
      { width: 0, height: 0 };
    return {
      width: within(desired.width, width, widthMode),
      height: within(desired.height, height, heightMode),
    };
  });
}

function within(desired: number, offered: number, mode: MeasureMode): number {
  if (mode === MeasureMode.Exactly) return offered;
  return mode === MeasureMode.AtMost ? Math.min(desired, offered) : desired;
}

function collect(roots: readonly Box[], rects: Map<number, Rect | null>): void {
  const stack = roots.map((box) => ({ box, x: 0, y: 0 }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { left, top: above, width, height } = top.box.node.getComputedLayout();
    const x = top.x + left;
    const y = top.y + above;
    rects.set(top.box.entity.id, { x, y, w: width, h: height });
    for (const box of top.box.children) stack.push({ box, x, y });
  }
}
