import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { ANDROID_LICENCE, type AndroidPackage, LICENCE_FILE } from "../tools/android-packages.ts";
import type { BuildContext } from "./recipe.ts";

// The folders of an Android SDK, as Gradle and Android Studio read them.

const COMMON = "http://schemas.android.com/repository/android/common/02";
const GENERIC = "http://schemas.android.com/repository/android/generic/02";
const SDK = "http://schemas.android.com/sdk/android/repo/repository2/03";

/**
 * The `package.xml` by which the SDK's own tools recognise a package. It names no licence: the vendor's
 * own files repeat the complete text, and accepted licences are in {@linkcode LICENCE_FILE}.
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

const MAX_LICENCE_FILE = 64 * 1024;

/** Adds the licence's hash to the accepted ones. @throws {FileError} */
export async function writeLicenceFile(
  { files, folder, staging }: BuildContext,
): Promise<void> {
  const there = await files.read(
    folder.at(LICENCE_FILE),
    MAX_LICENCE_FILE,
  );
  const known = (there === null ? "" : decodeUtf8(there) ?? "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && line !== ANDROID_LICENCE.hash);
  await files.makeDirectory(staging.at("android-sdk/licenses"));
  await files.write(
    staging.at(LICENCE_FILE),
    encodeUtf8(`\n${[...known, ANDROID_LICENCE.hash].join("\n")}\n`),
  );
}
