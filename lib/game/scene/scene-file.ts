import { concatBytes, encodeUtf8 } from "../../core/bytes.ts";
import { eachOf, runAtOnce, type Work } from "../../core/cooperative.ts";
import { isRecord, type JsonValue, own } from "../../core/json.ts";
import { err, type Failure, ok, type Result } from "../../core/result.ts";
import { type EntitySeed, MAX_ENTITIES } from "./document.ts";
import { isGuid } from "../../core/guid.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import type { Entity, Layer, TraitFields, TraitSchema } from "../types/mod.ts";
import { defaultFields, type TraitRegistry } from "../traits/registry.ts";
import { Complaints, join, unknownName } from "../../core/shape.ts";
import { acceptsValue, expectedOf } from "../traits/value.ts";

/** The largest scene file that is read, in bytes. */
export const MAX_SCENE_BYTES: number = 64 * 1024 * 1024;
/** The longest name of a scene or an entity, in UTF-16 units. */
export const MAX_NAME_LENGTH = 200;

/** Names of a loop of parents that a message lists. */
const MAX_LISTED = 10;

/** Entities that are read between two yields (BUILD-11, decision 117). */
const PIECE = 256;
/** UTF-16 units of a file that are encoded at once. */
const PIECE_LENGTH = 64 * 1024;

const LAYERS: readonly Layer[] = ["3d", "2d", "ui"];
const SCENE_MEMBERS = ["schema", "name", "entities"];
const ENTITY_MEMBERS = ["guid", "name", "parent", "layer", "traits"];

/** The content of a `*.scene.json` file. */
export interface Scene {
  /** The name that people see. */
  readonly name: string;
  /** In the file's order, which is the order of ids; `parentId` is the parent's index plus 1. */
  readonly entities: readonly EntitySeed[];
}

/** Why a scene file was refused. */
export interface SceneFailure extends Failure<"not-json" | "too-large" | "invalid-scene"> {
  /** A sentence for each error, at most 20, and the number of further ones. */
  readonly errors: readonly string[];
}

/** The rules that a file of entities is read against. */
export interface EntityRules {
  /** The traits that entities may carry. */
  readonly traits: TraitRegistry;
  /** The most entities that one file may hold; {@linkcode MAX_ENTITIES} when absent. */
  readonly maxEntities?: number;
  /** Parses the JSON of a file as work that yields; when absent, it is parsed at once. */
  readonly parsing?: (
    path: string,
    bytes: Uint8Array,
  ) => Work<Result<unknown, Failure<"not-json">>>;
}

interface Draft {
  readonly guid: string;
  readonly name: string;
  readonly parent: string | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/** {@linkcode sceneParsing} without a pause. */
export function parseScene(
  path: string,
  bytes: Uint8Array,
  rules: EntityRules,
): Result<Scene, SceneFailure> {
  return runAtOnce(sceneParsing(path, bytes, rules));
}

/**
 * Parses a scene file, all or nothing: any error refuses the file. Absent fields get their
 * defaults, so that every trait is complete in the document.
 *
 * @returns `not-json`, `too-large` or `invalid-scene`, with a sentence for each error.
 */
export function* sceneParsing(
  path: string,
  bytes: Uint8Array,
  { traits, maxEntities = MAX_ENTITIES, parsing }: EntityRules,
): Work<Result<Scene, SceneFailure>> {
  if (bytes.length > MAX_SCENE_BYTES) {
    return tooLarge(path, `found ${bytes.length} bytes, expected at most ${MAX_SCENE_BYTES}`);
  }
  const parsed = parsing ? yield* parsing(path, bytes) : parseJsonFile(path, bytes);
  if (!parsed.ok) return err({ ...parsed.error, errors: [parsed.error.message] });
  const listed = isRecord(parsed.value) ? parsed.value["entities"] : undefined;
  if (Array.isArray(listed) && listed.length > maxEntities) {
    return tooLarge(path, `found ${listed.length} entities, expected at most ${maxEntities}`);
  }

  const complaints = new Complaints();
  const scene = yield* readScene(parsed.value, complaints, traits);
  if (scene !== null && complaints.total === 0) return ok(scene);
  const errors = complaints.sentences();
  return err({
    code: "invalid-scene",
    message: `Cannot load scene "${path}": ${errors.join("; ")}`,
    next: "Correct the scene file and load it again",
    errors,
  });
}

function tooLarge(path: string, found: string): Result<never, SceneFailure> {
  const message = `Cannot load scene "${path}": ${found}`;
  return err({ code: "too-large", message, next: "Split the scene", errors: [message] });
}

function* readScene(
  value: unknown,
  complaints: Complaints,
  traits: TraitRegistry,
): Work<Scene | null> {
  const record = complaints.record("", value, SCENE_MEMBERS);
  if (record === null) return null;
  if (record["schema"] !== 1) {
    complaints.expected("schema", record["schema"], "1");
    return null; // another schema makes no promise about the rest
  }
  const name = complaints.words("name", record["name"], MAX_NAME_LENGTH);
  const entities = record["entities"];
  if (!Array.isArray(entities)) {
    complaints.expected("entities", entities, "a list");
    return null;
  }
  const reader = { complaints, traits };
  const drafts: (Draft | null)[] = [];
  for (const entity of entities) {
    if (drafts.push(readEntity(entity, drafts.length, reader)) % PIECE === 0) yield;
  }
  const seeds = yield* linkParents(drafts, complaints);
  return name === null ? null : { name, entities: seeds };
}

/** Rules for reading entities, and the receiver of complaints. */
export interface Reader {
  readonly complaints: Complaints;
  readonly traits: TraitRegistry;
}

function readEntity(value: unknown, index: number, reader: Reader): Draft | null {
  const { complaints } = reader;
  const where = `entities[${index}]`;
  const record = complaints.record(where, value, ENTITY_MEMBERS);
  if (record === null) return null;
  const { guid, parent, layer } = record;
  const name = complaints.words(`${where}.name`, record["name"], MAX_NAME_LENGTH);
  const goodGuid = typeof guid === "string" && isGuid(guid);
  if (!goodGuid) {
    complaints.expected(`${where}.guid`, guid, "a dashed UUID of 36 characters in lower case");
  }
  const goodParent = parent === undefined || typeof parent === "string";
  if (!goodParent) complaints.expected(`${where}.parent`, parent, "the guid of an entity");
  const known = LAYERS.find((one) => one === layer);
  if (known === undefined) {
    complaints.expected(`${where}.layer`, layer, '"3d", "2d" or "ui"');
  }
  const traits = readTraits(`${where}.traits`, record["traits"], reader);
  if (!goodGuid || !goodParent || name === null || known === undefined || traits === null) {
    return null;
  }
  return { guid, name, parent: parent ?? null, layer: known, traits };
}

/** Parses the traits of an entity, each with all of its fields; complains about invalid ones. */
export function readTraits(
  where: string,
  value: unknown,
  { complaints, traits }: Reader,
): Record<string, TraitFields> | null {
  if (!isRecord(value)) {
    complaints.expected(where, value, "an object of traits by name");
    return null;
  }
  const read: Record<string, TraitFields> = {};
  for (const [name, fields] of Object.entries(value)) {
    const schema = traits.get(name);
    if (schema === undefined) {
      const known = traits.all().map((trait) => trait.name);
      complaints.add(join(where, name), unknownName("trait", name, known));
      continue;
    }
    const checked = readFields(join(where, name), { value: fields, schema, complaints });
    if (checked !== null) read[name] = checked;
  }
  return read;
}

function readFields(
  where: string,
  { value, schema, complaints }: {
    readonly value: unknown;
    readonly schema: TraitSchema;
    readonly complaints: Complaints;
  },
): TraitFields | null {
  const record = complaints.record(where, value, Object.keys(schema.fields));
  if (record === null) return null;
  const fields: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(schema.fields)) {
    const given = own(record, name);
    const found = given === undefined ? field.default : given;
    if (acceptsValue(field, found)) fields[name] = found;
    else complaints.expected(join(where, name), found, expectedOf(field));
  }
  return fields;
}

/** Turns parent guids into ids; complains about guids given twice, missing parents and loops. */
function* linkParents(
  drafts: readonly (Draft | null)[],
  complaints: Complaints,
): Work<readonly EntitySeed[]> {
  const ids = new Map<string, number>();
  yield* eachOf(drafts.entries(), ([index, draft]) => {
    if (draft === null) return;
    const first = ids.get(draft.guid);
    if (first === undefined) ids.set(draft.guid, index + 1);
    else {
      complaints.add(
        `entities[${index}].guid`,
        `found ${draft.guid}, which entities[${first - 1}] has already; expected a unique guid`,
      );
    }
  });
  // The missing parent may be a refused entity, whose own errors are reported first.
  const refused = drafts.includes(null);
  const seeds: EntitySeed[] = [];
  yield* eachOf(drafts.entries(), ([index, draft]) => {
    if (draft === null) return;
    const { parent, ...rest } = draft;
    const parentId = parent === null ? null : ids.get(parent) ?? null;
    if (parent !== null && parentId === null && !refused) {
      complaints.expected(`entities[${index}].parent`, parent, "the guid of an entity in the file");
    }
    seeds.push({ ...rest, parentId });
  });
  if (!refused) yield* findLoops(seeds, complaints);
  return seeds;
}

/** Complains once about every ring of parents. */
function* findLoops(seeds: readonly EntitySeed[], complaints: Complaints): Work<void> {
  const checked = new Set<number>();
  yield* eachOf(seeds.keys(), (start) => {
    const chain = new Set<number>();
    let at: number | null = start;
    while (at !== null && !checked.has(at) && !chain.has(at)) {
      chain.add(at);
      const parentId: number | null = seeds[at]?.parentId ?? null;
      at = parentId === null ? null : parentId - 1;
    }
    if (at !== null && chain.has(at)) {
      complaints.add(
        `entities[${at}].parent`,
        `found a loop of parents ${ringInWords([...chain], at, seeds)}; expected a tree`,
      );
    }
    for (const index of chain) checked.add(index);
  });
}

/** The names of a ring, the first of them again at its end; of a long one only the first few. */
function ringInWords(
  chain: readonly number[],
  start: number,
  seeds: readonly EntitySeed[],
): string {
  const ring = chain.slice(chain.indexOf(start));
  const names = ring.slice(0, MAX_LISTED).map((index) => `"${seeds[index]?.name ?? ""}"`);
  const more = ring.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : []), names[0]].join(" → ");
}

/** {@linkcode sceneWriting} without a pause. */
export function serializeScene(
  name: string,
  entities: readonly Entity[],
  traits: TraitRegistry,
): Uint8Array {
  return runAtOnce(sceneWriting(name, entities, traits));
}

/**
 * Writes a scene file: two spaces of indent, without fields at their defaults, so that a change of
 * one value changes one line. Reading it back gives the same entities.
 *
 * @param entities In document order.
 */
export function* sceneWriting(
  name: string,
  entities: readonly Entity[],
  traits: TraitRegistry,
): Work<Uint8Array<ArrayBuffer>> {
  const guids = new Map<number, string>();
  yield* eachOf(entities, ({ id, guid }) => guids.set(id, guid));
  const written = (entity: Entity) => ({
    guid: entity.guid,
    name: entity.name,
    ...(entity.parentId === null ? {} : { parent: guids.get(entity.parentId) }),
    layer: entity.layer,
    traits: Object.fromEntries(
      Object.entries(entity.traits).map(([trait, fields]) => [
        trait,
        withoutDefaults(fields, traits.get(trait)),
      ]),
    ),
  });
  const head = JSON.stringify({ schema: 1, name }, null, 2).slice(0, -"\n}".length);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let text = `${head},\n  "entities": [`;
  yield* eachOf(entities.entries(), ([index, entity]) => {
    // Equals serializing everything at once: line breaks within texts are escaped.
    const lines = JSON.stringify(written(entity), null, 2).replaceAll("\n", "\n    ");
    text += `${index === 0 ? "" : ","}\n    ${lines}`;
    if (text.length < PIECE_LENGTH) return;
    parts.push(encodeUtf8(text));
    text = "";
  });
  parts.push(encodeUtf8(`${text}${entities.length === 0 ? "]" : "\n  ]"}\n}\n`));
  return concatBytes(parts);
}

/** Returns the fields that are not at their defaults. */
export function withoutDefaults(fields: TraitFields, schema: TraitSchema | undefined): TraitFields {
  if (schema === undefined) return fields;
  const defaults = defaultFields(schema);
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== defaults[name]),
  );
}
