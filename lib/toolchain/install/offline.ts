import { encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { ok, type Result } from "../../core/result.ts";
import { joinPath, lastSegment, parentPath } from "../host-paths.ts";
import { type Artifact, PACKAGE_IDS, type Pins, type PlatformKey } from "../pins.ts";
import { type ArtifactContext, artifactFile, getArtifact } from "./artifacts.ts";
import { verifyFile } from "./download.ts";
import { extract } from "./extract.ts";
import { failInstall, fileFailure, type InstallFailure } from "./failure.ts";
import { inFolder } from "./receipt.ts";

// The pinned downloads as a folder or an archive, for machines without a network. They are checked
// by the same hashes as what comes from the network: where a file comes from does not matter.

/** What was exported or imported, by file name. */
export interface BundleReport {
  readonly files: readonly string[];
  readonly bytes: number;
  /** Files that are no pinned download, or not what they are named. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
}

/** Every pinned download, or those of one platform; each once. */
export function pinnedArtifacts(pins: Pins, key?: PlatformKey): Artifact[] {
  const all = new Map<string, Artifact>();
  for (const id of PACKAGE_IDS) {
    for (const [platform, pin] of Object.entries(pins[id])) {
      if (key !== undefined && platform !== key) continue;
      for (const artifact of pin.artifacts) all.set(artifact.url, artifact);
    }
  }
  return [...all.values()];
}

/** Gets every pinned download of a platform and copies it into a folder. */
export async function exportFolder(
  to: string,
  { artifacts, ...context }: ArtifactContext & { readonly artifacts: readonly Artifact[] },
): Promise<Result<BundleReport, InstallFailure>> {
  const { files, host, progress } = context;
  const done: string[] = [];
  let bytes = 0;
  try {
    await files.makeDirectory(to);
    for (const artifact of artifacts) {
      const target = joinPath(to, artifact.file, host.platform);
      const there = await files.stat(target) !== null &&
        (await verifyFile(target, artifact, context)).ok;
      if (!there) {
        const got = await getArtifact(artifact, context);
        if (!got.ok) return got;
        await files.copy(got.value, target);
      }
      bytes += (await files.stat(target))?.size ?? 0;
      done.push(artifact.file);
      progress.log(`${artifact.file} is in the bundle`);
    }
    const list = artifacts.map(({ name, file, url, sha256, sha1 }) => ({
      name,
      file,
      url,
      sha256,
      sha1,
    }));
    const text = `${JSON.stringify({ schema: 1, artifacts: list }, null, 2)}\n`;
    await files.writeAtomic(joinPath(to, "bundle.json", host.platform), encodeUtf8(text));
    return ok({ files: done, bytes, refused: [] });
  } catch (thrown) {
    return fileFailure(thrown, `export to ${to}`);
  }
}

/**
 * Takes pinned downloads from a folder, a `.tar.gz` or `.zip` of such a folder, or a single file of
 * any name ("install from file"); the next installation finds them and asks no server.
 */
export async function importFrom(
  from: string,
  { artifacts, ...context }: ArtifactContext & { readonly artifacts: readonly Artifact[] },
): Promise<Result<BundleReport, InstallFailure>> {
  const { files } = context;
  try {
    const stat = await files.stat(from);
    if (stat === null) {
      return failInstall(
        "io",
        `Cannot import ${from}: nothing is there`,
        "Name a folder or a file",
      );
    }
    if (stat.kind === "directory") return await importFolder(from, { ...context, artifacts });
    const single = await importFile(from, { ...context, artifacts });
    const name = lastSegment(from, context.host.platform);
    const isBundle = /\.(?:tar\.gz|tgz|zip)$/i.test(name) &&
      !artifacts.some(({ file }) => file === name);
    if (single.ok || !isBundle) return single;
    return await importArchive(from, { ...context, artifacts });
  } catch (thrown) {
    return fileFailure(thrown, `import ${from}`);
  }
}

type ImportContext = ArtifactContext & { readonly artifacts: readonly Artifact[] };

async function importFolder(
  from: string,
  context: ImportContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { files, host } = context;
  const done: string[] = [];
  const refused: { file: string; reason: string }[] = [];
  let bytes = 0;
  for (const { name, kind } of (await files.list(from)) ?? []) {
    if (kind !== "file" || name === "bundle.json") continue;
    const one = await importFile(joinPath(from, name, host.platform), context);
    if (one.ok) {
      done.push(...one.value.files);
      bytes += one.value.bytes;
    } else refused.push({ file: name, reason: one.error.message });
  }
  return ok({ files: done, bytes, refused });
}

async function importFile(
  path: string,
  { artifacts, ...context }: ImportContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { files, host } = context;
  const name = lastSegment(path, host.platform);
  const named = artifacts.find(({ file }) => file === name);
  const size = (await files.stat(path))?.size ?? 0;
  const likely = named === undefined
    ? artifacts.filter(({ bytes }) => bytes === undefined || bytes === size)
    : [named];
  for (const artifact of likely) {
    const verified = await verifyFile(path, artifact, context);
    if (!verified.ok) {
      if (named !== undefined) return verified;
      continue;
    }
    const target = artifactFile(artifact, context);
    await files.makeDirectory(parentPath(target, host.platform));
    await files.copy(path, target);
    return ok({ files: [artifact.file], bytes: size, refused: [] });
  }
  return failInstall(
    "hash",
    `Cannot import ${path}: it is none of the ${artifacts.length} pinned downloads`,
    "Get the very file that is pinned: see 'toolchain.ts verify-pins' for their addresses",
  );
}

async function importArchive(
  archive: string,
  context: ImportContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { files, host, progress, signal } = context;
  const into = inFolder(`staging/import-${crypto.randomUUID()}`, context);
  const format = archive.toLowerCase().endsWith(".zip") ? "zip" : "tar.gz";
  try {
    await files.makeDirectory(into);
    const request = { archive, format, into, progress, signal } as const;
    const unpacked = await extract(request, { files, platform: host.platform });
    if (!unpacked.ok) return unpacked;
    const top = (await files.list(into)) ?? [];
    const [only] = top;
    const folder = top.length === 1 && only?.kind === "directory"
      ? joinPath(into, only.name, host.platform)
      : into;
    return await importFolder(folder, context);
  } finally {
    await files.remove(into).catch((thrown: unknown) => {
      if (!(thrown instanceof FileError)) throw thrown;
    });
  }
}
