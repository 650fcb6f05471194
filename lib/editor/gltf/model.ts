import { encodeUtf8 } from "../../core/bytes.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { assetText } from "../asset-text.ts";
import { readFileName } from "../asset-types.ts";
import type { Bounds } from "../layout/project3d.ts";
import type { TraitFields } from "../ports.ts";
import { MAX_MORPHS } from "../traits/rendering.ts";
import { clipContent } from "./animations.ts";
import { badModel, type GltfFailure, isGlb, openContainer } from "./container.ts";
import { type ExtensionReport, reportExtensions } from "./extensions.ts";
import { materialContent } from "./materials.ts";
import { measureMeshes, type MeshFacts } from "./meshes.ts";
import { fileName, UniqueNames } from "./names.ts";
import { nodeTree, type PrefabEntity } from "./nodes.ts";
import { readNumbers, wantedAccessors } from "./numbers.ts";
import { outlineOf } from "./outline.ts";
import type { GltfOutline } from "./outline-types.ts";
import { embeddedPicture, pictureKind } from "./pictures.ts";
import { type Buffers, isDataUri, loadBuffers, pathOfUri, type ReadBeside } from "./resources.ts";
import { parseJson, sceneBounds } from "./scene-bounds.ts";
import { Skins } from "./skins.ts";

/** The largest model that is imported, in bytes, all its files together. */
export const MAX_MODEL_BYTES: number = 512 * 1024 * 1024;

/** A file that an import makes. */
export interface NewFile {
  /** Relative to the folder of the import. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Its sidecar; `null` for what is no asset. */
  readonly meta: JsonObject | null;
}

/** A model as a project keeps it. */
export interface ImportedModel {
  /** In the order in which they name each other: the prefab last. */
  readonly files: readonly NewFile[];
  /** The entities of the prefab, its root included. */
  readonly root: PrefabEntity;
  /** The box around all of it; `null` when nothing of it has a size. */
  readonly bounds: Bounds | null;
  /** One sentence for each thing that was lost or passed over. */
  readonly warnings: readonly string[];
}

/** What is imported. */
export interface ModelSource {
  /** The file's name without its extension. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly readBeside: ReadBeside;
  /** Gives each new asset its guid. */
  readonly newGuid: () => string;
}

/** Reads a glTF or GLB file and makes of it what a project keeps. Nothing is written. */
export async function importModel(
  source: ModelSource,
): Promise<Result<ImportedModel, GltfFailure>> {
  const container = openContainer(source.bytes);
  if (!container.ok) return container;
  const { text, binary } = container.value;
  const json = parseJson(text);
  if (json === undefined) return badModel("its JSON does not parse");
  const outline = outlineOf(json);
  if (!outline.ok) return outline;
  const extensions = reportExtensions(outline.value);
  if (!extensions.ok) return extensions;
  const beside = new Map<string, Uint8Array<ArrayBuffer>>();
  let size = source.bytes.length;
  const readBeside: ReadBeside = async (path) => {
    const known = beside.get(path);
    if (known !== undefined) return ok(known);
    if (path.endsWith(".meta.json")) return badModel(`it needs ${JSON.stringify(path)}, a sidecar`);
    const read = await source.readBeside(path);
    if (!read.ok) return read;
    size += read.value.length;
    if (size > MAX_MODEL_BYTES) {
      return badModel(`all of its files together have more than ${MAX_MODEL_BYTES} bytes`);
    }
    beside.set(path, read.value);
    return read;
  };
  const buffers = await loadBuffers(outline.value, binary, readBeside);
  if (!buffers.ok) return buffers;
  const numbers = await readNumbers(text, buffers.value, wantedAccessors(outline.value));
  const meshes = measureMeshes(outline.value, numbers);
  if (!meshes.ok) return meshes;
  const maker = new ModelMaker(source, outline.value, extensions.value);
  const kept = await maker.beside(beside, readBeside);
  if (!kept.ok) return kept;
  maker.pictures(buffers.value);
  maker.materials();
  const skins = new Skins(outline.value, source.newGuid);
  maker.meshes(meshes.value, (mesh) => skins.bindsOf(mesh, numbers));
  const tree = nodeTree(outline.value, (mesh) => maker.renderable(mesh), skins);
  for (const node of tree.unbound) {
    maker.warn(`nodes[${node}] has a skin with joints that are not shown: it stands still`);
  }
  maker.clips((animation) => clipContent(animation, tree.paths, numbers));
  return ok(maker.finish(tree.entities, tree.count, meshes.value));
}

/** Collects the files of one import. */
class ModelMaker {
  readonly #source: ModelSource;
  readonly #outline: GltfOutline;
  readonly #extensions: ExtensionReport;
  readonly #name: string;
  readonly #guid: string;
  readonly #files: NewFile[] = [];
  readonly #paths = new UniqueNames();
  readonly #warnings: string[] = [];
  readonly #images = new Map<number, string>();
  readonly #materials: string[] = [];
  readonly #meshes: string[] = [];
  readonly #clips: (readonly [string, string])[] = [];
  #animset: string | null = null;

  constructor(source: ModelSource, outline: GltfOutline, extensions: ExtensionReport) {
    this.#source = source;
    this.#outline = outline;
    this.#extensions = extensions;
    this.#name = fileName(source.name, "model");
    this.#guid = source.newGuid();
    const { scenes, meshes, accessors, extensionsUsed } = outline;
    if (scenes > 1) this.warn(`it has ${scenes} scenes: only the default one was imported`);
    if (extensions.warning !== null) this.warn(extensions.warning);
    for (const [index, { targets }] of meshes.entries()) {
      if (targets.length <= MAX_MORPHS) continue;
      this.warn(
        `meshes[${index}] has ${targets.length} morph targets: only ${MAX_MORPHS} can be followed`,
      );
    }
    const packed = accessors.filter(({ compressed }) => compressed).length;
    if (packed > 0) {
      this.warn(
        `${packed} of its accessors are compressed (${extensionsUsed.join(", ")}): ` +
          "boxes come from what they say about themselves",
      );
    }
  }

  /** Keeps the files that lie beside the model where it looks for them; pictures become assets. */
  async beside(
    read: ReadonlyMap<string, Uint8Array>,
    readBeside: ReadBeside,
  ): Promise<Result<null, GltfFailure>> {
    const places = new Map<string, number[]>();
    for (const [index, { uri }] of this.#outline.images.entries()) {
      if (uri === undefined || isDataUri(uri)) continue;
      const path = pathOfUri(uri);
      if (!path.ok) return path;
      const bytes = await readBeside(path.value);
      if (!bytes.ok) return bytes;
      places.set(path.value, [...places.get(path.value) ?? [], index]);
    }
    for (const [path, bytes] of read) {
      if (this.#paths.take(path) !== path) {
        return badModel(`it needs ${JSON.stringify(path)} and a file that differs in case alone`);
      }
      if (pictureKind(bytes) === null || readFileName(path).type !== "texture") {
        this.#files.push({ path, bytes, meta: null });
        continue;
      }
      const guid = this.#add(path, bytes);
      for (const index of places.get(path) ?? []) this.#images.set(index, guid);
    }
    return ok(null);
  }

  /** Takes the other pictures out of the model. */
  pictures(buffers: Buffers): void {
    for (const [index, image] of this.#outline.images.entries()) {
      if (this.#images.has(index)) continue;
      const bytes = embeddedPicture(image, this.#outline, buffers);
      const kind = bytes === null ? null : pictureKind(bytes);
      if (bytes === null || kind === null) {
        this.warn(`images[${index}] is no PNG, JPEG, WebP or KTX2: it was left out`);
        continue;
      }
      const name = fileName(image.name?.replace(/\.(?:png|jpe?g|webp|ktx2)$/i, ""), "image");
      this.#images.set(index, this.#add(this.#free("textures", name, `.${kind}`), bytes));
    }
  }

  /** Every material as an asset. */
  materials(): void {
    for (const [index, material] of this.#outline.materials.entries()) {
      const name = fileName(material.name, `material-${index}`);
      const content = materialContent(material, (image) => this.#images.get(image));
      this.#materials.push(this.#addJson(this.#free("materials", name, ".material.json"), content));
    }
  }

  /** Every mesh as an asset that says which mesh of the model it is. */
  meshes(facts: readonly MeshFacts[], bindsOf: (mesh: number) => readonly JsonValue[]): void {
    for (const [index, { primitives, bounds }] of facts.entries()) {
      const mesh = this.#outline.meshes[index];
      const name = fileName(mesh?.name, `mesh-${index}`);
      if (bounds === null) this.warn(`meshes[${index}] has no vertices: it has no size`);
      const targets = mesh?.targets ?? [];
      const binds = bindsOf(index);
      const box: JsonObject = {
        min: bounds?.min ?? [0, 0, 0],
        max: bounds?.max ?? [0, 0, 0],
      };
      const content = {
        schema: 1,
        model: this.#guid,
        mesh: index,
        bounds: box,
        primitives: primitives.map(({ vertices, triangles, material }): JsonValue => {
          const guid = material === undefined ? undefined : this.#materials[material];
          return { vertices, triangles, ...(guid !== undefined && { material: guid }) };
        }),
        ...(targets.length > 0 && { targets }),
        ...(binds.length > 0 && { binds }),
      };
      const path = this.#free("meshes", name, ".mesh.json");
      this.#meshes.push(this.#addJson(path, content, { bounds: box }));
    }
  }

  /** What draws a mesh; its material where all of it has the same one. */
  renderable(mesh: number): TraitFields {
    const { primitives = [] } = this.#outline.meshes[mesh] ?? {};
    const materials = new Set(primitives.map(({ material }) => material));
    const [only] = materials;
    const material = materials.size === 1 && only !== undefined ? this.#materials[only] : undefined;
    return {
      mesh: "model",
      model: this.#meshes[mesh] ?? "",
      ...(material !== undefined && { material }),
    };
  }

  /** Every animation as an asset, and all of them as a set. */
  clips(
    convert: (animation: GltfOutline["animations"][number]) => ReturnType<typeof clipContent>,
  ): void {
    const names = new UniqueNames();
    const lost = new Set<string>();
    for (const [index, animation] of this.#outline.animations.entries()) {
      const { content, lost: parts } = convert(animation);
      for (const part of parts) lost.add(part);
      const name = fileName(animation.name, `animation-${index}`);
      if (content === null) {
        this.warn(`animations[${index}] moves nothing that can be imported: it was left out`);
        continue;
      }
      const path = this.#free("animations", name, ".anim.json");
      this.#clips.push([names.take(name, "-"), this.#addJson(path, content)]);
    }
    if (lost.size > 0) this.warn(`animations lose ${[...lost].join(", ")}`);
    if (this.#clips.length === 0) return;
    const clips = Object.fromEntries(this.#clips);
    const path = this.#free("", this.#name, ".animset.json");
    this.#animset = this.#addJson(path, { schema: 1, clips });
  }

  /** The model itself, and the prefab that shows it. */
  finish(
    entities: readonly PrefabEntity[],
    count: number,
    facts: readonly MeshFacts[],
  ): ImportedModel {
    const unseen = this.#outline.nodes.length - count;
    if (unseen > 0) this.warn(`${unseen} nodes are in no scene that is shown: they were left out`);
    const bounds = sceneBounds(this.#outline, facts);
    const { materials, animations, skins, meshes, images } = this.#outline;
    const { kept, dropped } = this.#extensions;
    this.#add(
      this.#free("", this.#name, isGlb(this.#source.bytes) ? ".glb" : ".gltf"),
      this.#source.bytes,
      {
        guid: this.#guid,
        ...(bounds !== null && { bounds: { min: bounds.min, max: bounds.max } }),
        model: {
          nodes: count,
          meshes: meshes.length,
          materials: materials.length,
          textures: images.length,
          animations: animations.length,
          skins: skins.length,
          ...(kept.length > 0 && { extensionsKept: kept }),
          ...(dropped.length > 0 && { extensionsDropped: dropped }),
        },
      },
    );
    const [clip] = this.#clips;
    const root: PrefabEntity = {
      name: this.#source.name.trim().slice(0, 120) || "Model",
      layer: "3d",
      traits: {
        Transform: {},
        ...(this.#animset !== null && clip !== undefined &&
          { Animator: { animset: this.#animset, clip: clip[1] } }),
      },
      ...(entities.length > 0 && { children: entities }),
    };
    this.#addJson(this.#free("", this.#name, ".prefab.json"), {
      schema: 1,
      root: jsonOf(root),
    });
    return { files: this.#files, root, bounds, warnings: this.#warnings };
  }

  /** Notes what was lost. */
  warn(sentence: string): void {
    this.#warnings.push(`${this.#source.name}: ${sentence}`);
  }

  #free(folder: string, name: string, ending: string): string {
    const prefix = folder === "" ? "" : `${folder}/`;
    // Numbered before the ending, and with it: `a.mesh.json` and `a.material.json` may stand together.
    for (let n = 1;; n++) {
      const path = `${prefix}${n === 1 ? name : `${name}-${n}`}${ending}`;
      if (this.#paths.take(path) === path) return path;
    }
  }

  #addJson(path: string, content: JsonObject, meta: JsonObject = {}): string {
    return this.#add(path, encodeUtf8(assetText(content)), meta);
  }

  #add(path: string, bytes: Uint8Array, meta: JsonObject = {}): string {
    const { guid } = meta;
    const own = typeof guid === "string" ? guid : this.#source.newGuid();
    this.#files.push({ path, bytes, meta: { ...meta, guid: own } });
    return own;
  }
}

function jsonOf({ guid, name, layer, traits, children }: PrefabEntity): JsonObject {
  return {
    ...(guid !== undefined && { guid }),
    name,
    layer,
    traits,
    ...(children !== undefined && { children: children.map(jsonOf) }),
  };
}
