import { ok, type Result } from "../../core/result.ts";
import { parentPath } from "../host-paths.ts";
import type { Artifact } from "../pins.ts";
import { download, verifyFile } from "./download.ts";
import { failInstall, fileFailure, type InstallFailure } from "./failure.ts";
import { inFolder } from "./receipt.ts";
import type { BuildContext } from "./recipe.ts";
import { isNpmArtifact, runNpm } from "./steps.ts";

/** What getting an artifact needs. */
export type ArtifactContext = Omit<BuildContext, "staging" | "pin" | "download"> & {
  readonly mirrors: Readonly<Record<string, string>>;
  /** Where the mirrors were set, for people. */
  readonly mirrorsSetBy: string;
};

/** Where an artifact is kept. */
export function artifactFile(
  { file }: Artifact,
  context: Pick<ArtifactContext, "toolchainDir" | "host">,
): string {
  return inFolder(`downloads/${file}`, context);
}

/** Gets an artifact, checked by its hashes; one that is there and right is not asked for again. */
export async function getArtifact(
  artifact: Artifact,
  context: ArtifactContext,
): Promise<Result<string, InstallFailure>> {
  const to = artifactFile(artifact, context);
  const { files, fetch, hashing, clock, mirrors, mirrorsSetBy, progress, signal } = context;
  try {
    await files.makeDirectory(parentPath(to, context.host.platform));
  } catch (thrown) {
    return fileFailure(thrown, `download ${artifact.name}`);
  }
  await context.onPhase?.("download");
  if (isNpmArtifact(artifact)) return await getByNpm(artifact, { ...context, to });
  const got = await download({ artifact, to, mirrors, mirrorsSetBy, progress, signal }, {
    fetch,
    files,
    hashing,
    clock,
  });
  return got.ok ? ok(got.value.path) : got;
}

async function getByNpm(
  artifact: Artifact,
  { to, ...context }: ArtifactContext & { readonly to: string },
): Promise<Result<string, InstallFailure>> {
  const { files, hashing, progress } = context;
  const folder = parentPath(to, context.host.platform);
  try {
    if ((await files.stat(to)) !== null) {
      if ((await verifyFile(to, artifact, { files, hashing })).ok) return ok(to);
      await files.remove(to);
    }
    const total = artifact.bytes ?? 0;
    progress.progress({ phase: "download", label: artifact.name, done: 0, total, unit: "bytes" });
    const cache = `downloads/npm/${artifact.file}`;
    const packed = await runNpm(["pack", artifact.url.slice("npm:".length)], {
      ...context,
      cache,
      cwd: folder,
      purpose: `download ${artifact.name} with npm`,
    });
    if (!packed.ok) return packed;
    if ((await files.stat(to)) === null) {
      return failInstall(
        "process",
        `Cannot download ${artifact.name}: npm ended without an error and left no ${artifact.file}`,
        "Install again",
      );
    }
    const verified = await verifyFile(to, artifact, { files, hashing });
    if (verified.ok) {
      await files.remove(inFolder(cache, context)).catch(() => undefined); // no use any more
      return ok(to);
    }
    await files.remove(to);
    return verified;
  } catch (thrown) {
    return fileFailure(thrown, `download ${artifact.name}`);
  }
}
