import { attempt } from "../../core/attempt.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import type { Files } from "../../ports/files.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { addsPlatform } from "./capacitor-command.ts";
import { type PackageManager, runCommand } from "./package-manager.ts";
import type { ProjectLack } from "./project-lack.ts";

// The settings of an app may be a program (capacitor.config.ts), which only Capacitor evaluates: so it is
// asked for them.

/** Folders of an app, absolute, as its own Capacitor reports them. */
export interface AppFolders {
  /** The web build that Capacitor copies into the app. */
  readonly web: string;
  /** The copy inside the app. */
  readonly copy: string;
  /** The platform's own project. */
  readonly platform: string;
  /** The file of the settings, as a path below the project's folder. */
  readonly settings: string;
  /** The id of the app; empty if the settings have none. */
  readonly appId: string;
}

/** The arguments with which Capacitor reports its settings. */
export const REPORTS: readonly string[] = ["config", "--json"];

/**
 * Parses the folders of an app from the output of Capacitor. Settings that are a program may print lines
 * of their own before the report, and Yarn 1 prints its duration after it.
 *
 * @returns `null` if Capacitor did not report them.
 */
export function parseAppFolders(stdout: string, target: PhoneTarget): AppFolders | null {
  for (let at = stdout.indexOf("{"); at >= 0; at = stdout.indexOf("{", at + 1)) {
    if (at > 0 && stdout[at - 1] !== "\n") continue;
    const report = parseJson(stdout.slice(at, stdout.lastIndexOf("}") + 1));
    if (!isRecord(report)) continue;
    const { app, [target]: own } = report;
    if (!isRecord(app) || !isRecord(own)) return null;
    const { webDirAbs: web, extConfigName: settings, appId } = app;
    const { webDirAbs: copy, platformDirAbs: platform } = own;
    return typeof web === "string" && typeof copy === "string" && typeof platform === "string"
      ? {
        ...{ web, copy, platform },
        settings: typeof settings === "string" ? settings : "its settings",
        appId: typeof appId === "string" ? appId : "",
      }
      : null;
  }
  return null;
}

/** Facts by which an app's folders are judged. */
interface Judged {
  readonly target: PhoneTarget;
  readonly steps: readonly Command[];
  readonly manager: PackageManager;
  /** The out folder of the web build: its setting, and its absolute path. */
  readonly out: { readonly setting: string; readonly path: string };
}

/**
 * Finds what an app lacks by the settings that Capacitor reports: the web build's folder, and the
 * platform's own project.
 */
export async function lacksByReport(
  files: Pick<Files, "realPath">,
  { web, platform, settings }: AppFolders,
  { target, steps, manager, out }: Judged,
): Promise<readonly ProjectLack[]> {
  const lacks: ProjectLack[] = [];
  if (await comparablePath(files, web) !== await comparablePath(files, out.path)) {
    lacks.push({
      name: settings,
      reason: `Capacitor copies ${web} into the app, expected ${out.path}: the web build's folder`,
      fix: `Set webDir to ${JSON.stringify(out.setting)} in ${settings}`,
    });
  }
  const isAdded = steps.some((step) => addsPlatform(step, target));
  const found = await attempt(() => files.realPath(platform));
  if (!isAdded && found.ok && found.value === null) {
    lacks.push({
      name: platform,
      reason: `the folder of the ${target} app is not there`,
      fix: runCommand(manager, ["cap", "add", target]).join(" "),
    });
  }
  return lacks;
}

/** Returns a path with `/` between its folders, and with its links resolved if it exists and can be read. */
export async function comparablePath(
  files: Pick<Files, "realPath">,
  path: string,
): Promise<string> {
  const real = await attempt(() => files.realPath(path));
  return (real.ok && real.value || path).replaceAll("\\", "/").replace(/(?<!\/)\/+$/, "");
}
