import type { JsonValue } from "../../core/json.ts";
import type { Entity, FieldSchema, TraitSchema } from "../../editor/ports/mod.ts";

// Grouping and naming of a trait's fields for people.

/** A row of the inspector: one field, or three that are the axes of one value. */
export interface FieldRow {
  readonly title: string;
  readonly fields: readonly { readonly name: string; readonly mark?: string }[];
}

const AXES: readonly (readonly [string, readonly string[]])[] = [
  ["Position", ["x", "y", "z"]],
  ["Rotation", ["rx", "ry", "rz"]],
  ["Scale", ["sx", "sy", "sz"]],
];
const MARKS = ["x", "y", "z"];

/** The rows of a trait, in the order of its schema. */
export function rowsOf({ name, fields }: TraitSchema): readonly FieldRow[] {
  const names = Object.keys(fields);
  const rows: FieldRow[] = [];
  const shown = new Set<string>();
  for (const field of names) {
    if (shown.has(field)) continue;
    const axes = AXES.find(([, list]) => list[0] === field && list.every((one) => fields[one]));
    const [title, list] = axes ?? [titleOf(field), [field]];
    for (const one of list) shown.add(one);
    rows.push(
      axes === undefined ? { title, fields: [{ name: field }] } : {
        title: title === "Position" && name !== "Transform" ? "Axes" : title,
        fields: list.map((one, n) => ({ name: one, mark: MARKS[n] ?? "" })),
      },
    );
  }
  return rows;
}

/** `castShadow` as people read it: Cast shadow. */
export function titleOf(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The unit of a field on a layer: `m|px` is metres in 3D, pixels elsewhere. */
export function unitOf({ unit }: FieldSchema, layer: Entity["layer"]): string | undefined {
  const [first, second] = unit?.split("|") ?? [];
  return layer === "3d" ? first : second ?? first;
}

/** Returns the change of a value per arrow key and per dragged pixel. */
export function changePerStep({ type, unit, min, max }: FieldSchema): number {
  if (type === "integer") return 0.1;
  if (unit?.startsWith("deg")) return 0.5;
  if (unit === "px") return 1;
  if (min !== undefined && max !== undefined) return (max - min) / 200;
  return 0.02;
}

/** Returns the value of a field that all of these entities share; `undefined` if they differ. */
export function sharedValue(
  entities: readonly Entity[],
  trait: string,
  field: string,
  { default: otherwise }: FieldSchema,
): JsonValue | undefined {
  const [first, ...others] = entities.map(({ traits }) => traits[trait]?.[field] ?? otherwise);
  return others.every((value) => value === first) ? first : undefined;
}

/** Whether any of these has a value of its own, so that there is something to reset. */
export function isChanged(
  entities: readonly Entity[],
  trait: string,
  field: string,
  { default: otherwise }: FieldSchema,
): boolean {
  return entities.some(({ traits }) => (traits[trait]?.[field] ?? otherwise) !== otherwise);
}

/** The traits that all of these have, in the order of the first one's. */
export function sharedTraits(entities: readonly Entity[]): readonly string[] {
  const [first, ...others] = entities;
  return Object.keys(first?.traits ?? {}).filter((trait) =>
    others.every(({ traits }) => traits[trait] !== undefined)
  );
}
