import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Entity, Layer, TraitFields } from "../../game/types/mod.ts";

// Changing the open scene. One request is one transaction: all of it happens, or nothing, and it is
// one step of undo (SCENE-8). Changes of assets and settings are steps of the same history.

/** Whether a person or a program does something. */
export type ActorKind = "human" | "agent";

/** The author of a change, with the name by which a program calls itself: one line, as it may be shown. */
export type Actor = ActorKind | { readonly source: ActorKind; readonly by: string };

/** Something that somebody did, as it is recorded. */
export interface Authored {
  /** Its author. */
  readonly source: ActorKind;
  /** The author's name for itself; absent where it gave none. Nothing is proved by it. */
  readonly by?: string;
}

/** An entity by id or by guid; one of the two. */
export interface EntityRef {
  /** As `SceneState` has it. */
  readonly id?: number;
  /** As `SceneState` has it. */
  readonly guid?: string;
}

/** A value for each trait of a new entity; fields left out get their defaults. */
export type TraitValues = Readonly<Record<string, TraitFields>>;

/** One change (SCENE-10). Later operations see what earlier ones did. */
export type EditOp =
  | {
    readonly op: "create";
    readonly name: string;
    /** The root when absent or `null`. Negative: −n is what the n-th `create` of this request made. */
    readonly parentId?: number | null;
    readonly parentGuid?: string;
    /** Its parent's, `3d` at the root, when absent. */
    readonly layer?: Layer;
    readonly traits?: TraitValues;
    /** A fresh one when absent. */
    readonly guid?: string;
  }
  | { readonly op: "delete" } & EntityRef
  | { readonly op: "duplicate"; readonly name?: string } & EntityRef
  | { readonly op: "rename"; readonly name: string } & EntityRef
  | {
    readonly op: "reparent";
    readonly parentId?: number | null;
    readonly parentGuid?: string;
    /** Its place among its new siblings; the last when absent. */
    readonly index?: number;
    /** Whether it stays where it is in the world; off when absent. */
    readonly keepWorld?: boolean;
  } & EntityRef
  | { readonly op: "setLayer"; readonly layer: Layer } & EntityRef
  | { readonly op: "addTrait"; readonly trait: string; readonly fields?: TraitFields } & EntityRef
  | { readonly op: "set"; readonly trait: string; readonly fields: TraitFields } & EntityRef
  | { readonly op: "removeTrait"; readonly trait: string } & EntityRef;

/** A transaction. */
export interface EditRequest {
  /** At least one; they happen in this order. */
  readonly ops: readonly EditOp[];
  /** Names the step of undo; made of the operations when absent. */
  readonly label?: string;
  /** For the journal. */
  readonly source: Actor;
  /** Tries everything and changes nothing. */
  readonly dryRun?: boolean;
  /** Refuses with 409 `rev-moved` when the scene is at another revision. */
  readonly ifRev?: number;
}

/** Why one operation was refused. */
export interface EditError {
  /** Its place in the request, from 0. */
  readonly op: number;
  /** `no-such-entity`, `no-such-trait`, `no-such-field`, `bad-value`, … */
  readonly code: string;
  /** One sentence: found, and expected. */
  readonly message: string;
}

/** A transaction that was refused whole. */
export interface EditRefusal {
  /** At least one. */
  readonly errors: readonly EditError[];
  /** Leftovers that nobody may have wanted. */
  readonly warnings: readonly string[];
}

/** A transaction that happened. */
export interface EditOutcome {
  /** Operations that made a difference. */
  readonly changed: number;
  /** Leftovers that nobody may have wanted, such as a name of what was deleted. */
  readonly warnings: readonly string[];
  /** The scene's revision now. */
  readonly rev: number;
  /** The step of undo; `null` when nothing changed. */
  readonly undo: number | null;
  /** The entities that were created, duplicates and all below them included, in order. */
  readonly created: readonly { readonly id: number; readonly guid: string }[];
  /** Every entity touched, as it was; `before` has none that were created. */
  readonly before: readonly Entity[];
  /** Every entity touched, as it is; `after` has none that were deleted. */
  readonly after: readonly Entity[];
}

/** One step of undo. */
export interface HistoryStep extends Authored {
  /** Never reused while the editor runs. */
  readonly id: number;
  /** Its name in the list of steps, for people. */
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly t: number;
}

/** A step that was undone or redone. */
export interface TakenStep extends HistoryStep {
  /** Files of it that somebody else has changed since, and that stayed as they are; at least one. */
  readonly left?: readonly string[];
}

/** How steps are undone and redone. */
export interface TravelOptions {
  /**
   * Leaves files as they are that somebody else has changed, and takes the step without them: it never
   * changes them again. Without it such a step is refused.
   */
  readonly leave?: boolean;
}

/** The steps that can be undone and redone. */
export interface HistoryState {
  /** The next to undo last. At most 500 are kept. */
  readonly undo: readonly HistoryStep[];
  /** The next to redo last. */
  readonly redo: readonly HistoryStep[];
}

/** A scene file of the project. */
export interface SceneFileInfo {
  /** Relative to the project. */
  readonly path: string;
  /** 36-character dashed UUID of the asset. */
  readonly guid: string;
  /** Bytes. */
  readonly size: number;
  /** Whether it is the open one. */
  readonly open: boolean;
}

/** Editing the open scene, and opening others. Edits are refused with 409 while a game plays. */
export interface SceneEditing {
  /**
   * Runs a transaction. A problem is about the whole request: 409 `rev-moved` for another revision,
   * `playing`, `editor-busy`.
   */
  edit(request: EditRequest): Promise<Result<Result<EditOutcome, EditRefusal>, Problem>>;
  /**
   * Undoes steps, newest first: all of them or none.
   *
   * @returns What was undone; none when there is none. 409 `changed-on-disk` naming a file that is no
   * longer what its step left.
   */
  undo(
    steps: number,
    source: Actor,
    options?: TravelOptions,
  ): Promise<Result<readonly TakenStep[], Problem>>;
  /** Redoes steps, the last undone first. 409 as `undo`. */
  redo(
    steps: number,
    source: Actor,
    options?: TravelOptions,
  ): Promise<Result<readonly TakenStep[], Problem>>;
  /** The steps that can be undone and redone now. */
  history(): HistoryState;
  /**
   * Makes the steps of undo after one (all of them after `null`) a single step, so that several
   * transactions can be undone as one. Absent where an editor cannot.
   *
   * @returns Its id; `null` when there was no step.
   */
  joinSteps?(after: number | null, label: string): number | null;
  /**
   * Undoes the steps after one (all of them after `null`) and forgets them: no redo brings them back.
   *
   * @returns 409 `changed-on-disk` when somebody else has changed a file that they changed; then all
   * of them stay.
   */
  takeBackSteps?(after: number | null): Promise<Result<null, Problem>>;
  /** Whether the open scene differs from its file as far as this editor changed it, or its file is gone. */
  readonly unsaved: boolean;
  /** Ids changed after a revision, and whether all since then is known (else all may have changed). */
  changedSince(rev: number): { readonly known: boolean; readonly ids: readonly number[] };
  /** The scene files of the project, ordered by path. */
  scenes(): Promise<readonly SceneFileInfo[]>;
  /** Opens another scene, or the same one again. 409 `unsaved-changes` unless `discard`. */
  openScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>>;
  /** Begins an empty scene that has no file until it is saved. 409 as `openScene`. */
  newScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>>;
  /**
   * Writes the open scene, atomically. 409 `changed-on-disk` when somebody else has written the file
   * since it was read, unless `overwrite`.
   *
   * @param options.path Where to, when not where it came from.
   */
  save(
    options: { readonly path?: string; readonly overwrite?: boolean; readonly source: Actor },
  ): Promise<Result<{ readonly path: string; readonly bytes: number }, Problem>>;
  /**
   * The errors that would keep a scene file from opening; the open scene's own when no path is given.
   * 404 `scene-missing`, 422 `scene-path`.
   */
  validate(path?: string): Promise<Result<readonly string[], Problem>>;
  /** Looks at the open file: reads it again when only others changed it. @returns What was done. */
  pickUpChanges(): Promise<"unchanged" | "reloaded" | "conflict">;
}

/** The outcome of opening another scene. */
export interface SceneSwitched {
  /** Its steps of undo and redo, which are forgotten; what was done to files can still be undone. */
  readonly droppedSteps: number;
}

/** Leaving the open scene. */
export interface SceneSwitch {
  /** Loses unsaved changes. */
  readonly discard?: boolean;
  /** For the journal. */
  readonly source: Actor;
}

/** A prefab that was written. */
export interface MadePrefab extends EditOutcome {
  /** Of the prefab; it stays when the prefab is replaced. */
  readonly guid: string;
  /** Relative to the project. */
  readonly path: string;
  /** Where another content was replaced: what is different. */
  readonly replaced?: PrefabDifference;
}

/** How many entities of a prefab are different, told apart by their names from the root on. */
export interface PrefabDifference {
  /** Not in the prefab before. */
  readonly added: number;
  /** No longer in the prefab. */
  readonly removed: number;
  /** The same name at the same place, and another layer or other values. */
  readonly changed: number;
}

/**
 * Prefabs: entities kept as an asset, and their instances. Refused with 404 `no-such-entity`, 422
 * `prefab-invalid`, `prefab-too-deep` or `no-instance`, 409 `exists`, and as an edit.
 */
export interface Prefabs {
  /** Puts a prefab into the scene, as one step of undo. */
  instantiate(request: {
    /** Path or guid of the asset. */
    readonly prefab: string;
    readonly parentId?: number | null;
    readonly name?: string;
    readonly transform?: TraitFields;
    /** As of {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
    /** Ends it before the scene is changed; later it ends nothing. */
    readonly signal?: AbortSignal;
  }): Promise<Result<EditOutcome, Problem>>;
  /** Writes an entity with all below it as a prefab asset, and makes it an instance of it. */
  create(request: {
    readonly entity: EntityRef;
    /** A `*.prefab.json` below `assets/`; a new one, unless `overwrite`. */
    readonly path: string;
    /** Replaces what the prefab at that path holds. It keeps its guid; its instances stay as they are. */
    readonly overwrite?: boolean;
    /** As of {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
    /** Ends it before a file is written; later it ends nothing. */
    readonly signal?: AbortSignal;
  }): Promise<Result<MadePrefab, Problem>>;
  /** Makes an instance plain entities. */
  detach(request: {
    readonly entity: EntityRef;
    /** As of {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
  }): Promise<Result<EditOutcome, Problem>>;
}
