import type { Bounds } from "../geometry/bounds.ts";
import type { FontMetrics } from "./font.ts";

/** The facts of an asset that layout needs. */
export interface AssetDetail {
  /** The size of an image. */
  readonly pixels?: { readonly width: number; readonly height: number };
  /** The box around a model, in metres. */
  readonly bounds?: Bounds;
  readonly font?: FontMetrics;
}

/** Details by the asset's guid; most assets have none. */
export type AssetDetails = ReadonlyMap<string, AssetDetail>;
