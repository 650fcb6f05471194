import { mergeEntities } from "../game/scene/mod.ts";
import type { Entity } from "../game/types/mod.ts";
import { LiveWorld } from "../game/world/mod.ts";
import type { SeenGame } from "./content/mod.ts";

/**
 * An edited scene as a world for the views: it follows edits, and nothing in it moves on its own.
 */
export class EditedWorld {
  /** The game that the views show. */
  readonly game: SeenGame;
  readonly #world: LiveWorld;
  #entities: readonly Entity[];

  constructor(entities: readonly Entity[]) {
    this.#entities = entities;
    this.#world = new LiveWorld(entities, 0);
    this.game = { world: this.#world, tick: 0 };
  }

  /** Applies an edit as a scene change reports it. */
  update(changed: readonly Entity[], removed: readonly number[]): void {
    const before = new Map(changed.map(({ id }) => [id, this.#world.get(id)] as const));
    const isPlain = removed.length === 0 && changed.every((entity) => {
      const live = before.get(entity.id);
      return live !== undefined && hasSameShape(live, entity);
    });
    this.#entities = mergeEntities(this.#entities, changed, removed);
    if (!isPlain) {
      this.#world.edit(this.#entities, new Set(changed.map(({ id }) => id)));
      return;
    }
    for (const entity of changed) {
      const live = before.get(entity.id);
      if (live === undefined) continue;
      for (const [trait, fields] of Object.entries(entity.traits)) {
        for (const [field, value] of Object.entries(fields)) {
          this.#world.set(live, [trait, field], value);
        }
      }
    }
  }
}

/** Whether only values of fields may differ. */
function hasSameShape(a: Omit<Entity, "id">, b: Entity): boolean {
  const [names, others] = [Object.keys(a.traits), Object.keys(b.traits)];
  return a.name === b.name && a.guid === b.guid && a.parentId === b.parentId &&
    a.layer === b.layer && names.length === others.length &&
    names.every((name) => {
      const [fields, other] = [a.traits[name] ?? {}, b.traits[name]];
      return other !== undefined && Object.keys(fields).every((field) => field in other);
    });
}
