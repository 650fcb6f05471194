import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { joinPath } from "../../programs/host-paths.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import type { Platform } from "../machine/ports.ts";
import { ANDROID_LICENCE } from "../tools/licences.ts";
import { type BuildContext, programSuffix } from "./recipe.ts";

// The folders of an Android SDK, as Gradle and Android Studio read them.

/** A package of the SDK. */
export interface AndroidPackage {
  /** As `sdkmanager` names it. */
  readonly path: string;
  /** Its folder, relative to the toolchain folder. */
  readonly folder: string;
  readonly displayName: string;
  readonly revision: readonly number[];
  /** Set for a platform; as the vendor's index has it. */
  readonly api?: {
    readonly level: number;
    /** Of the SDK extensions that the platform begins with. */
    readonly extension: number;
    /** Of the library that draws layouts. */
    readonly layoutlib: number;
  };
  /** How its archive's name begins. */
  readonly archive: string;
  /** A file that must be in it. */
  readonly entry: (platform: Platform) => string;
}

/** The packages that are installed (spec §4.8, §8), the tools that install others first. */
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

const COMMON = "http://schemas.android.com/repository/android/common/02";
const GENERIC = "http://schemas.android.com/repository/android/generic/02";
const SDK = "http://schemas.android.com/sdk/android/repo/repository2/03";

/**
 * The `package.xml` by which the SDK's own tools know that a package is there. It names no licence:
 * the vendor's files do so by repeating its whole text, and what was accepted is told by
 * {@linkcode LICENCE_FILE}.
 */
export function packageXml({ path, displayName, revision, api }: AndroidPackage): string {
  const numbers = ["major", "minor", "micro"]
    .flatMap((name, i) => revision[i] === undefined ? [] : [`<${name}>${revision[i]}</${name}>`])
    .join("");
  const details = api === undefined
    ? '<type-details xsi:type="generic:genericDetailsType"/>'
    : '<type-details xsi:type="sdk:platformDetailsType">' +
      `<api-level>${api.level}</api-level><extension-level>${api.extension}</extension-level>` +
      `<base-extension>true</base-extension><layoutlib api="${api.layoutlib}"/></type-details>`;
  return '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    `<common:repository xmlns:common="${COMMON}" xmlns:generic="${GENERIC}" xmlns:sdk="${SDK}" ` +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<localPackage path="${path}" obsolete="false">${details}` +
    `<revision>${numbers}</revision><display-name>${displayName}</display-name>` +
    "</localPackage></common:repository>\n";
}

/** The file by which the SDK's own tools know that the licence was accepted. */
export const LICENCE_FILE: string = `android-sdk/licenses/${ANDROID_LICENCE.id}`;

const MAX_LICENCE_FILE = 64 * 1024;

/** Writes the licence's hash beside those that are accepted already. @throws {FileError} */
export async function writeLicenceFile(
  { files, host, toolchainDir, staging }: BuildContext,
): Promise<void> {
  const there = await files.read(
    joinPath(toolchainDir, LICENCE_FILE, host.platform),
    MAX_LICENCE_FILE,
  );
  const known = (there === null ? "" : decodeUtf8(there) ?? "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && line !== ANDROID_LICENCE.hash);
  await files.makeDirectory(joinPath(staging, "android-sdk/licenses", host.platform));
  await files.write(
    joinPath(staging, LICENCE_FILE, host.platform),
    encodeUtf8(`\n${[...known, ANDROID_LICENCE.hash].join("\n")}\n`),
  );
}
