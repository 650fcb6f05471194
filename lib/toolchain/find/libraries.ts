import type { Pin } from "../pins/pins.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { hostVariable } from "./places.ts";

// Libraries of the system that a pinned program needs and does not bring. A machine without a screen often
// lacks those for pictures, which would only show after the whole download.

/** The loader's list of libraries on Linux. Newer ones keep a name only as the end of a path. */
const CACHE = "/etc/ld.so.cache";
/** Maximum bytes of that list. */
const MAX_CACHE = 8 * 1024 * 1024;

/** The folder of libraries for programs that are not made for NixOS, unless NIX_LD_LIBRARY_PATH names others. */
const NIX_LD = "/run/current-system/sw/share/nix-ld/lib";

/** Folders in which the loader looks in addition to its list; on NixOS nix-ld takes the loader's place. */
function libraryFolders(deps: Pick<ToolchainDeps, "host">): readonly string[] {
  const triple = `${deps.host.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
  const named = (name: string) => hostVariable(name, deps)?.split(":") ?? [];
  const nix = named("NIX_LD_LIBRARY_PATH");
  return [
    ...[...named("LD_LIBRARY_PATH"), ...(nix.length > 0 ? nix : [NIX_LD])]
      .filter((folder) => folder.startsWith("/")),
    ...["/lib", "/usr/lib"].flatMap((folder) => [folder, `${folder}64`, `${folder}/${triple}`]),
    "/usr/local/lib",
  ];
}

/**
 * Finds the libraries of a pin that this machine lacks (TOOL-18). Empty if that cannot be known: the loader
 * has no list, and none of the usual folders exists.
 */
export async function missingLibraries(
  pin: Pin | null,
  deps: Pick<ToolchainDeps, "files" | "host" | "syncStat">,
): Promise<readonly string[]> {
  const { host, syncStat } = deps;
  const needed = pin?.libraries ?? [];
  const kindAt = (path: string) => {
    try {
      return syncStat(path).kind;
    } catch {
      return "missing"; // a port that breaks its promise: what cannot be seen is not there
    }
  };
  if (host.platform !== "linux" || needed.length === 0) return [];
  const folders = libraryFolders(deps).filter((folder) => kindAt(folder) === "directory");
  const cache = await listOfLoader(deps);
  if (cache === "" && folders.length === 0) return [];
  const isListed = (name: string) => ["\0", "/"].some((sign) => cache.includes(`${sign}${name}\0`));
  return needed.filter((name) =>
    !isListed(name) &&
    !folders.some((folder) => kindAt(`${folder}/${name}`) === "file")
  );
}

async function listOfLoader({ files }: Pick<ToolchainDeps, "files">): Promise<string> {
  try {
    const bytes = await files.read(CACHE, MAX_CACHE);
    return bytes === null ? "" : new TextDecoder("latin1").decode(bytes);
  } catch {
    return ""; // the folders alone decide
  }
}

/** Names libraries that are missing, as the end of a sentence. */
export function needsLibraries(names: readonly string[]): string {
  return `needs ${names.join(" and ")}, which this system does not have`;
}
