import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineLoop,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  type Object3D,
  Points,
  type Skeleton,
  SkinnedMesh,
  Texture,
} from "three";
import { err, ok, type Result } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";
import { readJsonFile } from "./asset-file.ts";
import { Loaded, type LoadNotes } from "./loaded.ts";
import { OF_MODEL } from "./materials.ts";
import { type ModelMesh, readMesh } from "./mesh-file.ts";
import { Model } from "./models.ts";
import { Primitives } from "./primitives.ts";

/** A piece of a shape, which has one surface. */
export interface ShapePart {
  readonly geometry: BufferGeometry;
  /** glTF's number: 0 points, 1 lines, 2 a closed line, 3 a line, from 4 on triangles. */
  readonly mode: number;
  /** Guid of its material or a substitute, or a material of a model. */
  readonly surface: string | Material;
  /** Its place within the shape; `null` at the origin. */
  readonly place: Matrix4 | null;
  /** Skeleton of the shape's rest pose, or `null`. */
  readonly skeleton: Skeleton | null;
  /** Default weights of its morph targets. */
  readonly weights: readonly number[];
}

/** The shape of a Renderable3D. */
export interface DrawnShape {
  readonly parts: readonly ShapePart[];
  /** The inverse bind matrices of each skin that it can be worn with. */
  readonly binds: readonly (readonly Matrix4[])[];
  /** Frees the memory of embedded pictures. */
  readonly free?: () => void;
}

/** The shapes of primitives, meshes and models, each once. */
export class DrawnShapes {
  readonly #primitives = new Primitives();
  readonly #known = new Map<string, DrawnShape>();
  readonly #content: WebContent;
  readonly #models: Loaded<Model>;
  readonly #assets: Loaded<DrawnShape>;

  constructor(
    content: WebContent,
    notes: LoadNotes,
  ) {
    this.#content = content;
    this.#models = new Loaded((guid) => Model.open(content, guid), notes);
    this.#assets = new Loaded((guid) => this.#load(guid), notes);
  }

  /**
   * Returns the shape of a Renderable3D.
   *
   * @param mesh A primitive, or `model` for the asset.
   * @returns `undefined` while loading, `null` if there is none.
   */
  get(mesh: string, asset: string): DrawnShape | null | undefined {
    if (mesh === "model") return asset === "" ? null : this.#assets.get(asset);
    const known = this.#known.get(mesh);
    if (known !== undefined) return known;
    const geometry = this.#primitives.get(mesh);
    if (geometry === undefined) return null;
    const shape: DrawnShape = { parts: [partOf(geometry)], binds: [] };
    this.#known.set(mesh, shape);
    return shape;
  }

  /** Disposes of all others. */
  keep(used: ReadonlySet<DrawnShape>): void {
    this.#assets.keep((shape) => used.has(shape), ({ parts, free }) => {
      for (const { geometry, surface } of parts) {
        geometry.dispose();
        if (typeof surface !== "string") disposeSurface(surface);
      }
      free?.();
    });
    // The shapes have copied what they need; a model is read again on request.
    this.#models.keep(() => false, () => {});
  }

  dispose(): void {
    this.keep(new Set());
    this.#primitives.dispose();
  }

  async #load(guid: string): Promise<Result<DrawnShape, string>> {
    if (this.#content.asset(guid)?.type === "model") {
      const model = await this.#models.whenLoaded(guid);
      if (model === null) return ok({ parts: [], binds: [] });
      try {
        return ok({ ...shapeOf(await model.scene()), free: model.free });
      } catch (thrown) {
        model.free();
        throw thrown;
      }
    }
    const read = await readJsonFile(this.#content, guid);
    if (!read.ok) return read;
    const { asset, content } = read.value;
    const mesh = readMesh(content);
    if (mesh === null) {
      return err(`Mesh "${asset.path}" cannot be drawn: expected corners or a model`);
    }
    if (mesh.kind === "model") return await this.#meshOf(mesh, asset.path);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(mesh.positions, 3));
    geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
    return ok({ parts: [partOf(geometry)], binds: [] });
  }

  async #meshOf(
    { model: guid, mesh, materials, binds }: ModelMesh,
    path: string,
  ): Promise<Result<DrawnShape, string>> {
    const model = await this.#models.whenLoaded(guid);
    if (model === null) return err(`Mesh "${path}" cannot be drawn: its model cannot be`);
    const primitives = await model.mesh(mesh);
    return ok({
      parts: primitives.map(({ geometry, mode }, place) => ({
        ...partOf(geometry),
        mode,
        surface: materials[place] || OF_MODEL,
      })),
      binds: binds.map((bind) => bind.map((matrix) => new Matrix4().fromArray([...matrix]))),
    });
  }
}

function partOf(geometry: BufferGeometry): ShapePart {
  return { geometry, mode: 4, surface: "", place: null, skeleton: null, weights: [] };
}

/** Frees a model's material and its textures on the graphics card. */
function disposeSurface(surface: Material): void {
  for (const value of Object.values(surface)) if (value instanceof Texture) value.dispose();
  surface.dispose();
}

/** A model as it rests, in pieces. */
function shapeOf(scene: Object3D): DrawnShape {
  const parts: ShapePart[] = [];
  scene.traverse((object) => {
    const isDrawn = object instanceof Mesh || object instanceof Line || object instanceof Points;
    if (!isDrawn) return;
    const { geometry, material } = object;
    const skeleton = object instanceof SkinnedMesh ? object.skeleton : null;
    parts.push({
      geometry,
      mode: modeOf(object),
      surface: Array.isArray(material) ? material[0] : material,
      place: object.matrixWorld,
      skeleton,
      weights: object.morphTargetInfluences ?? [],
    });
  });
  return { parts, binds: [] };
}

function modeOf(object: Object3D): number {
  if (object instanceof Points) return 0;
  if (object instanceof LineSegments) return 1;
  if (object instanceof LineLoop) return 2;
  return object instanceof Line ? 3 : 4;
}
