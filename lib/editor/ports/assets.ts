import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Asset, AssetType, FieldSchema } from "../../game/types/mod.ts";
import type { Actor } from "./editing.ts";

// Authoring: everything below assets/ that is not a scene. Files are written atomically, every change is
// noted in the editor's journal, and is a step of the one history that edits of the scene are in.

/** An asset that was changed. */
export interface ChangedAsset extends Asset {
  /** The step of undo; `null` when no file is different. */
  readonly undo: number | null;
}

/** An asset that was moved. */
export interface MovedAsset extends ChangedAsset {
  /** A sentence for each place that still names its old path. */
  readonly warnings: readonly string[];
}

/** An asset by path or by guid. */
export type AssetName = string;

/** The schema of an authored asset (material, particle, animation, animset, timeline, …). */
export interface AssetSchema {
  /** The type of such assets. */
  readonly type: AssetType;
  /** Ending of its file, such as `.material.json`. */
  readonly extension: string;
  /** Its purpose, in a sentence or two. */
  readonly doc: string;
  /** Flat members; `null` if only `example` describes the content. */
  readonly fields: Readonly<Record<string, FieldSchema>> | null;
  /** A small complete file. */
  readonly example: JsonObject;
}

/** A user of an asset. */
export interface AssetUse {
  /** A scene, prefab or other asset, relative to the project. */
  readonly path: string;
  /** Path within it: `Crate/Renderable3D.material`, `tracks[0].clip`. */
  readonly where: string;
}

/**
 * Progress of an import. The number of files is known once the file has been read; each of them is
 * then a step.
 */
export interface ImportProgress {
  /** `read`: reading the file; `write`: writing the results; `list`: everything is written. */
  readonly stage: "read" | "write" | "list";
  /** Steps that are done. */
  readonly done: number;
  /** Steps in all; absent while it is not known. */
  readonly total?: number;
}

/** The assets that an import made. */
export interface ImportOutcome {
  /** Every asset that was made, ordered by path. */
  readonly created: readonly Asset[];
  /** A sentence for each lost or skipped part. */
  readonly warnings: readonly string[];
  /** The step of undo. */
  readonly undo: number | null;
}

/** The project's assets as things to make and change. */
export interface AssetAuthoring {
  /** The types that can be written, with their schemas. */
  schemas(): readonly AssetSchema[];
  /**
   * The content of an asset (JSON of an authored one, the text of a text file; `null` for a binary one
   * and for text over 1 MiB), facts about it (sizes, counts,
   * durations), and its sidecar. 404 `no-such-asset`.
   */
  read(
    name: AssetName,
  ): Promise<
    Result<
      {
        readonly asset: Asset;
        readonly meta: JsonObject;
        readonly content: JsonValue;
        readonly facts: JsonObject;
      },
      Problem
    >
  >;
  /**
   * Creates an authored asset, validated against its schema; its type follows from its path's
   * ending. Paths in it become guids. 409 `exists`, 422 `asset-path`, `asset-type`,
   * `asset-invalid`.
   *
   * @param request.content The type's default when absent, if it has one.
   */
  create(
    request: { readonly path: string; readonly content?: JsonObject; readonly source: Actor },
  ): Promise<Result<ChangedAsset, Problem>>;
  /**
   * Replaces its content or, with `merge`, some of its members, where `null` removes one.
   * Validated, all or nothing. 422 as `create`.
   */
  write(
    request: {
      readonly name: AssetName;
      readonly content: JsonObject;
      readonly merge?: boolean;
      readonly source: Actor;
    },
  ): Promise<Result<ChangedAsset, Problem>>;
  /**
   * Merges import settings into the sidecar, where `null` removes one; keeps the guid. @returns All
   * of them.
   */
  writeMeta(
    request: { readonly name: AssetName; readonly meta: JsonObject; readonly source: Actor },
  ): Promise<Result<{ readonly meta: JsonObject; readonly undo: number | null }, Problem>>;
  /**
   * Renames or moves it; references are by guid and stay valid, and a project keeps its start
   * scene. 409 `exists` or `scene-open`.
   *
   * @param request.to A path with the same ending, or a folder that ends in `/`.
   */
  move(
    request: { readonly name: AssetName; readonly to: string; readonly source: Actor },
  ): Promise<Result<MovedAsset, Problem>>;
  /** Removes it with its sidecar. 409 `scene-open`; 409 `in-use`, naming the users, unless `force`. */
  remove(
    request: { readonly name: AssetName; readonly force?: boolean; readonly source: Actor },
  ): Promise<Result<ChangedAsset, Problem>>;
  /** The users of an asset: the open scene as it is, other files, the settings. 404 `no-such-asset`. */
  uses(name: AssetName): Promise<Result<readonly AssetUse[], Problem>>;
  /** Returns the unused assets; never scenes, because a game may start with them. */
  unused(): Promise<readonly Asset[]>;
  /**
   * Imports a file: glTF/GLB becomes a prefab with its own meshes, materials, textures and
   * animations; textures, fonts and audio by type. All of it or nothing. 403 `outside-project`, 404
   * `file-missing`, 413 `file-too-large`, 422 `file-type` or `file-broken` with the fault.
   *
   * @param request.file Relative to the project (TOOL-11).
   * @param request.anywhere Also accepts an absolute path: for a host whose user has chosen the
   * file, never for a path from HTTP or MCP.
   * @param request.folder Below `assets/`; by type when absent.
   * @param request.prepare Creates the model to import from the one at an absolute path. 422
   * `file-type` if the file is not a model.
   */
  importFile(
    request: {
      readonly file: string;
      readonly anywhere?: boolean;
      readonly folder?: string;
      readonly prepare?: (path: string) => Promise<Result<Uint8Array<ArrayBuffer>, Problem>>;
      readonly source: Actor;
      readonly signal?: AbortSignal;
      /** Called with the progress. */
      readonly progress?: (at: ImportProgress) => void;
    },
  ): Promise<Result<ImportOutcome, Problem>>;
}
