import { type Signal, signal } from "@preact/signals";
import type { Entity, TraitFields } from "../../editor/ports/mod.ts";

// Values during a gesture: shown in the viewport immediately, but an edit only at its end.

/** Traits and fields by entity id. */
export type Preview = ReadonlyMap<number, Readonly<Record<string, TraitFields>>>;

/** The previewed values; empty without a preview. */
export const preview: Signal<Preview> = signal(new Map());

/** Tries values on entities. */
export function tryValues(ids: readonly number[], trait: string, fields: TraitFields): void {
  preview.value = new Map(ids.map((id) => [id, { [trait]: fields }]));
}

/** Tries values of each entity's own. */
export function tryEach(values: Preview): void {
  preview.value = values;
}

/** Ends the preview without a trace. */
export function endPreview(): void {
  if (preview.value.size > 0) preview.value = new Map();
}

/** Ends the preview once the resulting edit is shown or refused. */
export async function settle(edited: Promise<unknown>): Promise<void> {
  const tried = preview.value;
  await edited;
  if (preview.value === tried) endPreview(); // otherwise another gesture has started
}

/** Returns an entity with its previewed values. */
export function withTried(entity: Entity, tried: Preview): Entity {
  const traits = tried.get(entity.id);
  if (traits === undefined) return entity;
  const changed = Object.entries(traits).map(([name, fields]) =>
    [name, { ...entity.traits[name], ...fields }] as const
  );
  return { ...entity, traits: { ...entity.traits, ...Object.fromEntries(changed) } };
}
