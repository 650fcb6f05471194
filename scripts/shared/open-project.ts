import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { err, fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { CONFIG_FILE, createProject, isModelFile, newSettings } from "../../lib/project/mod.ts";
import { openService, type Service, type ServiceSettings } from "../../lib/service/mod.ts";
import { failureOf } from "./cli.ts";
import type { CommandLine } from "./command-line.ts";
import { ownSample } from "./own-sample.ts";
import { isRemote, packageVersion } from "./runtime.ts";
import { removingAtExit } from "./temporary-folders.ts";

/** A project that is served. */
export interface OpenedProject {
  readonly service: Service;
  /** Why it is this project, if the command line does not say so. */
  readonly why?: string | undefined;
}

/** How a command line's project is served. */
export interface OpenProjectOptions extends Omit<ServiceSettings, "runtime" | "version"> {
  /**
   * Registers a function that closes the project at the end of the process, even while it is being
   * opened.
   */
  readonly atEnd: (close: () => Promise<void>) => void;
  /** Working folder of the script. */
  readonly cwd?: string;
}

/** Opens the project of a command line with everything that its tools need. */
export function openProjectService(
  line: CommandLine,
  runtime: Runtime,
  options: OpenProjectOptions,
): Promise<Result<OpenedProject, Failure>> {
  const opening = open(line, runtime, options);
  options.atEnd(async () => {
    const opened = await opening;
    if (opened.ok) await opened.value.service.close();
  });
  return opening;
}

async function open(
  line: CommandLine,
  runtime: Runtime,
  { atEnd: _, cwd = process.cwd(), ...settings }: OpenProjectOptions,
): Promise<Result<OpenedProject, Failure>> {
  const chosen = await chooseProject(line, runtime, cwd);
  if (!chosen.ok) return chosen;
  const { project, why } = chosen.value;
  const service = await openService({
    ...settings,
    runtime: { ...runtime, files: removingAtExit(runtime.files, runtime) },
    project,
    version: packageVersion(),
  });
  if (service.ok) return ok({ service: service.value, why });
  const failure = failureOf(service.error);
  return err(
    failure.code === "config-missing" ? { ...failure, next: howToBegin(project) } : failure,
  );
}

interface Chosen {
  /** Absolute. */
  readonly project: string;
  readonly why?: string;
}

async function chooseProject(
  { values, switches }: CommandLine,
  runtime: Runtime,
  cwd: string,
): Promise<Result<Chosen, Failure>> {
  const named = values["project"];
  const project = resolve(cwd, named ?? ".");
  if (switches["new"] === true) {
    if (isModelFile(project)) {
      return fail(
        "usage",
        `Cannot make a project in "${project}": found the name of a model, expected a folder`,
        "Leave --new out to open the model, or name a folder with --project",
      );
    }
    const made = await createProject(runtime.files, project);
    return made.ok ? ok({ project, why: "a new project" }) : err(failureOf(made.error));
  }
  if (named !== undefined) return ok({ project });
  if (existsSync(join(project, CONFIG_FILE))) {
    return ok({ project, why: "the project in this folder" });
  }
  if (isRemote) {
    return fail(
      "no-sample",
      "Cannot open the sample project: it is not part of what was loaded",
      "Name your project's folder, which may be empty, with --project",
    );
  }
  const sample = await ownSample(runtime);
  if (!sample.ok) return sample;
  const why = "your copy of the sample; --project or --new opens one of your own";
  return ok({ project: sample.value, why });
}

/** The next step in a folder that is not a project yet. */
function howToBegin(folder: string): string {
  const settings = JSON.stringify(newSettings(folder), null, 2);
  return `Add --new to make it a project, or write ${CONFIG_FILE} there:\n${settings}`;
}
