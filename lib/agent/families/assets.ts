import { z } from "zod";
import { ok } from "../../core/result.ts";
import { countBy, firstOf } from "../lists.ts";
import { limit, text } from "../parameters.ts";
import { defineTool, READ_ONLY, type Tool } from "../tool.ts";

const LIST_LIMIT = 200;

/** `list_assets` (spec §2.3, CONTRACTS §2). */
export const listAssets: Tool = defineTool({
  name: "list_assets",
  route: "/api/assets",
  purpose: "Assets of the project: textures, models, scenes, prefabs, fonts and more",
  defaultShape: "counts by type",
  parameters: z.object({
    type: text("assets of this type, as byType spells it"),
    folder: text("assets whose path starts with this"),
    name: text("assets whose name contains this, case ignored"),
    limit: limit(`${LIST_LIMIT}`),
  }),
  drillDown: { type: "texture, model, …", folder: "path prefix", name: "substring" },
  sizeWarning: `the list stops at ${LIST_LIMIT} unless limit= says more`,
  annotations: READ_ONLY,

  async produce({ editor }) {
    return ok(await editor.assets());
  },

  summarize(assets, { type, folder, name, limit }) {
    const byType = countBy(assets, (asset) => asset.type);
    if (type === undefined && folder === undefined && name === undefined && limit === undefined) {
      const hint = "Counts only: type=, folder=<prefix> or name=<substr> list them";
      return ok({ total: assets.length, byType, hint });
    }
    const wanted = name?.toLowerCase();
    const matched = assets.filter((asset) =>
      (type === undefined || asset.type === type) &&
      (folder === undefined || asset.path.startsWith(folder)) &&
      (wanted === undefined || asset.name.toLowerCase().includes(wanted))
    );
    const { shown, truncated } = firstOf(matched, limit ?? LIST_LIMIT);
    const types = Object.keys(byType);
    return ok({
      count: matched.length,
      assets: shown.map(({ guid, path, name, type, size }) => ({ guid, path, name, type, size })),
      truncated,
      ...(type !== undefined && !types.includes(type) &&
        { hint: `No asset is of this type; the project has ${types.join(", ")}` }),
    });
  },
});

/** The tools of this family. */
export const ASSET_TOOLS: readonly Tool[] = [listAssets];
