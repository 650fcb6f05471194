import { encodeUtf8 } from "../../core/bytes.ts";
import { ok, type Result } from "../../core/result.ts";
import { ANDROID_PACKAGES, type AndroidPackage, LICENCE_FILE } from "../tools/android-packages.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import { packageXml, writeLicenceFile } from "./android-layout.ts";
import type { BuildContext, Built } from "./recipe.ts";
import { unpack } from "./steps.ts";

/**
 * Unpacks the packages of the Android SDK, and describes each for the SDK's own tools: the default,
 * instead of the vendor's package manager (decision 56).
 */
export async function buildAndroidSdk(
  context: BuildContext,
): Promise<Result<Built, InstallFailure>> {
  for (const each of ANDROID_PACKAGES) {
    const artifact = context.pin.artifacts.find(({ file }) => file.startsWith(each.archive));
    if (artifact === undefined) {
      return failInstall(
        "not-installable",
        `Cannot install ${each.path}: no archive of it is pinned for this platform`,
        "Follow the guide of android-sdk",
      );
    }
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    const unpacked = await unpack(archive.value, { into: each.folder, strip: 1 }, context);
    if (!unpacked.ok) return unpacked;
    const described = await describe(each, context);
    if (!described.ok) return described;
  }
  try {
    await writeLicenceFile(context);
  } catch (thrown) {
    return fileFailure(thrown, "write the licence file of the Android SDK");
  }
  return ok({
    places: [...ANDROID_PACKAGES.map(({ folder }) => folder), LICENCE_FILE],
    entries: androidEntries(context),
  });
}

/** The files that the SDK is of no use without. */
export function androidEntries({ host }: BuildContext): string[] {
  return ANDROID_PACKAGES.map(({ folder, entry }) => `${folder}/${entry(host.platform)}`);
}

async function describe(
  each: AndroidPackage,
  { files, staging }: BuildContext,
): Promise<Result<void, InstallFailure>> {
  const path = staging.at(`${each.folder}/package.xml`);
  try {
    if ((await files.stat(path)) === null) await files.write(path, encodeUtf8(packageXml(each)));
    return ok(undefined);
  } catch (thrown) {
    return fileFailure(thrown, `describe ${each.path}`);
  }
}
