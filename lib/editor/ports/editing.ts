import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Entity, Layer, TraitFields } from "../../game/types/mod.ts";

// Changes the open scene. One request is one transaction, applied completely or not at all, and one
// undo step (SCENE-8). Changes of assets and settings are steps of the same history.

/** Whether a person or a program does something. */
export type ActorKind = "human" | "agent";

/** The author of a change, with the name that a program gives itself: one displayable line. */
export type Actor = ActorKind | { readonly source: ActorKind; readonly by: string };

/** An action with its recorded author. */
export interface Authored {
  /** Its author. */
  readonly source: ActorKind;
  /** The author's name for itself, if given. It is not verified. */
  readonly by?: string;
}

/** An entity by id or by guid; one of the two. */
export interface EntityRef {
  /** See `SceneState`. */
  readonly id?: number;
  /** See `SceneState`. */
  readonly guid?: string;
}

/** Values for the traits of a new entity; omitted fields get their defaults. */
export type TraitValues = Readonly<Record<string, TraitFields>>;

/** A change (SCENE-10). Later operations see the effects of earlier ones. */
export type EditOp =
  | {
    readonly op: "create";
    readonly name: string;
    /**
     * The root when absent or `null`. Negative: −n is the entity that this request's n-th `create`
     * made.
     */
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
    /** Whether it keeps its world transform; off when absent. */
    readonly keepWorld?: boolean;
  } & EntityRef
  | { readonly op: "setLayer"; readonly layer: Layer } & EntityRef
  | { readonly op: "addTrait"; readonly trait: string; readonly fields?: TraitFields } & EntityRef
  | { readonly op: "set"; readonly trait: string; readonly fields: TraitFields } & EntityRef
  | { readonly op: "removeTrait"; readonly trait: string } & EntityRef;

/** A transaction. */
export interface EditRequest {
  /** At least one, applied in this order. */
  readonly ops: readonly EditOp[];
  /** Names the step of undo; made of the operations when absent. */
  readonly label?: string;
  /** Author for the journal. */
  readonly source: Actor;
  /** Validates everything and changes nothing. */
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
  /** A sentence: found, and expected. */
  readonly message: string;
}

/** A refused transaction. */
export interface EditRefusal {
  /** At least one error. */
  readonly errors: readonly EditError[];
  /** Possibly unintended leftovers. */
  readonly warnings: readonly string[];
}

/** A transaction that happened. */
export interface EditOutcome {
  /** Number of operations that changed something. */
  readonly changed: number;
  /** Possibly unintended leftovers, such as a reference to a deleted entity. */
  readonly warnings: readonly string[];
  /** The scene's revision now. */
  readonly rev: number;
  /** The undo step; `null` if nothing changed. */
  readonly undo: number | null;
  /** The entities that were created, duplicates and all below them included, in order. */
  readonly created: readonly { readonly id: number; readonly guid: string }[];
  /** Every touched entity before the change; created ones are absent. */
  readonly before: readonly Entity[];
  /** Every touched entity after the change; deleted ones are absent. */
  readonly after: readonly Entity[];
}

/** An undo step. */
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
  /** Its files that others have changed since and that were left unchanged; at least one. */
  readonly left?: readonly string[];
}

/** Options for undoing and redoing steps. */
export interface TravelOptions {
  /**
   * Leaves files unchanged that others have changed, and takes the step without them for good.
   * Otherwise such a step is refused.
   */
  readonly leave?: boolean;
}

/** The steps that can be undone and redone. */
export interface HistoryState {
  /** Last: the next to undo. At most 500 are kept. */
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
   * Runs a transaction. A problem concerns the whole request: 409 `rev-moved` for another revision,
   * `playing`, `editor-busy`.
   */
  edit(request: EditRequest): Promise<Result<Result<EditOutcome, EditRefusal>, Problem>>;
  /**
   * Undoes steps, newest first: all of them or none.
   *
   * @returns The undone steps; empty if there were none. 409 `changed-on-disk` with a file that
   * differs from the state in which its step left it.
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
   * Joins the undo steps after one (all of them after `null`) into a single step, so that several
   * transactions are undone as one. Absent if an editor cannot.
   *
   * @returns Its id; `null` if there was no step.
   */
  joinSteps?(after: number | null, label: string): number | null;
  /**
   * Undoes and drops the steps after one (all of them after `null`): they cannot be redone.
   *
   * @returns 409 `changed-on-disk` if others have changed a file of theirs; then all of them stay.
   */
  takeBackSteps?(after: number | null): Promise<Result<null, Problem>>;
  /** Whether this editor has changed the open scene since it was saved, or its file was removed. */
  readonly unsaved: boolean;
  /**
   * Returns the ids changed after a revision, and whether all changes since are known (otherwise
   * all may have changed).
   */
  changedSince(rev: number): { readonly known: boolean; readonly ids: readonly number[] };
  /** The scene files of the project, ordered by path. */
  scenes(): Promise<readonly SceneFileInfo[]>;
  /** Opens another scene, or the same one again. 409 `unsaved-changes` unless `discard`. */
  openScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>>;
  /** Begins an empty scene that has no file until it is saved. 409 as `openScene`. */
  newScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>>;
  /**
   * Writes the open scene atomically. 409 `changed-on-disk` if others have written the file since
   * it was read, unless `overwrite`.
   *
   * @param options.path The target, if different from the scene's file.
   */
  save(
    options: { readonly path?: string; readonly overwrite?: boolean; readonly source: Actor },
  ): Promise<Result<{ readonly path: string; readonly bytes: number }, Problem>>;
  /**
   * The errors that would keep a scene file from opening; the open scene's own when no path is given.
   * 404 `scene-missing`, 422 `scene-path`.
   */
  validate(path?: string): Promise<Result<readonly string[], Problem>>;
  /** Checks the open file, and reloads it if only others changed it. @returns What it did. */
  pickUpChanges(): Promise<"unchanged" | "reloaded" | "conflict">;
}

/** The outcome of opening another scene. */
export interface SceneSwitched {
  /** Number of its undo and redo steps that were dropped; changes of files can still be undone. */
  readonly droppedSteps: number;
}

/** Leaving the open scene. */
export interface SceneSwitch {
  /** Loses unsaved changes. */
  readonly discard?: boolean;
  /** Author for the journal. */
  readonly source: Actor;
}

/** A prefab that was written. */
export interface MadePrefab extends EditOutcome {
  /** Of the prefab; unchanged when the prefab is replaced. */
  readonly guid: string;
  /** Relative to the project. */
  readonly path: string;
  /** The difference, if existing content was replaced. */
  readonly replaced?: PrefabDifference;
}

/** Counts of a prefab's changed entities, matched by their names from the root on. */
export interface PrefabDifference {
  /** Only in the new prefab. */
  readonly added: number;
  /** Only in the old prefab. */
  readonly removed: number;
  /** The same name at the same place, and another layer or other values. */
  readonly changed: number;
}

/**
 * Prefabs: entities stored as an asset, and their instances. Refused with 404 `no-such-entity`, 422
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
    /** See {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
    /** Cancels it before the scene is changed; later it has no effect. */
    readonly signal?: AbortSignal;
  }): Promise<Result<EditOutcome, Problem>>;
  /** Writes an entity with all below it as a prefab asset, and makes it an instance of it. */
  create(request: {
    readonly entity: EntityRef;
    /** A `*.prefab.json` below `assets/`; a new one, unless `overwrite`. */
    readonly path: string;
    /**
     * Replaces the content of the prefab at that path. It keeps its guid; its instances stay
     * unchanged.
     */
    readonly overwrite?: boolean;
    /** See {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
    /** Cancels it before a file is written; later it has no effect. */
    readonly signal?: AbortSignal;
  }): Promise<Result<MadePrefab, Problem>>;
  /** Makes an instance plain entities. */
  detach(request: {
    readonly entity: EntityRef;
    /** See {@linkcode EditRequest}. */
    readonly ifRev?: number;
    readonly source: Actor;
  }): Promise<Result<EditOutcome, Problem>>;
}
