import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Asset } from "../../editor/ports/mod.ts";
import { namedAsset } from "../scene/authoring.ts";
import { valueAt } from "../answer/json-pointer.ts";
import { countBy, firstOf, pageOf } from "../answer/lists.ts";
import { after, flag, limit, precision, text } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";
import { ASSET_FILE_TOOLS } from "./asset-files.ts";

const LIST_LIMIT = 200;
const USES_LIMIT = 50;

/** `list_assets` (SCENE-5). */
const listAssets: Tool = defineTool({
  name: "list_assets",
  route: "/api/assets",
  purpose: "Assets of the project: textures, models, scenes, prefabs, fonts and more",
  defaultShape: "counts by type",
  parameters: z.object({
    type: text("assets of this type, as byType spells it"),
    folder: text("assets whose path starts with this"),
    name: text("assets whose name contains this, case ignored"),
    limit: limit(`${LIST_LIMIT}`),
    after: after(),
  }),
  drillDown: { type: "texture, model, …", folder: "path prefix", name: "substring" },
  sizeWarning: `${LIST_LIMIT}, or limit=`,
  annotations: READ_ONLY,
  fills: ({ type, folder, name }) =>
    [type, folder, name].some((filter) => filter !== undefined) ? "assets" : null,

  async produce({ editor }) {
    return ok(await editor.assets());
  },

  summarize(assets, { type, folder, name, limit, after }) {
    const byType = countBy(assets, (asset) => asset.type);
    if (
      type === undefined && folder === undefined && name === undefined && limit === undefined &&
      after === undefined
    ) {
      const hint = "Counts only: type=, folder=<prefix> or name=<substr> list them";
      return ok({ total: assets.length, byType, hint });
    }
    const needle = name?.toLowerCase();
    const matched = assets.filter((asset) =>
      (type === undefined || asset.type === type) &&
      (folder === undefined || asset.path.startsWith(folder)) &&
      (needle === undefined || asset.name.toLowerCase().includes(needle))
    );
    const { shown, cut } = pageOf(matched, { limit: limit ?? LIST_LIMIT, after });
    const hint = nothingThere(assets, { type, folder });
    return ok({
      count: matched.length,
      assets: shown.map(({ guid, path, name, type, size }) => ({ guid, path, name, type, size })),
      ...cut,
      ...(hint !== null && { hint }),
    });
  },
});

/** Maximum folders in a hint. */
const MAX_FOLDERS = 20;

/** Returns why no asset can match: the project has none of that type or in that folder. */
function nothingThere(
  assets: readonly Asset[],
  { type, folder }: { readonly type: string | undefined; readonly folder: string | undefined },
): string | null {
  const types = new Set(assets.map((asset) => asset.type));
  if (type !== undefined && ![...types].some((known) => known === type)) {
    return `No asset is of this type; the project has ${[...types].join(", ")}`;
  }
  if (folder === undefined || assets.some(({ path }) => path.startsWith(folder))) return null;
  const folders = [...new Set(assets.map(({ path }) => path.slice(0, path.lastIndexOf("/"))))];
  const { shown, truncated } = firstOf(folders, MAX_FOLDERS);
  return `No asset's path begins so; they lie in ${shown.join(", ")}${truncated ? ", …" : ""}`;
}

/** Reason for absent content. */
const NO_TEXT = "Not shown: it is binary, invalid JSON, or text over 1 MiB; its facts are included";

/** `get_asset`. */
const getAsset: Tool = defineTool({
  name: "get_asset",
  route: "/api/asset",
  purpose: "One asset: facts (size, duration, bounds, counts), settings, content",
  defaultShape: "facts, settings; needs asset=",
  parameters: z.object({
    asset: text("path or guid"),
    content: flag("adds the whole content"),
    at: text("a part of the content, like /tracks/0/keys"),
    precision: precision(),
  }),
  drillDown: { content: "whole", at: "/tracks/0: a part" },
  sizeWarning: "content=1",
  annotations: READ_ONLY,

  async produce(services, { asset }) {
    const named = await namedAsset(services, "get_asset", asset);
    return named.ok ? await named.value.authoring.read(named.value.asset.path) : named;
  },

  summarize({ asset, meta, content, facts }, args) {
    const { guid: _guid, bounds: _bounds, model: _model, ...settings } = meta;
    const { path, guid, type, size } = asset;
    const part = args.at === undefined ? ok(undefined) : valueAt(content, args.at);
    if (!part.ok) return part;
    return ok({
      guid,
      path,
      type,
      size,
      ...facts,
      ...(Object.keys(settings).length > 0 && { meta: settings }),
      ...(args.content === true && (content === null ? { contentHint: NO_TEXT } : { content })),
      ...(part.value !== undefined && { at: args.at, value: part.value }),
    });
  },
});

/** `get_asset_schema`. */
const getAssetSchema: Tool = defineTool({
  name: "get_asset_schema",
  route: "/api/asset-schema",
  purpose: "Content of writable asset types: fields, defaults, example",
  defaultShape: "types with file endings",
  parameters: z.object({ type: text("material, particle, animation, …") }),
  drillDown: { type: "its fields and an example" },
  annotations: READ_ONLY,

  produce: (services) => Promise.resolve(editorPart(services, "authoring")),

  summarize(authoring, { type }) {
    const schemas = authoring.schemas();
    if (type === undefined) {
      const types = Object.fromEntries(schemas.map((schema) => [schema.type, schema.extension]));
      return ok({ types, hint: "type= shows fields and an example" });
    }
    const schema = schemas.find((known) => known.type === type);
    return schema !== undefined ? ok({ ...schema }) : refuse(
      404,
      "no-such-type",
      `Assets of type ${JSON.stringify(type.slice(0, 80))} cannot be written`,
      `Those that can: ${schemas.map((known) => known.type).join(", ")}`,
    );
  },
});

/** Users of an asset, or assets that nothing uses. */
type Found =
  | { readonly kind: "uses"; readonly uses: readonly { readonly path: string }[] }
  | { readonly kind: "unused"; readonly assets: readonly Asset[] };

/** `find_asset_uses`. */
const findAssetUses: Tool = defineTool({
  name: "find_asset_uses",
  route: "/api/assets/uses",
  purpose: "Users of an asset; or unused assets",
  defaultShape: "unused assets by type",
  parameters: z.object({
    asset: text("path or guid"),
    type: text("unused assets of this type"),
    limit: limit(`${USES_LIMIT}`),
    after: after(),
  }),
  drillDown: { asset: "its users", type: "unused ones listed" },
  annotations: READ_ONLY,
  fills: ({ asset, type }) => asset !== undefined ? "uses" : type !== undefined ? "assets" : null,

  async produce(services, { asset }): Promise<Result<Found, Problem>> {
    if (asset === undefined) {
      const authoring = editorPart(services, "authoring");
      return authoring.ok
        ? ok({ kind: "unused", assets: await authoring.value.unused() })
        : authoring;
    }
    const named = await namedAsset(services, "find_asset_uses", asset);
    if (!named.ok) return named;
    const uses = await named.value.authoring.uses(named.value.asset.path);
    return uses.ok ? ok({ kind: "uses", uses: uses.value }) : uses;
  },

  summarize(found, { type, limit: asked, after }) {
    const limit = asked ?? USES_LIMIT;
    if (found.kind === "uses") {
      const { shown, cut } = pageOf(found.uses, { limit, after });
      return ok({ count: found.uses.length, uses: shown, ...cut });
    }
    const byType = countBy(found.assets, (asset) => asset.type);
    if (type === undefined && asked === undefined && after === undefined) {
      const hint = "asset= names one's users; type= lists unused ones";
      return ok({ unused: found.assets.length, byType, hint });
    }
    const matched = found.assets.filter((asset) => type === undefined || asset.type === type);
    const { shown, cut } = pageOf(matched, { limit, after });
    return ok({ count: matched.length, assets: shown.map(({ path }) => path), ...cut });
  },
});

export const ASSET_TOOLS: readonly Tool[] = [
  listAssets,
  getAsset,
  getAssetSchema,
  ...ASSET_FILE_TOOLS,
  findAssetUses,
];
