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
  /** Not unique. */
  readonly name: string;
  /** `null` at the top. */
  readonly parentId: number | null;
  /** What draws it. */
  readonly layer: Layer;
  /** Trait name to fields. */
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
  /** Factors along the axes. */
  readonly scale: Vec3;
}

/** A rectangle in viewport pixels; the origin is the top left corner. */
export interface Rect {
  /** Left edge. */
  readonly x: number;
  /** Top edge. */
  readonly y: number;
  /** Width. */
  readonly w: number;
  /** Height. */
  readonly h: number;
}

/** How one entity lies on the screen (CONTRACTS §2). */
export interface LayoutEntry {
  /** The entity. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** What draws it. */
  readonly layer: Layer;
  /** `null` when it has no place on the screen: behind the camera, or nothing to draw with. */
  readonly rect: Rect | null;
  /** Whether a part of it with an area lies in the viewport. */
  readonly onScreen: boolean;
  /** Drawn, but with no width or no height. */
  readonly zeroSize: boolean;
}

/** Two entities of one layer whose rectangles overlap; never an ancestor and its descendant. */
export interface OverlapPair {
  /** One entity; the smaller id. */
  readonly a: number;
  /** The other. */
  readonly b: number;
  /** The layer of both. */
  readonly layer: Layer;
}

/** The whole layout of the open scene. */
export interface Layout {
  /** Pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Every entity that is measured, in document order. */
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
  /** 36-character dashed UUID, from its sidecar. */
  readonly guid: string;
  /** Relative to the project, `/`-separated. */
  readonly path: string;
  /** Its file name without extension, or what its sidecar says. */
  readonly name: string;
  /** What it is. */
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
  /** What the field holds. */
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
  /** Its value where a scene says nothing. */
  readonly default: JsonValue;
  /** Inclusive. */
  readonly min?: number;
  /** Inclusive. */
  readonly max?: number;
  /** The accepted values of an `enum`, or the asset types of an `asset`. */
  readonly options?: readonly string[];
  /** What it does, in one sentence. */
  readonly doc: string;
}

/** One trait that entities can carry. */
export interface TraitSchema {
  /** Unique. */
  readonly name: string;
  /** A part of an entity, a mark on it, or one value for the whole scene. */
  readonly category: "component" | "tag" | "resource";
  /** What it does, in one sentence. */
  readonly doc: string;
  /** By field name. */
  readonly fields: Readonly<Record<string, FieldSchema>>;
}

/** One line of the console. */
export interface ConsoleEntry {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** How serious it is. */
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  /** One line, or several. */
  readonly text: string;
}

/** One thing that is wrong, or may be. */
export interface Finding {
  /** Stable, for programs: `off-screen`, `missing-asset`, `no-camera`, … */
  readonly code: string;
  /** Only an `error` makes a scene unhealthy. */
  readonly severity: "error" | "warning" | "info";
  /** How many times it was found. */
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
  /** Worst first. */
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
  /** The open scene, relative to the project. */
  readonly scenePath: string;
}

/** An editor as agents, routes and panels see it. */
export interface Editor {
  /** Which editor this is. */
  identity(): EditorIdentity;
  /** The open scene with all values. */
  sceneState(): Promise<SceneState>;
  /** By entity id; entities without a place in the world are absent. */
  worldTransforms(): Promise<ReadonlyMap<number, WorldTransform>>;
  /** How everything lies on the screen. */
  layoutBounds(options?: { readonly overlaps?: boolean }): Promise<Layout>;
  /** Every asset of the project, ordered by path. */
  assets(): Promise<readonly Asset[]>;
  /** Every trait, ordered by name. */
  traits(): Promise<readonly TraitSchema[]>;
  /** The console's whole ring, oldest first. */
  consoleEntries(): Promise<readonly ConsoleEntry[]>;
  /** What is wrong with the open scene. */
  diagnose(): Promise<Diagnosis>;
}
