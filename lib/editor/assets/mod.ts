/** The assets of a project's folder, for callers without an editor. */
export { type AssetScan, scanAssets } from "./assets.ts";
export { everyAsset, type ReachedAssets, reachedAssets } from "./reached-assets.ts";
