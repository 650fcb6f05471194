import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Bounds } from "../layout/project3d.ts";
import { unitedBounds } from "../bounds.ts";
import type { Vec3 } from "../ports.ts";
import type { ContentReader } from "./reader.ts";

/** The most corners, and the most triangles, of a mesh that is written by hand. */
const MAX_PARTS = 200_000;

/** `*.mesh.json`: corners and triangles, or one mesh of a model (as an import makes it). */
export function mesh(reader: ContentReader, content: JsonObject): JsonObject {
  return content["model"] === undefined ? drawn(reader, content) : imported(reader, content);
}

function drawn(reader: ContentReader, content: JsonObject): JsonObject {
  const record = reader.record("", content, ["schema", "positions", "triangles"]);
  const positions = reader.list("positions", record["positions"]).map((value, index) =>
    point(reader, `positions[${index}]`, value)
  );
  const triangles = reader.list("triangles", record["triangles"]).map((value, index) => {
    const where = `triangles[${index}]`;
    const corners = reader.list(where, value);
    const good = corners.length === 3 &&
      corners.every((corner) =>
        typeof corner === "number" && Number.isInteger(corner) && corner >= 0 &&
        corner < positions.length
      );
    if (!good) reader.complaints.expected(where, value, `3 places in positions`);
    return corners.filter((corner) => typeof corner === "number");
  });
  if (positions.length === 0) reader.complaints.expected("positions", [], "at least one");
  if (positions.length > MAX_PARTS || triangles.length > MAX_PARTS) {
    reader.complaints.add("", `found too many parts, expected at most ${MAX_PARTS}; use a model`);
  }
  return { positions, triangles };
}

function imported(reader: ContentReader, content: JsonObject): JsonObject {
  const members = ["schema", "model", "mesh", "bounds", "primitives", "targets"];
  const record = reader.record("", content, members);
  const model = reader.reference("model", record["model"], ["model"]);
  const place = reader.number("mesh", record["mesh"], { min: 0 });
  const box = reader.record("bounds", record["bounds"], ["min", "max"]);
  const bounds = {
    min: point(reader, "bounds.min", box["min"]),
    max: point(reader, "bounds.max", box["max"]),
  };
  const primitives = reader.list("primitives", record["primitives"]).map((value, index) => {
    const where = `primitives[${index}]`;
    const one = reader.record(where, value, ["vertices", "triangles", "material"]);
    return reader.present({
      vertices: reader.number(`${where}.vertices`, one["vertices"], { min: 0 }),
      triangles: reader.number(`${where}.triangles`, one["triangles"], { min: 0 }),
      material: one["material"] === undefined
        ? undefined
        : reader.reference(`${where}.material`, one["material"], ["material"]),
    });
  });
  const targets = record["targets"] === undefined
    ? undefined
    : reader.number("targets", record["targets"], { min: 0 });
  return reader.present({ model, mesh: place, bounds, primitives, targets });
}

function point(reader: ContentReader, where: string, value: unknown): Vec3 {
  const numbers = Array.isArray(value) ? value.filter((part) => typeof part === "number") : [];
  const [x, y, z] = numbers;
  const whole = Array.isArray(value) && value.length === 3 && numbers.every(Number.isFinite);
  if (whole && x !== undefined && y !== undefined && z !== undefined) return [x, y, z];
  reader.complaints.expected(where, value, "[x, y, z] in metres");
  return [0, 0, 0];
}

/** The box around a mesh whose content has been checked; `null` for other values. */
export function meshBounds({ bounds, positions }: JsonObject): Bounds | null {
  const points = Array.isArray(positions) ? positions.flatMap(vec3Of) : [];
  if (points.length > 0) return unitedBounds(points.map((at) => ({ min: at, max: at })));
  if (typeof bounds !== "object" || bounds === null || !("min" in bounds)) return null;
  const [min] = vec3Of(bounds.min ?? null);
  const [max] = vec3Of(bounds.max ?? null);
  return min === undefined || max === undefined ? null : { min, max };
}

function vec3Of(value: JsonValue): readonly Vec3[] {
  if (!Array.isArray(value)) return [];
  const [x, y, z]: readonly JsonValue[] = value;
  const numbers = typeof x === "number" && typeof y === "number" && typeof z === "number";
  return numbers ? [[x, y, z]] : [];
}
