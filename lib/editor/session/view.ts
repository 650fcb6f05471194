import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { EditorCore } from "./editor-core.ts";
import type { SeenScene } from "./seen-scene.ts";
import { noted } from "../history/journals.ts";
import type { Actor, View, ViewChange, ViewState } from "../ports/mod.ts";

/** The longest side of a viewport, in pixels. */
const MAX_VIEWPORT_SIDE = 16_384;

/** The view's state, except what the core holds. */
type OwnState = Omit<ViewState, "viewport">;

/** Selection and view of the embedded editor. */
export class EmbeddedView implements View {
  readonly #core: EditorCore;
  #own: OwnState = {
    selection: [],
    asset: null,
    gizmo: { mode: "translate", space: "world" },
    mode: "3d",
    focus: null,
  };

  constructor(core: EditorCore) {
    this.#core = core;
  }

  /** @param seen The scene as the reader sees it. */
  state(seen: SeenScene = this.#core): ViewState {
    const { scan, viewport: { width, height } } = this.#core;
    const { selection, asset, focus, ...rest } = this.#own;
    return {
      ...rest,
      // Removed things, and things of a scene that is no longer open, are not selected.
      selection: selection.filter((id) => this.#exists(id, seen)),
      asset: scan.assets.some(({ path }) => path === asset) ? asset : null,
      focus: focus !== null && this.#exists(focus, seen) ? focus : null,
      viewport: { width, height },
    };
  }

  /** @param seen The scene as the author sees it. */
  change(
    change: ViewChange,
    source: Actor,
    seen: SeenScene = this.#core,
  ): Result<ViewState, Problem> {
    const refused = this.#refusal(change, seen);
    if (refused !== null) return refused;
    const { selection, asset, gizmoMode, gizmoSpace, mode, viewport, focus } = change;
    const { gizmo } = this.#own;
    this.#own = {
      selection: selection === undefined ? this.#own.selection : [...new Set(selection)],
      asset: asset === undefined ? this.#own.asset : asset,
      gizmo: { mode: gizmoMode ?? gizmo.mode, space: gizmoSpace ?? gizmo.space },
      mode: mode ?? this.#own.mode,
      focus: focus === undefined ? this.#own.focus : focus,
    };
    if (viewport !== undefined) this.#core.viewport = viewport;
    this.#core.feed.touchView();
    this.#note(change, source);
    return ok(this.state(seen));
  }

  #note(change: ViewChange, source: Actor): void {
    const { selection, asset, ...view } = change;
    const { journals } = this.#core;
    if (selection !== undefined || asset !== undefined) {
      const ids = selection ?? this.#own.selection;
      journals.noteEditor("select", source, { ...noted("ids", ids), asset: this.#own.asset });
    }
    if (Object.keys(view).length > 0) journals.noteEditor("view", source, { ...view });
  }

  #refusal(
    { selection = [], asset, focus, viewport }: ViewChange,
    seen: SeenScene,
  ): Result<never, Problem> | null {
    const ids = typeof focus === "number" ? [...selection, focus] : selection;
    const missing = ids.find((id) => !this.#exists(id, seen));
    if (missing !== undefined) {
      const detail = `There is no entity with id ${missing} in the open scene`;
      return refuse(404, "no-such-entity", detail, "svc_get_scene_state lists ids");
    }
    if (typeof asset === "string" && !this.#core.scan.assets.some(({ path }) => path === asset)) {
      const detail = `There is no asset "${asset}" in the project`;
      return refuse(404, "no-such-asset", detail, "list_assets finds paths");
    }
    const sides = viewport === undefined ? [] : [viewport.width, viewport.height];
    const wrong = sides.find((side) =>
      !Number.isSafeInteger(side) || side < 1 || side > MAX_VIEWPORT_SIDE
    );
    return wrong === undefined ? null : refuse(
      400,
      "bad-viewport",
      `Cannot use a viewport side of ${wrong}: expected 1 to ${MAX_VIEWPORT_SIDE} whole pixels`,
      "Correct the viewport",
    );
  }

  #exists(id: number, { document }: SeenScene): boolean {
    const { playing } = this.#core;
    return playing === null
      ? document.get(id) !== undefined
      : playing.entities().some((entity) => entity.id === id);
  }
}
