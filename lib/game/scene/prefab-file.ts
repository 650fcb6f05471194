import { encodeUtf8 } from "../../core/bytes.ts";
import { eachOf, type Work } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import { MAX_ENTITIES } from "./document.ts";
import { isGuid } from "../../core/guid.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import type { Layer, TraitFields } from "../types/mod.ts";
import type { TraitRegistry } from "../traits/registry.ts";
import {
  type EntityRules,
  MAX_NAME_LENGTH,
  type Reader,
  readTraits,
  withoutDefaults,
} from "./scene-file.ts";
import { Complaints } from "../../core/shape.ts";

/** The largest prefab file that is read, in bytes. */
export const MAX_PREFAB_BYTES: number = 64 * 1024 * 1024;
/** Levels of a prefab's tree: its file nests as deep. */
export const MAX_PREFAB_DEPTH = 256;

/** Nodes between two turns of others. */
const PIECE = 256;

const LAYERS: readonly Layer[] = ["3d", "2d", "ui"];

/** An entity of a prefab, with its descendants. */
export interface PrefabNode {
  /** The guid that other nodes of the prefab name it by; only there when one does. */
  readonly guid?: string;
  readonly name: string;
  readonly layer: Layer;
  /** Each with all of its fields. */
  readonly traits: Readonly<Record<string, TraitFields>>;
  readonly children: readonly PrefabNode[];
}

/** A node among all of its prefab. */
export interface FlatNode {
  readonly node: PrefabNode;
  /** The place in the list of the node right above; `null` for the root. */
  readonly parent: number | null;
}

/** Returns all nodes of a prefab, each parent right before its descendants. */
export function* flattened(root: PrefabNode): Work<readonly FlatNode[]> {
  const flat: FlatNode[] = [];
  const waiting: FlatNode[] = [{ node: root, parent: null }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const parent = flat.push(next) - 1;
    const { children } = next.node;
    for (let at = children.length - 1; at >= 0; at--) {
      const node = children[at];
      if (node !== undefined) waiting.push({ node, parent });
      if (at % PIECE === PIECE - 1) yield;
    }
    if (flat.length % PIECE === 0) yield;
  }
  return flat;
}

/**
 * Parses a `*.prefab.json`, all or nothing: `{schema:1, root:{name, layer, traits, guid?,
 * children?}}`.
 */
export function* parsePrefab(
  path: string,
  bytes: Uint8Array,
  { traits, maxEntities = MAX_ENTITIES, parsing }: EntityRules,
): Work<Result<PrefabNode, Failure<"not-json" | "invalid-prefab">>> {
  const parsed = parsing ? yield* parsing(path, bytes) : parseJsonFile(path, bytes);
  yield;
  if (!parsed.ok) return parsed;
  const complaints = new Complaints();
  const record = complaints.record("", parsed.value, ["schema", "root"]);
  if (record !== null && record["schema"] !== 1) {
    complaints.expected("schema", record["schema"], "1");
  }
  const top = record?.["root"];
  const isTooMany = !holdsAtMost(maxEntities, top);
  if (isTooMany) {
    complaints.add("root", `found more than ${maxEntities} entities, the maximum`);
  }
  const root = record === null || isTooMany
    ? null
    : yield* readNode("root", top, { complaints, traits, met: 0 });
  if (root !== null && complaints.total === 0) return ok(root);
  return fail(
    "invalid-prefab",
    `Cannot use prefab "${path}": ${complaints.sentences().join("; ")}`,
    "Correct the prefab's file",
  );
}

/** Returns whether an unvalidated tree has at most that many nodes. */
function holdsAtMost(most: number, root: unknown): boolean {
  const waiting: unknown[] = [root];
  let met = 1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const children = isRecord(node) ? node["children"] : undefined;
    if (!Array.isArray(children)) continue;
    met += children.length;
    if (met > most) return false;
    for (const child of children) waiting.push(child);
  }
  return true;
}

/** Reads nodes and counts them. */
interface NodeReader extends Reader {
  met: number;
}

function* readNode(
  where: string,
  value: unknown,
  reader: NodeReader,
  depth = 1,
): Work<PrefabNode | null> {
  if (++reader.met % PIECE === 0) yield;
  const { complaints } = reader;
  const known = ["guid", "name", "layer", "traits", "children"];
  const record = complaints.record(where, value, known);
  if (record === null) return null;
  const { guid, children = [] } = record;
  const name = complaints.words(`${where}.name`, record["name"], MAX_NAME_LENGTH);
  const layer = LAYERS.find((one) => one === record["layer"]);
  if (layer === undefined) {
    complaints.expected(`${where}.layer`, record["layer"], '"3d", "2d" or "ui"');
  }
  const goodGuid = guid === undefined || typeof guid === "string" && isGuid(guid);
  if (!goodGuid) complaints.expected(`${where}.guid`, guid, "a dashed UUID in lower case");
  const traits = readTraits(`${where}.traits`, record["traits"], reader);
  if (!Array.isArray(children) || depth > MAX_PREFAB_DEPTH) {
    const expected = `a list, at most ${MAX_PREFAB_DEPTH} levels deep`;
    complaints.expected(`${where}.children`, children, expected);
    return null;
  }
  const below: PrefabNode[] = [];
  for (const [index, child] of children.entries()) {
    const node = yield* readNode(`${where}.children[${index}]`, child, reader, depth + 1);
    if (node !== null) below.push(node);
  }
  if (name === null || layer === undefined || traits === null || !goodGuid) return null;
  return { ...(guid !== undefined && { guid }), name, layer, traits, children: below };
}

/** Writes a prefab's file: two spaces of indent, without fields at their defaults. */
export function* serializePrefab(
  root: PrefabNode,
  registry: TraitRegistry,
): Work<Uint8Array<ArrayBuffer>> {
  const made: { readonly written: object; readonly below: object[] }[] = [];
  yield* eachOf(yield* flattened(root), ({ node, parent }) => {
    const { guid, name, layer, traits, children } = node;
    const below: object[] = [];
    const written = {
      ...(guid !== undefined && { guid }),
      name,
      layer,
      traits: Object.fromEntries(
        Object.entries(traits).map(([trait, fields]) => [
          trait,
          withoutDefaults(fields, registry.get(trait)),
        ]),
      ),
      ...(children.length > 0 && { children: below }),
    };
    made.push({ written, below });
    if (parent !== null) made[parent]?.below.push(written);
  });
  yield;
  const text = JSON.stringify({ schema: 1, root: made[0]?.written }, null, 2);
  yield;
  return encodeUtf8(`${text}\n`);
}
