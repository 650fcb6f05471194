import type { AssetDetails } from "../../game/assets/mod.ts";
import type { Faces } from "./faces.ts";
import type { Images } from "./images.ts";
import type { Tints } from "./tints.ts";

/** Resources for drawing paints. */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly details: AssetDetails;
  readonly images: Images;
  readonly faces: Faces;
  readonly tints: Tints;
}
