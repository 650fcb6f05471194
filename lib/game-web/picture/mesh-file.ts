import { isRecord, type JsonObject } from "../../core/json.ts";
import { textIn } from "../../game/traits/mod.ts";

/** The most corners, and the most triangles, of a mesh that is written by hand. */
const MAX_PARTS = 200_000;
/** The most joints of a skin. */
const MAX_JOINTS = 1_024;

/** A `*.mesh.json`: corners and triangles over them. */
export interface WrittenMesh {
  readonly kind: "written";
  /** x, y, z of each corner, in metres. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** Three places in `positions` each. */
  readonly triangles: Uint32Array<ArrayBuffer>;
}

/** A `*.mesh.json`: one mesh of a model. */
export interface ModelMesh {
  readonly kind: "model";
  /** The guid of the model's asset. */
  readonly model: string;
  /** The mesh's place in the model's file. */
  readonly mesh: number;
  /** Material of each primitive; `""` for none. */
  readonly materials: readonly string[];
  /** The inverse bind matrices of each skin: 16 numbers a joint, column by column. */
  readonly binds: readonly (readonly (readonly number[])[])[];
}

/** Parses a `*.mesh.json`; `null` if it is invalid. */
export function readMesh(content: JsonObject): WrittenMesh | ModelMesh | null {
  return content["model"] === undefined ? written(content) : ofModel(content);
}

function written({ positions, triangles }: JsonObject): WrittenMesh | null {
  const points = rows(positions, 3, MAX_PARTS);
  const faces = rows(triangles, 3, MAX_PARTS);
  if (points === null || faces === null) return null;
  const count = points.length / 3;
  const isDrawable = faces.every((corner) =>
    Number.isInteger(corner) && corner >= 0 && corner < count
  );
  return isDrawable
    ? { kind: "written", positions: Float32Array.from(points), triangles: Uint32Array.from(faces) }
    : null;
}

function ofModel(content: JsonObject): ModelMesh | null {
  const { mesh, primitives, binds = [] } = content;
  if (typeof mesh !== "number" || !Array.isArray(primitives) || !Array.isArray(binds)) return null;
  const matrices = binds.map((bind) => {
    const all = rows(bind, 16, MAX_JOINTS);
    return all === null
      ? null
      : Array.from({ length: all.length / 16 }, (_none, joint) =>
        all.slice(joint * 16, joint * 16 + 16));
  });
  const read = matrices.filter((bind) => bind !== null);
  return read.length !== matrices.length ? null : {
    kind: "model",
    model: textIn(content, "model"),
    mesh,
    materials: primitives.map((one) =>
      isRecord(one) && typeof one["material"] === "string" ? one["material"] : ""
    ),
    binds: read,
  };
}

/** The finite numbers of a list of lists of equal length, one after the other. */
function rows(value: unknown, width: number, most: number): number[] | null {
  if (!Array.isArray(value) || value.length > most) return null;
  const flat: number[] = [];
  for (const row of value) {
    if (!Array.isArray(row) || row.length !== width) return null;
    for (const number of row) {
      if (typeof number !== "number" || !Number.isFinite(number)) return null;
      flat.push(number);
    }
  }
  return flat;
}
