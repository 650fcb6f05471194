import { DESCRIPTORS } from "../tools/descriptors.ts";
import type { PackageId } from "../pins/pins.ts";
import type { ToolId } from "../tools/types.ts";
import type { Recipe } from "./recipe.ts";
import { ANDROID_DIRECT_RECIPE } from "./android-direct.ts";
import { ANDROID_SDKMANAGER_RECIPE } from "./android-sdkmanager.ts";
import { COCOAPODS_RECIPE, RUBY_RECIPE } from "./cocoapods.ts";
import { FFMPEG_RECIPE, FORMER_FFPROBE } from "./ffmpeg.ts";
import { JDK_RECIPE } from "./jdk.ts";
import { NODE_RECIPE } from "./node.ts";
import { NPM_TOOLS_RECIPE } from "./npm-tools.ts";

/** Every package's recipe. */
export const RECIPES: Readonly<Record<PackageId, Recipe>> = {
  node: NODE_RECIPE,
  jdk: JDK_RECIPE,
  "android-sdk": ANDROID_DIRECT_RECIPE,
  "npm-tools": NPM_TOOLS_RECIPE,
  ffmpeg: FFMPEG_RECIPE,
  ffprobe: FORMER_FFPROBE,
  ruby: RUBY_RECIPE,
  cocoapods: COCOAPODS_RECIPE,
};

/** How the Android SDK is installed: from pinned archives, or by the vendor's package manager. */
export type AndroidMethod = "direct" | "sdkmanager";

/** The recipe of a package. */
export function recipeFor(id: PackageId, { android }: { readonly android: AndroidMethod }): Recipe {
  return id === "android-sdk" && android === "sdkmanager" ? ANDROID_SDKMANAGER_RECIPE : RECIPES[id];
}

/** Ids of the licences that installing a tool accepts, those of what it needs first. */
export function licenceIdsOf(id: ToolId): readonly string[] {
  const { provision } = DESCRIPTORS[id];
  if (provision.kind === "guide") return [];
  const { before, licences } = RECIPES[provision.package];
  return [...before.flatMap((each) => RECIPES[each].licences), ...licences];
}
