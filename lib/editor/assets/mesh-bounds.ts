import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type Bounds, unitedBounds } from "../../game/geometry/mod.ts";
import type { Vec3 } from "../ports/mod.ts";

/** Returns the box around a mesh with valid content; `null` for other values. */
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
