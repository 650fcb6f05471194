import type { JsonObject } from "../../core/json.ts";
import type { Vec3 } from "../ports/mod.ts";
import type { ContentReader } from "./reader.ts";

/** The most corners, and the most triangles, of a mesh that is written by hand. */
const MAX_PARTS = 200_000;
/** The longest name of a morph target, in UTF-16 units. */
const MAX_NAME = 200;

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
  const members = ["schema", "model", "mesh", "bounds", "primitives", "targets", "binds"];
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
    : reader.list("targets", record["targets"]).map((name, index) =>
      reader.complaints.words(`targets[${index}]`, name, MAX_NAME) ?? ""
    );
  const binds = record["binds"] === undefined
    ? undefined
    : reader.list("binds", record["binds"]).map((bind, place) =>
      reader.list(`binds[${place}]`, bind).map((matrix, joint) =>
        numbers16(reader, `binds[${place}][${joint}]`, matrix)
      )
    );
  return reader.present({ model, mesh: place, bounds, primitives, targets, binds });
}

function numbers16(reader: ContentReader, where: string, value: unknown): readonly number[] {
  const list = reader.list(where, value);
  const numbers = list.filter((one) => typeof one === "number" && Number.isFinite(one));
  if (list.length !== 16 || numbers.length !== 16) {
    reader.complaints.expected(where, value, "the 16 numbers of a matrix, column by column");
  }
  return numbers.filter((one) => typeof one === "number");
}

function point(reader: ContentReader, where: string, value: unknown): Vec3 {
  const numbers = Array.isArray(value) ? value.filter((part) => typeof part === "number") : [];
  const [x, y, z] = numbers;
  const isComplete = Array.isArray(value) && value.length === 3 && numbers.every(Number.isFinite);
  if (isComplete && x !== undefined && y !== undefined && z !== undefined) return [x, y, z];
  reader.complaints.expected(where, value, "[x, y, z] in metres");
  return [0, 0, 0];
}
