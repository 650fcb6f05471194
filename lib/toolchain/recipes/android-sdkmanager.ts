import { ok, type Result } from "../../core/result.ts";
import { scrubbedEnvironment } from "../../programs/mod.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { ANDROID_PACKAGES, LICENCE_FILE } from "../tools/android-packages.ts";
import { ANDROID_SDK_PACKAGE } from "../tools/android-sdk.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import { androidEntries } from "./android-direct.ts";
import { writeLicenceFile } from "./android-layout.ts";
import type { BuildContext, Built, Recipe } from "./recipe.ts";
import { findOwn } from "./smoke.ts";
import { behindSdkManager } from "./sdkmanager-program.ts";
import { runRecipeStep, unpack } from "./steps.ts";

/** A slow line and half a gigabyte. */
const MANAGER_MS = 30 * 60_000;
const TOOLS = "android-sdk/cmdline-tools/latest";

/**
 * The Android SDK by the vendor's package manager (INST-6): the pinned command-line tools, run on
 * the editor's own JDK and on no other, without the shell script around them. The licence that was
 * accepted is recorded where the manager looks, so that it asks nothing and nothing answers blindly.
 */
export const ANDROID_SDKMANAGER_RECIPE: Recipe = {
  ...ANDROID_SDK_PACKAGE,
  title: "Android SDK by sdkmanager",
  version: `${PINNED_VERSIONS["cmdline-tools"]}+sdkmanager`,
  runs: ["sdkmanager"],
  before: ["jdk"],
  build,
};

async function build(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const { files, staging, pin } = context;
  const artifact = pin.artifacts.find(({ file }) => file.startsWith("commandlinetools-"));
  if (artifact === undefined) {
    return failInstall(
      "not-installable",
      "Cannot run sdkmanager: no command-line tools are pinned for this platform",
      "Follow the guide of android-sdk",
    );
  }
  const archive = await context.download(artifact);
  if (!archive.ok) return archive;
  const unpacked = await unpack(archive.value, { into: TOOLS, strip: 1 }, context);
  if (!unpacked.ok) return unpacked;
  try {
    await writeLicenceFile(context);
    await files.makeDirectory(staging.at("android-sdk/platforms"));
  } catch (thrown) {
    return fileFailure(thrown, "write the licence file of the Android SDK");
  }
  const managed = await runManager(context);
  if (!managed.ok) return managed;
  const [, ...packages] = ANDROID_PACKAGES;
  const absent = packages.find(({ folder }) =>
    context.syncStat(staging.at(folder)).kind !== "directory"
  );
  if (absent !== undefined) {
    return failInstall(
      "process",
      `Cannot install ${absent.path}: sdkmanager ended without an error and did not install it`,
      "Install the Android SDK without sdkmanager, which is the default",
    );
  }
  return ok({
    places: [...ANDROID_PACKAGES.map(({ folder }) => folder), LICENCE_FILE],
    entries: androidEntries(context),
  });
}

async function runManager(context: BuildContext): Promise<Result<string, InstallFailure>> {
  const { host, folder, staging, syncStat } = context;
  const java = await findOwn("java", folder, context);
  if (!java.ok) return java;
  const tools = staging.at(TOOLS);
  const manager = behindSdkManager(tools, {
    javaHome: java.value.path,
    platform: host.platform,
    stat: syncStat,
  });
  if (manager === null) {
    return failInstall(
      "process",
      `Cannot run sdkmanager: ${tools} has no class path of it, or ${java.value.path} no java`,
      "Install the Android SDK without sdkmanager, which is the default",
    );
  }
  const [, ...packages] = ANDROID_PACKAGES;
  return await runRecipeStep({
    command: manager.command,
    args: [
      ...manager.args,
      `--sdk_root=${staging.at("android-sdk")}`,
      ...packages.map(({ path }) => path),
    ],
    cwd: staging.root,
    env: { ...scrubbedEnvironment(host.environment()), JAVA_HOME: java.value.path },
    purpose: "install the packages of the Android SDK",
    timeoutMs: MANAGER_MS,
  }, context);
}
