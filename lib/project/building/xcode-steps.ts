import type { Files } from "../../ports/files.ts";
import type { Command } from "../config/config.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import { programName } from "./package-manager.ts";
import type { ProjectLack } from "./project-lack.ts";
import { folderPlace, isFile, isFolder } from "./plan/project-text.ts";

// Xcode builds a project or a workspace. CocoaPods puts the libraries of an app into a workspace next to
// its project, which alone does not build any more (Capacitor 6 and 7, and 8 where asked); the Swift
// package manager leaves the project alone (Capacitor 8).

/**
 * Returns the words by which xcodebuild is told what to build of a Capacitor app: a workspace where CocoaPods
 * makes one.
 *
 * @param folder The folder of the app for iOS, from the project's or absolute.
 */
export async function xcodeTarget(
  files: Files,
  root: string,
  folder = "ios",
): Promise<readonly ["-workspace" | "-project", string]> {
  const app = `${folder}/App/App`;
  return await hasPods(files, root, app)
    ? ["-workspace", `${app}.xcworkspace`]
    : ["-project", `${app}.xcodeproj`];
}

/**
 * Whether CocoaPods makes a workspace next to a project; the path has no ending. As for Capacitor, the
 * package of the Swift package manager excludes it: a workspace next to that is left over, or the user's own.
 */
async function hasPods(files: Files, root: string, app: string): Promise<boolean> {
  const path = folderPlace(root, app);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  if (await isFolder(files, `${folder}CapApp-SPM`)) return false;
  return await isFile(files, `${folder}Podfile`) ||
    await isFolder(files, `${path}.xcworkspace`);
}

/** Finds steps by which xcodebuild builds the project where there is a workspace, or the other way (TOOL-17). */
export async function xcodeLacks(
  files: Files,
  root: string,
  steps: readonly Command[],
): Promise<readonly ProjectLack[]> {
  const lacks = await Promise.all(steps.map(async (step, index): Promise<ProjectLack | null> => {
    if (programName(step[0]) !== "xcodebuild") return null;
    const at = step.findIndex((word) => word === "-project" || word === "-workspace");
    const [, app, ending] = /^([\w./ -]+)\.(xcodeproj|xcworkspace)$/.exec(step[at + 1] ?? "") ?? [];
    // Windows would log in at the server of a network path.
    if (at < 0 || app === undefined || isNetworkPath(app)) return null;
    const place = folderPlace(root, app);
    if (!await isFolder(files, `${place}.xcodeproj`)) return null;
    const pods = await hasPods(files, root, app);
    const isProject = ending === "xcodeproj";
    if (pods !== isProject) return null;
    if (!isProject && await isFile(files, `${place}.xcworkspace/contents.xcworkspacedata`)) {
      return null; // the user's own
    }
    return {
      name: `build.ios.steps[${index}]`,
      reason: isProject
        ? `it builds ${app}.xcodeproj without the libraries of CocoaPods, which are in the workspace`
        : `it builds ${app}.xcworkspace, which nothing makes: there is no Podfile`,
      fix: isProject
        ? `Write -workspace ${app}.xcworkspace in place of -project ${app}.xcodeproj there`
        : `Write -project ${app}.xcodeproj in place of -workspace ${app}.xcworkspace there`,
    };
  }));
  return lacks.filter((lack) => lack !== null);
}
