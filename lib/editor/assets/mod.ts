/** The assets of a project's folder, for who reads them without an editor. */
export { type ReachedAssets, reachedAssets } from "./reached-assets.ts";
