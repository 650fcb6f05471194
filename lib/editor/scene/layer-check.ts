import type { Entity, Layer } from "../ports/mod.ts";

/** The layers on which a trait does something (`lib/game/layout/layout.ts`, `play/physics.ts`). */
const LAYERS: ReadonlyMap<string, readonly Layer[]> = new Map([
  ["Renderable3D", ["3d"]],
  ["RigidBody", ["3d"]],
  ["Collider", ["3d"]],
  ["Sprite", ["2d", "ui"]],
  ["Text", ["2d", "ui"]],
  ["UIElement", ["ui"]],
  ["Button", ["ui"]],
  ["MapMarker", ["2d"]],
]);

/** A trait that has no effect on its entity's layer. */
export interface Misplaced {
  readonly id: number;
  readonly trait: string;
  readonly layer: Layer;
  /** Layers on which it would have an effect. */
  readonly fits: readonly Layer[];
}

/** Returns the traits that have no effect on their entity's layer. */
export function misplacedTraits(entities: readonly Entity[]): readonly Misplaced[] {
  return entities.flatMap(({ id, layer, traits }) =>
    Object.keys(traits).flatMap((trait) => {
      const fits = LAYERS.get(trait) ?? [layer];
      return fits.includes(layer) ? [] : [{ id, trait, layer, fits }];
    })
  );
}

/**
 * Returns the 2D and UI entities whose ancestor has a position on another layer. Each layer is a
 * world of its own: they are positioned as if at the top, and do not move with their parent.
 *
 * @param entityOf Returns an entity of the scene by its id.
 */
export function strayEntities(
  entities: readonly Entity[],
  entityOf: (id: number) => Entity | undefined,
): readonly Entity[] {
  return entities.filter(({ layer, parentId }) => {
    const above = layer === "3d" || parentId === null ? undefined : entityOf(parentId);
    return above?.traits["Transform"] !== undefined && above.layer !== layer;
  });
}

/** Describes the layers on which a trait would have an effect. */
export function misplacedText({ trait, layer, fits }: Misplaced): string {
  return `${trait} on the ${layer} layer, not ${fits.join(" or ")}`;
}
