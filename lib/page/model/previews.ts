import { type Signal, signal } from "@preact/signals";
import type { TraitFields } from "../../editor/ports/mod.ts";

// Values of a gesture that goes on: seen in the viewport at once, an edit only at its end.

/** By entity id: trait to fields. */
type Preview = ReadonlyMap<number, Readonly<Record<string, TraitFields>>>;

/** What is tried now; empty when nothing is. */
const preview: Signal<Preview> = signal(new Map());

/** Tries values on entities. */
export function tryValues(ids: readonly number[], trait: string, fields: TraitFields): void {
  preview.value = new Map(ids.map((id) => [id, { [trait]: fields }]));
}

/** Ends what is tried: the edit follows, or nothing. */
export function endPreview(): void {
  if (preview.value.size > 0) preview.value = new Map();
}
