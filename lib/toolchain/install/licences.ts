import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { joinPath } from "../host-paths.ts";
import type { ToolchainDeps } from "../ports.ts";

// Calling an installation accepts the licences of what it installs (CONTRACTS §3). Which they are is
// shown before, what was accepted is recorded: id, hash, who, when.

/** Terms under which a package comes. */
export interface Licence {
  readonly id: string;
  readonly title: string;
  /** What it says in short, and where all of it is. */
  readonly text: string;
  readonly url: string;
  /** What stands for the text in records: the vendor's own hash where it has one. */
  readonly hash: string;
}

/**
 * The Android SDK's. Its hash is the SHA-1 that the SDK's own tools compute of the text and look for
 * in `licenses/android-sdk-license`.
 */
export const ANDROID_LICENCE: Licence = {
  id: "android-sdk-license",
  title: "Android Software Development Kit License Agreement",
  text: "The terms of Google for the Android SDK. Read them at the address before you accept them.",
  url: "https://developer.android.com/studio/terms",
  hash: "24333f8a63b6825ea9c5514f83c2829b004d1fee",
};

function open(id: string, title: string, spdx: string, url: string): Licence {
  return {
    id,
    title,
    text:
      `${title} comes under ${spdx}. The whole text is in the installed folder and at the address.`,
    url,
    hash: `spdx:${spdx}`,
  };
}

/** Every licence that an installation may accept. */
export const LICENCES: readonly Licence[] = [
  ANDROID_LICENCE,
  open("node", "Node.js", "MIT", "https://github.com/nodejs/node/blob/main/LICENSE"),
  open(
    "jdk",
    "The JDK",
    "GPL-2.0-only WITH Classpath-exception-2.0",
    "https://openjdk.org/legal/gplv2+ce.html",
  ),
  open("gltf-transform", "glTF Transform", "MIT", "https://github.com/donmccurdy/glTF-Transform"),
  open("gltfpack", "gltfpack", "MIT", "https://github.com/zeux/meshoptimizer"),
  open("ffmpeg", "FFmpeg", "GPL-3.0-or-later", "https://ffmpeg.org/legal.html"),
  open("ffprobe", "FFmpeg (ffprobe)", "GPL-3.0-or-later", "https://ffmpeg.org/legal.html"),
  open("ruby", "Ruby", "BSD-2-Clause OR Ruby", "https://www.ruby-lang.org/en/about/license.txt"),
  open("cocoapods", "CocoaPods", "MIT", "https://github.com/CocoaPods/CocoaPods"),
];

/** The licences of those ids. */
export function licencesOf(ids: readonly string[]): readonly Licence[] {
  return LICENCES.filter(({ id }) => ids.includes(id));
}

/** A licence that was accepted. */
export interface AcceptedLicence {
  readonly id: string;
  readonly hash: string;
  /** The user, as far as the environment tells. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

type LicenceContext = Pick<ToolchainDeps, "files" | "host" | "clock"> & {
  readonly toolchainDir: string;
};

const MAX_BYTES = 256 * 1024;

/** What was accepted in this toolchain folder. */
export async function acceptedLicences(context: LicenceContext): Promise<AcceptedLicence[]> {
  const bytes = await context.files.read(licencesFile(context), MAX_BYTES).catch(() => null);
  const text = bytes === null ? null : decodeUtf8(bytes);
  const value = text === null ? null : parse(text);
  if (!isRecord(value) || !Array.isArray(value["accepted"])) return [];
  return value["accepted"].flatMap((entry: unknown) => {
    if (!isRecord(entry)) return [];
    const { id, hash, by, at } = entry;
    return typeof id === "string" && typeof hash === "string" && typeof by === "string" &&
        typeof at === "string"
      ? [{ id, hash, by, at }]
      : [];
  });
}

/** Records that licences were accepted; one that is recorded stays as it is. @throws {FileError} */
export async function recordLicences(
  licences: readonly Licence[],
  context: LicenceContext,
): Promise<void> {
  const accepted = await acceptedLicences(context);
  const { host, clock } = context;
  const fresh = licences
    .filter(({ id, hash }) => !accepted.some((each) => each.id === id && each.hash === hash))
    .map(({ id, hash }) => ({
      id,
      hash,
      by: host.env("USER") ?? host.env("USERNAME") ?? "unknown",
      at: new Date(clock.now()).toISOString(),
    }));
  if (fresh.length === 0) return;
  const text = `${JSON.stringify({ schema: 1, accepted: [...accepted, ...fresh] }, null, 2)}\n`;
  await context.files.makeDirectory(context.toolchainDir);
  await context.files.writeAtomic(licencesFile(context), encodeUtf8(text));
}

function licencesFile({ toolchainDir, host }: LicenceContext): string {
  return joinPath(toolchainDir, "licences.json", host.platform);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // damaged: it tells nothing, and is written anew
  }
}
