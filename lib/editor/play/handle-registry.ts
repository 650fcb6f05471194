import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import type {
  AssetAuthoring,
  Entity,
  Handle,
  Layout,
  Play,
  SceneEditing,
  ViewState,
} from "../ports/mod.ts";
import { textIn } from "../../game/traits/mod.ts";
import type { RunningGame } from "../../game/play/mod.ts";
import type { Game } from "../../game/world/mod.ts";
import {
  dragOf,
  gizmoHandles,
  type HandleDrag,
  type HandleScene,
  rectDrag,
  rectHandles,
} from "../gizmos/mod.ts";
import { buttonHandles } from "./handles.ts";
import { itemDrag, itemHandles, playheadDrag, playheadHandles } from "./timeline-handles.ts";

/** The parts of the editor that handles need. */
export interface HandleParts {
  readonly editing: Pick<SceneEditing, "edit">;
  /** The view of a scene as it is seen. */
  readonly view: { state(seen: SeenScene): ViewState };
  /** Reads and writes timelines. */
  readonly authoring: Pick<AssetAuthoring, "read" | "write">;
  /** Returns the layout of these entities. */
  readonly layout: (entities: readonly Entity[]) => Promise<Layout>;
}

/**
 * The handles of all editors: buttons of the game; while no game runs, for the selection: the axes
 * of 3D entities, the corners of 2D ones and the items of timelines; the playheads of running
 * timelines.
 */
export class HandleRegistry {
  readonly #core: EditorCore;
  readonly #parts: HandleParts;

  constructor(core: EditorCore, parts: HandleParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Returns everything that can be tapped or dragged now.
   *
   * @param game The running one; `null` when stopped.
   * @param seen The scene as the reader sees it.
   */
  async all(game: Game | null, seen: SeenScene = this.#core): Promise<readonly Handle[]> {
    const scene = await this.#scene(seen);
    const buttons = buttonHandles(scene.entities, scene.layout, scene.viewport);
    if (game !== null) return [...buttons, ...playheadHandles(scene, game.timelines.heads())];
    return [
      ...buttons,
      ...gizmoHandles(scene),
      ...rectHandles(scene),
      ...itemHandles(scene, await this.#timelines(scene)),
    ];
  }

  /** Drags one of them: an edit of the scene or of a timeline, or a jump of a running one. */
  async drag(
    running: RunningGame | null,
    { id, dx, dy, source }: Parameters<Play["dragHandle"]>[0],
  ): ReturnType<Play["dragHandle"]> {
    const scene = await this.#scene(this.#core);
    const drag = { id, dx, dy };
    if (running !== null) return this.#seek(running, scene, drag);
    const onTimeline = itemDrag(scene, await this.#timelines(scene), drag);
    if (onTimeline !== null) {
      const { entity, timeline, content } = onTimeline;
      const written = await this.#parts.authoring.write({ name: timeline, content, source });
      if (!written.ok) return written;
      return ok({ entity, rev: this.#core.world.rev });
    }
    const edit = rectDrag(scene, drag) ?? dragOf(scene, drag);
    if (edit === null) return noSuchHandle(id, await this.all(null));
    if (!edit.ok) return edit;
    const { entity, traits } = edit.value;
    const done = await this.#parts.editing.edit({
      ops: Object.entries(traits).map(([trait, fields]) => ({
        op: "set",
        id: entity.id,
        trait,
        fields,
      })),
      label: `Drag "${entity.name}"`,
      source,
    });
    if (!done.ok) return done;
    if (done.value.ok) return ok({ entity: entity.id, rev: done.value.value.rev });
    const why = done.value.error.errors.map(({ message }) => message).join("; ");
    return refuse(422, "bad-drag", `Cannot drag it so far: ${why}`, "Drag by fewer pixels");
  }

  async #scene(seen: SeenScene): Promise<HandleScene> {
    const { viewport, scan: { details } } = this.#core;
    const entities = seen.world.entities();
    const view = this.#parts.view.state(seen);
    return { entities, viewport, view, layout: await this.#parts.layout(entities), details };
  }

  /** The timelines of selected entities, as their files have them. */
  async #timelines({ entities, view }: HandleScene): Promise<ReadonlyMap<string, JsonObject>> {
    const found = new Map<string, JsonObject>();
    for (const { id, traits } of entities) {
      const name = view.selection.includes(id) ? textIn(traits["Timeline"], "timeline") : "";
      const read = name === "" ? undefined : await this.#parts.authoring.read(name);
      if (read?.ok === true && isJsonObject(read.value.content)) {
        found.set(name, read.value.content);
      }
    }
    return found;
  }

  /**
   * Drags the playhead of a running timeline, the only handle that can be dragged while a game
   * runs.
   */
  #seek(
    { game, input }: RunningGame,
    scene: HandleScene,
    drag: HandleDrag,
  ): Result<{ readonly entity: number; readonly rev: number }, Problem> {
    const to = playheadDrag(scene, game.timelines.heads(), drag);
    if (to === null) {
      const detail = "The scene cannot be edited while the game plays";
      return refuse(409, "playing", detail, "play_control action=stop");
    }
    input.take({ kind: "seek", target: to.entity, time: to.time });
    return ok({ entity: to.entity, rev: game.world.rev });
  }
}

function noSuchHandle(id: string, all: readonly Handle[]): Result<never, Problem> {
  const known = all.filter(({ editor }) => editor !== "game").slice(0, 3).map((one) => one.id);
  return refuse(
    404,
    "no-such-handle",
    `There is no handle ${JSON.stringify(id.slice(0, 80))} to drag`,
    known.length > 0
      ? `Selected entities have ${known.join(", ")}; set_view gizmo= changes their kind`
      : "Select an entity with set_selection; handles kind= lists its handles",
  );
}
