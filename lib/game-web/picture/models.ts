import { BufferGeometry, type Group, LoadingManager, type Object3D } from "three";
import type { GLTFParser } from "three/addons/loaders/GLTFLoader.js";
import { isRecord } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";
import { readFile } from "./asset-file.ts";
import { modelRefusal } from "./model-bounds.ts";
import { modelImages } from "./model-images.ts";

const MAX_MODEL_BYTES = 256 * 1024 * 1024;
/** How glTF numbers what a primitive is drawn as. */
const TRIANGLES = 4;

/** A mesh of a model, primitive by primitive. */
export interface ModelPrimitive {
  readonly geometry: BufferGeometry;
  /** glTF's number: 0 points, 1 lines, 2 a closed line, 3 a line, from 4 on triangles. */
  readonly mode: number;
}

/** A glTF or GLB file. Nothing of it is decoded before it is asked for. */
export class Model {
  /** Gives back the memory of its pictures, once nothing shows them. */
  readonly free: () => void;
  readonly #parser: GLTFParser;
  readonly #scene: number;

  private constructor(parser: GLTFParser, scene: number, free: () => void) {
    this.#parser = parser;
    this.#scene = scene;
    this.free = free;
  }

  /** Opens the file of an asset; the loader comes with the first. */
  static async open(content: WebContent, guid: string): Promise<Result<Model, string>> {
    const [read, { GLTFLoader }] = await Promise.all([
      readFile(content, guid, MAX_MODEL_BYTES),
      import("three/addons/loaders/GLTFLoader.js"),
    ]);
    if (!read.ok) return read;
    const { asset, bytes } = read.value;
    const addressOf = (name: string) => {
      // The loader itself makes these of pictures in the model's buffers.
      if (name.startsWith(`blob:${origin}/`)) return name;
      const address = content.addressOf(name, asset);
      if (address.ok) return address.value;
      throw new TypeError(address.error);
    };
    let scene = 0;
    const images = modelImages(content, asset.path, addressOf);
    const manager = new LoadingManager().setURLModifier(addressOf);
    const loader = new GLTFLoader(manager).register((parser) => ({
      name: "slipway",
      beforeRoot() {
        // What the loader would make of all of it at once is made piece by piece.
        const { json, extensions } = parser;
        parser.textureLoader = images.loader;
        refusal = modelRefusal(json, extensions);
        scene = typeof json.scene === "number" ? json.scene : 0;
        shown = json.scenes;
        json.scenes = json.animations = json.cameras = undefined;
        return null;
      },
    }));
    let shown: unknown;
    let refusal: string | null = null;
    // Without a folder the loader leaves names as they are: where they lead is not its to say.
    const { parser } = await loader.parseAsync(bytes.buffer, "");
    if (refusal !== null) {
      return err(`Model "${asset.path}" cannot be drawn: ${refusal}`);
    }
    parser.json.scenes = shown;
    return ok(new Model(parser, scene, images.free));
  }

  /** One mesh, by its place in the file; none where it has no such mesh. */
  async mesh(index: number): Promise<readonly ModelPrimitive[]> {
    const mesh: unknown = this.#parser.json.meshes?.[index];
    const primitives = isRecord(mesh) && Array.isArray(mesh["primitives"])
      ? mesh["primitives"].filter(isRecord)
      : [];
    const geometries = await this.#parser.loadGeometries(primitives);
    return geometries.map((geometry, place) => {
      assertSomewhere(geometry);
      const mode = primitives[place]?.["mode"];
      return { geometry, mode: typeof mode === "number" ? mode : TRIANGLES };
    });
  }

  /** All that the file shows, with its own materials, as it rests. */
  async scene(): Promise<Object3D> {
    const scene: Group = await this.#parser.getDependency("scene", this.#scene);
    scene.traverse((part) => {
      if ("geometry" in part && part.geometry instanceof BufferGeometry) {
        assertSomewhere(part.geometry);
      }
    });
    scene.updateWorldMatrix(false, true);
    return scene;
  }
}

/** @throws {TypeError} Where corners are not numbers: nothing would be seen, and nothing said. */
function assertSomewhere({ attributes: { position } }: BufferGeometry): void {
  if (position?.array.includes(NaN)) throw new TypeError("found corners that are not numbers");
}
