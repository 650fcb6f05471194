/** The files of a project's folder, for callers without an editor. */
export {
  type OpenedFile,
  openProjectFile,
  readInside,
  readProjectFile,
  resolvedIn,
  unwritable,
  writeProjectFile,
} from "./project-files.ts";
export { checkNewProjectPath, checkProjectPath } from "./project-path.ts";
