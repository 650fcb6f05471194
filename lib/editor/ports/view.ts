import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Actor } from "./editing.ts";

/** Selection and view, as the person or the agent has them. */
export interface ViewState {
  /** Ids, the primary one first. */
  readonly selection: readonly number[];
  /** Path of a selected asset; `null` for none. */
  readonly asset: string | null;
  /** The use of the handles on the selection, and their axes. */
  readonly gizmo: {
    readonly mode: "translate" | "rotate" | "scale";
    readonly space: "world" | "local";
  };
  /** The layer that the scene view shows. */
  readonly mode: "3d" | "2d" | "ui";
  /** Pixels of the game's view: layout is computed for it. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** The entity on which the view was last framed; `null` for none. */
  readonly focus: number | null;
}

/** A change of the view; omitted members stay. */
export interface ViewChange {
  /** Ids, the primary one first. */
  readonly selection?: readonly number[];
  /** Path of an asset; `null` for none. */
  readonly asset?: string | null;
  /** The use of the handles. */
  readonly gizmoMode?: ViewState["gizmo"]["mode"];
  /** Along which axes they lie. */
  readonly gizmoSpace?: ViewState["gizmo"]["space"];
  /** The layer to show. */
  readonly mode?: ViewState["mode"];
  /** Pixels of the game's view. */
  readonly viewport?: ViewState["viewport"];
  /** The entity to frame; `null` for none. */
  readonly focus?: number | null;
}

/** Selection and view. They are not part of the scene: no undo, no revision. */
export interface View {
  /** Returns the selection and view, without removed things. */
  state(): ViewState;
  /** Changes the view. 404 `no-such-entity` for an unknown id; then nothing changes. */
  change(change: ViewChange, source: Actor): Result<ViewState, Problem>;
}
