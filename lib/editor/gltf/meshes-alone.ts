import { concatBytes, encodeUtf8, viewOf } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import type { Work } from "../../core/cooperative.ts";
import { jsonParsing } from "../../core/json-pieces.ts";
import { CHUNK_BIN, CHUNK_JSON, GLB_MAGIC, isGlb, openContainer } from "./container.ts";

// Reduces a model to its meshes, for a game that draws an imported model mesh by mesh: pictures,
// materials, nodes, skins and animations are assets of the project and would be shipped twice.

/** Names of extensions that compress numbers: compressed models are not reduced. */
const PACKED = /compression|draco/i;
/** An extension of the numbers themselves, which every reader of them has to know. */
const QUANTIZED = "KHR_mesh_quantization";

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the GLB with only the data of these meshes. Meshes keep their indices: others become
 * empty. Equal input gives equal output.
 *
 * @param meshes Their indices in the file.
 * @returns `null` if the file must stay unchanged: not a self-contained GLB, compressed, damaged,
 * or not larger than the result.
 */
export function* meshesAlone(
  bytes: Uint8Array<ArrayBuffer>,
  meshes: ReadonlySet<number>,
): Work<Uint8Array<ArrayBuffer> | null> {
  const opened = isGlb(bytes) ? openContainer(bytes) : null;
  if (opened?.ok !== true || opened.value.binary === null) return null;
  const model = yield* jsonParsing(opened.value.json);
  if (!isRecord(model)) return null;
  const used = listIn(model, "extensionsUsed");
  const [buffer, ...others] = listIn(model, "buffers");
  if (others.length > 0 || !isRecord(buffer) || buffer["uri"] !== undefined) return null;
  if (used.some((name) => PACKED.test(String(name)))) return null;
  yield;
  const made = new Remaining(model, opened.value.binary).of(meshes);
  if (made === null) return null;
  const json = { ...made.json, ...(used.includes(QUANTIZED) && EXTENSION) };
  const glb = glbOf(encodeUtf8(JSON.stringify(json)), made.binary);
  return glb.length < bytes.length ? glb : null;
}

const EXTENSION = { extensionsUsed: [QUANTIZED], extensionsRequired: [QUANTIZED] };

/** Copies the required parts, each once, with new indices. */
class Remaining {
  readonly #model: Json;
  readonly #binary: Uint8Array<ArrayBuffer>;
  readonly #accessors = new Map<number, number>();
  readonly #views = new Map<number, number>();
  readonly #newAccessors: Json[] = [];
  readonly #newViews: Json[] = [];
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  /** Whether any part violates glTF; the loader of the model reports it. */
  #isDamaged = false;

  constructor(model: Json, binary: Uint8Array<ArrayBuffer>) {
    this.#model = model;
    this.#binary = binary;
  }

  of(
    chosenMeshes: ReadonlySet<number>,
  ): { readonly json: Json; readonly binary: Uint8Array } | null {
    const meshes = listIn(this.#model, "meshes").map((mesh, index) => ({
      primitives: chosenMeshes.has(index)
        ? listIn(this.#record(mesh), "primitives").map((one) => this.#primitive(this.#record(one)))
        : [],
    }));
    if (this.#isDamaged) return null;
    const json = {
      asset: { version: "2.0" },
      meshes,
      accessors: this.#newAccessors,
      bufferViews: this.#newViews,
      buffers: [{ byteLength: this.#length }],
    };
    return { json, binary: concatBytes(this.#parts) };
  }

  #primitive(primitive: Json): Json {
    const { attributes, mode, indices, targets } = primitive;
    return {
      attributes: this.#attributes(attributes),
      ...(indices !== undefined && { indices: this.#accessor(indices) }),
      ...(mode !== undefined && { mode }),
      ...(targets !== undefined && {
        targets: listIn(primitive, "targets").map((target) => this.#attributes(target)),
      }),
    };
  }

  #attributes(attributes: unknown): Json {
    return Object.fromEntries(
      Object.entries(this.#record(attributes)).map((
        [name, accessor],
      ) => [name, this.#accessor(accessor)]),
    );
  }

  #accessor(index: unknown): number {
    return renumbered(this.#accessors, index, () => {
      const accessor = this.#record(listIn(this.#model, "accessors")[Number(index)]);
      const { bufferView, sparse } = accessor;
      return this.#newAccessors.push({
        ...accessor,
        ...(bufferView !== undefined && { bufferView: this.#view(bufferView) }),
        ...(isRecord(sparse) && {
          sparse: {
            ...sparse,
            indices: this.#sparse(this.#record(sparse["indices"])),
            values: this.#sparse(this.#record(sparse["values"])),
          },
        }),
      });
    });
  }

  #sparse(part: Json): Json {
    return { ...part, bufferView: this.#view(part["bufferView"]) };
  }

  #view(index: unknown): number {
    return renumbered(this.#views, index, () => {
      const view = this.#record(listIn(this.#model, "bufferViews")[Number(index)]);
      const [start, size] = [Number(view["byteOffset"] ?? 0), Number(view["byteLength"])];
      const bytes = this.#binary.subarray(start, start + size);
      if (bytes.length !== size) this.#isDamaged = true;
      const filled = new Uint8Array(-bytes.length & 3);
      const byteOffset = this.#length;
      this.#parts.push(bytes, filled);
      this.#length += bytes.length + filled.length;
      return this.#newViews.push({ ...view, buffer: 0, byteOffset });
    });
  }

  #record(value: unknown): Json {
    if (isRecord(value)) return value;
    this.#isDamaged = true;
    return {};
  }
}

/** The new number of a thing. @param add Answers how many there are then. */
function renumbered(known: Map<number, number>, index: unknown, add: () => number): number {
  const place = Number(index);
  const before = known.get(place);
  if (before !== undefined) return before;
  const number = add() - 1;
  known.set(place, number);
  return number;
}

function listIn(record: Json, name: string): readonly unknown[] {
  const list = record[name];
  return Array.isArray(list) ? list : [];
}

/** glTF 2.0 §4.4: each chunk is filled up to four bytes, JSON with spaces. */
function glbOf(json: Uint8Array, binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const filled = new Uint8Array(json.length + (-json.length & 3)).fill(0x20);
  filled.set(json);
  const length = 28 + filled.length + binary.length;
  return concatBytes([
    words(GLB_MAGIC, 2, length),
    words(filled.length, CHUNK_JSON),
    filled,
    words(binary.length, CHUNK_BIN),
    binary,
  ]);
}

/** Numbers of 32 bits, little-endian. */
function words(...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 4);
  for (const [index, number] of numbers.entries()) viewOf(bytes).setUint32(index * 4, number, true);
  return bytes;
}
