import { isJsonObject, type JsonObject, type JsonValue, own } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type {
  EditError,
  EditOp,
  Entity,
  EntityRef,
  Layer,
  TraitFields,
  TraitValues,
} from "../../editor/ports/mod.ts";
import { EntityIndex, resolveEntity } from "./entities.ts";
import { flagFromText, nestedFromText } from "../declaration/parameters.ts";

// Reads the operations of svc_scene_edit as callers write them (SCENE-10) into `EditOp`s.

const REF = ["op", "id", "guid"];
/** Accepted members of each operation. */
const MEMBERS: Readonly<Record<EditOp["op"], readonly string[]>> = {
  create: ["op", "name", "parentId", "parentGuid", "layer", "traits", "guid"],
  delete: REF,
  duplicate: [...REF, "name"],
  rename: [...REF, "name"],
  reparent: [...REF, "parentId", "parentGuid", "index", "keepWorld"],
  setLayer: [...REF, "layer"],
  addTrait: [...REF, "trait", "fields"],
  set: [...REF, "trait", "fields"],
  removeTrait: [...REF, "trait"],
};
const LAYERS: readonly Layer[] = ["3d", "2d", "ui"];
const GUID_LENGTH = 36;

/** Reads all operations. @returns The operations, or every error in them. */
export function readOps(
  list: readonly JsonObject[],
  given: readonly Entity[] | EntityIndex,
): Result<readonly EditOp[], readonly EditError[]> {
  const entities = given instanceof EntityIndex ? given : new EntityIndex(given);
  const errors: EditError[] = [];
  const ops: EditOp[] = [];
  for (const [index, value] of list.entries()) {
    const op = new OpReader({ value: withoutNull(value), index, entities, errors }).read();
    if (op !== null) ops.push(op);
  }
  return errors.length > 0 ? err(errors) : ok(ops);
}

/**
 * Omits members that are `null`, which some callers send for absent ones; as a parent, `null` is
 * the top.
 */
function withoutNull(value: JsonObject): JsonObject {
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null || name === "parentId");
  return Object.fromEntries(members);
}

interface OpSource {
  readonly value: JsonObject;
  readonly index: number;
  readonly entities: EntityIndex;
  readonly errors: EditError[];
}

class OpReader {
  readonly #source: OpSource;
  #sound = true;

  constructor(source: OpSource) {
    this.#source = source;
  }

  /** @returns The operation, or `null` after adding its errors. */
  read(): EditOp | null {
    const kind = this.#kind();
    if (kind === null) return null;
    const known = MEMBERS[kind];
    for (const name of Object.keys(this.#source.value)) {
      if (known.includes(name)) continue;
      const near = nearestNames(name, known);
      const next = near.length > 0 ? `did you mean ${near.join(" or ")}?` : known.join(", ");
      this.#refuse(
        "unknown-member",
        `${kind} takes no ${JSON.stringify(name.slice(0, 80))}: ${next}`,
      );
    }
    const op = this.#op(kind);
    return this.#sound ? op : null;
  }

  #kind(): EditOp["op"] | null {
    const { op } = this.#source.value;
    switch (op) {
      case "create":
      case "delete":
      case "duplicate":
      case "rename":
      case "reparent":
      case "setLayer":
      case "addTrait":
      case "set":
      case "removeTrait":
        return op;
      default: {
        const found = op === undefined ? "nothing" : JSON.stringify(op).slice(0, 80);
        const expected = Object.keys(MEMBERS).join(", ");
        this.#refuse("unknown-op", `op: found ${found}, expected one of ${expected}`);
        return null;
      }
    }
  }

  #op(kind: EditOp["op"]): EditOp {
    const ref = kind === "create" ? {} : this.#ref("id", "guid");
    switch (kind) {
      case "create": {
        const guid = this.#optionalText("guid");
        const traits = this.#object("traits");
        const layer = this.#layer();
        return {
          op: "create",
          name: this.#text("name"),
          ...this.#parent(),
          ...(layer !== undefined && { layer }),
          ...(traits !== undefined && { traits: this.#traits(traits) }),
          ...(guid !== undefined && { guid: guid.toLowerCase() }),
        };
      }
      case "delete":
        return { op: "delete", ...ref };
      case "duplicate": {
        const name = this.#optionalText("name");
        return { op: "duplicate", ...ref, ...(name !== undefined && { name }) };
      }
      case "rename":
        return { op: "rename", ...ref, name: this.#text("name") };
      case "reparent":
        return { op: "reparent", ...ref, ...this.#reparent() };
      case "setLayer": {
        const layer = this.#layer();
        if (this.#source.value["layer"] === undefined) this.#missing("layer");
        return { op: "setLayer", ...ref, layer: layer ?? "3d" };
      }
      case "addTrait": {
        const fields = this.#fields("fields");
        return {
          op: "addTrait",
          ...ref,
          trait: this.#text("trait"),
          ...(fields !== undefined && { fields }),
        };
      }
      case "set": {
        const fields = this.#fields("fields");
        if (fields === undefined) this.#missing("fields");
        else if (Object.keys(fields).length === 0) this.#refuse("no-fields", NO_FIELDS);
        return { op: "set", ...ref, trait: this.#text("trait"), fields: fields ?? {} };
      }
      case "removeTrait":
        return { op: "removeTrait", ...ref, trait: this.#text("trait") };
    }
  }

  #reparent(): {
    readonly parentId?: number | null;
    readonly parentGuid?: string;
    readonly index?: number;
    readonly keepWorld?: boolean;
  } {
    const { parentId, parentGuid } = this.#source.value;
    const keepWorld = flagFromText(own(this.#source.value, "keepWorld"));
    if (parentId === undefined && parentGuid === undefined) {
      this.#refuse("missing-member", "reparent needs parentId (0 is the top) or parentGuid");
    }
    const index = this.#wholeNumber("index");
    if (index !== undefined && index < 0) this.#expected("index", "a whole number >= 0");
    if (keepWorld !== undefined && typeof keepWorld !== "boolean") {
      this.#expected("keepWorld", "true or false");
    }
    return {
      ...this.#parent(),
      ...(index !== undefined && { index }),
      ...(keepWorld === true && { keepWorld }),
    };
  }

  #parent(): { readonly parentId?: number | null; readonly parentGuid?: string } {
    if (this.#source.value["parentId"] === null) return { parentId: null };
    const { id, guid } = this.#ref("parentId", "parentGuid");
    if (id === 0 && guid === undefined) return { parentId: null }; // the top, as in every tool
    return {
      ...(id !== undefined && { parentId: id }),
      ...(guid !== undefined && { parentGuid: guid }),
    };
  }

  /** Reads an entity's id or guid; completes a guid prefix. */
  #ref(idName: string, guidName: string): EntityRef {
    const id = this.#wholeNumber(idName);
    const guid = this.#optionalText(guidName)?.toLowerCase();
    if (guid === undefined) return id === undefined ? {} : { id };
    if (guid.length === GUID_LENGTH) return { ...(id !== undefined && { id }), guid };
    const entity = resolveEntity(this.#source.entities, { guid });
    if (!entity.ok) this.#refuse(entity.error.code, entity.error.detail);
    return { ...(id !== undefined && { id }), guid: entity.ok ? entity.value.guid : guid };
  }

  #wholeNumber(name: string): number | undefined {
    const value = own(this.#source.value, name);
    if (value === undefined) return undefined;
    const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number)) return number;
    this.#expected(name, "a whole number");
    return undefined;
  }

  #text(name: string): string {
    const value = this.#optionalText(name);
    if (value === undefined && this.#source.value[name] === undefined) this.#missing(name);
    return value ?? "";
  }

  #optionalText(name: string): string | undefined {
    const value = own(this.#source.value, name);
    if (value === undefined || typeof value === "string") return value;
    this.#expected(name, "text");
    return undefined;
  }

  #layer(): Layer | undefined {
    const value = own(this.#source.value, "layer");
    const layer = LAYERS.find((one) => one === value);
    if (value !== undefined && layer === undefined) this.#expected("layer", LAYERS.join(", "));
    return layer;
  }

  #object(name: string): JsonObject | undefined {
    const value = nestedFromText(own(this.#source.value, name));
    if (value === undefined || isJsonObject(value)) return value;
    this.#expected(name, "an object");
    return undefined;
  }

  #fields(name: string): TraitFields | undefined {
    const value = this.#object(name);
    return value && fieldsOf(value);
  }

  #traits(traits: JsonObject): TraitValues {
    const values: [string, TraitFields][] = [];
    for (const [trait, given] of Object.entries(traits)) {
      const fields = nestedFromText(given);
      if (isJsonObject(fields)) values.push([trait, fieldsOf(fields)]);
      else this.#refuse("bad-value", `traits.${trait}: expected an object of fields`);
    }
    return Object.fromEntries(values);
  }

  #expected(name: string, what: string): void {
    const found = JSON.stringify(this.#source.value[name]).slice(0, 80);
    this.#refuse("bad-value", `${name}: found ${found}, expected ${what}`);
  }

  #missing(name: string): void {
    this.#refuse("missing-member", `${String(this.#source.value["op"])} needs ${name}`);
  }

  #refuse(code: string, message: string): void {
    this.#sound = false;
    this.#source.errors.push({ op: this.#source.index, code, message });
  }
}

/** Refusal of a change that sets no field: no call succeeds without an effect (TOOL-9). */
export const NO_FIELDS = "fields is empty, expected at least one field to set";

/** Returns the defined members, the only ones that JSON has. */
export function fieldsOf(object: JsonObject): TraitFields {
  const fields: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}
