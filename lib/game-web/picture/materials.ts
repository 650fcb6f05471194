import {
  type BufferGeometry,
  type Color,
  DoubleSide,
  FrontSide,
  LineBasicMaterial,
  type Material,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PointsMaterial,
  type Texture,
} from "three";
import type { JsonObject } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { WebContent } from "../content/mod.ts";
import { readJsonFile } from "./asset-file.ts";
import { colorOf } from "./color.ts";
import { Loaded, type LoadNotes } from "./loaded.ts";
import type { Textures } from "./textures.ts";

/** Drawing mode of a primitive of a mesh. */
export type Drawing = "triangles" | "lines" | "points";

/** A surface, in each of the forms that meshes need of it. */
export class MaterialSurface {
  readonly #base: MeshStandardMaterial | MeshBasicMaterial;
  readonly #variants = new Map<string, Material>();

  constructor(base: MeshStandardMaterial | MeshBasicMaterial) {
    this.#base = base;
  }

  /** Whether it is drawn with blending. */
  get isBlended(): boolean {
    return this.#base.transparent;
  }

  /** The material for a mesh with these attributes, as glTF has it drawn. */
  for(geometry: BufferGeometry, drawing: Drawing): Material {
    const hasColors = geometry.hasAttribute("color");
    const isFlat = !geometry.hasAttribute("normal");
    const hasTangents = geometry.hasAttribute("tangent");
    const key = `${drawing} ${hasColors} ${isFlat} ${hasTangents}`;
    let material = this.#variants.get(key);
    if (material === undefined) {
      material = drawing === "triangles" ? this.#base.clone() : this.#plain(drawing);
      material.vertexColors = hasColors;
      if (material instanceof MeshStandardMaterial) {
        material.flatShading = isFlat;
        // Without tangents, the shader derives them from the texture coordinates, upside down.
        if (!hasTangents) material.normalScale.y *= -1;
      }
      this.#variants.set(key, material);
    }
    return material;
  }

  /** Its textures. */
  textures(): readonly Texture[] {
    const { map, aoMap } = this.#base;
    const more = this.#base instanceof MeshStandardMaterial
      ? [this.#base.metalnessMap, this.#base.normalMap, this.#base.emissiveMap]
      : [];
    return [map, aoMap, ...more].flatMap((one) => one ?? []);
  }

  dispose(): void {
    for (const material of this.#variants.values()) material.dispose();
    this.#base.dispose();
  }

  /** Returns the unlit material of points and lines, which have no normals. */
  #plain(drawing: "lines" | "points"): Material {
    const { color, map, opacity, transparent, depthWrite } = this.#base;
    const shared = { color, opacity, transparent, depthWrite };
    return drawing === "lines"
      ? new LineBasicMaterial(shared)
      : new PointsMaterial({ ...shared, map, sizeAttenuation: false });
  }
}

/** Used in place of a guid: the material of a model's mesh that names none (glTF 2.0 §3.9.6). */
export const OF_MODEL = "glTF";

/** Surfaces by the guids of their assets, and the default ones. */
export class Materials {
  readonly plain: MaterialSurface = new MaterialSurface(
    new MeshStandardMaterial({ roughness: 1, metalness: 0 }),
  );
  readonly #ofModel = new MaterialSurface(new MeshStandardMaterial({ roughness: 1, metalness: 1 }));
  readonly #loaded: Loaded<MaterialSurface>;

  constructor(
    content: WebContent,
    textures: Textures,
    notes: LoadNotes,
  ) {
    this.#loaded = new Loaded((guid) => loadSurface(content, textures, guid), notes);
  }

  /**
   * Returns a surface: `undefined` while loading, plain white if it is missing. @param guid Or
   * {@linkcode OF_MODEL}.
   */
  get(guid: string): MaterialSurface | undefined {
    if (guid === "") return this.plain;
    if (guid === OF_MODEL) return this.#ofModel;
    const loaded = this.#loaded.get(guid);
    return loaded === null ? this.plain : loaded;
  }

  /** Disposes of all others. */
  keep(used: ReadonlySet<MaterialSurface>): void {
    this.#loaded.keep((surface) => used.has(surface), (surface) => surface.dispose());
  }
}

async function loadSurface(
  content: WebContent,
  textures: Textures,
  guid: string,
): Promise<Result<MaterialSurface, string>> {
  const read = await readJsonFile(content, guid);
  if (!read.ok) return read;
  const fields = read.value.content;
  const of = (kind: "colors" | "numbers", name: string) => {
    const texture = textIn(fields, name);
    return texture === "" ? Promise.resolve(null) : textures[kind].whenLoaded(texture);
  };
  const [map, metallicRoughness, normal, occlusion, emissive] = await Promise.all([
    of("colors", "texture"),
    of("numbers", "metallicRoughnessTexture"),
    of("numbers", "normalTexture"),
    of("numbers", "occlusionTexture"),
    of("colors", "emissiveTexture"),
  ]);
  if (fields["unlit"] === true) {
    const material = new MeshBasicMaterial({ map, toneMapped: false }); // its colour is its colour
    applyShared(material, fields);
    return ok(new MaterialSurface(material));
  }
  const material = new MeshStandardMaterial({
    map,
    metalness: unit(numberIn(fields, "metallic", 0)),
    roughness: unit(numberIn(fields, "roughness", 1)),
    metalnessMap: metallicRoughness,
    roughnessMap: metallicRoughness,
    normalMap: normal,
    aoMap: occlusion,
    aoMapIntensity: unit(numberIn(fields, "occlusionStrength", 1)),
    emissive: colorOf(textIn(fields, "emissive"), "#000000").rgb,
    emissiveMap: emissive,
    emissiveIntensity: Math.max(0, numberIn(fields, "emissiveStrength", 1)),
  });
  material.normalScale.setScalar(numberIn(fields, "normalScale", 1));
  applyShared(material, fields);
  return ok(new MaterialSurface(material));
}

function applyShared(material: Material & { color: Color }, fields: JsonObject): void {
  const { rgb, alpha } = colorOf(textIn(fields, "color"), "#ffffff");
  const mode = textIn(fields, "alphaMode");
  material.color.set(rgb);
  material.side = fields["doubleSided"] === true ? DoubleSide : FrontSide;
  material.opacity = mode === "mask" || mode === "blend" ? alpha : 1;
  material.alphaTest = mode === "mask" ? unit(numberIn(fields, "alphaCutoff", 0.5)) : 0;
  material.transparent = mode === "blend";
  material.depthWrite = mode !== "blend";
}

function unit(value: number): number {
  return Math.max(0, Math.min(1, value));
}
