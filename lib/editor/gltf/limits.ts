const MIB = 1024 * 1024;

/**
 * Every bound of an import, in one table; all are inclusive. A file can claim any number at no
 * cost, so every number that determines a loop, an allocation or a written file is bounded here.
 */
export const MODEL_LIMITS = {
  /** Total bytes of the model's files. */
  modelBytes: 512 * MIB,
  /** The JSON of the model, with its data URIs, in bytes: it is parsed in one go. */
  jsonBytes: 64 * MIB,
  /** Chunks of a GLB. */
  chunks: 100,
  buffers: 1_000,
  bufferViews: 100_000,
  accessors: 100_000,
  images: 2_000,
  textures: 20_000,
  materials: 10_000,
  meshes: 20_000,
  /** Total of all meshes. */
  primitives: 100_000,
  /** Each node becomes an entity. */
  nodes: 100_000,
  /** Maximum nesting of nodes. */
  nodeDepth: 250,
  scenes: 1_000,
  cameras: 10_000,
  lights: 10_000,
  skins: 10_000,
  /** Total of all skins, counted once for each mesh that uses a skin. */
  joints: 500_000,
  animations: 2_000,
  /** Total of all animations; the same bound applies to samplers. */
  channels: 100_000,
  /** Names of extensions, used or required. */
  extensions: 256,
  /** The size of all accessors that are looked at, in elements, each time that one is. */
  elements: 100_000_000,
  /** Blocks of vertices that boxes are put around, once for each node that shows them. */
  blocks: 20_000_000,
  /** Elements of accessors without bytes: zeros, which cost a file nothing to claim. */
  emptyElements: 1_000_000,
  /** Keys of all tracks together. */
  keys: 4_000_000,
  /** The JSON files that are made, in bytes together. */
  text: 256 * MIB,
  /** A single file; longer ones could not be read again (`MAX_PREFAB_BYTES`). */
  fileText: 64 * MIB,
  /** Maximum ratio of generated text to the model's size, beyond {@linkcode SMALL_TEXT}. */
  textGrowth: 64,
  /** Warnings that are listed; the others are counted. */
  warnings: 100,
} as const;

/** JSON that any model may produce, however small it is, in bytes. */
const SMALL_TEXT = 16 * MIB;

/** Returns the maximum JSON that a model of that many bytes may produce. */
export function textLimit(modelBytes: number): number {
  const grown = Math.max(SMALL_TEXT, modelBytes * MODEL_LIMITS.textGrowth);
  return Math.min(MODEL_LIMITS.text, grown);
}

/** A sentence of the size that was found, and of the bound. */
export function overLimit(what: string, found: number, most: number): string {
  return `${what}: found ${found}, expected at most ${most}`;
}
