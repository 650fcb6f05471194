// What a person does to a playing game, and what the game knows of it.

/** An action of the game. */
export interface ActionInfo {
  /** As buttons and scripts name it. */
  readonly name: string;
  /** Keys that give it, such as `Space`; none when only code or a button does. */
  readonly keys: readonly string[];
  /** Entities that answer to it. */
  readonly targets: readonly number[];
}

/** Input for the playing game. */
export type InputEvent =
  /** A tap at a point of the viewport, in pixels. */
  | { readonly kind: "tap"; readonly x: number; readonly y: number }
  | {
    readonly kind: "pointer";
    readonly phase: "down" | "move" | "up";
    readonly x: number;
    readonly y: number;
  }
  /** `KeyboardEvent.code`. */
  | { readonly kind: "key"; readonly code: string; readonly phase: "down" | "up" | "press" };

/** The outcome of an input. */
export interface InputOutcome {
  /** The entity that answered; `null` when none did. */
  readonly target: number | null;
  /** Actions that were dispatched. */
  readonly actions: readonly string[];
  /** The entity over the wanted one; `null` for none. */
  readonly occludedBy: number | null;
}
