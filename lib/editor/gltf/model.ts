import { eventLoopTurn, runCooperatively, type Work } from "../../core/cooperative.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { readFileName } from "../files/asset-types.ts";
import type { Bounds } from "../../game/geometry/mod.ts";
import type { TraitFields } from "../ports/mod.ts";
import { MAX_MORPHS } from "../../game/traits/mod.ts";
import { clipContent } from "./animations.ts";
import { badModel, type GltfFailure, isGlb } from "./container.ts";
import { each } from "./each.ts";
import { warningOfNames } from "./invisible-names.ts";
import { type ExtensionReport, reportExtensions } from "./extensions.ts";
import { materialContent } from "./materials.ts";
import { MODEL_LIMITS, overLimit, textLimit } from "./limits.ts";
import { measureMeshes, type MeshFacts } from "./meshes.ts";
import { entityName, fileName, UniqueNames } from "./names.ts";
import { type NewFile, NewFiles } from "./new-files.ts";
import { nodeTree, type PrefabEntity } from "./nodes.ts";
import { type Numbers, readNumbers } from "./numbers.ts";
import { openModel } from "./open-model.ts";
import type { GltfOutline } from "./outline-types.ts";
import { embeddedPicture, pictureKey, pictureKind } from "./pictures.ts";
import {
  type Buffers,
  isDataUri,
  loadBuffers,
  pathOfUri,
  type ReadBeside,
  type Share,
} from "./resources.ts";
import { sceneBounds } from "./scene-bounds.ts";
import { Skins } from "./skins.ts";

/** A model as a project keeps it. */
export interface ImportedModel {
  /** Ordered by dependency: the prefab last. */
  readonly files: readonly NewFile[];
  /** The entities of the prefab, its root included. */
  readonly root: PrefabEntity;
  /** The box around the model; `null` if nothing in it has a size. */
  readonly bounds: Bounds | null;
  /** A sentence for each lost or skipped part. */
  readonly warnings: readonly string[];
}

/** The model that is imported. */
export interface ModelSource {
  /** The file's name without its extension. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly readBeside: ReadBeside;
  /** Gives each new asset its guid. */
  readonly newGuid: () => string;
  /** Monotonic clock in milliseconds, by which the import yields to other work. */
  readonly now: () => number;
  /** Cancels the import, which throws its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Converts a glTF or GLB file to the files of a project, without writing them. `MODEL_LIMITS`
 * bounds its cost, and it yields the thread.
 */
export async function importModel(
  source: ModelSource,
): Promise<Result<ImportedModel, GltfFailure>> {
  const { now, signal } = source;
  const share: Share = (work) => runCooperatively(work, { now, signal });
  const opened = await share(openModel(source.bytes));
  if (!opened.ok) return opened;
  const { outline, binary } = opened.value;
  const extensions = reportExtensions(outline);
  if (!extensions.ok) return extensions;
  const beside = new Map<string, Uint8Array<ArrayBuffer>>();
  let size = source.bytes.length;
  const readBeside: ReadBeside = async (path) => {
    signal?.throwIfAborted();
    const known = beside.get(path);
    if (known !== undefined) return ok(known);
    if (path.endsWith(".meta.json")) return badModel(`it needs ${JSON.stringify(path)}, a sidecar`);
    const read = await source.readBeside(path);
    if (!read.ok) return read;
    size += read.value.length;
    if (size > MODEL_LIMITS.modelBytes) {
      return badModel(overLimit("bytes of all its files", size, MODEL_LIMITS.modelBytes));
    }
    beside.set(path, read.value);
    return read;
  };
  const buffers = await loadBuffers(outline, binary, { readBeside, share });
  if (!buffers.ok) return buffers;
  const numbers = await readNumbers({ outline, buffers: buffers.value }, async () => {
    await eventLoopTurn();
    signal?.throwIfAborted();
  });
  const maker = new ModelMaker(source, outline, extensions.value);
  const kept = await maker.beside(beside, readBeside);
  if (!kept.ok) return kept;
  return await share(maker.make({ buffers: buffers.value, numbers, size }));
}

/** The numbers and bytes that the files of an import are made of. */
interface Material {
  readonly buffers: Buffers;
  readonly numbers: Numbers;
  /** Bytes of all files of the model. */
  readonly size: number;
}

/** Collects the files of one import. */
class ModelMaker {
  readonly #source: ModelSource;
  readonly #outline: GltfOutline;
  readonly #extensions: ExtensionReport;
  readonly #name: string;
  readonly #guid: string;
  readonly #files: NewFiles;
  readonly #warnings: string[] = [];
  #warned = 0;
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
    this.#files = new NewFiles(source.newGuid);
    const { scenes, meshes, accessors, extensionsUsed } = outline;
    if (scenes > 1) this.#warn(`it has ${scenes} scenes: only the default one was imported`);
    if (extensions.warning !== null) this.#warn(extensions.warning);
    for (const [index, { targets }] of meshes.entries()) {
      if (targets.length <= MAX_MORPHS) continue;
      this.#warn(
        `meshes[${index}] has ${targets.length} morph targets: only ${MAX_MORPHS} can be followed`,
      );
    }
    const packed = accessors.filter(({ compressed }) => compressed).length;
    if (packed > 0) {
      this.#warn(
        `${packed} of its accessors are compressed (${extensionsUsed.join(", ")}): ` +
          "boxes come from what they say about themselves",
      );
    }
  }

  /**
   * Keeps the files that the model references, under the names that it uses; pictures become
   * assets.
   */
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
      const others = places.get(path.value);
      if (others === undefined) places.set(path.value, [index]);
      else others.push(index);
    }
    for (const [path, bytes] of read) {
      if (!this.#files.take(path)) {
        return badModel(`it needs ${JSON.stringify(path)} and a file that differs in case alone`);
      }
      if (pictureKind(bytes) === null || readFileName(path).type !== "texture") {
        this.#files.addPlain(path, bytes);
        continue;
      }
      const guid = this.#files.add(path, bytes);
      for (const index of places.get(path) ?? []) this.#images.set(index, guid);
    }
    return ok(null);
  }

  /** Creates the remaining files; aborts between two files once the limit is exceeded. */
  *make({ buffers, numbers, size }: Material): Work<Result<ImportedModel, GltfFailure>> {
    const outline = this.#outline;
    this.#files.allowText(textLimit(size));
    const unseenNames = yield* warningOfNames(this.#source.name, outline);
    if (unseenNames !== null) this.#warn(unseenNames);
    const meshes = yield* measureMeshes(outline, numbers);
    if (!meshes.ok) return meshes;
    const taken = yield* this.#pictures(buffers);
    if (taken > size) return badModel(overLimit("bytes of pictures in it", taken, size));
    yield* this.#makeMaterials();
    const skins = new Skins(outline, this.#source.newGuid);
    yield* this.#makeMeshes(meshes.value, (mesh) => skins.bindsOf(mesh, numbers));
    const tree = yield* nodeTree(outline, (mesh) => this.#renderable(mesh), skins);
    for (const node of tree.unbound) {
      this.#warn(`nodes[${node}] has a skin with joints outside the scene: it is not animated`);
    }
    yield* this.#makeClips((animation) => clipContent(animation, tree.paths, numbers));
    const made = yield* this.#finish(tree.entities, tree.count, { meshes: meshes.value, numbers });
    return !this.#files.isTooMuch ? ok(made) : badModel(
      `what it becomes: found more than ${textLimit(size)} bytes of JSON in all, or more than ` +
        `${MODEL_LIMITS.fileText} in one file, expected at most that`,
      "Simplify it, or split it into several files",
    );
  }

  /** Takes the other pictures out of the model, each once. @returns Their bytes together. */
  *#pictures(buffers: Buffers): Work<number> {
    const taken = new Map<string, string | null>();
    let size = 0;
    for (const [index, image] of this.#outline.images.entries()) {
      yield;
      if (this.#images.has(index)) continue;
      const key = pictureKey(image, this.#outline);
      let guid = taken.get(key);
      if (guid === undefined) {
        const bytes = yield* embeddedPicture(image, this.#outline, buffers);
        const kind = bytes === null ? null : pictureKind(bytes);
        if (bytes !== null && kind !== null) {
          const name = fileName(image.name?.replace(/\.(?:png|jpe?g|webp|ktx2)$/i, ""), "image");
          guid = this.#files.add(this.#files.free("textures", name, `.${kind}`), bytes);
          size += bytes.length;
        } else guid = null;
        taken.set(key, guid);
      }
      if (guid !== null) this.#images.set(index, guid);
      else this.#warn(`images[${index}] is not a PNG, JPEG, WebP or KTX2: it was left out`);
    }
    return size;
  }

  /** Every material as an asset. */
  *#makeMaterials(): Work<void> {
    for (const [index, material] of this.#outline.materials.entries()) {
      const name = fileName(material.name, `material-${index}`);
      const content = materialContent(material, (image) => this.#images.get(image));
      const path = this.#files.free("materials", name, ".material.json");
      this.#materials.push(yield* this.#files.addJson(path, content));
    }
  }

  /** Adds every mesh as an asset that names the model and the mesh's index. */
  *#makeMeshes(
    facts: readonly MeshFacts[],
    bindsOf: (mesh: number) => Work<readonly JsonValue[]>,
  ): Work<void> {
    for (const [index, { primitives, bounds }] of facts.entries()) {
      if (this.#files.isTooMuch) return;
      const mesh = this.#outline.meshes[index];
      const name = fileName(mesh?.name, `mesh-${index}`);
      if (bounds === null) this.#warn(`meshes[${index}] has no vertices: it has no size`);
      const targets = mesh?.targets ?? [];
      const binds = yield* bindsOf(index);
      const box: JsonObject = {
        min: bounds?.min ?? [0, 0, 0],
        max: bounds?.max ?? [0, 0, 0],
      };
      const content = {
        schema: 1,
        model: this.#guid,
        mesh: index,
        bounds: box,
        primitives: yield* each(primitives, ({ vertices, triangles, material }): JsonValue => {
          const guid = material === undefined ? undefined : this.#materials[material];
          return { vertices, triangles, ...(guid !== undefined && { material: guid }) };
        }),
        ...(targets.length > 0 && { targets }),
        ...(binds.length > 0 && { binds }),
      };
      const path = this.#files.free("meshes", name, ".mesh.json");
      this.#meshes.push(yield* this.#files.addJson(path, content, { bounds: box }));
    }
  }

  /** Returns the Renderable3D of a mesh, with its material if all primitives share one. */
  #renderable(mesh: number): TraitFields {
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
  *#makeClips(
    convert: (animation: GltfOutline["animations"][number]) => ReturnType<typeof clipContent>,
  ): Work<void> {
    const names = new UniqueNames();
    const lost = new Set<string>();
    for (const [index, animation] of this.#outline.animations.entries()) {
      if (this.#files.isTooMuch) return;
      const { content, lost: parts } = yield* convert(animation);
      for (const part of parts) lost.add(part);
      const name = fileName(animation.name, `animation-${index}`);
      if (content === null) {
        this.#warn(`animations[${index}] moves nothing that can be imported: it was left out`);
        continue;
      }
      const path = this.#files.free("animations", name, ".anim.json");
      const clip = names.take(name, { separator: "-" });
      this.#clips.push([clip, yield* this.#files.addJson(path, content)]);
    }
    if (lost.size > 0) this.#warn(`animations lose ${[...lost].join(", ")}`);
    if (this.#clips.length === 0) return;
    const clips = Object.fromEntries(this.#clips);
    const path = this.#files.free("", this.#name, ".animset.json");
    this.#animset = yield* this.#files.addJson(path, { schema: 1, clips });
  }

  /** The model itself, and the prefab that shows it. */
  *#finish(
    entities: readonly PrefabEntity[],
    count: number,
    measured: { readonly meshes: readonly MeshFacts[]; readonly numbers: Numbers },
  ): Work<ImportedModel> {
    const unseen = this.#outline.nodes.length - count;
    if (unseen > 0) this.#warn(`${unseen} nodes are not in the shown scene: they were left out`);
    const bounds = yield* sceneBounds(this.#outline, measured);
    const { materials, animations, skins, meshes, images } = this.#outline;
    const { kept, dropped } = this.#extensions;
    this.#files.add(
      this.#files.free("", this.#name, isGlb(this.#source.bytes) ? ".glb" : ".gltf"),
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
      name: entityName(this.#source.name, "Model"),
      layer: "3d",
      traits: {
        Transform: {},
        ...(this.#animset !== null && clip !== undefined &&
          { Animator: { animset: this.#animset, clip: clip[1] } }),
      },
      ...(entities.length > 0 && { children: entities }),
    };
    yield* this.#files.addJson(this.#files.free("", this.#name, ".prefab.json"), {
      schema: 1,
      root,
    });
    const more = this.#warned - this.#warnings.length;
    const warnings = more === 0
      ? this.#warnings
      : [...this.#warnings, `${this.#name}: and ${more} more warnings`];
    return { files: this.#files.all, root, bounds, warnings };
  }

  /** Records a loss. */
  #warn(sentence: string): void {
    if (this.#warned++ >= MODEL_LIMITS.warnings) return;
    this.#warnings.push(`${this.#name}: ${sentence}`);
  }
}
