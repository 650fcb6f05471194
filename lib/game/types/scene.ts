import type { JsonValue } from "../../core/json.ts";

// The values of a scene.

/** The camera or layout system that draws an entity. */
export type Layer = "3d" | "2d" | "ui";

/** The fields of one trait on one entity, by field name. */
export type TraitFields = Readonly<Record<string, JsonValue>>;

/** An entity of the open scene, with all of its values. */
export interface Entity {
  /** Small, stable while the scene is open; never given to another entity. */
  readonly id: number;
  /** 36-character dashed UUID, stored in the scene file. */
  readonly guid: string;
  /** Not unique. */
  readonly name: string;
  /** `null` at the top. */
  readonly parentId: number | null;
  /** The layer that draws it. */
  readonly layer: Layer;
  /** Trait name to fields. */
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/** Three numbers: x, y, z. */
export type Vec3 = readonly [number, number, number];

/** Position, rotation and scale of an entity with its ancestors applied. */
export interface WorldTransform {
  /** Metres on the 3D layer, pixels on the others. */
  readonly position: Vec3;
  /** Euler angles, applied X then Y then Z, in degrees. */
  readonly rotation: Vec3;
  /** Factors along the axes. */
  readonly scale: Vec3;
}

/** A box along the world's axes. */
export interface WorldBounds {
  /** The corner with the smallest coordinates. */
  readonly min: Vec3;
  /** The corner with the largest. */
  readonly max: Vec3;
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

/** Screen position of an entity (SCENE-4). */
export interface LayoutEntry {
  /** The entity. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** The layer that draws it. */
  readonly layer: Layer;
  /** `null` without a screen position: behind the camera, or nothing to draw. */
  readonly rect: Rect | null;
  /** Whether a part of it with an area is in the viewport. */
  readonly onScreen: boolean;
  /** Drawn, but with no width or no height. */
  readonly zeroSize: boolean;
}

/** Two entities of one layer whose rectangles overlap; never an ancestor and its descendant. */
export interface OverlapPair {
  /** The entity with the smaller id. */
  readonly a: number;
  /** The other. */
  readonly b: number;
  /** The layer of both. */
  readonly layer: Layer;
}

/** Query for overlapping pairs; all given conditions must hold. */
export interface OverlapQuery {
  /** Pairs of this layer. */
  readonly layer?: Layer | undefined;
  /** Pairs that have at least one of these entities. */
  readonly ids?: readonly number[] | undefined;
  /** Maximum number of pairs; all when absent. */
  readonly limit?: number | undefined;
}

/** The size of the picture, in pixels. */
export interface Viewport {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/** The measured entities and their screen positions. */
export interface ScreenLayout {
  /** Pixels. */
  readonly viewport: Viewport;
  /** Every entity that is measured, in document order. */
  readonly entries: readonly LayoutEntry[];
}

/** The complete layout of the open scene. */
export interface Layout extends ScreenLayout {
  /** Ids of the measured entities that are not on the screen. */
  readonly offScreen: readonly number[];
  /** Always counted. */
  readonly overlapsCount: number;
  /** Listed only on request: the list can be quadratic, the count is not. */
  readonly overlaps?: readonly OverlapPair[];
  /** Total pairs that match the query, if `overlaps` is cut. */
  readonly overlapsMatched?: number;
}

/** A field of a trait. */
export interface FieldSchema {
  /** The type of its values. */
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
  /** Its value if a scene does not set it. */
  readonly default: JsonValue;
  /** Inclusive. */
  readonly min?: number;
  /** Inclusive. */
  readonly max?: number;
  /** The accepted values of an `enum`, or the asset types of an `asset`. */
  readonly options?: readonly string[];
  /** Whether an `entity` field holds any number of guids, with a space between two. */
  readonly list?: boolean;
  /** Its effect, in one sentence. */
  readonly doc: string;
}

/** A trait of entities. */
export interface TraitSchema {
  /** Unique. */
  readonly name: string;
  /** A part of an entity, a mark on it, or a single value for the scene. */
  readonly category: "component" | "tag" | "resource";
  /** Its effect, in one sentence. */
  readonly doc: string;
  /** By field name. */
  readonly fields: Readonly<Record<string, FieldSchema>>;
}
