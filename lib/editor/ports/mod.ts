import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type {
  Asset,
  Layout,
  TraitSchema,
  WorldBounds,
  WorldTransform,
} from "../../game/types/mod.ts";
import type { AssetAuthoring } from "./assets.ts";
import type { Changes } from "./changes.ts";
import type { Prefabs, SceneEditing } from "./editing.ts";
import type { ConsoleEntry, Diagnosis, EditorIdentity } from "./observation.ts";
import type { Journals, Play, Poses, Watches } from "./play.ts";
import type { LayoutOptions, ProducerOptions, SceneState } from "./scene.ts";
import type { View } from "./view.ts";

export type * from "../../game/types/mod.ts";
export type * from "./assets.ts";
export type * from "./changes.ts";
export { MAX_CHANGED_CHARACTERS, MAX_CHANGED_ENTITIES } from "./changes.ts";
export type * from "./editing.ts";
export type * from "./observation.ts";
export type * from "./play.ts";
export { referenceFields, referencesTo } from "../../game/traits/mod.ts";
export { refusalProblem } from "./edit-refusal.ts";
export type * from "./scene.ts";
export type * from "./view.ts";

// The interface of an editor for everything above it. The embedded editor implements it, and so can
// a foreign one with its own scene, assets and journals. Producers return everything at full
// precision to every caller: summaries, limits and rounding belong to the agent boundary
// (BUDGET-1). They are asynchronous because a foreign editor may run in another process and because
// long ones yield to other work; each result still belongs to one revision.

/** Options of exclusive access to an editor. */
export interface ExclusiveOptions {
  /** Cancels the wait; started work ends on its own. */
  readonly signal?: AbortSignal;
}

/**
 * An editor for agents, routes and panels. It omits the parts that it does not support: tools that
 * need them then answer 503. `editorContract()` of `slipway/editor/contract` checks an
 * implementation against the promises of this interface.
 */
export interface Editor {
  /** Changing the open scene, and opening others. */
  readonly editing?: SceneEditing;
  /** Entities stored as assets. */
  readonly prefabs?: Prefabs;
  /** Selection and view. */
  readonly view?: View;
  /** Playing the scene. */
  readonly play?: Play;
  /** Moments of animations and timelines, without playing. */
  readonly poses?: Poses;
  /** The events of the game and of the editor. */
  readonly journals?: Journals;
  /** Watching numbers while the game plays. */
  readonly watches?: Watches;
  /** Making and changing assets. */
  readonly authoring?: AssetAuthoring;
  /** Reports changes as they happen. */
  readonly changes?: Changes;
  /**
   * Runs `work` exclusively: other changes of the project wait for their turn, in order. Readers do
   * not wait, and see the scene and its history in the state before the work until it has ended.
   * Absent if an editor allows concurrent changes.
   *
   * @param name The caller, for others that wait.
   * @param work Called with an editor whose changes do not wait.
   * @returns The result of `work`; 409 `editor-busy` with the holder of the editor, 409
   * `cancelled`. In both cases the work has not started.
   */
  exclusive?<T>(
    name: string,
    work: (editor: Editor) => Promise<Result<T, Problem>>,
    options?: ExclusiveOptions,
  ): Promise<Result<T, Problem>>;
  /** Returns the editor's identity. */
  identity(): EditorIdentity;
  /** The open scene with all values. */
  sceneState(): Promise<SceneState>;
  /** World transforms by entity id; entities without a position are absent. */
  worldTransforms(options?: ProducerOptions): Promise<ReadonlyMap<number, WorldTransform>>;
  /**
   * World bounds by entity id, in the layer's world: the box around the vertices that an entity
   * draws, before skinning and morphing; a point if it draws nothing. Absent if an editor does not
   * know.
   */
  worldBounds?(options?: ProducerOptions): Promise<ReadonlyMap<number, WorldBounds>>;
  /** Returns the layout of the screen. */
  layoutBounds(options?: LayoutOptions): Promise<Layout>;
  /** Every asset of the project, ordered by path. */
  assets(): Promise<readonly Asset[]>;
  /** Every trait, ordered by name. */
  traits(): Promise<readonly TraitSchema[]>;
  /** Returns the console's complete ring, oldest first. */
  consoleEntries(): Promise<readonly ConsoleEntry[]>;
  /** The health of the open scene. */
  diagnose(options?: ProducerOptions): Promise<Diagnosis>;
}
