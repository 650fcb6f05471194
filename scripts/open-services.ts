import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Instance } from "../lib/agent/answer/identity.ts";
import type { Services, ToolchainProducer } from "../lib/agent/declaration/services.ts";
import { Jobs } from "../lib/core/jobs.ts";
import { type Problem, refuse } from "../lib/core/problem.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import {
  createBuilds,
  createInstalls,
  createModels,
  createProjectSettings,
  createUpdates,
  isModelFile,
  type ModelProject,
  neededTools,
  openModelProject,
  openProject,
  readProjectConfig,
} from "../lib/project/mod.ts";
import {
  createToolchain,
  type DescribeOptions,
  type LookOptions,
  type Toolchain,
} from "../lib/toolchain/mod.ts";
import { isRemote, packageRoot } from "./runtime.ts";

/** What the tools of one project work on, with its folder and its jobs. */
export interface OpenServices extends Services {
  readonly root: string;
  readonly jobs: Jobs;
  readonly instance: () => Instance;
  /** Tells the banner where the service is reached. */
  readonly servedAt: (port: number) => void;
  /** Ends what runs by itself: a playing game. */
  readonly close: () => Promise<void>;
}

/** Opens a project with everything that its tools need. @param project The sample when absent. */
export async function openServices(
  runtime: Runtime,
  project: string | undefined,
): Promise<Result<OpenServices, Failure>> {
  const opened = project !== undefined && isModelFile(project)
    ? await openModel(runtime, resolve(project))
    : await openFolder(runtime, project);
  if (!opened.ok) return fail(opened.error.code, opened.error.detail, opened.error.hint);
  const { editor, root, fresh } = opened.value;
  const { clock } = runtime;
  const toolchain = createToolchain({ ...runtime, project: root });
  const jobs = new Jobs({ now: () => clock.monotonic() });
  let instance: Instance = { id: crypto.randomUUID().slice(0, 8), pid: process.pid };
  return ok({
    instance: () => instance,
    servedAt(port) {
      instance = { ...instance, port };
    },
    close: () => editor.close(),
    root,
    editor,
    jobs,
    clock,
    toolchain: createAgentToolchain(toolchain, async () => {
      const now = await readProjectConfig(runtime.files, root);
      return now.ok ? await neededTools(runtime.files, root, now.value) : {};
    }),
    installs: createInstalls({ toolchain, jobs, clock }),
    project: createProjectSettings({ ...runtime, root, editor, fresh }),
    updates: createUpdates({ ...runtime, toolchain, root, jobs }),
    models: createModels({ ...runtime, toolchain, root }),
    builds: createBuilds({ ...runtime, toolchain, root, jobs }),
  });
}

/**
 * A toolchain, as agents see it.
 *
 * @param needed How the project's builds look for tools, asked at every call as a build does: what is
 * told here must be what a build finds.
 */
export function createAgentToolchain(
  toolchain: Toolchain,
  needed: () => Promise<LookOptions & DescribeOptions> = () => Promise.resolve({}),
): ToolchainProducer {
  return {
    status: async (signal) => toolchain.status({ ...await needed(), signal }),
    guide: (id) => toolchain.guide(id),
    licences: (id) => toolchain.licences(id),
    preflight: async (target, signal) => toolchain.preflight(target, { ...await needed(), signal }),
    async allowSystem(on) {
      const saved = await toolchain.setAllowSystem(on);
      if (saved.ok) {
        return ok({ allowSystemToolchain: await toolchain.systemToolchainAllowed(), saved: on });
      }
      const { code, message, next } = saved.error;
      return refuse(422, code, message, next ?? "See that the toolchain folder can be written");
    },
  };
}

async function openFolder(
  runtime: Runtime,
  project: string | undefined,
): Promise<Result<ModelProject, Problem>> {
  if (project === undefined && isRemote) {
    return refuse(
      404,
      "no-sample",
      "Cannot open the sample project: it is no part of what was loaded",
      "Name your project's folder, which may be empty, with --project",
    );
  }
  const root = project === undefined ? await sampleFolder(runtime) : resolve(project);
  const opened = await openProject({ ...runtime, root });
  return opened.ok ? ok({ ...opened.value, root }) : opened;
}

/** Opens a bare model; the folder that is made for it goes with the process, also one half made. */
function openModel(
  { files, ...runtime }: Runtime,
  file: string,
): Promise<Result<ModelProject, Problem>> {
  const makeTemporaryDirectory: typeof files.makeTemporaryDirectory = (prefix) => {
    // At once, so that no signal comes between the folder and the promise to remove it.
    const folder = mkdtempSync(join(tmpdir(), prefix));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    return Promise.resolve(folder);
  };
  return openModelProject({ ...runtime, files: { ...files, makeTemporaryDirectory }, file });
}

/** The project to start with: beside the sources, or beside what was built from them. */
async function sampleFolder({ files }: Runtime): Promise<string> {
  const beside = join(packageRoot(), "lib/editor/sample");
  const found = await files.stat(beside);
  return found !== null ? beside : join(packageRoot(), "dist/lib/editor/sample");
}
