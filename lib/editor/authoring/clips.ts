import { invisibleIn } from "../../core/invisible.ts";
import { isJsonValue, type JsonObject, type JsonValue, own } from "../../core/json.ts";
import { acceptsValue, expectedOf, ROTATION_FIELD } from "../../game/traits/mod.ts";
import type { FieldSchema } from "../ports/mod.ts";
import { unknownName } from "../../core/shape.ts";
import type { ContentReader } from "./reader.ts";

// Content that is laid out in time: animations, sets of them, timelines.

/** Interpolation from a key to the next one. */
const EASES = ["linear", "step", "in", "out", "inOut", "cubic"] as const;

/** The types of a timeline's tracks. */
const TIMELINE_TRACKS = ["animation", "signal", "activation", "audio"] as const;

/** The longest clip, in seconds. */
const MAX_LENGTH = 36_000;
/** The longest path of names, in UTF-16 units. */
const MAX_TARGET_LENGTH = 2_000;

/** `*.anim.json`: fields of traits, with keys in order of time. */
export function animation(reader: ContentReader, content: JsonObject): JsonObject {
  const record = reader.record("", content, ["schema", "length", "loop", "tracks"]);
  const length = lengthOf(reader, record["length"]);
  const tracks = reader.list("tracks", record["tracks"]).map((value, index) => {
    const where = `tracks[${index}]`;
    const track = reader.record(where, value, ["target", "field", "keys"]);
    const target = targetOf(reader, where, track["target"]);
    const field = fieldOf(reader, `${where}.field`, track["field"]);
    let last = -1;
    const keys = reader.list(`${where}.keys`, track["keys"]).map((value, place) => {
      const at = `${where}.keys[${place}]`;
      const key = reader.record(at, value, ["t", "value", "ease", "inTangent", "outTangent"]);
      const t = reader.number(`${at}.t`, key["t"], { min: 0, max: length });
      if (t <= last) reader.complaints.expected(`${at}.t`, t, `more than ${last}, the key before`);
      last = t;
      const ease = key["ease"] === undefined
        ? undefined
        : reader.choice(`${at}.ease`, key["ease"], EASES);
      const keyed = keyValue(reader, { where: `${at}.value`, field }, key["value"]);
      const tangents = Object.fromEntries(
        ["inTangent", "outTangent"].filter((name) => key[name] !== undefined).map((name) =>
          [name, tangent(reader, { where: `${at}.${name}`, field }, key[name])] as const
        ),
      );
      return reader.present({ t, value: keyed, ease, ...tangents });
    });
    return reader.present({ target, field: field.name, keys });
  });
  const loop = flagOf(reader, "loop", record["loop"]);
  return reader.present({ length, loop, tracks });
}

/** `*.animset.json`: animations by name. */
export function animset(reader: ContentReader, content: JsonObject): JsonObject {
  const record = reader.record("", content, ["schema", "clips"]);
  const clips = record["clips"];
  if (typeof clips !== "object" || clips === null || Array.isArray(clips)) {
    reader.complaints.expected("clips", clips, "an object of animations by name");
    return {};
  }
  const checked = Object.entries(clips).map(([name, clip]: [string, unknown]) => {
    if (name.trim() === "") reader.complaints.add("clips", "found a clip without a name");
    const invisible = invisibleIn(name);
    if (invisible !== null) {
      reader.complaints.add("clips", `found a name with the invisible character ${invisible}`);
    }
    return [name, reader.reference(`clips.${name}`, clip, ["animation"])] as const;
  });
  return { clips: Object.fromEntries(checked) };
}

/** `*.timeline.json`: tracks of items. */
export function timeline(reader: ContentReader, content: JsonObject): JsonObject {
  const record = reader.record("", content, ["schema", "length", "loop", "tracks"]);
  const length = lengthOf(reader, record["length"]);
  const tracks = reader.list("tracks", record["tracks"]).map((value, index) => {
    const where = `tracks[${index}]`;
    const track = reader.record(where, value, ["type", "target", "items"]);
    const type = reader.choice(`${where}.type`, track["type"], TIMELINE_TRACKS);
    const target = targetOf(reader, where, track["target"]);
    const items = reader.list(`${where}.items`, track["items"]).map((item, place) =>
      itemOf(reader, { where: `${where}.items[${place}]`, type, length }, item)
    );
    return reader.present({ type, target, items });
  });
  const loop = flagOf(reader, "loop", record["loop"]);
  return reader.present({ length, loop, tracks });
}

interface ItemPlace {
  readonly where: string;
  readonly type: (typeof TIMELINE_TRACKS)[number] | undefined;
  readonly length: number;
}

function itemOf(
  reader: ContentReader,
  { where, type, length }: ItemPlace,
  value: unknown,
): JsonObject {
  const own = type === "signal"
    ? ["signal"]
    : type === "activation"
    ? ["active"]
    : type === undefined
    ? ["clip", "signal", "active"]
    : ["clip"];
  const item = reader.record(where, value, ["t", "duration", ...own]);
  const t = reader.number(`${where}.t`, item["t"], { min: 0, max: length });
  const duration = item["duration"] === undefined
    ? undefined
    : reader.number(`${where}.duration`, item["duration"], { min: 0, max: MAX_LENGTH });
  const place = { t, duration };
  switch (type) {
    case "animation":
    case "audio":
      return reader.present({
        ...place,
        clip: reader.reference(`${where}.clip`, item["clip"], [type]),
      });
    case "signal":
      return reader.present({
        ...place,
        signal: reader.complaints.words(`${where}.signal`, item["signal"], 200) ?? undefined,
      });
    case "activation":
      return reader.present({
        ...place,
        active: flagOf(reader, `${where}.active`, item["active"]),
      });
    case undefined:
      return reader.present(place);
  }
}

function lengthOf(reader: ContentReader, value: unknown): number {
  const length = reader.number("length", value, { min: 0.001, max: MAX_LENGTH });
  return length === 0 ? MAX_LENGTH : length; // complained about already; its keys need not be, too
}

function flagOf(reader: ContentReader, where: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  reader.complaints.expected(where, value, "true or false");
  return undefined;
}

function targetOf(reader: ContentReader, where: string, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  return reader.complaints.words(`${where}.target`, value, MAX_TARGET_LENGTH) ?? undefined;
}

interface KeyedField {
  readonly name: string;
  /** `undefined` when it is unknown, which has been complained about. */
  readonly schema: FieldSchema | undefined;
  /** Whether its values are quaternions. */
  readonly isRotation: boolean;
}

/** `<Trait>.<field>` of a field that can be animated. */
function fieldOf(reader: ContentReader, where: string, value: unknown): KeyedField {
  const name = typeof value === "string" ? value : "";
  if (name === ROTATION_FIELD) return { name, schema: undefined, isRotation: true };
  const isRotation = false;
  const dot = name.indexOf(".");
  if (dot < 1) {
    reader.complaints.expected(
      where,
      value,
      `<Trait>.<field>, like Transform.y, or ${ROTATION_FIELD}`,
    );
    return { name, schema: undefined, isRotation };
  }
  const [traitName, fieldName] = [name.slice(0, dot), name.slice(dot + 1)];
  const trait = reader.traits.get(traitName);
  if (trait === undefined) {
    const known = reader.traits.all().map((one) => one.name);
    reader.complaints.add(where, unknownName("trait", traitName, known));
    return { name, schema: undefined, isRotation };
  }
  const schema = own(trait.fields, fieldName);
  if (schema === undefined) {
    const known = Object.keys(trait.fields);
    reader.complaints.add(where, unknownName(`field of ${traitName}`, fieldName, known));
  }
  return { name, schema, isRotation };
}

interface KeyedPlace {
  readonly where: string;
  readonly field: KeyedField;
}

function keyValue(reader: ContentReader, place: KeyedPlace, value: unknown): JsonValue {
  const { where, field: { schema, isRotation } } = place;
  if (isRotation) return quaternion(reader, where, value);
  if (schema === undefined) return isJsonValue(value) ? value : null;
  if (acceptsValue(schema, value)) return value;
  reader.complaints.expected(where, value, expectedOf(schema));
  return null;
}

/** The change per second at a key of a cubic spline. */
function tangent(reader: ContentReader, { where, field }: KeyedPlace, value: unknown): JsonValue {
  return field.isRotation ? quaternion(reader, where, value) : reader.number(where, value);
}

function quaternion(reader: ContentReader, where: string, value: unknown): JsonValue {
  const numbers = Array.isArray(value)
    ? value.filter((one) => typeof one === "number" && Number.isFinite(one))
    : [];
  if (Array.isArray(value) && value.length === 4 && numbers.length === 4) return numbers;
  reader.complaints.expected(where, value, "four numbers of a quaternion, [x, y, z, w]");
  return null;
}
