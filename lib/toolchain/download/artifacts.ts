import { ok, type Result } from "../../core/result.ts";
import type { Artifact } from "../pins/pins.ts";
import { fileFailure, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { InstallProgress } from "../work/progress.ts";
import { download } from "./download.ts";

/** Dependencies of getting an artifact. */
export interface ArtifactContext
  extends Pick<ToolchainDeps, "files" | "fetch" | "hashing" | "clock" | "host"> {
  readonly folder: ToolchainFolder;
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  readonly mirrors: Readonly<Record<string, string>>;
  /** Name of the setting of the mirrors, for people. */
  readonly mirrorsSetBy: string;
}

/** Returns the path of an artifact in `downloads`. */
export function artifactFile({ file }: Artifact, folder: ToolchainFolder): string {
  return folder.at(`downloads/${file}`);
}

/** Gets an artifact, checked by its hashes; one that is there and right is not asked for again. */
export async function getArtifact(
  artifact: Artifact,
  context: ArtifactContext,
): Promise<Result<string, InstallFailure>> {
  const to = artifactFile(artifact, context.folder);
  const { files, fetch, hashing, clock, mirrors, mirrorsSetBy, progress, signal } = context;
  try {
    await files.makeDirectory(context.folder.paths.parent(to));
  } catch (thrown) {
    return fileFailure(thrown, `download ${artifact.name}`);
  }
  const got = await download({ artifact, to, mirrors, mirrorsSetBy, progress, signal }, {
    fetch,
    files,
    hashing,
    clock,
  });
  return got.ok ? ok(got.value.path) : got;
}
