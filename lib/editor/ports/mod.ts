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

// What an editor is to everything above it. The embedded editor implements this, and so does a
// foreign one that brings its own scene, assets and journals. Producers return everything they
// have, at full precision, whoever asks: summaries, limits and rounding belong to the agent
// boundary (BUDGET-1). They are asynchronous because a foreign editor may live in another
// process, and because long ones let others have their turn: each is about one revision all the same.

/** How an editor is taken by one alone. */
export interface ExclusiveOptions {
  /** Ends the waiting; work that has begun ends itself. */
  readonly signal?: AbortSignal;
}

/**
 * An editor as agents, routes and panels see it. What an editor cannot do, it leaves out: the tools
 * that need it then answer 503. `editorContract()` of `slipway/editor/contract` looks whether one
 * keeps what this interface promises.
 */
export interface Editor {
  /** Changing the open scene, and opening others. */
  readonly editing?: SceneEditing;
  /** Entities kept as assets. */
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
  /** What happens, as it happens. */
  readonly changes?: Changes;
  /**
   * Runs `work` alone among all that change the project: others wait for their turn, in order. Who
   * reads does not wait, and sees the scene and its history as they were until the work has ended.
   * Absent where an editor lets everybody change it at any time.
   *
   * @param name Who asks, for those who wait.
   * @param work Is given the editor for itself: what it changes through that one does not wait.
   * @returns What `work` returns; 409 `editor-busy` naming who has had the editor for too long, 409
   * `cancelled`. Neither has begun.
   */
  exclusive?<T>(
    name: string,
    work: (editor: Editor) => Promise<Result<T, Problem>>,
    options?: ExclusiveOptions,
  ): Promise<Result<T, Problem>>;
  /** Which editor this is. */
  identity(): EditorIdentity;
  /** The open scene with all values. */
  sceneState(): Promise<SceneState>;
  /** By entity id; entities without a place in the world are absent. */
  worldTransforms(options?: ProducerOptions): Promise<ReadonlyMap<number, WorldTransform>>;
  /**
   * By entity id, in its layer's world: the box around the vertices that an entity draws, each where
   * it is (a skin or a morph does not move them), a point for one that draws nothing. Absent where an
   * editor does not know.
   */
  worldBounds?(options?: ProducerOptions): Promise<ReadonlyMap<number, WorldBounds>>;
  /** How everything lies on the screen. */
  layoutBounds(options?: LayoutOptions): Promise<Layout>;
  /** Every asset of the project, ordered by path. */
  assets(): Promise<readonly Asset[]>;
  /** Every trait, ordered by name. */
  traits(): Promise<readonly TraitSchema[]>;
  /** The console's whole ring, oldest first. */
  consoleEntries(): Promise<readonly ConsoleEntry[]>;
  /** The health of the open scene. */
  diagnose(options?: ProducerOptions): Promise<Diagnosis>;
}
