const MIB = 1024 * 1024;

/**
 * Every bound of an import, in one table; all are inclusive. What a file says costs nothing to say,
 * so each number that a loop, an allocation or a written file follows from is bounded here.
 */
export const MODEL_LIMITS = {
  /** All files of the model together, in bytes. */
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
  /** Of all meshes together. */
  primitives: 100_000,
  /** Each becomes an entity. */
  nodes: 100_000,
  /** How deep nodes lie in each other. */
  nodeDepth: 250,
  scenes: 1_000,
  cameras: 10_000,
  lights: 10_000,
  skins: 10_000,
  /** Of every skin, once for each mesh that wears it. */
  joints: 500_000,
  animations: 2_000,
  /** Of all animations together; samplers as well. */
  channels: 100_000,
  /** Names of extensions, used or required. */
  extensions: 256,
  /** The size of all accessors that are looked at, in elements, each time that one is. */
  elements: 100_000_000,
  /** Blocks of vertices that boxes are put around, once for each node that shows them. */
  blocks: 20_000_000,
  /** Of the elements, in accessors that have no bytes: zeros, which cost nothing to ask for. */
  emptyElements: 1_000_000,
  /** Keys of all tracks together. */
  keys: 4_000_000,
  /** The JSON files that are made, in bytes together. */
  text: 256 * MIB,
  /** One of them: no longer file is read again (`MAX_PREFAB_BYTES`). */
  fileText: 64 * MIB,
  /** How many times as long as the model they may be, from {@linkcode SMALL_TEXT} on. */
  textGrowth: 64,
  /** Warnings that are listed; the others are counted. */
  warnings: 100,
} as const;

/** JSON that any model may become, however small it is, in bytes. */
const SMALL_TEXT = 16 * MIB;

/** How much JSON a model of so many bytes may become. */
export function textLimit(modelBytes: number): number {
  const grown = Math.max(SMALL_TEXT, modelBytes * MODEL_LIMITS.textGrowth);
  return Math.min(MODEL_LIMITS.text, grown);
}

/** A sentence of the size that was found, and of the bound. */
export function overLimit(what: string, found: number, most: number): string {
  return `${what}: found ${found}, expected at most ${most}`;
}
