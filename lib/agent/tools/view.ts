import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { View, ViewChange, ViewState } from "../../editor/ports/mod.ts";
import { unlessChanged } from "../scene/edits.ts";
import { EntityIndex, resolveAsset, resolveEntity } from "../scene/entities.ts";
import { choice, ids, text, texts, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool, type ToolAnnotations } from "../declaration/tool.ts";

/** Annotations of tools that change the view, never the project. */
const CHANGES_VIEW: ToolAnnotations = {
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Returns the view after a change, and whether it changed. */
function changedView(
  services: Services,
  view: View,
  change: ViewChange,
): Result<{ readonly now: ViewState; readonly changed: boolean }, Problem> {
  const before = JSON.stringify(view.state());
  const now = view.change(change, callerOf(services));
  return now.ok ? ok({ now: now.value, changed: JSON.stringify(now.value) !== before }) : now;
}

/** `get_editor_state`. */
const getEditorState: Tool = defineTool({
  name: "get_editor_state",
  route: "/api/editor-state",
  purpose: "State of the editor: open scene, unsaved changes, selection, play state, undo",
  defaultShape: "all of it",
  parameters: z.object({}),
  drillDown: {},
  annotations: READ_ONLY,

  async produce({ editor }) {
    const scene = await editor.sceneState();
    return ok({ editor, scene });
  },

  summarize({ editor, editor: { editing, view, play }, scene: { scenePath, rev, entities } }) {
    const openScene = editor.identity().scenePath;
    const history = editing?.history();
    const undo = history?.undo.at(-1)?.label;
    const redo = history?.redo.at(-1)?.label;
    const playing = play?.state();
    return ok({
      scenePath,
      ...(openScene !== scenePath && { openScene }),
      rev,
      entityCount: entities.length,
      ...(editing !== undefined && { unsaved: editing.unsaved }),
      ...(undo !== undefined && { undo }),
      ...(redo !== undefined && { redo }),
      ...(playing !== undefined && { play: playing.state, tick: playing.tick }),
      ...(playing?.round !== undefined && { round: playing.round }),
      ...(playing?.scene !== undefined && { playScene: playing.scene }),
      ...(view !== undefined && shown(view.state())),
    });
  },
});

/** Returns the view without unset members. */
function shown({ selection, asset, gizmo, mode, viewport, focus }: ViewState): object {
  return {
    selection,
    ...(asset !== null && { asset }),
    gizmo,
    mode,
    viewport,
    ...(focus !== null && { focus }),
  };
}

/** `set_selection`. */
const setSelection: Tool = defineTool({
  name: "set_selection",
  route: "/api/set-selection",
  routeKind: "body",
  purpose: "Selects entities or an asset in the editor",
  defaultShape: "clears the selection",
  parameters: z.object({
    ids: ids("entities, the primary one first"),
    guids: texts("entities"),
    asset: text("path or guid of an asset"),
  }),
  drillDown: { ids: "the primary first", guids: "entities" },
  annotations: CHANGES_VIEW,

  async produce(services, { ids = [], guids = [], asset }) {
    const view = editorPart(services, "view");
    if (!view.ok) return view;
    const [{ entities }, assets] = await Promise.all([
      services.editor.sceneState(),
      services.editor.assets(),
    ]);
    const index = new EntityIndex(entities);
    const selection: number[] = [];
    for (const name of [...ids.map((id) => ({ id })), ...guids.map((guid) => ({ guid }))]) {
      const entity = resolveEntity(index, name);
      if (!entity.ok) return entity;
      selection.push(entity.value.id);
    }
    const chosen = asset === undefined ? ok(null) : resolveAsset(assets, asset);
    if (!chosen.ok) return chosen;
    return changedView(services, view.value, { selection, asset: chosen.value?.path ?? null });
  },

  summarize: ({ now: { selection, asset }, changed }) =>
    ok({ ok: true, selection, ...(asset !== null && { asset }), ...unlessChanged(changed) }),
});

/** `set_view`. */
const setView: Tool = defineTool({
  name: "set_view",
  route: "/api/set-view",
  routeKind: "body",
  purpose: "Sets the scene view's layer and gizmo, and the game's viewport",
  defaultShape: "the view; needs one of them",
  parameters: z.object({
    mode: choice(["3d", "2d", "ui"], "the layer shown"),
    gizmo: choice(["translate", "rotate", "scale"], "the gizmo's mode"),
    space: choice(["world", "local"], "the gizmo's axes"),
    width: wholeNumber("viewport, pixels", { min: 1, max: 16_384 }),
    height: wholeNumber("viewport, pixels", { min: 1, max: 16_384 }),
  }),
  drillDown: { mode: "layer", gizmo: "mode", space: "axes" },
  annotations: CHANGES_VIEW,

  produce(services, { mode, gizmo, space, width, height }) {
    const view = editorPart(services, "view");
    if (!view.ok) return Promise.resolve(view);
    if ([mode, gizmo, space, width, height].every((one) => one === undefined)) {
      return Promise.resolve(refuseMissing("set_view", "mode", "mode=, gizmo=, space= or width="));
    }
    const { viewport } = view.value.state();
    const resized = width !== undefined || height !== undefined;
    return Promise.resolve(changedView(services, view.value, {
      ...(mode !== undefined && { mode }),
      ...(gizmo !== undefined && { gizmoMode: gizmo }),
      ...(space !== undefined && { gizmoSpace: space }),
      ...(resized &&
        { viewport: { width: width ?? viewport.width, height: height ?? viewport.height } }),
    }));
  },

  summarize: ({ now: { gizmo, mode, viewport }, changed }) =>
    ok({ ok: true, mode, gizmo, viewport, ...unlessChanged(changed) }),
});

/** `focus_entity`. */
const focusEntity: Tool = defineTool({
  name: "focus_entity",
  route: "/api/focus-entity",
  routeKind: "body",
  purpose: "Selects an entity and frames the scene view on it",
  defaultShape: "its place; needs id= or guid=",
  parameters: z.object({
    id: wholeNumber("the entity", { min: 0 }),
    guid: text("the entity"),
  }),
  drillDown: {},
  annotations: CHANGES_VIEW,

  async produce(services, args) {
    const view = editorPart(services, "view");
    if (!view.ok) return view;
    const { editor } = services;
    const entity = resolveEntity((await editor.sceneState()).entities, args);
    if (!entity.ok) return entity;
    const { id, name, layer } = entity.value;
    const [world, layout] = await Promise.all([editor.worldTransforms(), editor.layoutBounds()]);
    const position = world.get(id)?.position;
    const rect = layout.entries.find((entry) => entry.id === id)?.rect ?? undefined;
    if (position === undefined && rect === undefined) {
      return refuse(
        422,
        "nothing-to-frame",
        `"${name}" (id ${id}) has no position to focus on: no Transform and no rectangle`,
        "Focus on a child, or give it a Transform",
      );
    }
    const done = changedView(services, view.value, { selection: [id], focus: id, mode: layer });
    if (!done.ok) return done;
    return ok({ id, mode: layer, position, rect, changed: done.value.changed });
  },

  summarize: ({ id, mode, position, rect, changed }) =>
    ok({
      ok: true,
      focus: id,
      mode,
      ...(position !== undefined && { position }),
      ...(rect !== undefined && { rect }),
      ...unlessChanged(changed),
    }),
});

export const VIEW_TOOLS: readonly Tool[] = [getEditorState, setSelection, setView, focusEntity];
