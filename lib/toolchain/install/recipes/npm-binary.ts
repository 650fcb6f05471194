import { ok, type Result } from "../../../core/result.ts";
import { joinPath } from "../../host-paths.ts";
import { fileFailure, type InstallFailure } from "../failure.ts";
import { type BuildContext, type Built, programSuffix, type Recipe } from "../recipe.ts";
import { unpack } from "../steps.ts";

/** A program that an npm package carries: npm fetches the archive, its hash is ours to check. */
export function npmBinaryRecipe(id: "ffmpeg" | "ffprobe"): Recipe {
  return {
    id,
    title: id,
    version: VERSIONS[id],
    tools: [id],
    licences: [id],
    folders: [id],
    runs: ["npm pack --ignore-scripts"],
    needsNpm: true,
    before: [],
    triesTwice: true,
    build: (context) => build(id, context),
  };
}

/** Of the packages that carry the programs on every platform. */
const VERSIONS = { ffmpeg: "1.1.0", ffprobe: "2.1.2" } as const;

async function build(
  id: keyof typeof VERSIONS,
  context: BuildContext,
): Promise<Result<Built, InstallFailure>> {
  const { platform } = context.host;
  const folder = `${id}/${VERSIONS[id]}`;
  for (const artifact of context.pin.artifacts) {
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    const unpacked = await unpack(archive.value, { into: folder, strip: 1 }, context);
    if (!unpacked.ok) return unpacked;
  }
  const program = `${folder}/${id}${programSuffix(platform)}`;
  const path = joinPath(context.staging, program, platform);
  try {
    // The packages leave this to a script of theirs, and no script is run.
    if ((await context.files.stat(path)) !== null) await context.files.setMode(path, 0o755);
  } catch (thrown) {
    return fileFailure(thrown, `make ${id} executable`);
  }
  return ok({ places: [id], entries: [program] });
}
