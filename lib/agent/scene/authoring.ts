import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Asset, AssetAuthoring } from "../../editor/ports/mod.ts";
import { unlessChanged } from "./edits.ts";
import { resolveAsset } from "./entities.ts";
import { editorPart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";

// Shared by all tools that work on one asset.

const NAME_HINT = "Give a path or guid; list_assets finds them";

/** Returns the undo step of an answer, or a note that nothing changed. */
export function describeUndo(undo: number | null): object {
  return undo === null ? unlessChanged(false) : { undo };
}

/** Returns the authoring part of the editor, and the asset that a call names. */
export async function namedAsset(
  services: Services,
  tool: string,
  asset: string | undefined,
): Promise<Result<{ readonly authoring: AssetAuthoring; readonly asset: Asset }, Problem>> {
  const authoring = editorPart(services, "authoring");
  if (!authoring.ok) return authoring;
  if (asset === undefined) return refuseMissing(tool, "asset", NAME_HINT);
  const found = resolveAsset(await services.editor.assets(), asset);
  return found.ok ? ok({ authoring: authoring.value, asset: found.value }) : found;
}
