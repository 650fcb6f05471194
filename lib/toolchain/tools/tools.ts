import type { Pin, PlatformKey, PlatformPins } from "../pins/pins.ts";
import { ANDROID_SDK, ANDROID_SDK_PACKAGE } from "./android-sdk.ts";
import { COCOAPODS, COCOAPODS_PACKAGE, RUBY_PACKAGE } from "./cocoapods.ts";
import type { ToolDescriptor } from "./descriptor.ts";
import { FFMPEG, FFMPEG_PACKAGE, FFPROBE } from "./ffmpeg.ts";
import type { PackageId, ToolId } from "./ids.ts";
import { JAVA, JDK_PACKAGE } from "./java.ts";
import { TOKTX } from "./ktx.ts";
import type { KnownLicence } from "./licences.ts";
import { GLTF_TRANSFORM, GLTFPACK, MODEL_TOOLS_PACKAGE } from "./model-tools.ts";
import { MSDF_ATLAS_GEN } from "./msdf-atlas-gen.ts";
import { NODE_PACKAGE, NPM } from "./node.ts";
import type { ToolPackage } from "./package.ts";
import { XCODEBUILD } from "./xcode.ts";

/** Every tool (FIND-2): everything that differs between tools is data. */
export const DESCRIPTORS: Readonly<Record<ToolId, ToolDescriptor>> = {
  toktx: TOKTX,
  "msdf-atlas-gen": MSDF_ATLAS_GEN,
  npm: NPM,
  xcodebuild: XCODEBUILD,
  cocoapods: COCOAPODS,
  "gltf-transform-cli": GLTF_TRANSFORM,
  gltfpack: GLTFPACK,
  ffmpeg: FFMPEG,
  ffprobe: FFPROBE,
  "android-sdk": ANDROID_SDK,
  java: JAVA,
};

/** Every package that the editor provides tools by. */
export const PACKAGES: Readonly<Record<PackageId, ToolPackage>> = ofEachPackage((known) => known);

/** Pins by package and platform: what has none cannot be installed there. */
export type Pins = Readonly<Record<PackageId, PlatformPins>>;

/** The pins of the editor. */
export const PINS: Pins = ofEachPackage(({ pins }) => pins);

/** One value for every package, from what the editor knows of it. */
export function ofEachPackage<T>(value: (known: ToolPackage) => T): Readonly<Record<PackageId, T>> {
  return {
    node: value(NODE_PACKAGE),
    jdk: value(JDK_PACKAGE),
    "android-sdk": value(ANDROID_SDK_PACKAGE),
    "npm-tools": value(MODEL_TOOLS_PACKAGE),
    ffmpeg: value(FFMPEG_PACKAGE),
    ruby: value(RUBY_PACKAGE),
    cocoapods: value(COCOAPODS_PACKAGE),
  };
}

/** The package that brings a tool, or `null` where people are guided instead. */
export function packageOf(id: ToolId): ToolPackage | null {
  const { provision } = DESCRIPTORS[id];
  return provision.kind === "install" ? PACKAGES[provision.package] : null;
}

/**
 * The packages that an installation brings, in order, the asked one last.
 *
 * @param options.withNode Whether what runs npm runs on the editor's own Node.
 */
export function packagesWith(
  { id, before = [], needsNpm = false }: Pick<ToolPackage, "id" | "before" | "needsNpm">,
  { withNode }: { readonly withNode: boolean },
): readonly PackageId[] {
  return [...(needsNpm && withNode ? ["node" as const] : []), ...before, id];
}

/** The licences that installing a tool accepts, those of what it needs first. */
export function licencesOf(id: ToolId): readonly KnownLicence[] {
  const known = packageOf(id);
  if (known === null) return [];
  return packagesWith(known, { withNode: false }).flatMap((each) => PACKAGES[each].licences);
}

/** Returns the pin of a package on this platform, or `null`. */
export function pinOf(id: PackageId, key: PlatformKey | null, pins: Pins): Pin | null {
  if (key === null) return null;
  const { before = [] } = PACKAGES[id];
  if (before.some((each) => pins[each][key] === undefined)) return null;
  return pins[id][key] ?? null;
}
