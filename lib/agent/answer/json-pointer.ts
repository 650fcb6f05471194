import { isRecord, type JsonValue, own } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";

/**
 * Returns the part of a value at a JSON pointer (RFC 6901); the leading `/` is optional.
 *
 * @returns 404 `nothing-there`, listing the members that exist.
 */
export function valueAt(value: JsonValue, pointer: string): Result<JsonValue, Problem> {
  let at = value;
  let way = "";
  for (const part of pointer.replace(/^\//, "").split("/")) {
    if (part === "" && pointer.replace(/\//g, "") === "") break;
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = memberOf(at, name);
    if (next === undefined) return nothingThere(`${way}/${part}`, name, at, way);
    at = next;
    way = `${way}/${part}`;
  }
  return ok(at);
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  if (isList(value)) return /^(?:0|[1-9]\d{0,9})$/.test(name) ? value[Number(name)] : undefined;
  return typeof value === "object" && value !== null ? own(value, name) : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function nothingThere(
  pointer: string,
  name: string,
  value: JsonValue,
  way: string,
): Result<never, Problem> {
  const names = isRecord(value) ? Object.keys(value) : [];
  const near = nearestNames(name, names);
  const content = Array.isArray(value)
    ? `a list of ${value.length}`
    : isRecord(value)
    ? `an object of ${(near.length > 0 ? near : names.slice(0, 8)).join(", ") || "nothing"}`
    : `${JSON.stringify(value).slice(0, 40)}`;
  return refuse(
    404,
    "nothing-there",
    `There is nothing at ${JSON.stringify(pointer.slice(0, 120))}`,
    `${way === "" ? "The content" : JSON.stringify(way)} is ${content}`,
  );
}
