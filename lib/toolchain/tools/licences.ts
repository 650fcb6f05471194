import type { Host } from "../../ports/host.ts";

// Calling an installation accepts the licences of what it installs (CONTRACTS §3).

/** Terms under which a package comes. */
export interface Licence {
  /** By which it is recorded. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /**
   * The licence itself where `whole` says so; else a sentence of ours: which licence it is and where
   * all of it stands.
   */
  readonly text: string;
  /** Whether `text` is the licence itself, from its first word to its last. */
  readonly whole: boolean;
  /** Where its owner has it. */
  readonly url: string;
  /**
   * What stands for the text in records: the SHA-1 that the Android tools compute of their licence,
   * else `spdx:` and the licence's SPDX name, which is no hash of a text.
   */
  readonly hash: string;
}

/** A licence of ours to show, with where the installed package has its text. */
export interface KnownLicence extends Licence {
  /** Relative to the toolchain folder; the first that is there. `*` stands for a version. */
  readonly files: readonly string[];
  /** The tool whose `licences ID --text` fetches the licence itself. */
  readonly fetchedBy?: "android-sdk";
}

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

interface Open {
  readonly title: string;
  readonly spdx: string;
  readonly url: string;
  readonly files: readonly string[];
}

function open(id: string, { title, spdx, url, files }: Open): KnownLicence {
  const place = files.length > 0
    ? "The text is in the installed folder and at the address."
    : "The text is at the address; the installed folder has none.";
  return {
    id,
    title,
    text: `${title} comes under ${spdx}. ${place}`,
    whole: false,
    url,
    hash: `spdx:${spdx}`,
    files,
  };
}

/** Every licence that an installation may accept. */
export const LICENCES: readonly KnownLicence[] = [
  ANDROID_LICENCE,
  open("node", {
    title: "Node.js",
    spdx: "MIT",
    url: "https://github.com/nodejs/node/blob/main/LICENSE",
    files: ["node/*/LICENSE"],
  }),
  open("jdk", {
    title: "The JDK",
    spdx: "GPL-2.0-only WITH Classpath-exception-2.0",
    url: "https://openjdk.org/legal/gplv2+ce.html",
    files: ["jdk/*/legal/java.base/LICENSE", "jdk/*/Contents/Home/legal/java.base/LICENSE"],
  }),
  open("gltf-transform", {
    title: "glTF Transform",
    spdx: "MIT",
    url: "https://github.com/donmccurdy/glTF-Transform/blob/main/LICENSE.md",
    files: ["npm-tools/node_modules/@gltf-transform/core/LICENSE.md"],
  }),
  open("gltfpack", {
    title: "gltfpack",
    spdx: "MIT",
    url: "https://github.com/zeux/meshoptimizer/blob/master/LICENSE.md",
    files: ["npm-tools/node_modules/gltfpack/LICENSE.md"],
  }),
  open("ffmpeg", {
    title: "FFmpeg",
    spdx: "LGPL-3.0-or-later",
    url: "https://ffmpeg.org/legal.html",
    files: [],
  }),
  open("ruby", {
    title: "Ruby",
    spdx: "BSD-2-Clause OR Ruby",
    url: "https://www.ruby-lang.org/en/about/license.txt",
    files: [],
  }),
  open("cocoapods", {
    title: "CocoaPods",
    spdx: "MIT",
    url: "https://github.com/CocoaPods/CocoaPods/blob/master/LICENSE",
    files: ["cocoapods-gems/gems/cocoapods-1*/LICENSE"],
  }),
];

/** The licences of those ids. */
export function licencesOf(ids: readonly string[]): readonly KnownLicence[] {
  return LICENCES.filter(({ id }) => ids.includes(id));
}

/** A licence that was accepted. */
export interface AcceptedLicence {
  /** Which licence. */
  readonly id: string;
  /** What stood for its text; another text is not accepted by it. */
  readonly hash: string;
  /** Where its text was to be read. */
  readonly url?: string;
  /** The user's name on the machine. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A licence as the status and the installer show it. */
export interface ShownLicence extends Licence {
  /** Absent where installing would accept it only now. */
  readonly accepted?: AcceptedLicence;
  /** Why `text` is not the whole licence although it was asked for. */
  readonly problem?: string;
}

/** Licences as people see them, with what was accepted of them. */
export function shown(
  licences: readonly KnownLicence[],
  accepted: readonly AcceptedLicence[],
  { cli }: Pick<Host, "cli">,
): readonly ShownLicence[] {
  return licences.map(({ files: _files, fetchedBy, ...rest }) => {
    const all = fetchedBy &&
      ` '${cli} toolchain licences ${fetchedBy} --text' fetches all of them.`;
    const licence: Licence = { ...rest, text: rest.text + (all ?? "") };
    const { id, hash } = licence;
    const known = accepted.find((each) => each.id === id && each.hash === hash);
    return known === undefined ? licence : { ...licence, accepted: known };
  });
}
