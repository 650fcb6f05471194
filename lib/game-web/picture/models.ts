import { BufferGeometry, type Group, LoadingManager, type Object3D } from "three";
import type { GLTFParser } from "three/addons/loaders/GLTFLoader.js";
import { isRecord } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { WebContent } from "../content/mod.ts";
import { readFile } from "./asset-file.ts";
import { modelRefusal } from "./model-bounds.ts";
import { modelImages } from "./model-images.ts";

const MAX_MODEL_BYTES = 256 * 1024 * 1024;
/** Drawing modes of glTF. */
const TRIANGLES = 4;

/** A mesh of a model, primitive by primitive. */
export interface ModelPrimitive {
  readonly geometry: BufferGeometry;
  /** glTF's number: 0 points, 1 lines, 2 a closed line, 3 a line, from 4 on triangles. */
  readonly mode: number;
}

/** A glTF or GLB file. Its parts are decoded on request. */
export class Model {
  /** Frees the memory of its pictures, once nothing shows them. */
  readonly free: () => void;
  readonly #parser: GLTFParser;
  readonly #scene: number;

  private constructor(parser: GLTFParser, scene: number, free: () => void) {
    this.#parser = parser;
    this.#scene = scene;
    this.free = free;
  }

  /** Opens the file of an asset; the loader is loaded with the first one. */
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
        // Parts that the loader would create all at once are created one at a time.
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
    // Without a folder, the loader leaves names unchanged: it must not decide where they lead.
    const { parser } = await loader.parseAsync(bytes.buffer, "");
    if (refusal !== null) {
      return err(`Model "${asset.path}" cannot be drawn: ${refusal}`);
    }
    parser.json.scenes = shown;
    return ok(new Model(parser, scene, images.free));
  }

  /** Loads a mesh by its index in the file; empty if it does not exist. */
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

  /** Loads everything that the file shows, with its own materials, in its rest pose. */
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

/** @throws {TypeError} When positions are not numbers, which would silently draw nothing. */
function assertSomewhere({ attributes: { position } }: BufferGeometry): void {
  if (position?.array.includes(NaN)) throw new TypeError("found corners that are not numbers");
}
