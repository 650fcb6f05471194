export type { AssetDetail, AssetDetails } from "./details.ts";
export { parseFont } from "./font.ts";
export { renderableBounds } from "./renderable-bounds.ts";
