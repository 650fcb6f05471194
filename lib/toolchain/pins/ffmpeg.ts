import { artifact, type KnownArtifact } from "./artifact.ts";
import { type Pin, PINNED_VERSIONS, type PlatformPins } from "./pins.ts";

/** Google's copy of Maven Central, which applications may fetch from; the original is for builds. */
const MAVEN_CENTRAL = "https://maven-central.storage-download.googleapis.com/maven2/";

/** Libraries of both programs on Linux that the archive does not contain: video acceleration, from libva. */
const LINUX_LIBRARIES = ["libva.so.2", "libva-drm.so.2"];

/**
 * FFmpeg with FFprobe and their libraries, as the JavaCPP Presets build them for Maven Central: of
 * the builds that are archives with both programs for every platform, the current one whose licence
 * is the LGPL. The hashes are those of Maven Central's files, and the same stand in three public
 * projects that pin them too.
 */
export const FFMPEG_PINS: PlatformPins = {
  "darwin-arm64": ffmpegPin("macosx-arm64", 51_000_000, {
    sha256: "af57468c0bb7b2e9c8c93547e6d599e2b4faa4117118555be92675850972420c",
    sha1: "818279ea8f1523ed01136c3871609d90e96042ba",
    bytes: 20_582_183,
  }),
  "win32-x64": ffmpegPin("windows-x86_64", 79_000_000, {
    sha256: "67ebc3e6940add83b1b8a9dfd337a5c67556f2b72cb3225efe91a26874445c8e",
    sha1: "d84fe6debb37938661264be921425c4b81136c0b",
    bytes: 30_441_678,
  }),
  "linux-x64": ffmpegPin("linux-x86_64", 70_000_000, {
    sha256: "6d0f000c4ddede3b669aa7c5c585e9b71f69b7f621fed7ab28ec01045dc336d0",
    sha1: "c0dde01ef96cf51ec71e33a1e1a285e23cef4ba0",
    bytes: 26_915_834,
  }),
  "linux-arm64": ffmpegPin("linux-arm64", 63_000_000, {
    sha256: "c8729978c862b0e2e5643ade1b41266c5ba8c34b791f41104e5794ad3cefd0bf",
    sha1: "d8bbe76e9147ecbaba69e821ffdd2f2706b79e65",
    bytes: 26_304_735,
  }),
};

/** @param classifier The carrier's name of the platform. */
function ffmpegPin(classifier: string, unpackedBytes: number, known: KnownArtifact): Pin {
  const version = `${PINNED_VERSIONS.ffmpeg}-1.5.14`;
  const url = `${MAVEN_CENTRAL}org/bytedeco/ffmpeg/${version}/ffmpeg-${version}-${classifier}.jar`;
  return {
    artifacts: [artifact(`FFmpeg ${PINNED_VERSIONS.ffmpeg}`, url, known)],
    unpackedBytes,
    ...(classifier.startsWith("linux") && { libraries: LINUX_LIBRARIES }),
  };
}
