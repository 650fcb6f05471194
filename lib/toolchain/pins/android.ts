import { artifact, type KnownArtifact } from "./artifact.ts";
import type { Pin, PlatformPins } from "./pins.ts";

/** The platform package is the same for every host. */
const ANDROID_PLATFORM: readonly [string, KnownArtifact] = ["platform-36_r02.zip", {
  sha1: "2c1a80dd4d9f7d0e6dd336ec603d9b5c55a6f576",
  sha256: "37607369a28c5b640b3a7998868d45898ebcb777565a0e85f9acf36f29631d2e",
  bytes: 65_878_410,
}];

/**
 * The packages of the Android SDK. Their vendor publishes SHA-1 alone, in `repository2-3.xml`, and
 * builds the tools for Linux on x64 only.
 */
export const ANDROID_PINS: PlatformPins = {
  "darwin-arm64": androidPin(900_000_000, [
    ["commandlinetools-mac-15641748_latest.zip", {
      sha1: "b62a5d8cf63ded173b47be867be4ee058ceda6df",
      bytes: 152_127_646,
    }],
    ["platform-tools_r37.0.1-darwin.zip", {
      sha1: "6ae73f4de6452dc57e62ec02b68eed92a4c21661",
      bytes: 16_110_554,
    }],
    ["build-tools_r36_macosx.zip", {
      sha1: "199ae0047ee61e842f8ee0c6d3918e44fb9a1f83",
      bytes: 79_121_749,
    }],
    ANDROID_PLATFORM,
  ]),
  "win32-x64": androidPin(900_000_000, [
    ["commandlinetools-win-15641748_latest.zip", {
      sha1: "2bea1388b8a248040a340a08ca0638138633f687",
      bytes: 151_965_705,
    }],
    ["platform-tools_r37.0.1-win.zip", {
      sha1: "e03e78b1d80b396f1c3358e31251cb31740e1110",
      bytes: 8_044_989,
    }],
    ["build-tools_r36_windows.zip", {
      sha1: "f16ccffd34de8790dede813a6c7d8e2c11a27b50",
      bytes: 58_699_878,
    }],
    ANDROID_PLATFORM,
  ]),
  "linux-x64": androidPin(900_000_000, [
    ["commandlinetools-linux-15641748_latest.zip", {
      sha1: "63523a02a975a81102238566f2a16c057d52301e",
      sha256: "a66d5ef0238fc0162e9c1446602ce0dd41702d4dd7a94d2ce42d12b7f80baf7e",
      bytes: 174_244_366,
    }],
    ["platform-tools_r37.0.1-linux.zip", {
      sha1: "477254aa5f903c15cf51001717bdf347fb6b53e0",
      bytes: 9_054_187,
    }],
    ["build-tools_r36_linux.zip", {
      sha1: "b0b6376977657e8ad9b969bacf4093601da2c6fb",
      bytes: 63_737_259,
    }],
    ANDROID_PLATFORM,
  ]),
};

/** @param unpackedBytes Of all archives together. */
function androidPin(
  unpackedBytes: number,
  archives: readonly (readonly [string, KnownArtifact])[],
): Pin {
  return {
    artifacts: archives.map(([file, known]) =>
      artifact(file, `https://dl.google.com/android/repository/${file}`, known)
    ),
    unpackedBytes,
  };
}
