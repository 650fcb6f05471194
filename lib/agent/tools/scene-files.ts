import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Actor, SceneEditing, SceneSwitched } from "../../editor/ports/mod.ts";
import { EDITS, unlessChanged } from "../scene/edits.ts";
import { pageOf } from "../answer/lists.ts";
import { after, flag, limit, text } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

const LIST_LIMIT = 100;

/** `list_scenes`. */
const listScenes: Tool = defineTool({
  name: "list_scenes",
  route: "/api/scenes",
  purpose: "Scene files of the project, and which one is open",
  defaultShape: `the first ${LIST_LIMIT}`,
  parameters: z.object({ limit: limit(`${LIST_LIMIT}`), after: after() }),
  drillDown: {},
  annotations: READ_ONLY,

  async produce(services) {
    const editing = editorPart(services, "editing");
    if (!editing.ok) return editing;
    const { scenePath } = services.editor.identity();
    return ok({ scenePath, unsaved: editing.value.unsaved, scenes: await editing.value.scenes() });
  },

  summarize({ scenePath, unsaved, scenes }, { limit = LIST_LIMIT, after }) {
    const { shown, cut } = pageOf(scenes, { limit, after });
    return ok({
      open: scenePath,
      unsaved,
      count: scenes.length,
      scenes: shown.map(({ path, size }) => ({ path, size })),
      ...cut,
    });
  },
});

/** `open_scene`. */
const openScene: Tool = switchTool({
  name: "open_scene",
  route: "/api/open-scene",
  purpose: "Opens another scene, or reloads the open one",
  example: "list_scenes names them",
  open: (editing, path, options) => editing.openScene(path, options),
});

/** `new_scene`. */
const newScene: Tool = switchTool({
  name: "new_scene",
  route: "/api/new-scene",
  purpose: "Begins an empty scene, which save_scene writes",
  example: "path=assets/scenes/level-2.scene.json",
  open: (editing, path, options) => editing.newScene(path, options),
});

function switchTool({ name, route, purpose, example, open }: {
  readonly name: string;
  readonly route: string;
  readonly purpose: string;
  readonly example: string;
  readonly open: (
    editing: SceneEditing,
    path: string,
    options: { readonly discard: boolean; readonly source: Actor },
  ) => Promise<Result<SceneSwitched, Problem>>;
}): Tool {
  return defineTool({
    name,
    route,
    routeKind: "body",
    purpose,
    defaultShape: "refused while unsaved; ends undo of the scene before; needs path=",
    parameters: z.object({
      path: text("relative to the project"),
      discard: flag("lose unsaved changes"),
    }),
    drillDown: { path: "*.scene.json", discard: "unsaved changes" },
    annotations: EDITS,
    exclusive: true,

    async produce(services: Services, { path, discard = false }) {
      const editing = editorPart(services, "editing");
      if (!editing.ok) return editing;
      if (path === undefined) return refuseMissing(name, "path", example);
      const done = await open(editing.value, path, { discard, source: callerOf(services) });
      return done.ok ? ok({ ...await services.editor.sceneState(), ...done.value }) : done;
    },

    summarize: ({ scenePath, rev, entities, droppedSteps }) =>
      ok({
        ok: true,
        scenePath,
        rev,
        entityCount: entities.length,
        ...(droppedSteps > 0 && { undoDropped: droppedSteps }),
      }),
  });
}

/** `save_scene`. */
const saveScene: Tool = defineTool({
  name: "save_scene",
  route: "/api/save-scene",
  routeKind: "body",
  purpose: "Writes the open scene to its file, or to another one",
  defaultShape: "path and bytes",
  parameters: z.object({
    path: text("save as; relative to the project"),
    overwrite: flag("replace others' changes"),
  }),
  drillDown: { path: "save as", overwrite: "replace another's" },
  annotations: { idempotentHint: true, openWorldHint: false },
  exclusive: true,

  async produce(services, { path, overwrite = false }) {
    const editing = editorPart(services, "editing");
    if (!editing.ok) return editing;
    const isOther = path !== undefined && path !== services.editor.identity().scenePath;
    const changed = isOther || editing.value.unsaved;
    const saved = await editing.value.save({
      overwrite,
      source: callerOf(services),
      ...(path !== undefined && { path }),
    });
    return saved.ok ? ok({ ...saved.value, changed: changed || overwrite }) : saved;
  },

  summarize: ({ path, bytes, changed }) => ok({ ok: true, path, bytes, ...unlessChanged(changed) }),
});

/** `validate_scene`. */
const validateScene: Tool = defineTool({
  name: "validate_scene",
  route: "/api/validate-scene",
  purpose: "Errors that keep a scene file from opening",
  defaultShape: "the open scene",
  parameters: z.object({ path: text("a scene file of the project") }),
  drillDown: { path: "another file" },
  annotations: READ_ONLY,

  async produce(services, { path }) {
    const editing = editorPart(services, "editing");
    if (!editing.ok) return editing;
    const errors = await editing.value.validate(path);
    if (!errors.ok) return errors;
    return ok({ path: path ?? services.editor.identity().scenePath, errors: errors.value });
  },

  summarize: ({ path, errors }) => ok({ ok: errors.length === 0, path, errors }),
});

/** The tools about scene files. */
export const SCENE_FILE_TOOLS: readonly Tool[] = [
  listScenes,
  openScene,
  newScene,
  saveScene,
  validateScene,
];
