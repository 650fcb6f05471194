// Input of a player, and the actions of a game.

/** An action of the game. */
export interface ActionInfo {
  /** Its name in buttons and scripts. */
  readonly name: string;
  /** Keys that give it, such as `Space`; empty if only code or a button does. */
  readonly keys: readonly string[];
  /** Entities that answer to it. */
  readonly targets: readonly number[];
}

/** Input for the playing game: it takes effect at the beginning of the next step. */
export type InputEvent =
  /** A tap at a point of the viewport, in pixels. */
  | { readonly kind: "tap"; readonly x: number; readonly y: number }
  /** A finger, or the mouse while a button of it is down. */
  | {
    readonly kind: "pointer";
    /** `cancel`: the pointer was lost without a press. */
    readonly phase: "down" | "move" | "up" | "cancel";
    readonly x: number;
    readonly y: number;
    /** Index of the pointer, 0 to 15; 0 when absent. */
    readonly id?: number;
  }
  /** The wheel at a point of the viewport; `dy` are pixels, more than 0 is down. */
  | { readonly kind: "wheel"; readonly x: number; readonly y: number; readonly dy: number }
  /** `KeyboardEvent.code`. */
  | { readonly kind: "key"; readonly code: string; readonly phase: "down" | "up" | "press" }
  /** The complete state of a gamepad in the W3C standard mapping. */
  | {
    readonly kind: "gamepad";
    /** Index of the gamepad, 0 to 3; 0 when absent. */
    readonly id?: number;
    /** The buttons that are down, 0 to 16. */
    readonly buttons: readonly number[];
    /** -1 to 1: left stick x, y, right stick x, y; absent ones are at rest. Down is positive. */
    readonly axes: readonly number[];
  }
  /** An action by its name, as code and agents dispatch it. */
  | {
    readonly kind: "action";
    readonly action: string;
    /** Only this entity answers. */
    readonly target?: number;
    readonly value?: number | string;
  }
  /** The viewport has another size, in pixels. */
  | { readonly kind: "resize"; readonly width: number; readonly height: number }
  /** Plays a clip of an entity's animator, by its guid: an editor's action on a game. */
  | { readonly kind: "clip"; readonly target: number; readonly clip: string }
  /** Takes the playhead of an entity's running timeline to a time, in seconds. */
  | { readonly kind: "seek"; readonly target: number; readonly time: number };

/** The outcome of an input. */
export interface InputOutcome {
  /** The responding entity, or `null`. */
  readonly target: number | null;
  /** Actions that were dispatched. */
  readonly actions: readonly string[];
  /** The entity that covers the target, or `null`. */
  readonly occludedBy: number | null;
}
