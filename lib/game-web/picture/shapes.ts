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
  /** The guid of its material or what stands for one, or one that came with a model. */
  readonly surface: string | Material;
  /** Where it is in the shape; `null` at its origin. */
  readonly place: Matrix4 | null;
  /** What bends it where the shape rests; `null` for nothing. */
  readonly skeleton: Skeleton | null;
  /** How far its morph targets are followed where nothing says so. */
  readonly weights: readonly number[];
}

/** What a Renderable3D draws. */
export interface Shape {
  readonly parts: readonly ShapePart[];
  /** The inverse bind matrices of each skin that it can be worn with. */
  readonly binds: readonly (readonly Matrix4[])[];
  /** Gives back the memory of pictures that came with it. */
  readonly free?: () => void;
}

/** The shapes of primitives, meshes and models, each once. */
export class Shapes {
  readonly #primitives = new Primitives();
  readonly #known = new Map<string, Shape>();
  readonly #content: WebContent;
  readonly #models: Loaded<Model>;
  readonly #assets: Loaded<Shape>;

  constructor(
    content: WebContent,
    notes: LoadNotes,
  ) {
    this.#content = content;
    this.#models = new Loaded((guid) => Model.open(content, guid), notes);
    this.#assets = new Loaded((guid) => this.#load(guid), notes);
  }

  /**
   * The shape of a Renderable3D.
   *
   * @param mesh A primitive, or `model` for the asset.
   * @returns `undefined` while it is on its way, `null` where there is none.
   */
  get(mesh: string, asset: string): Shape | null | undefined {
    if (mesh === "model") return asset === "" ? null : this.#assets.get(asset);
    const known = this.#known.get(mesh);
    if (known !== undefined) return known;
    const geometry = this.#primitives.get(mesh);
    if (geometry === undefined) return null;
    const shape: Shape = { parts: [partOf(geometry)], binds: [] };
    this.#known.set(mesh, shape);
    return shape;
  }

  /** Lets go all but these. */
  keep(used: ReadonlySet<Shape>): void {
    this.#assets.keep((shape) => used.has(shape), ({ parts, free }) => {
      for (const { geometry, surface } of parts) {
        geometry.dispose();
        if (typeof surface !== "string") disposeSurface(surface);
      }
      free?.();
    });
    // The shapes have what they need of them; another one is read when it is asked for.
    this.#models.keep(() => false, () => {});
  }

  dispose(): void {
    this.keep(new Set());
    this.#primitives.dispose();
  }

  async #load(guid: string): Promise<Result<Shape, string>> {
    if (this.#content.asset(guid)?.type === "model") {
      const model = await this.#models.whole(guid);
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
  ): Promise<Result<Shape, string>> {
    const model = await this.#models.whole(guid);
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

/** Takes a material that came with a model, and its textures, off the graphics card. */
function disposeSurface(surface: Material): void {
  for (const value of Object.values(surface)) if (value instanceof Texture) value.dispose();
  surface.dispose();
}

/** A model as it rests, in pieces. */
function shapeOf(scene: Object3D): Shape {
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
