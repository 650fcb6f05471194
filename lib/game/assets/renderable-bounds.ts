import type { AssetDetails } from "./details.ts";
import type { Bounds } from "../geometry/bounds.ts";
import type { TraitFields } from "../types/mod.ts";
import { PRIMITIVE_BOUNDS } from "../geometry/primitive-bounds.ts";
import { textOr } from "../traits/value.ts";

/** Returns the box around a Renderable3D in its own space; `undefined` if unknown. */
export function renderableBounds(
  renderable: TraitFields,
  details: AssetDetails,
): Bounds | undefined {
  const mesh = textOr(renderable["mesh"]);
  return mesh === "model"
    ? details.get(textOr(renderable["model"]))?.bounds
    : PRIMITIVE_BOUNDS[mesh];
}
