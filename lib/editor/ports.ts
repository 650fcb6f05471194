import type { JsonValue } from "../core/json.ts";

// What an editor is to everything above it. The embedded editor implements this, and so does a
// foreign one that brings its own scene, assets and journals. Producers return everything they
// have, at full precision, whoever asks: summaries, limits and rounding belong to the agent
// boundary (spec §1 rule 1). They are asynchronous because a foreign editor may live in another
// process.

/** Which camera or layout system draws an entity. */
export type Layer = "3d" | "2d" | "ui";

/** The fields of one trait on one entity, by field name. */
export type TraitFields = Readonly<Record<string, JsonValue>>;

/** One entity of the open scene, with all of its values. */
export interface Entity {
  /** Small, stable while the scene is open; never given to another entity. */
  readonly id: number;
  /** 36-character dashed UUID, kept in the scene file. */
  readonly guid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/** The open scene. */
export interface SceneState {
  /** Path of the scene file, relative to the project. */
  readonly scenePath: string;
  /** Grows by one with every edit. */
  readonly rev: number;
  /** In document order: every parent before its children. */
  readonly entities: readonly Entity[];
}

/** Three numbers: x, y, z. */
export type Vec3 = readonly [number, number, number];

/** Where an entity is once its ancestors are applied. */
export interface WorldTransform {
  /** Metres on the 3D layer, pixels on the others. */
  readonly position: Vec3;
  /** Euler angles, applied X then Y then Z, in degrees. */
  readonly rotation: Vec3;
  readonly scale: Vec3;
}

/** A rectangle in viewport pixels; the origin is the top left corner. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** How one entity lies on the screen (CONTRACTS §2). */
export interface LayoutEntry {
  readonly id: number;
  readonly name: string;
  readonly layer: Layer;
  /** `null` when it has no place on the screen: behind the camera, or nothing to draw with. */
  readonly rect: Rect | null;
  readonly onScreen: boolean;
  /** Drawn, but with no width or no height. */
  readonly zeroSize: boolean;
}

/** Two entities of one layer whose rectangles overlap; never an ancestor and its descendant. */
export interface OverlapPair {
  readonly a: number;
  readonly b: number;
  readonly layer: Layer;
}

/** The whole layout of the open scene. */
export interface Layout {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly entries: readonly LayoutEntry[];
  /** Ids of the measured entities that are not on the screen. */
  readonly offScreen: readonly number[];
  /** Always counted. */
  readonly overlapsCount: number;
  /** Listed only when asked for: the list can be quadratic, the count is not. */
  readonly overlaps?: readonly OverlapPair[];
}

/** One asset of the project (CONTRACTS §2). */
export interface Asset {
  readonly guid: string;
  /** Relative to the project, `/`-separated. */
  readonly path: string;
  readonly name: string;
  readonly type: AssetType;
  /** Bytes. */
  readonly size: number;
}

/** What an asset is (spec §2.3). */
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
  | "script";

/** One field of a trait. */
export interface FieldSchema {
  readonly type:
    | "number"
    | "integer"
    | "boolean"
    | "string"
    | "color"
    | "enum"
    | "asset"
    | "entity";
  /** `m`, `deg`, `px`, `s`, …; absent for a plain number. */
  readonly unit?: string;
  readonly default: JsonValue;
  readonly min?: number;
  readonly max?: number;
  /** The accepted values of an `enum`, or the asset types of an `asset`. */
  readonly options?: readonly string[];
  readonly doc: string;
}

/** One trait that entities can carry. */
export interface TraitSchema {
  readonly name: string;
  readonly category: "component" | "tag" | "resource";
  readonly doc: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
}

/** One line of the console. */
export interface ConsoleEntry {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  readonly text: string;
}

/** One thing that is wrong, or may be. */
export interface Finding {
  /** Stable, for programs: `off-screen`, `missing-asset`, `no-camera`, … */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly count: number;
  /** All entities concerned. */
  readonly ids: readonly number[];
  /** What to look at or to do. */
  readonly hint: string;
}

/** The health of the open scene. */
export interface Diagnosis {
  /** Whether nothing of severity `error` was found. */
  readonly ok: boolean;
  /** One sentence. */
  readonly summary: string;
  readonly findings: readonly Finding[];
}

/** Which editor answers: told with every answer, so that an agent never drives the wrong one. */
export interface EditorIdentity {
  /** The product, for example `slipway`. */
  readonly editor: string;
  /** Name of the open project. */
  readonly project: string;
  /** Its folder. */
  readonly root: string;
  readonly scenePath: string;
}

/** An editor as agents, routes and panels see it. */
export interface Editor {
  identity(): EditorIdentity;
  sceneState(): Promise<SceneState>;
  /** By entity id; entities without a place in the world are absent. */
  worldTransforms(): Promise<ReadonlyMap<number, WorldTransform>>;
  layoutBounds(options?: { readonly overlaps?: boolean }): Promise<Layout>;
  assets(): Promise<readonly Asset[]>;
  traits(): Promise<readonly TraitSchema[]>;
  /** The console's whole ring, oldest first. */
  consoleEntries(): Promise<readonly ConsoleEntry[]>;
  diagnose(): Promise<Diagnosis>;
}
