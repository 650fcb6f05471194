import { type Signal, signal } from "@preact/signals";
import type { Entity, TraitFields } from "../../editor/ports/mod.ts";

// Values of a gesture that goes on: seen in the viewport at once, an edit only at its end.

/** By entity id: trait to fields. */
export type Preview = ReadonlyMap<number, Readonly<Record<string, TraitFields>>>;

/** What is tried now; empty when nothing is. */
export const preview: Signal<Preview> = signal(new Map());

/** Tries values on entities. */
export function tryValues(ids: readonly number[], trait: string, fields: TraitFields): void {
  preview.value = new Map(ids.map((id) => [id, { [trait]: fields }]));
}

/** Tries values of each entity's own. */
export function tryEach(values: Preview): void {
  preview.value = values;
}

/** Ends what is tried: as if it had never been. */
export function endPreview(): void {
  if (preview.value.size > 0) preview.value = new Map();
}

/** Ends what is tried once the edit that it became is seen, or was refused. */
export async function settle(edited: Promise<unknown>): Promise<void> {
  const tried = preview.value;
  await edited;
  if (preview.value === tried) endPreview(); // else another gesture goes on by now
}

/** An entity with what is tried on it. */
export function withTried(entity: Entity, tried: Preview): Entity {
  const traits = tried.get(entity.id);
  if (traits === undefined) return entity;
  const changed = Object.entries(traits).map(([name, fields]) =>
    [name, { ...entity.traits[name], ...fields }] as const
  );
  return { ...entity, traits: { ...entity.traits, ...Object.fromEntries(changed) } };
}
