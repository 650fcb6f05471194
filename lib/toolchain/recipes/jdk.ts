import { ok, type Result } from "../../core/result.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { programSuffix } from "../tools/descriptor.ts";
import type { InstallFailure } from "../work/failure.ts";
import type { BuildContext, Built } from "./recipe.ts";
import { unpack } from "./steps.ts";

/** Unpacks the JDK; the Java home is the folder itself, or `Contents/Home` in it on macOS. */
export async function buildJdk(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const { platform } = context.host;
  const folder = `jdk/${PINNED_VERSIONS.java}`;
  for (const artifact of context.pin.artifacts) {
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    const unpacked = await unpack(archive.value, { into: folder, strip: 1 }, context);
    if (!unpacked.ok) return unpacked;
  }
  const nested = context.staging.at(`${folder}/Contents/Home`);
  const home = context.syncStat(nested).kind === "directory" ? `${folder}/Contents/Home` : folder;
  const programs = ["java", "javac"].map((name) => `${home}/bin/${name}${programSuffix(platform)}`);
  return ok({ places: ["jdk"], entries: programs });
}
