import { eachOf, runCooperatively, type Work } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { ok } from "../../core/result.ts";
import type { AssetScan } from "../assets/assets.ts";
import {
  type Affine,
  type Bounds,
  MAX_CLOUD_POINTS,
  multiply,
  place,
  PointCloud,
  unitedBounds,
} from "../../game/geometry/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { badModel } from "../gltf/container.ts";
import { readModelPoints } from "../gltf/drawn-points.ts";
import type { ReadBeside } from "../gltf/resources.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import type { Asset, Entity, ProducerOptions } from "../ports/mod.ts";
import { readProjectFile } from "../files/project-files.ts";
import { textIn } from "../../game/traits/mod.ts";

/** Largest file whose vertices are read, in bytes; of larger ones, only the box is known. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum vertices kept of all models together: about 100 MB. */
const MAX_POINTS = 4 * MAX_CLOUD_POINTS;

/** The shape that a model or a mesh draws, as precisely as bounding boxes need it. */
export interface ModelShape {
  /** Blocks of points: how much work a box is. */
  readonly work: number;
  /** The box around it, taken somewhere. */
  boundsAt(affine: Affine): Bounds;
}

/** Shapes by the asset's guid; unknown ones are absent. */
export type ModelShapes = ReadonlyMap<string, ModelShape>;

/** The result of reading a file, for as long as its size and time stay the same. */
interface Read<T> {
  readonly stamp: string;
  readonly value: Promise<T>;
}

interface Model {
  readonly meshes: readonly (PointCloud | null)[];
  /** `null` when a part of it is not known. */
  readonly all: ModelShape | null;
}

/** Reads the vertices of the models and meshes that entities draw. */
export class ShapeReader {
  readonly #core: EditorCore;
  readonly #models = new Map<string, Read<Model | null>>();
  readonly #shapes = new Map<string, Read<ModelShape | null>>();
  /** Number of kept vertices by asset. */
  readonly #kept = new Map<string, number>();

  constructor(core: EditorCore) {
    this.#core = core;
  }

  /** The shapes that these entities draw. Files that have not changed are not read again. */
  async of(entities: readonly Entity[], { signal }: ProducerOptions): Promise<ModelShapes> {
    const used = new Set<string>();
    const { scan } = this.#core;
    const note = ({ traits: { Renderable3D: renderable } }: Entity) => {
      if (textIn(renderable, "mesh") === "model") used.add(textIn(renderable, "model"));
    };
    await this.#run(eachOf(entities, note), signal);
    const shapes = new Map<string, ModelShape>();
    if (used.size === 0) return shapes;
    const byGuid = new Map(scan.assets.map((asset) => [asset.guid, asset]));
    for (const guid of used) {
      const asset = byGuid.get(guid);
      const shape = asset === undefined ? null : await this.#shapeOf(asset, byGuid, scan);
      if (shape !== null) shapes.set(guid, shape);
      signal?.throwIfAborted();
    }
    return shapes;
  }

  async #shapeOf(
    asset: Asset,
    byGuid: ReadonlyMap<string, Asset>,
    scan: AssetScan,
  ): Promise<ModelShape | null> {
    if (asset.type === "model") return (await this.#model(asset, scan))?.all ?? null;
    if (asset.type !== "mesh") return null;
    return await readOnce(this.#shapes, asset, scan, async () => {
      this.#kept.delete(asset.guid);
      const content = await this.#content(asset.path);
      const points = Array.isArray(content["positions"]) ? content["positions"] : null;
      if (points !== null) return shapeOf(await this.#keep(asset, flatPoints(points)));
      const model = byGuid.get(String(content["model"]));
      const read = model?.type === "model" ? await this.#model(model, scan) : null;
      const index = content["mesh"];
      return typeof index === "number" ? shapeOf(read?.meshes[index] ?? null) : null;
    });
  }

  #model(asset: Asset, scan: AssetScan): Promise<Model | null> {
    return readOnce(this.#models, asset, scan, async () => {
      this.#kept.delete(asset.guid);
      const bytes = await this.#bytes(asset.path);
      if (bytes === null) return null;
      const folder = asset.path.slice(0, asset.path.lastIndexOf("/"));
      const readBeside: ReadBeside = async (path) => {
        const beside = await this.#bytes(`${folder}/${path}`);
        return beside === null ? badModel(`it needs ${JSON.stringify(path)}`) : ok(beside);
      };
      const read = await readModelPoints(bytes, {
        readBeside,
        share: (work) => this.#run(work),
      });
      if (!read.ok) return null;
      const meshes: (PointCloud | null)[] = [];
      for (const points of read.value.meshes) {
        meshes.push(points === null ? null : await this.#keep(asset, points));
      }
      const parts: { readonly cloud: PointCloud; readonly affine: Affine }[] = [];
      for (const { mesh, affine } of read.value.placed) {
        const cloud = meshes[mesh] ?? null;
        if (cloud === null) return { meshes, all: null };
        parts.push({ cloud, affine });
      }
      const all = parts.length === 0 ? null : {
        work: parts.reduce((sum, { cloud }) => sum + cloud.blocks, 0),
        boundsAt: (at: Affine) =>
          unitedBounds(parts.map(({ cloud, affine }) => cloud.boundsAt(joined(at, affine)))) ??
            { min: at.offset, max: at.offset },
      };
      return { meshes, all };
    });
  }

  async #keep({ guid }: Asset, points: Float64Array): Promise<PointCloud | null> {
    const count = points.length / 3;
    let kept = count;
    for (const other of this.#kept.values()) kept += other;
    if (count === 0 || count > MAX_CLOUD_POINTS || kept > MAX_POINTS) return null;
    this.#kept.set(guid, (this.#kept.get(guid) ?? 0) + count);
    return await this.#run(PointCloud.of(points));
  }

  async #content(path: string): Promise<Readonly<Record<string, unknown>>> {
    const bytes = await this.#bytes(path);
    const parsed = bytes === null ? null : await this.#run(jsonFileParsing(path, bytes));
    return parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {};
  }

  /**
   * Reads a file's bytes; `null` if there is no such file.
   *
   * @throws {UnreadError} If it is unreadable, which is reported elsewhere.
   */
  async #bytes(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const { files, root } = this.#core;
    const read = await readProjectFile(files, root, { path, maxBytes: MAX_BYTES });
    if (!read.ok) throw new UnreadError(read.error.detail);
    return read.value;
  }

  #run<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    const { clock } = this.#core;
    return runCooperatively(work, { now: () => clock.monotonic(), signal });
  }
}

/** A file could not be read, which may change without a change of its size and time. */
class UnreadError extends Error {
  override readonly name: string = "UnreadError";
}

/** Contents read of assets, read again when a file has another size or time, or could not be read. */
function readOnce<T>(
  known: Map<string, Read<T | null>>,
  { guid, path }: Asset,
  scan: AssetScan,
  read: () => Promise<T | null>,
): Promise<T | null> {
  const stamp = scan.found.get(path)?.stamp ?? "";
  const before = known.get(guid);
  if (before?.stamp === stamp) return before.value;
  const value = read().catch((thrown: unknown) => {
    if (known.get(guid)?.value === value) known.delete(guid);
    if (thrown instanceof UnreadError) return null;
    throw thrown;
  });
  known.set(guid, { stamp, value });
  return value;
}

/** Flattens the points of a mesh; empty if one of them is invalid. */
function flatPoints(points: readonly unknown[]): Float64Array {
  const numbers: number[] = [];
  for (const point of points) {
    const parts: readonly unknown[] = Array.isArray(point) ? point : [];
    for (const part of parts) if (typeof part === "number") numbers.push(part);
  }
  return numbers.length === points.length * 3 && numbers.every(Number.isFinite)
    ? Float64Array.from(numbers)
    : new Float64Array();
}

function shapeOf(cloud: PointCloud | null): ModelShape | null {
  return cloud === null
    ? null
    : { work: cloud.blocks, boundsAt: (affine) => cloud.boundsAt(affine) };
}

/** First the one, then the other. */
function joined(second: Affine, first: Affine): Affine {
  return { linear: multiply(second.linear, first.linear), offset: place(second, first.offset) };
}
