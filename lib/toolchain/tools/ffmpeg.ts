import { FFMPEG_PINS } from "../pins/ffmpeg.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { editorEnv, everywhere, HOMEBREW, onPlatform, QUICK_MS } from "./common.ts";
import { type BinaryDescriptor, programSuffix } from "./descriptor.ts";
import { openLicence } from "./licences.ts";
import type { ToolPackage } from "./package.ts";

/** Converts sound. */
export const FFMPEG: BinaryDescriptor = ffmpegTool("ffmpeg");

/** Inspects sound files. */
export const FFPROBE: BinaryDescriptor = ffmpegTool("ffprobe");

/** The carrier's names of platforms. */
const CLASSIFIERS = { darwin: "macosx", linux: "linux", win32: "windows" } as const;

/** FFmpeg and FFprobe, with the libraries that both load from their own folder. */
export const FFMPEG_PACKAGE: ToolPackage = {
  id: "ffmpeg",
  title: `FFmpeg ${PINNED_VERSIONS.ffmpeg}`,
  version: PINNED_VERSIONS.ffmpeg,
  tools: ["ffmpeg", "ffprobe"],
  licences: [openLicence("ffmpeg", {
    title: "FFmpeg",
    spdx: "LGPL-3.0-or-later",
    url: "https://ffmpeg.org/legal.html",
    files: [],
  })],
  folders: ["ffmpeg"],
  pins: FFMPEG_PINS,
  unpacking: {
    into: `ffmpeg/${PINNED_VERSIONS.ffmpeg}`,
    only: ({ platform, arch }) =>
      `org/bytedeco/ffmpeg/${CLASSIFIERS[platform]}-${arch === "x64" ? "x86_64" : arch}`,
    strip: 0,
    entries: (platform) => ["ffmpeg", "ffprobe"].map((name) => name + programSuffix(platform)),
    areExecutable: true, // a jar has no execute bits
  },
};

function ffmpegTool(id: "ffmpeg" | "ffprobe"): BinaryDescriptor {
  const variable = id === "ffmpeg" ? "SVC_FFMPEG" : "SVC_FFPROBE";
  return {
    id,
    kind: "binary",
    group: "Audio",
    names: [id],
    env: editorEnv(variable),
    // Builds of ffmpeg have ffprobe in the same folder.
    own: everywhere("ffmpeg/*", "ffmpeg/*/bin", "ffmpeg"),
    wellKnown: HOMEBREW,
    probe: {
      args: ["-version"], // `--version` exits 1
      stream: "stdout",
      accept: [0],
      // A build may tell no more than its commit: the year says how old it is.
      version: new RegExp(`^${id} version (\\S+)(?: Copyright \\(c\\) \\d{4}-(\\d{4})\\b)?`, "m"),
      timeoutMs: QUICK_MS,
    },
    refuseSystem: "always",
    provision: { kind: "install", package: "ffmpeg" },
    pin: { version: `${PINNED_VERSIONS.ffmpeg} (2026)`, comparable: true },
    requiredFor: [],
    guide: ({ platform }) => ({
      title: "FFmpeg",
      url: "https://ffmpeg.org/download.html",
      steps: [
        onPlatform(platform, {
          darwin: "Run 'brew install ffmpeg'; it brings ffmpeg and ffprobe.",
          win32: "Run 'winget install Gyan.FFmpeg'; it brings ffmpeg and ffprobe.",
          linux: "Install the package ffmpeg of your distribution; it brings ffmpeg and ffprobe.",
        }),
        ...(platform === "linux"
          ? [
            "The one that Slipway installs needs libva (Debian, Ubuntu: libva2 and libva-drm2; " +
            "Fedora, Arch, Alpine: libva).",
          ]
          : []),
        `Or set ${variable} to the absolute path of ${id}.`,
        `Check in a new terminal: '${id} -version'.`,
      ],
    }),
  };
}
