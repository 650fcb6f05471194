// Assets, as a project has them.

/** An asset of the project (SCENE-5). */
export interface Asset {
  /** 36-character dashed UUID, from its sidecar. */
  readonly guid: string;
  /** Relative to the project, `/`-separated. */
  readonly path: string;
  /** Its file name without extension, or the name in its sidecar. */
  readonly name: string;
  /** Its type. */
  readonly type: AssetType;
  /** Bytes. */
  readonly size: number;
  /** Size of a picture by its file; absent if the file does not state it. */
  readonly pixels?: { readonly width: number; readonly height: number };
}

/** The type of an asset (SCENE-6). */
export type AssetType =
  | "font"
  | "mesh"
  | "texture"
  | "material"
  | "particle"
  | "prefab"
  | "scene"
  | "model"
  | "animation"
  | "environment"
  | "sprite"
  | "animset"
  | "audio"
  | "script"
  | "timeline";
