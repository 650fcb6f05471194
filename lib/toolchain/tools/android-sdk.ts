import { ANDROID_PINS } from "../pins/android.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { ANDROID_LICENCE, ANDROID_PACKAGES, LICENCE_FILE } from "./android-packages.ts";
import { everywhere, QUICK_MS } from "./common.ts";
import type { DirectoryDescriptor, ProbeSpec } from "./descriptor.ts";
import type { ToolPackage } from "./package.ts";
import { SDK_PLACES } from "./well-known.ts";

/** Probe of the version of aapt2. */
export const AAPT2_PROBE: ProbeSpec = {
  args: ["version"],
  stream: "either",
  accept: [0],
  version: /\(aapt\) (\d\S*)/,
  timeoutMs: QUICK_MS,
};

/** Probe of the version of adb: line 1 is the version of its protocol. */
export const ADB_PROBE: ProbeSpec = {
  args: ["--version"],
  stream: "stdout",
  accept: [0],
  version: /^Version (\S+)/m,
  timeoutMs: QUICK_MS,
};

/** Builds for Android. */
export const ANDROID_SDK: DirectoryDescriptor = {
  id: "android-sdk",
  kind: "directory",
  group: "Android",
  env: [
    { name: "ANDROID_HOME", scope: "system" },
    { name: "ANDROID_SDK_ROOT", scope: "system" },
  ],
  own: everywhere("android-sdk"),
  wellKnown: SDK_PLACES,
  marker: { path: "platform-tools", kind: "directory" },
  validate: "android-sdk",
  pathHint: "adb",
  binFolder: "platform-tools",
  starts: [
    { path: "platform-tools/adb", probe: ADB_PROBE },
    { path: `build-tools/${PINNED_VERSIONS["build-tools"]}/aapt2`, probe: AAPT2_PROBE },
  ],
  exports: ["ANDROID_HOME", "ANDROID_SDK_ROOT"],
  refuseSystem: "always",
  provision: { kind: "install", package: "android-sdk" },
  pin: { version: `cmdline-tools ${PINNED_VERSIONS["cmdline-tools"]}`, comparable: false },
  requiredFor: ["android"],
  after: ["java"],
  guide: ({ platform, arch, toolchainDir }) => ({
    title: "Android SDK",
    url: "https://developer.android.com/studio#command-line-tools-only",
    steps: [
      ...(platform === "linux" && arch !== "x64"
        ? [
          "Google builds adb, aapt2 and the other tools for Linux on x86-64 only: build on such a " +
          "machine, on a Mac or on Windows, or have this one run x86-64 programs (qemu-user).",
        ]
        : []),
      "Install Android Studio, or the command-line tools alone.",
      "In the SDK Manager install: platform-tools, platforms;android-36, build-tools;36.0.0.",
      `Set ANDROID_HOME to the SDK folder, or put the SDK into ${toolchainDir} as android-sdk.`,
      "Accept its licence: the SDK Manager asks for it, 'sdkmanager --licenses' does, too.",
      "Check: the folder has platform-tools, platforms/android-36/android.jar, " +
      "build-tools/36.0.0/aapt2 and licenses/android-sdk-license.",
    ],
  }),
};

/**
 * The Android SDK from pinned archives: neither Java nor the vendor's package manager is needed, and
 * what it installs is the same next year. Each package is put in place by itself, so what a user
 * added to the folder stays.
 */
export const ANDROID_SDK_PACKAGE: ToolPackage = {
  id: "android-sdk",
  title: "Android SDK",
  version: `${PINNED_VERSIONS["cmdline-tools"]}+${PINNED_VERSIONS["platform-tools"]}`,
  tools: ["android-sdk"],
  licences: [ANDROID_LICENCE],
  folders: ["android-sdk"],
  owns: ANDROID_PACKAGES.map(({ folder }) => folder),
  shared: [{ path: LICENCE_FILE, line: ANDROID_LICENCE.hash }],
  pins: ANDROID_PINS,
};
