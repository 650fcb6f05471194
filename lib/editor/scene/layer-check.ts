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

/** A trait that does nothing where it is. */
export interface Misplaced {
  readonly id: number;
  readonly trait: string;
  readonly layer: Layer;
  /** Where it would do something. */
  readonly fits: readonly Layer[];
}

/** The traits that do nothing on the layer of their entity: nobody sees, hits or presses them. */
export function misplacedTraits(entities: readonly Entity[]): readonly Misplaced[] {
  return entities.flatMap(({ id, layer, traits }) =>
    Object.keys(traits).flatMap((trait) => {
      const fits = LAYERS.get(trait) ?? [layer];
      return fits.includes(layer) ? [] : [{ id, trait, layer, fits }];
    })
  );
}

/**
 * The 2D and UI entities below one that has a place on another layer. Each layer is a world of its own:
 * they are where they would be at the top, and do not go where their parent goes.
 *
 * @param entityOf An entity of the scene by its id.
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

/** Where traits would do something, in words. */
export function misplacedText({ trait, layer, fits }: Misplaced): string {
  return `${trait} on the ${layer} layer, not ${fits.join(" or ")}`;
}
