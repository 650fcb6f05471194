import type { Entity, InputEvent } from "../../game/types/mod.ts";
import type { EditorEvent, PlayState } from "./play.ts";
import type { ViewState } from "./view.ts";

// What happens in an editor, as it happens: for those who show it. Whoever has missed something asks
// the producers for the whole.

/** Entities of a {@linkcode SceneChange} at most: of more the whole is asked for. */
export const MAX_CHANGED_ENTITIES = 200;
/** Characters of a {@linkcode SceneChange} as JSON at most. */
export const MAX_CHANGED_CHARACTERS: number = 256 * 1024;

/** The scene that is shown is another one, or its entities are. */
export interface SceneChange {
  /** Tells it apart from other changes. */
  readonly kind: "scene";
  /** As {@linkcode SceneState} has it. */
  readonly scenePath: string;
  /** The revision that this leads to. */
  readonly rev: number;
  /**
   * Those that are new or changed, whole, in document order; a new one stands last below its parent.
   * `null` asks for the whole scene: another one is shown, a game began or ended to be shown, their
   * order changed otherwise, or it would be more than {@linkcode MAX_CHANGED_ENTITIES} or
   * {@linkcode MAX_CHANGED_CHARACTERS}.
   */
  readonly entities: readonly Entity[] | null;
  /** Those that are gone; none where `entities` is `null`. */
  readonly removed: readonly number[];
}

/** What has happened, told apart by `kind`. */
export type EditorChange =
  | SceneChange
  /** Selection or view. */
  | ({ readonly kind: "view" } & ViewState)
  /** Steps of undo or redo, or whether the scene is saved. */
  | { readonly kind: "history" }
  /** Assets came, went or have another content. */
  | { readonly kind: "assets" }
  /** Files of the project that are no assets, such as its settings. */
  | { readonly kind: "settings" }
  /** The game plays, pauses, stops or goes on to a scene; about 10 times a second how far it is. */
  | ({ readonly kind: "play" } & PlayState)
  /** The console's newest line; while steps are made, about 10 times a second. */
  | { readonly kind: "console"; readonly seq: number }
  /** The newest event of the game's journal; while steps are made, about 10 times a second. */
  | { readonly kind: "journal"; readonly seq: number }
  /** What somebody did. */
  | ({ readonly kind: "editor-event" } & EditorEvent)
  /**
   * What the playing game was given, after so many steps each: told before the `play` that says that
   * the step was made.
   */
  | {
    readonly kind: "input";
    readonly round: number;
    /** How many events of the round came before these. */
    readonly first: number;
    readonly events: readonly (readonly [tick: number, event: InputEvent])[];
  }
  /** What no input tells has changed the playing game: it cannot be played elsewhere from its input. */
  | { readonly kind: "off-record"; readonly round: number };

/** Whoever listens to {@linkcode Changes}. Must not throw. */
export type ChangeListener = (change: EditorChange) => void;

/** What happens, as it happens. */
export interface Changes {
  /**
   * Calls `listen` for each change once it is whole: a request or a batch, once and after it. Nothing
   * of work that has the editor alone is told before it has ended.
   *
   * @returns Ends it; a second time does nothing.
   */
  subscribe(listen: ChangeListener): () => void;
}
