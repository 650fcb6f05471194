import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Services } from "../lib/agent/services.ts";
import { isRecord } from "../lib/core/json.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { openProject } from "../lib/project/mod.ts";
import { createToolchain } from "../lib/toolchain/mod.ts";
import { loadSyncStat, packageRoot } from "./runtime.ts";

/** Opens a project with everything that its tools need. @param project The sample when absent. */
export async function openServices(
  runtime: Runtime,
  project: string | undefined,
): Promise<Result<Services & { readonly root: string }, Failure>> {
  const root = project === undefined ? await sampleFolder(runtime) : resolve(project);
  const opened = await openProject({ ...runtime, root });
  if (!opened.ok) return fail(opened.error.code, opened.error.detail, opened.error.hint);
  const { config, editor } = opened.value;
  const toolchain = createToolchain({ ...runtime, syncStat: await loadSyncStat() });
  const overrides = config.user?.sdk;
  return ok({ root, editor, toolchain: { status: () => toolchain.status({ overrides }) } });
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
