/**
 * Finding programs on a machine and running them.
 *
 * @module
 */
export { scrubbedEnvironment, withFolders } from "./environment.ts";
export {
  executableAt,
  isNoProgram,
  mayBeTranslated,
  mismatchOf,
  otherMachine,
  otherSystem,
} from "./executable.ts";
export { type HostPaths, hostPaths, isNetworkPath } from "./host-paths.ts";
export { isOnNoexec, NOEXEC } from "./mounts.ts";
export type { OutputStream } from "./output-lines.ts";
export { hostOutside, withoutStartersPrograms } from "./outside-path.ts";
export {
  howEnded,
  type ProgramEnd,
  type ProgramMachine,
  type RunOptions,
  runProgram,
  runStartable,
  startable,
} from "./run.ts";
export { type BehindShim, behindShim } from "./shim.ts";
export {
  isBatchFile,
  runnable,
  type Spawn,
  spawnable,
  type SpawnFailureCode,
  type SpawnOptions,
} from "./spawnable.ts";
export { reasonLine } from "./reason-line.ts";
export {
  type LookupOptions,
  pathFolders,
  programAt,
  programsIn,
  searchPath,
  whichSync,
} from "./which.ts";
