import type { Entity, InputEvent } from "../../game/types/mod.ts";
import type { EditorEvent, PlayState } from "./play.ts";
import type { ViewState } from "./view.ts";

// Reports changes of an editor as they happen, for those who show it. A listener that has missed
// something reads the producers again.

/** Maximum entities of a {@linkcode SceneChange}: beyond it, the listener reads the whole scene. */
export const MAX_CHANGED_ENTITIES = 200;
/** Characters of a {@linkcode SceneChange} as JSON at most. */
export const MAX_CHANGED_CHARACTERS: number = 256 * 1024;

/** The scene that is shown is another one, or its entities are. */
export interface SceneChange {
  /** Identifies the kind of change. */
  readonly kind: "scene";
  /** See {@linkcode SceneState}. */
  readonly scenePath: string;
  /** The revision that this leads to. */
  readonly rev: number;
  /**
   * New and changed entities, complete, in document order; a new one is the last child of its
   * parent. `null` asks the listener to read the whole scene: another one is shown, a game started
   * or stopped being shown, the order changed otherwise, or there are more than {@linkcode
   * MAX_CHANGED_ENTITIES} or {@linkcode MAX_CHANGED_CHARACTERS}.
   */
  readonly entities: readonly Entity[] | null;
  /** Removed entities; empty if `entities` is `null`. */
  readonly removed: readonly number[];
}

/** A change, distinguished by `kind`. */
export type EditorChange =
  | SceneChange
  /** Selection or view. */
  | ({ readonly kind: "view" } & ViewState)
  /** Steps of undo or redo, or whether the scene is saved. */
  | { readonly kind: "history" }
  /** Assets were added, removed or changed. */
  | { readonly kind: "assets" }
  /** Files of the project that are not assets, such as its settings. */
  | { readonly kind: "settings" }
  /**
   * The game plays, pauses, stops or changes to another scene; its progress follows about 10 times
   * a second.
   */
  | ({ readonly kind: "play" } & PlayState)
  /** The console's newest line; while steps are made, about 10 times a second. */
  | { readonly kind: "console"; readonly seq: number }
  /** The newest event of the game's journal; while steps are made, about 10 times a second. */
  | { readonly kind: "journal"; readonly seq: number }
  /** An action in the editor. */
  | ({ readonly kind: "editor-event" } & EditorEvent)
  /**
   * Input of the playing game, each after that many steps; reported before the `play` that reports
   * the step.
   */
  | {
    readonly kind: "input";
    readonly round: number;
    /** Number of the round's earlier events. */
    readonly first: number;
    readonly events: readonly (readonly [tick: number, event: InputEvent])[];
  }
  /**
   * Something other than input changed the playing game, so it cannot be reproduced elsewhere from
   * its input.
   */
  | { readonly kind: "off-record"; readonly round: number };

/** Listener of {@linkcode Changes}. Must not throw. */
export type ChangeListener = (change: EditorChange) => void;

/** Reports changes as they happen. */
export interface Changes {
  /**
   * Calls `listen` for each completed change: once after a request or a batch. Work that has the
   * editor exclusively is reported only after it has ended.
   *
   * @returns Unsubscribes; further calls do nothing.
   */
  subscribe(listen: ChangeListener): () => void;
}
