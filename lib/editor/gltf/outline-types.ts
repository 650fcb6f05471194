// Contents of a glTF file after reading and validation (`outline.ts`). Names are those of glTF 2.0
// §5; omitted members have their defaults.

/** Numbers per element of an accessor. */
export const ELEMENT_SIZES = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
} as const;

/** Bytes of a number, by glTF's code of its type. */
export const COMPONENT_BYTES = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
} as const;

/** glTF's code of a number's type. */
export type ComponentType = keyof typeof COMPONENT_BYTES;

/** The type of an accessor's elements. */
export type ElementType = keyof typeof ELEMENT_SIZES;

/** A thing of the tree. */
export interface NodeOutline {
  readonly name: string | undefined;
  readonly children: readonly number[];
  readonly mesh: number | undefined;
  readonly camera: number | undefined;
  readonly light: number | undefined;
  readonly skin: number | undefined;
  /** Of morph targets, overriding those of its mesh. */
  readonly weights: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
  /** A quaternion x, y, z, w. */
  readonly rotation: readonly number[] | undefined;
  readonly scale: readonly number[] | undefined;
  /** Column by column; instead of the three others. */
  readonly matrix: readonly number[] | undefined;
}

/** A drawable part of a mesh. */
export interface PrimitiveOutline {
  readonly position: number | undefined;
  readonly indices: number | undefined;
  readonly material: number | undefined;
  /** 4 is triangles, 5 a strip, 6 a fan; the others are points and lines. */
  readonly mode: number;
}

/** A mesh. */
export interface MeshOutline {
  readonly name: string | undefined;
  readonly primitives: readonly PrimitiveOutline[];
  /** The name of each morph target. */
  readonly targets: readonly string[];
  /** Default weights of its morph targets, for nodes without their own. */
  readonly weights: readonly number[] | undefined;
}

/** Equal for meshes that draw the same vertices. */
export function drawingKey({ primitives }: MeshOutline): string {
  return primitives.map(({ position, indices }) => `${position} ${indices}`).join();
}

/** Location of an accessor's numbers. */
export interface AccessorOutline {
  readonly bufferView: number | undefined;
  readonly byteOffset: number;
  readonly componentType: ComponentType;
  readonly normalized: boolean;
  readonly count: number;
  readonly type: ElementType;
  readonly min: readonly number[] | undefined;
  readonly max: readonly number[] | undefined;
  readonly sparse: SparseOutline | undefined;
  /** Its numbers are compressed by an extension: only `min`, `max` and `count` are known. */
  readonly compressed: boolean;
}

/** The exceptions of an accessor. */
export interface SparseOutline {
  readonly count: number;
  readonly indices: SparsePart & { readonly componentType: ComponentType };
  readonly values: SparsePart;
}

/** Location of the substituted numbers. */
export interface SparsePart {
  readonly bufferView: number;
  readonly byteOffset: number;
}

/** A picture. */
export interface ImageOutline {
  readonly name: string | undefined;
  readonly uri: string | undefined;
  readonly bufferView: number | undefined;
  readonly mimeType: string | undefined;
}

/** Bytes of a buffer. */
export interface BufferViewOutline {
  readonly buffer: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Bytes between the starts of elements; absent if they are contiguous. */
  readonly byteStride: number | undefined;
}

/** Bytes of the model. */
export interface BufferOutline {
  /** A relative path or a `data:` URI; absent for the binary chunk. */
  readonly uri: string | undefined;
  readonly byteLength: number;
  /** Has no bytes itself: an extension locates them. */
  readonly placeholder: boolean;
}

/** The joints that bend a mesh. */
export interface SkinOutline {
  readonly joints: readonly number[];
  /** Accessor of their matrices; identities if absent. */
  readonly inverseBindMatrices: number | undefined;
}

/** A property that an animation changes. */
export interface ChannelOutline {
  readonly node: number | undefined;
  readonly path: string;
  readonly input: number;
  readonly output: number;
  readonly interpolation: string;
}

/** An animation. */
export interface AnimationOutline {
  readonly name: string | undefined;
  readonly channels: readonly ChannelOutline[];
}

/** A surface, with pictures as places in the list of images. */
export interface MaterialOutline {
  readonly name: string | undefined;
  readonly baseColor: readonly number[];
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: readonly number[];
  readonly emissiveStrength: number;
  readonly normalScale: number;
  readonly occlusionStrength: number;
  readonly alphaMode: string;
  readonly alphaCutoff: number;
  readonly doubleSided: boolean;
  readonly unlit: boolean;
  readonly images: Readonly<Partial<Record<MaterialImage, number>>>;
}

/** The use of a picture on a surface. */
export type MaterialImage =
  | "texture"
  | "metallicRoughnessTexture"
  | "normalTexture"
  | "occlusionTexture"
  | "emissiveTexture";

/** A camera. */
export type CameraOutline =
  | {
    readonly kind: "perspective";
    /** Radians. */
    readonly yfov: number;
    readonly near: number;
    readonly far: number | undefined;
  }
  | {
    readonly kind: "orthographic";
    /** Half the height of the view. */
    readonly ymag: number;
    readonly near: number;
    readonly far: number | undefined;
  };

/** A light (KHR_lights_punctual). */
export interface LightOutline {
  readonly kind: "directional" | "point" | "spot";
  /** Linear red, green, blue. */
  readonly color: readonly number[];
  readonly intensity: number;
  readonly range: number | undefined;
  /** Half the opening of a spot, in radians. */
  readonly outerConeAngle: number;
}

/** A glTF file without the content of its buffers. */
export interface GltfOutline {
  readonly nodes: readonly NodeOutline[];
  /** The nodes at the top of the scene that is shown. */
  readonly roots: readonly number[];
  readonly scenes: number;
  readonly meshes: readonly MeshOutline[];
  readonly materials: readonly MaterialOutline[];
  readonly images: readonly ImageOutline[];
  readonly animations: readonly AnimationOutline[];
  readonly cameras: readonly CameraOutline[];
  readonly lights: readonly LightOutline[];
  readonly skins: readonly SkinOutline[];
  readonly accessors: readonly AccessorOutline[];
  readonly bufferViews: readonly BufferViewOutline[];
  readonly buffers: readonly BufferOutline[];
  readonly extensionsUsed: readonly string[];
  readonly extensionsRequired: readonly string[];
}
