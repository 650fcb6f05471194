import { encodeUtf8 } from "../../core/bytes.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { ASSET_TYPES } from "../files/asset-types.ts";
import { parseFont } from "../../game/assets/mod.ts";
import type { AssetSchema, AssetType, FieldSchema } from "../ports/mod.ts";
import { acceptsValue, expectedOf } from "../../game/traits/mod.ts";
import { animation, animset, timeline } from "./clips.ts";
import { mesh } from "./mesh.ts";
import { type ContentContext, ContentReader } from "./reader.ts";
import { schemaOf } from "./schemas.ts";

type Check = (reader: ContentReader, content: JsonObject) => JsonObject;

const CHECKS: Readonly<Partial<Record<AssetType, Check>>> = {
  animation,
  animset,
  timeline,
  mesh,
  font,
};

/**
 * Validates the complete content of an authored asset.
 *
 * @returns The content as it is written (references as guids, `schema` first), or a sentence for
 * each error.
 */
export function checkContent(
  type: AssetType,
  content: JsonObject,
  context: ContentContext,
): Result<JsonObject, readonly string[]> {
  const schema = schemaOf(type);
  const check = CHECKS[type];
  if (schema === undefined) return err([`assets of type ${type} cannot be written`]);
  const reader = new ContentReader(context);
  reader.schemaVersion(content);
  const checked = check === undefined ? flat(reader, content, schema) : check(reader, content);
  return reader.complaints.total === 0
    ? ok({ schema: 1, ...checked })
    : err(reader.complaints.sentences());
}

/** Reads content whose members are single values. */
function flat(reader: ContentReader, content: JsonObject, schema: AssetSchema): JsonObject {
  const fields = schema.fields ?? {};
  const record = reader.record("", content, ["schema", ...Object.keys(fields)]);
  const checked: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(record, name)) checked[name] = valueOf(reader, name, field, record[name]);
  }
  return checked;
}

function valueOf(
  reader: ContentReader,
  name: string,
  field: FieldSchema,
  value: unknown,
): JsonValue {
  if (field.type === "asset") return reader.reference(name, value, assetTypesOf(field));
  const plain = field.type === "color" && typeof value === "string" ? value.toLowerCase() : value;
  if (acceptsValue(field, plain)) return plain;
  reader.complaints.expected(name, value, expectedOf(field));
  return null;
}

function assetTypesOf({ options = [] }: FieldSchema): readonly AssetType[] {
  return ASSET_TYPES.filter((type) => options.includes(type));
}

function font(reader: ContentReader, content: JsonObject): JsonObject {
  const parsed = parseFont("content", encodeUtf8(JSON.stringify(content)));
  if (!parsed.ok) {
    reader.complaints.add("", parsed.error.replace(/^Cannot use font "content": /, ""));
  }
  const { texture } = content;
  return texture === undefined
    ? content
    : { ...content, texture: reader.reference("texture", texture, ["texture"]) };
}
