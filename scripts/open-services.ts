import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { type Problem, refuse } from "../lib/core/problem.ts";
import type { Result } from "../lib/core/result.ts";
import type { Files } from "../lib/ports/files.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { openService, type Service, type ServiceSettings } from "../lib/service/mod.ts";
import { isRemote, packageRoot, packageVersion } from "./runtime.ts";

/** How often the removal of a folder is tried again at the exit, and after how many milliseconds. */
const REMOVAL_TRIES = 10;
const REMOVAL_WAIT_MS = 20;

/** How a project is opened. */
export interface OpeningSettings extends Omit<ServiceSettings, "runtime" | "version"> {
  /**
   * Told what is closed when the process ends, before anything is opened: an end that comes meanwhile
   * waits for the opening, whose files would else be written while they are removed.
   */
  readonly atEnd?: (close: () => Promise<void>) => void;
}

/** Opens a project with everything that its tools need. @param project The sample when absent. */
export async function openServices(
  runtime: Runtime,
  project: string | undefined,
  { atEnd, ...settings }: OpeningSettings = {},
): Promise<Result<Service, Problem>> {
  if (project === undefined && isRemote) {
    return refuse(
      404,
      "no-sample",
      "Cannot open the sample project: it is no part of what was loaded",
      "Name your project's folder, which may be empty, with --project",
    );
  }
  const files = removingAtExit(runtime.files);
  const opening = openService({
    ...settings,
    runtime: { ...runtime, files },
    project: project === undefined ? await sampleFolder(runtime) : resolve(project),
    version: packageVersion(),
  });
  atEnd?.(async () => {
    const opened = await opening;
    if (opened.ok) await opened.value.close();
  });
  return await opening;
}

/** A file system whose temporary folders go with the process, also those half made. */
function removingAtExit(files: Files): Files {
  const folders = new Set<string>();
  process.once("exit", () => {
    for (const folder of folders) removeNow(folder);
  });
  return {
    ...files,
    makeTemporaryDirectory(prefix) {
      // At once, so that no signal comes between the folder and the promise to remove it.
      const folder = mkdtempSync(join(tmpdir(), prefix));
      folders.add(folder);
      return Promise.resolve(folder);
    },
    async remove(path) {
      await files.remove(path);
      folders.delete(path);
    },
  };
}

/** Removes a folder, also while a thread still writes to it: Deno's `rmSync` knows no `maxRetries`. */
function removeNow(folder: string): void {
  for (let left = REMOVAL_TRIES;; left--) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (thrown) {
      if (left === 0) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_WAIT_MS);
    }
  }
}

/** The project to start with: beside the sources, or beside what was built from them. */
async function sampleFolder({ files }: Runtime): Promise<string> {
  const beside = join(packageRoot(), "lib/editor/sample");
  const found = await files.stat(beside);
  return found !== null ? beside : join(packageRoot(), "dist/lib/editor/sample");
}
