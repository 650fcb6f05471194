import { isJsonObject, isRecord } from "../../core/json.ts";
import type {
  Authored,
  EditorEvent,
  Entity,
  FieldSchema,
  HistoryStep,
  PlayState,
  TraitFields,
  TraitSchema,
  ViewState,
} from "../../editor/ports/mod.ts";

// Parses the service's answers: values of another shape are dropped, never guessed.

/** The members of a list that `read` understands. */
export function listOf<T>(value: unknown, read: (item: unknown) => T | null): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.map(read).filter((item) => item !== null);
}

/** Returns the member of an answer, or `undefined`. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Returns a text; empty if it is not one. */
export function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns a number; `otherwise` if it is not one. */
export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === "number" ? value : otherwise;
}

/** An entity with its values. */
export function entityOf(value: unknown): Entity | null {
  if (!isRecord(value)) return null;
  const { id, guid, name, parentId, layer, traits } = value;
  if (typeof id !== "number" || typeof guid !== "string" || typeof name !== "string") return null;
  if (layer !== "3d" && layer !== "2d" && layer !== "ui") return null;
  if (!isRecord(traits)) return null;
  return {
    id,
    guid,
    name,
    layer,
    parentId: typeof parentId === "number" ? parentId : null,
    traits: traitsOf(traits),
  };
}

/** The values of traits, by name. */
export function traitsOf(
  traits: Readonly<Record<string, unknown>>,
): Readonly<Record<string, TraitFields>> {
  return Object.fromEntries(
    Object.entries(traits).map(([trait, fields]) => [trait, isFields(fields) ? fields : {}]),
  );
}

/** Parsed JSON has no undefined members. */
function isFields(value: unknown): value is TraitFields {
  return isRecord(value);
}

/** A trait with the schemas of its fields. */
export function traitOf(value: unknown): TraitSchema | null {
  if (!isRecord(value) || typeof value["name"] !== "string") return null;
  const { name, category, doc, fields } = value;
  return {
    name,
    category: category === "tag" || category === "resource" ? category : "component",
    doc: textOrEmpty(doc),
    fields: readFieldSchemas(fields),
  };
}

/** The schemas of fields, by name. */
export function readFieldSchemas(value: unknown): Readonly<Record<string, FieldSchema>> {
  return Object.fromEntries(Object.entries(isRecord(value) ? value : {}).filter(isFieldEntry));
}

function isFieldEntry(entry: [string, unknown]): entry is [string, FieldSchema] {
  return isRecord(entry[1]) && typeof entry[1]["type"] === "string";
}

/** Parses the state of the game. */
export function playOf(value: unknown): PlayState | null {
  if (!isRecord(value)) return null;
  const { state, round, scene } = value;
  if (state !== "stopped" && state !== "playing" && state !== "paused") return null;
  return {
    state,
    tick: numberOf(value["tick"]),
    time: numberOf(value["time"]),
    timeScale: numberOf(value["timeScale"], 1),
    rate: numberOf(value["rate"]),
    ...(typeof round === "number" && { round }),
    ...(typeof scene === "string" && { scene }),
  };
}

/** Selection and view. */
export function readView(value: unknown): ViewState | null {
  if (!isRecord(value)) return null;
  const { selection, asset, gizmo, mode, viewport, focus } = value;
  const { mode: use, space } = isRecord(gizmo) ? gizmo : {};
  const { width, height } = isRecord(viewport) ? viewport : {};
  return {
    selection: listOf(selection, (id) => typeof id === "number" ? id : null),
    asset: typeof asset === "string" ? asset : null,
    gizmo: {
      mode: use === "rotate" || use === "scale" ? use : "translate",
      space: space === "local" ? "local" : "world",
    },
    mode: mode === "2d" || mode === "ui" ? mode : "3d",
    viewport: { width: numberOf(width, 1280), height: numberOf(height, 720) },
    focus: typeof focus === "number" ? focus : null,
  };
}

/** Parses the author; an agent by default. */
export function readAuthor({ source, by }: Readonly<Record<string, unknown>>): Authored {
  return {
    source: source === "human" ? "human" : "agent",
    ...(typeof by === "string" && { by }),
  };
}

/** Parses an undo step. */
export function readHistoryStep(value: unknown): HistoryStep | null {
  if (!isRecord(value) || typeof value["id"] !== "number") return null;
  const { id, label, t } = value;
  return {
    id,
    label: textOrEmpty(label),
    ...readAuthor(value),
    t: numberOf(t),
  };
}

/** Something that was done in the editor. */
export function eventOf(value: unknown): EditorEvent | null {
  if (!isRecord(value) || typeof value["seq"] !== "number") return null;
  const { seq, t, type, payload } = value;
  return {
    seq,
    t: numberOf(t),
    type: textOrEmpty(type),
    ...readAuthor(value),
    payload: isJsonObject(payload) ? payload : null,
  };
}
