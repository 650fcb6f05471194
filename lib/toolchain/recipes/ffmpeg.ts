import { programSuffix } from "../tools/descriptor.ts";
import { ok, type Result } from "../../core/result.ts";
import { joinPath } from "../../programs/host-paths.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { fileFailure, type InstallFailure } from "../work/failure.ts";
import type { BuildContext, Built, Recipe } from "./recipe.ts";
import { unpack } from "./steps.ts";

/** FFmpeg and FFprobe, with the libraries that both load from their own folder. */
export const FFMPEG_RECIPE: Recipe = {
  id: "ffmpeg",
  title: `FFmpeg ${PINNED_VERSIONS.ffmpeg}`,
  version: PINNED_VERSIONS.ffmpeg,
  tools: ["ffmpeg", "ffprobe"],
  licences: ["ffmpeg"],
  folders: ["ffmpeg"],
  needsNpm: false,
  before: [],
  replaces: ["ffprobe"],
  triesTwice: false,
  build,
};

/**
 * FFprobe as earlier versions installed it, by itself. Nothing is pinned for it any more; what they
 * left is verified, replaced and removed by this.
 */
export const FORMER_FFPROBE: Recipe = {
  ...FFMPEG_RECIPE,
  id: "ffprobe",
  title: "the FFprobe of an earlier version",
  tools: ["ffprobe"],
  folders: ["ffprobe"],
  replaces: [],
};

/** The carrier's names of platforms, in the order of ours. */
const CLASSIFIERS = { darwin: "macosx", linux: "linux", win32: "windows" } as const;

async function build(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const { platform, arch } = context.host;
  const folder = `ffmpeg/${PINNED_VERSIONS.ffmpeg}`;
  const carried = `${CLASSIFIERS[platform]}-${arch === "x64" ? "x86_64" : arch}`;
  for (const artifact of context.pin.artifacts) {
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    const only = `org/bytedeco/ffmpeg/${carried}`;
    const unpacked = await unpack(archive.value, { into: folder, only, strip: 0 }, context);
    if (!unpacked.ok) return unpacked;
  }
  const entries = ["ffmpeg", "ffprobe"].map((name) =>
    `${folder}/${name}${programSuffix(platform)}`
  );
  try {
    // A jar has no execute bits.
    for (const entry of entries) {
      const path = joinPath(context.staging, entry, platform);
      if ((await context.files.stat(path)) !== null) await context.files.setMode(path, 0o755);
    }
  } catch (thrown) {
    return fileFailure(thrown, "make ffmpeg and ffprobe executable");
  }
  return ok({ places: ["ffmpeg"], entries });
}
