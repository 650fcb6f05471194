import type { PackageId } from "../tools/ids.ts";
import { PACKAGES } from "../tools/tools.ts";
import { buildAndroidSdk } from "./android-direct.ts";
import { ANDROID_SDKMANAGER_RECIPE } from "./android-sdkmanager.ts";
import { buildCocoapods } from "./cocoapods.ts";
import { buildJdk } from "./jdk.ts";
import { buildModelTools } from "./npm-tools.ts";
import type { Build, Recipe } from "./recipe.ts";
import { unpacked } from "./unpacked.ts";

/** Recipes of packages that need more than unpacking. */
const BUILDS: Readonly<Partial<Record<PackageId, Build>>> = {
  jdk: buildJdk,
  "android-sdk": buildAndroidSdk,
  "npm-tools": buildModelTools,
  cocoapods: buildCocoapods,
};

/** Recipes of the Android SDK: from pinned archives, or by the vendor's package manager. */
export type AndroidMethod = "direct" | "sdkmanager";

/** The recipe of a package. */
export function recipeFor(id: PackageId, { android }: { readonly android: AndroidMethod }): Recipe {
  if (id === "android-sdk" && android === "sdkmanager") return ANDROID_SDKMANAGER_RECIPE;
  return { ...PACKAGES[id], build: BUILDS[id] ?? unpacked(PACKAGES[id]) };
}
