import { escapeInvisible } from "../../core/invisible.ts";
import type { ProjectConfig } from "../config/config.ts";

/** The programs that a call would run on this machine, shown before any of them is run. */
export interface RunPlan {
  /** Nothing was run. */
  readonly dryRun: true;
  /** The folder in which the commands run: the project's, absolute. */
  readonly folder: string;
  /** The commands in order, each behind the setting or the tool that it comes from. */
  readonly runs: readonly string[];
  /** The folder that is emptied first: `build.web.out`. */
  readonly empties?: string;
  /** Reads outside the project: the name of a key, addresses. */
  readonly reads?: readonly string[];
  /** Writes outside the project. */
  readonly writes?: readonly string[];
}

/** Settings that name commands. */
export type CommandSetting = "build.web.command" | "build.android.steps" | "build.ios.steps";

/**
 * Shows a setting with the commands that it names, as `set_project_settings` does; a character that
 * changes how the others are shown is written out.
 */
export function shownSetting(
  setting: CommandSetting,
  { build }: Pick<ProjectConfig, "build">,
): string {
  const value = setting === "build.web.command"
    ? build.web.command ?? []
    : build[setting === "build.android.steps" ? "android" : "ios"]?.steps ?? [];
  return `${setting}: ${escapeInvisible(JSON.stringify(value))}`;
}

/** The command of the web build, as a plan shows it; empty if Slipway builds the game itself. */
export function webRuns(config: Pick<ProjectConfig, "build">): readonly string[] {
  return config.build.web.command === undefined ? [] : [shownSetting("build.web.command", config)];
}
