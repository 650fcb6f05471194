/** Finding programs on a machine and running them. */
export { HostPaths, hostPaths, isNetworkPath } from "./host-paths.ts";
export type { LookupOptions } from "./which.ts";
export { pathFolders, programAt, programsIn, searchPath, whichSync } from "./which.ts";
export { hostOutside, withoutStartersPrograms } from "./outside-path.ts";
export type { BehindShim, ShimContext } from "./shim.ts";
export { behindSdkManager, behindShim } from "./shim.ts";
export type { Spawn, SpawnFailureCode, SpawnOptions } from "./spawnable.ts";
export { isBatchFile, runnable, spawnable } from "./spawnable.ts";
export type { Executable, Machine, Misfit } from "./executable.ts";
export {
  executableAt,
  HEADER_BYTES,
  isNoProgram,
  misfitOf,
  otherMachine,
  otherSystem,
  readExecutable,
} from "./executable.ts";
export { isOnNoexec, NOEXEC } from "./mounts.ts";
