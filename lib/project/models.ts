import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { type ModelToolDependencies, type ModelToolId, runModelTool } from "./model-tools.ts";

/** How a model is made smaller. */
export interface OptimizeOptions {
  /** The share of triangles to aim for, above 0 and up to 1; all of them when absent. */
  readonly simplify?: number | undefined;
  /** Told which tool runs. */
  readonly onStep?: (label: string) => void;
  /** Kills the tool that runs. */
  readonly signal?: AbortSignal | undefined;
}

/** A model that was made smaller. */
export interface OptimizedModel {
  /** The whole model in one file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of the file it was made from, without what that refers to. */
  readonly before: number;
  /** Bytes of the new one. */
  readonly after: number;
}

/** Prepares models with the command-line tools of the toolchain (spec §4.8, model import). */
export interface Models {
  /**
   * Removes what is double or unused, welds, resamples, and orders vertices for the graphics card;
   * nodes, materials and extras keep their names.
   *
   * @param file Absolute path of a `.glb` or `.gltf`; it is left as it is.
   * @returns 503 `tool-absent`, 422 `model-tool-failed`.
   */
  optimize(file: string, options?: OptimizeOptions): Promise<Result<OptimizedModel, Problem>>;
}

/** What {@linkcode createModels} is made of. */
export interface ModelsOptions extends ModelToolDependencies {
  /** The file system that the models lie on. */
  readonly files: Pick<Files, "makeTemporaryDirectory" | "read" | "remove" | "stat">;
  /** The project's folder: what it brings itself counts in development. */
  readonly root: string;
}

/** The largest model that is read back, in bytes. */
const MAX_MODEL_BYTES = 512 * 1024 * 1024;

// gltf-transform: nothing that the importer could not read (no compression), and no step that takes
// the scene apart, since nodes become entities.
const TRANSFORM = [
  ["--compress", "false"],
  ["--texture-compress", "false"],
  ["--simplify", "false"],
  ["--flatten", "false"],
  ["--join", "false"],
  ["--instance", "false"],
  ["--palette", "false"],
].flat();

/** gltfpack: floats as they are, named nodes and materials and extras kept, animations exact. */
const PACK = ["-noq", "-kn", "-km", "-ke", "-kv", "-af", "0"];

/** The models of one project. */
export function createModels(options: ModelsOptions): Models {
  const { files, root } = options;
  return {
    async optimize(file, { simplify, onStep, signal } = {}) {
      const folder = await files.makeTemporaryDirectory("slipway-model-");
      try {
        const [cleaned, packed] = [`${folder}/cleaned.glb`, `${folder}/packed.glb`];
        const ratio = simplify === undefined ? [] : ["-si", String(simplify)];
        const steps: readonly (readonly [ModelToolId, readonly string[]])[] = [
          ["gltf-transform-cli", ["optimize", file, cleaned, ...TRANSFORM]],
          ["gltfpack", ["-i", cleaned, "-o", packed, ...PACK, ...ratio]],
        ];
        for (const [id, args] of steps) {
          onStep?.(id);
          const run = await runModelTool(options, { id, args, cwd: root, signal });
          if (!run.ok) return run;
        }
        const before = (await files.stat(file))?.size ?? 0;
        const bytes = await files.read(packed, MAX_MODEL_BYTES);
        if (bytes === null) throw new TypeError(`gltfpack exited 0 and left no ${packed}`);
        return ok({ bytes, before, after: bytes.length });
      } finally {
        await files.remove(folder);
      }
    },
  };
}
