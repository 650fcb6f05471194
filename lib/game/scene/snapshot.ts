import type { Entity } from "../types/mod.ts";

/** The entities of a document at one moment, found by id or guid like there. */
export class Snapshot {
  /** All entities in document order. */
  readonly entities: readonly Entity[];
  #byId: ReadonlyMap<number, Entity> | null = null;
  #byGuid: ReadonlyMap<string, Entity> | null = null;

  constructor(entities: readonly Entity[]) {
    this.entities = entities;
  }

  /** The entity with this id. */
  get(id: number): Entity | undefined {
    this.#byId ??= new Map(this.entities.map((entity) => [entity.id, entity]));
    return this.#byId.get(id);
  }

  /** The entity with this guid. */
  byGuid(guid: string): Entity | undefined {
    this.#byGuid ??= new Map(this.entities.map((entity) => [entity.guid, entity]));
    return this.#byGuid.get(guid);
  }
}
