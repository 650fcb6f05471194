import type { Editor, Entity, LayoutEntry, Rect } from "../ports/mod.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause } from "./clause.ts";

/** Positions of entities on the screen. */
export const LAYOUT_CLAUSES: readonly Clause[] = [
  clause("layoutBounds() lists entities in document order, each as it is", [], entries),
  clause("layoutBounds() names as off screen what is not on it", [], offScreen),
  clause("layoutBounds() counts overlaps always, and lists them when asked", [], overlaps),
];

async function entries(editor: Editor, claims: Claims): Promise<void> {
  const { entities } = await editor.sceneState();
  const { viewport, entries } = await editor.layoutBounds();
  claims.expect(viewport.width > 0, "viewport.width", viewport.width, "pixels");
  claims.expect(viewport.height > 0, "viewport.height", viewport.height, "pixels");
  const places = new Map(entities.map((entity, place) => [entity.id, { entity, place }]));
  const order = entries.map(({ id }) => places.get(id)?.place ?? -1);
  claims.ordered("places of entries in the document", order, (a, b) => a < b);
  for (const { id, name, layer, rect, zeroSize } of entries) {
    const entity: Entity | undefined = places.get(id)?.entity;
    claims.same(`entry ${id}`, { id, name, layer }, {
      id,
      name: entity?.name,
      layer: entity?.layer,
    });
    claims.same(`zeroSize of ${id}`, zeroSize, rect !== null && (rect.w === 0 || rect.h === 0));
  }
}

async function offScreen(editor: Editor, claims: Claims): Promise<void> {
  const { viewport, entries, offScreen } = await editor.layoutBounds();
  const screen = { x: 0, y: 0, w: viewport.width, h: viewport.height };
  for (const { id, onScreen, rect } of entries) {
    claims.same(`onScreen of ${id}`, onScreen, rect !== null && meet(rect, screen));
  }
  const away = entries.filter(({ onScreen }) => !onScreen).map(({ id }) => id);
  claims.same("offScreen", [...offScreen].toSorted(byNumber), away.toSorted(byNumber));
}

async function overlaps(editor: Editor, claims: Claims): Promise<void> {
  const counted = await editor.layoutBounds();
  claims.same("overlaps of who did not ask", counted.overlaps, undefined);
  const listed = await editor.layoutBounds({ overlaps: true });
  claims.same("overlapsCount when asked", listed.overlapsCount, counted.overlapsCount);
  const pairs = listed.overlaps ?? [];
  claims.same("pairs", pairs.length, listed.overlapsCount);
  claims.unique("pairs", pairs.map(({ a, b }) => `${a} ${b}`));
  const entries = new Map(listed.entries.map((entry) => [entry.id, entry]));
  const parents = new Map(
    (await editor.sceneState()).entities.map(({ id, parentId }) => [id, parentId]),
  );
  for (const { a, b, layer } of pairs) {
    const where = `the pair of ${a} and ${b}`;
    const [one, other] = [entries.get(a), entries.get(b)];
    claims.expect(a < b, where, a, "the smaller id first");
    claims.expect(one?.layer === layer && other?.layer === layer, where, layer, "one layer");
    claims.expect(overlap(one, other), where, "rectangles apart", "rectangles that overlap");
    const related = isAbove(parents, a, b) || isAbove(parents, b, a);
    claims.expect(!related, where, "an ancestor", "no ancestor and descendant");
  }
  const { overlaps, overlapsMatched } = await editor.layoutBounds({
    overlaps: true,
    pairs: { limit: 1 },
  });
  // An editor may ignore the question and list all.
  const isFirst = overlapsMatched === pairs.length &&
    overlaps?.length === Math.min(1, pairs.length);
  if (!isFirst) claims.same("overlaps up to a limit", overlaps, pairs);
}

function overlap(a: LayoutEntry | undefined, b: LayoutEntry | undefined): boolean {
  return a?.rect !== undefined && b?.rect !== undefined && a.rect !== null && b.rect !== null &&
    meet(a.rect, b.rect);
}

/** Whether both have an area in common. */
function meet(a: Rect, b: Rect): boolean {
  return Math.min(a.x + a.w, b.x + b.w) > Math.max(a.x, b.x) &&
    Math.min(a.y + a.h, b.y + b.h) > Math.max(a.y, b.y);
}

function isAbove(
  parents: ReadonlyMap<number, number | null>,
  id: number,
  below: number,
): boolean {
  let at = parents.get(below) ?? null;
  for (let step = 0; at !== null && step <= parents.size; step++) {
    if (at === id) return true;
    at = parents.get(at) ?? null;
  }
  return false;
}

function byNumber(a: number, b: number): number {
  return a - b;
}
