import type { Asset, AssetAuthoring } from "./ports/assets.ts";
import type { Prefabs, SceneEditing } from "./ports/editing.ts";
import type { ConsoleEntry, Diagnosis, EditorIdentity } from "./ports/observation.ts";
import type { Journals, Play, Watches } from "./ports/play.ts";
import type {
  Layout,
  LayoutOptions,
  SceneState,
  TraitSchema,
  WorldBounds,
  WorldTransform,
} from "./ports/scene.ts";
import type { View } from "./ports/view.ts";

export type * from "./ports/assets.ts";
export type * from "./ports/editing.ts";
export type * from "./ports/observation.ts";
export type * from "./ports/play.ts";
export type * from "./ports/scene.ts";
export type * from "./ports/view.ts";

// What an editor is to everything above it. The embedded editor implements this, and so does a
// foreign one that brings its own scene, assets and journals. Producers return everything they
// have, at full precision, whoever asks: summaries, limits and rounding belong to the agent
// boundary (spec §1 rule 1). They are asynchronous because a foreign editor may live in another
// process.

/**
 * An editor as agents, routes and panels see it. What an editor cannot do, it leaves out: the tools
 * that need it then answer 503.
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
  /** What happened, in the game and in the editor. */
  readonly journals?: Journals;
  /** Watching numbers while the game plays. */
  readonly watches?: Watches;
  /** Making and changing assets. */
  readonly authoring?: AssetAuthoring;
  /** Which editor this is. */
  identity(): EditorIdentity;
  /** The open scene with all values. */
  sceneState(): Promise<SceneState>;
  /** By entity id; entities without a place in the world are absent. */
  worldTransforms(): Promise<ReadonlyMap<number, WorldTransform>>;
  /**
   * By entity id, in its layer's world: the box around what an entity draws, a point for one that
   * draws nothing. Absent where an editor does not know.
   */
  worldBounds?(): Promise<ReadonlyMap<number, WorldBounds>>;
  /** How everything lies on the screen. */
  layoutBounds(options?: LayoutOptions): Promise<Layout>;
  /** Every asset of the project, ordered by path. */
  assets(): Promise<readonly Asset[]>;
  /** Every trait, ordered by name. */
  traits(): Promise<readonly TraitSchema[]>;
  /** The console's whole ring, oldest first. */
  consoleEntries(): Promise<readonly ConsoleEntry[]>;
  /** What is wrong with the open scene. */
  diagnose(): Promise<Diagnosis>;
}
