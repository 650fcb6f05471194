import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Services } from "../lib/agent/services.ts";
import { Jobs } from "../lib/core/jobs.ts";
import { isRecord } from "../lib/core/json.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { createUpdates, openProject } from "../lib/project/mod.ts";
import { createToolchain } from "../lib/toolchain/mod.ts";
import { loadSyncStat, packageRoot } from "./runtime.ts";

/** What the tools of one project work on, with its folder and its jobs. */
export interface OpenServices extends Services {
  readonly root: string;
  readonly jobs: Jobs;
}

/** Opens a project with everything that its tools need. @param project The sample when absent. */
export async function openServices(
  runtime: Runtime,
  project: string | undefined,
): Promise<Result<OpenServices, Failure>> {
  const root = project === undefined ? await sampleFolder(runtime) : resolve(project);
  const opened = await openProject({ ...runtime, root });
  if (!opened.ok) return fail(opened.error.code, opened.error.detail, opened.error.hint);
  const { config, editor } = opened.value;
  const { clock } = runtime;
  const syncStat = await loadSyncStat();
  const toolchain = createToolchain({ ...runtime, syncStat });
  const overrides = config.user?.sdk;
  const jobs = new Jobs({ now: () => clock.monotonic() });
  return ok({
    root,
    editor,
    jobs,
    clock,
    toolchain: { status: () => toolchain.status({ overrides }) },
    updates: createUpdates({ ...runtime, syncStat, root, jobs }),
  });
}

/** The project to start with: beside the sources, or beside what was built from them. */
async function sampleFolder({ files }: Runtime): Promise<string> {
  const beside = join(packageRoot(), "lib/editor/sample");
  const found = await files.stat(beside);
  return found !== null ? beside : join(packageRoot(), "dist/lib/editor/sample");
}

/** The program's version. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return isRecord(manifest) ? String(manifest["version"]) : "0.0.0";
}
