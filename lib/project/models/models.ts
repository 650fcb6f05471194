import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { attempt } from "../../core/attempt.ts";
import { MODEL_LIMITS } from "../../editor/mod.ts";
import type { Files } from "../../ports/files.ts";
import {
  answers,
  modelProgram,
  type ModelToolDependencies,
  type ModelToolId,
  runModelTool,
  shownRun,
} from "./model-tools.ts";
import type { RunPlan } from "../building/run-plan.ts";

/** Options of making a model smaller. */
export interface OptimizeOptions {
  /** The share of triangles to aim for, above 0 and up to 1; all of them when absent. */
  readonly simplify?: number | undefined;
  /**
   * Called with each tool before it runs; with the complete command if the program is the
   * project's.
   */
  readonly onStep?: (label: string) => void;
  /** Kills the tool that runs. */
  readonly signal?: AbortSignal | undefined;
}

/** A model that was made smaller. */
export interface OptimizedModel {
  /** The complete model in one file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of the source file, without the files it refers to. */
  readonly before: number;
  /** Bytes of the new one. */
  readonly after: number;
  /** The commands that ran programs of the project. */
  readonly ran: readonly string[];
}

/** Prepares models with the command-line tools of the toolchain (BUILD-7). */
export interface Models {
  /**
   * Removes duplicate and unused parts, welds, resamples, and orders vertices for the graphics
   * card; nodes, materials and extras keep their names.
   *
   * @param file Absolute path of a `.glb` or `.gltf`; stays unchanged.
   * @returns 503 `tool-absent`, 422 `model-tool-failed`.
   */
  optimize(file: string, options?: OptimizeOptions): Promise<Result<OptimizedModel, Problem>>;
  /**
   * Plans a preparation. Runs only tools of this machine, for their versions.
   *
   * @param file As it is to be shown.
   * @returns 503 `tool-absent`.
   */
  plan(
    file: string,
    options?: Pick<OptimizeOptions, "simplify">,
  ): Promise<Result<RunPlan, Problem>>;
}

/** The dependencies of {@linkcode createModels}. */
export interface ModelsOptions extends ModelToolDependencies {
  /** The file system that the models lie on. */
  readonly files: Pick<Files, "makeTemporaryDirectory" | "read" | "realPath" | "remove" | "stat">;
  /** The project's folder, whose own programs count in development. */
  readonly root: string;
}

// gltf-transform: no compression, which the importer could not read, and no step that restructures
// the scene, since nodes become entities.
const TRANSFORM = [
  ["--compress", "false"],
  ["--texture-compress", "false"],
  ["--simplify", "false"],
  ["--flatten", "false"],
  ["--join", "false"],
  ["--instance", "false"],
  ["--palette", "false"],
].flat();

/** gltfpack: floats unquantized, named nodes and materials and extras kept, animations exact. */
const PACK = ["-noq", "-kn", "-km", "-ke", "-kv", "-af", "0"];

/** The models of one project. */
export function createModels(given: ModelsOptions): Models {
  const { files, root } = given;
  const options = { ...given, project: root };
  return {
    async optimize(file, { simplify, onStep, signal } = {}) {
      const folder = await files.makeTemporaryDirectory("slipway-model-");
      try {
        const ran: string[] = [];
        for (const [id, args] of stepsOf(file, folder, simplify)) {
          const program = await modelProgram(options, id);
          if (!program.ok) return program;
          const { isOfProject } = program.value;
          const shown = shownRun(program.value, args);
          onStep?.(isOfProject ? `runs a program of the project: ${shown}` : id);
          const there = await answers(options, program.value, { cwd: root, signal });
          if (!there.ok) return there;
          const run = await runModelTool(options, program.value, { args, cwd: root, signal });
          if (!run.ok) return run;
          if (isOfProject) ran.push(shown);
        }
        const before = (await files.stat(file))?.size ?? 0;
        const packed = await attempt(() =>
          files.read(`${folder}/${PACKED}`, MODEL_LIMITS.modelBytes)
        );
        if (!packed.ok) return noModel(packed.error.message);
        if (packed.value === null) return noModel("it exited 0 without writing a file");
        return ok({ bytes: packed.value, before, after: packed.value.length, ran });
      } finally {
        await files.remove(folder);
      }
    },
    async plan(file, { simplify } = {}) {
      const runs: string[] = [];
      for (const [id, args] of stepsOf(file, "<temporary folder>", simplify)) {
        const program = await modelProgram(options, id);
        if (!program.ok) return program;
        runs.push(shownRun(program.value, args));
      }
      return ok({ dryRun: true, folder: root, runs });
    },
  };
}

const PACKED = "packed.glb";

function noModel(why: string): Result<never, Problem> {
  return refuse(
    422,
    "model-tool-failed",
    `gltfpack made no model that can be imported: ${why}`,
    "Check that gltfpack is a complete, current installation, or import the file without optimize",
  );
}

/** The tools in order, with their arguments. */
function stepsOf(
  file: string,
  folder: string,
  simplify: number | undefined,
): readonly (readonly [ModelToolId, readonly string[]])[] {
  const [cleaned, packed] = [`${folder}/cleaned.glb`, `${folder}/${PACKED}`];
  const ratio = simplify === undefined ? [] : ["-si", String(simplify)];
  return [
    ["gltf-transform-cli", ["optimize", file, cleaned, ...TRANSFORM]],
    ["gltfpack", ["-i", cleaned, "-o", packed, ...PACK, ...ratio]],
  ];
}
