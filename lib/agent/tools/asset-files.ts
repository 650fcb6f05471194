import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { ChangedAsset, ImportOutcome, ImportProgress } from "../../editor/ports/mod.ts";
import type { OptimizedModel, RunPlan } from "../../project/mod.ts";
import { describeUndo, namedAsset } from "../scene/authoring.ts";
import { ADDS } from "../scene/edits.ts";
import { countBy } from "../answer/lists.ts";
import { anyNumber, flag, jsonObject, text } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool, type ToolAnnotations } from "../declaration/tool.ts";

function noModels(): Result<never, Problem> {
  const detail = "This service was started without the tools that make models smaller";
  return refuse(503, "no-models", detail, "Import it without optimize and simplify");
}

/** Annotations of tools that replace or remove project files. */
const OVERWRITES: ToolAnnotations = { destructiveHint: true, openWorldHint: false };

/** Progress messages of an import. */
const STAGES: Readonly<Record<ImportProgress["stage"], string>> = {
  read: "reading the file",
  write: "writing assets",
  list: "listing what is new",
};

/** Answers for a changed asset. */
function changedAsset({ path, undo }: ChangedAsset): Result<object, Problem> {
  return ok({ ok: true, path, ...describeUndo(undo) });
}

/** `create_asset`. */
const createAsset: Tool = defineTool({
  name: "create_asset",
  route: "/api/assets/create",
  routeKind: "body",
  purpose: "New material, particle, animation, animset, timeline, environment, sprite, font, mesh",
  defaultShape: "guid, path; needs path=",
  parameters: z.object({
    path: text("new, like assets/materials/wood.material.json"),
    content: jsonObject("its members; paths stand for guids"),
  }),
  drillDown: { path: "assets/materials/wood.material.json", content: "as get_asset_schema says" },
  annotations: ADDS,
  undoable: true,

  async produce(services, { path, content }) {
    const authoring = editorPart(services, "authoring");
    if (!authoring.ok) return authoring;
    if (path === undefined) {
      const endings = authoring.value.schemas().map(({ extension }) => extension).join(", ");
      return refuseMissing("create_asset", "path", `It ends in one of ${endings}`);
    }
    return await authoring.value.create({
      path,
      source: callerOf(services),
      ...(content && { content }),
    });
  },

  summarize: ({ guid, path, undo }) => ok({ ok: true, guid, path, ...describeUndo(undo) }),
});

/** `write_asset`. */
const writeAsset: Tool = defineTool({
  name: "write_asset",
  route: "/api/assets/write",
  routeKind: "body",
  purpose: "Changes an asset's content, checked whole before it is written",
  defaultShape: "path; needs asset=, content=",
  parameters: z.object({
    asset: text("path or guid"),
    content: jsonObject("all members; with merge=1 those to change, null removes"),
    merge: flag("keeps members that content omits"),
  }),
  drillDown: { content: "all members", merge: "only these; null removes" },
  annotations: OVERWRITES,
  undoable: true,

  async produce(services, { asset, content, merge = false }) {
    const named = await namedAsset(services, "write_asset", asset);
    if (!named.ok) return named;
    if (content === undefined) {
      return refuseMissing("write_asset", "content", "get_asset_schema documents its content");
    }
    const { path: name } = named.value.asset;
    return await named.value.authoring.write({ name, content, merge, source: callerOf(services) });
  },

  summarize: changedAsset,
});

/** `set_asset_meta`. */
const setAssetMeta: Tool = defineTool({
  name: "set_asset_meta",
  route: "/api/assets/meta",
  routeKind: "body",
  purpose: "Changes an asset's import settings (its sidecar): type, filter, loop, rect",
  defaultShape: "the settings; needs asset=, meta=",
  parameters: z.object({
    asset: text("path or guid"),
    meta: jsonObject("members to change, null removes"),
  }),
  drillDown: { meta: "members; null removes" },
  annotations: { ...OVERWRITES, idempotentHint: true },
  undoable: true,

  async produce(services, { asset, meta }) {
    const named = await namedAsset(services, "set_asset_meta", asset);
    if (!named.ok) return named;
    if (meta === undefined) return refuseMissing("set_asset_meta", "meta", "An object of settings");
    const { path: name } = named.value.asset;
    return await named.value.authoring.writeMeta({ name, meta, source: callerOf(services) });
  },

  summarize: ({ meta, undo }) => ok({ ok: true, meta, ...describeUndo(undo) }),
});

/** The result of `import_file`; with `dryRun`, the commands that it would run. */
type Imported =
  | Pick<RunPlan, "dryRun" | "runs">
  | (ImportOutcome & { readonly optimized: Omit<OptimizedModel, "bytes"> | undefined });

function optimizedOf({ before, after, ran }: Omit<OptimizedModel, "bytes">): object {
  return { before, after, ...(ran.length > 0 && { ran }) };
}

/** `import_file`. */
const importFile: Tool = defineTool({
  name: "import_file",
  route: "/api/assets/import",
  routeKind: "body",
  purpose: "Imports a file: glTF/GLB as a prefab, textures, fonts, sounds",
  defaultShape: "prefab, counts by type; needs file=",
  parameters: z.object({
    file: text("relative to the project"),
    folder: text("below assets/; by type when absent"),
    optimize: flag(
      "models: cleaned by gltf-transform, packed by gltfpack; in development the project's own, " +
        "where this machine has none",
    ),
    simplify: anyNumber("models: share of triangles to keep; optimizes too", {
      min: 0.01,
      max: 1,
    }),
    dryRun: flag("shows the commands of optimize; imports nothing"),
  }),
  drillDown: {
    file: "in the project",
    folder: "below assets/",
    optimize: "smaller models",
    dryRun: "commands only",
  },
  annotations: ADDS,
  undoable: true,

  async produce(services, args, { signal, progress }): Promise<Result<Imported, Problem>> {
    const { file, folder, optimize, simplify, dryRun } = args;
    const authoring = editorPart(services, "authoring");
    if (!authoring.ok) return authoring;
    if (file === undefined) {
      return refuseMissing("import_file", "file", "Give a path relative to the project");
    }
    let optimized: Omit<OptimizedModel, "bytes"> | undefined;
    const { models } = services;
    const prepares = optimize === true || simplify !== undefined;
    if (prepares && models === undefined) return noModels();
    if (dryRun === true) {
      return prepares && models !== undefined
        ? await models.plan(file, { simplify })
        : ok({ dryRun, runs: [] });
    }
    const imported = await authoring.value.importFile({
      file,
      source: callerOf(services),
      signal,
      progress: ({ stage, done, total }: ImportProgress) => progress(done, total, STAGES[stage]),
      ...(folder !== undefined && { folder }),
      ...(prepares && models !== undefined && {
        async prepare(path: string) {
          let steps = 0;
          const onStep = (label: string) => progress(steps++, undefined, label);
          const made = await models.optimize(path, { simplify, signal, onStep });
          if (!made.ok) return made;
          const { bytes, ...rest } = made.value;
          optimized = rest;
          return ok(bytes);
        },
      }),
    });
    if (!imported.ok) return imported;
    await services.uploads?.release(file);
    return ok({ ...imported.value, optimized });
  },

  summarize(imported) {
    if ("dryRun" in imported) return ok(imported);
    const { created, warnings, undo, optimized } = imported;
    const prefab = created.find(({ type }) => type === "prefab");
    const [only] = created;
    return ok({
      ok: true,
      ...(prefab !== undefined
        ? { prefab: { guid: prefab.guid, path: prefab.path } }
        : only !== undefined && { guid: only.guid, path: only.path }),
      ...(created.length > 1 && { byType: countBy(created, ({ type }) => type) }),
      ...(optimized !== undefined && { optimized: optimizedOf(optimized) }),
      ...(warnings.length > 0 && { warnings }),
      ...describeUndo(undo),
    });
  },
});

/** `move_asset`. */
const moveAsset: Tool = defineTool({
  name: "move_asset",
  route: "/api/assets/move",
  routeKind: "body",
  purpose: "Renames or moves an asset; its guid and references stay",
  defaultShape: "path; needs asset=, to=",
  parameters: z.object({
    asset: text("path or guid"),
    to: text("new path; a folder when it ends in /"),
  }),
  drillDown: { to: "path, or folder/" },
  annotations: ADDS,
  undoable: true,

  async produce(services, { asset, to }) {
    const named = await namedAsset(services, "move_asset", asset);
    if (!named.ok) return named;
    if (to === undefined) return refuseMissing("move_asset", "to", "A new path, or a folder/");
    const { path: name } = named.value.asset;
    return await named.value.authoring.move({ name, to, source: callerOf(services) });
  },

  summarize: ({ path, undo, warnings }) =>
    ok({ ok: true, path, ...(warnings.length > 0 && { warnings }), ...describeUndo(undo) }),
});

/** `delete_asset`. */
const deleteAsset: Tool = defineTool({
  name: "delete_asset",
  route: "/api/assets/delete",
  routeKind: "body",
  purpose: "Deletes an asset's file; refused while something uses it",
  defaultShape: "what was deleted; needs asset=",
  parameters: z.object({
    asset: text("path or guid"),
    force: flag("also while it is used"),
  }),
  drillDown: { force: "also while used" },
  annotations: OVERWRITES,
  undoable: true,

  async produce(services, { asset, force = false }) {
    const named = await namedAsset(services, "delete_asset", asset);
    if (!named.ok) return named;
    const { path: name } = named.value.asset;
    return await named.value.authoring.remove({ name, force, source: callerOf(services) });
  },

  summarize: ({ guid, path, undo }) => ok({ ok: true, deleted: path, guid, ...describeUndo(undo) }),
});

/** The tools that change the files of assets. */
export const ASSET_FILE_TOOLS: readonly Tool[] = [
  createAsset,
  writeAsset,
  setAssetMeta,
  importFile,
  moveAsset,
  deleteAsset,
];
