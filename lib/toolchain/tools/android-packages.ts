import { PINNED_VERSIONS } from "../pins/pins.ts";
import type { Platform } from "../../ports/host.ts";
import { programSuffix } from "./descriptor.ts";
import type { KnownLicence } from "./licences.ts";

// The folders of an Android SDK, as Gradle and Android Studio read them.

/**
 * The Android SDK's. Its hash is the SHA-1 that the SDK's own tools compute of the text and look for
 * in `licenses/android-sdk-license`.
 */
export const ANDROID_LICENCE: KnownLicence = {
  id: "android-sdk-license",
  title: "Android Software Development Kit License Agreement",
  text: "The terms of Google for the Android SDK.",
  whole: false,
  url: "https://developer.android.com/studio/terms",
  hash: "24333f8a63b6825ea9c5514f83c2829b004d1fee",
  files: [],
  fetchedBy: "android-sdk",
};

/** A package of the SDK. */
export interface AndroidPackage {
  /** Name of the package for `sdkmanager`. */
  readonly path: string;
  /** Its folder, relative to the toolchain folder. */
  readonly folder: string;
  readonly displayName: string;
  readonly revision: readonly number[];
  /** Set for a platform; as the vendor's index has it. */
  readonly api?: {
    readonly level: number;
    /** Version of the SDK extensions that the platform begins with. */
    readonly extension: number;
    /** Version of the library that draws layouts. */
    readonly layoutlib: number;
  };
  /** Beginning of its archive's name. */
  readonly archive: string;
  /** A file that must be in it. */
  readonly entry: (platform: Platform) => string;
}

/** The packages that are installed (INST-7), the tools that install others first. */
export const ANDROID_PACKAGES: readonly AndroidPackage[] = [
  {
    path: "cmdline-tools;latest",
    folder: "android-sdk/cmdline-tools/latest",
    displayName: "Android SDK Command-line Tools",
    revision: [21, 0],
    archive: "commandlinetools-",
    entry: () => "source.properties",
  },
  {
    path: "platform-tools",
    folder: "android-sdk/platform-tools",
    displayName: "Android SDK Platform-Tools",
    revision: PINNED_VERSIONS["platform-tools"].split(".").map(Number),
    archive: "platform-tools_",
    entry: (platform) => `adb${programSuffix(platform)}`,
  },
  {
    path: `build-tools;${PINNED_VERSIONS["build-tools"]}`,
    folder: `android-sdk/build-tools/${PINNED_VERSIONS["build-tools"]}`,
    displayName: `Android SDK Build-Tools ${PINNED_VERSIONS["build-tools"]}`,
    revision: PINNED_VERSIONS["build-tools"].split(".").map(Number),
    archive: "build-tools_",
    entry: (platform) => `aapt2${programSuffix(platform)}`,
  },
  {
    path: `platforms;android-${PINNED_VERSIONS.platform}`,
    folder: `android-sdk/platforms/android-${PINNED_VERSIONS.platform}`,
    displayName: `Android SDK Platform ${PINNED_VERSIONS.platform}`,
    revision: [2],
    api: { level: Number(PINNED_VERSIONS.platform), extension: 17, layoutlib: 15 },
    archive: `platform-${PINNED_VERSIONS.platform}_`,
    entry: () => "android.jar",
  },
];

/** The file by which the SDK's own tools know that the licence was accepted. */
export const LICENCE_FILE: string = `android-sdk/licenses/${ANDROID_LICENCE.id}`;
