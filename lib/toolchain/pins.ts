import type { Host } from "../ports/host.ts";

// What the editor provides, pinned (spec §4.8, provisioning). Sizes are the vendors' own where they
// are known exactly; `roughBytes` is for telling the user how much there is to download.

/** A platform that downloads are pinned for: `<platform>-<arch>`. */
export type PlatformKey = "darwin-arm64" | "win32-x64" | "linux-x64";

const PLATFORM_KEYS: readonly PlatformKey[] = ["darwin-arm64", "win32-x64", "linux-x64"];

/** The platform key of a machine, or `null` when nothing is pinned for it. */
export function platformKey(host: Pick<Host, "platform" | "arch">): PlatformKey | null {
  return PLATFORM_KEYS.find((key) => key === `${host.platform}-${host.arch}`) ?? null;
}

/** A pinned download. */
export interface Artifact {
  readonly name: string;
  readonly url: string;
  /** Lower-case hex; the vendor of the Android packages publishes SHA-1 only. */
  readonly digest: { readonly algorithm: "sha256" | "sha1"; readonly hex: string };
  /** Exact size, in bytes. */
  readonly bytes?: number;
  /** Size where the exact one is not known. */
  readonly roughBytes?: number;
}

/** The pinned versions, as the status shows them. */
export const PINNED_VERSIONS = {
  node: "22.23.1",
  "gltf-transform-cli": "4.4.1",
  gltfpack: "1.2.0",
  java: "21.0.11+10",
  "cmdline-tools": "15641748",
  cocoapods: "1.17.0",
} as const;

function nodeArtifact(file: string, hex: string, size: Pick<Artifact, "bytes" | "roughBytes">) {
  const version = PINNED_VERSIONS.node;
  return sha256(
    `node ${version}`,
    `https://nodejs.org/dist/v${version}/node-v${version}-${file}`,
    { hex, ...size },
  );
}

function jdkArtifact(file: string, hex: string, size: Pick<Artifact, "bytes" | "roughBytes">) {
  const [release = "", build = ""] = PINNED_VERSIONS.java.split("+");
  return sha256(
    `JDK ${PINNED_VERSIONS.java}`,
    "https://github.com/adoptium/temurin21-binaries/releases/download/" +
      `jdk-${release}%2B${build}/OpenJDK21U-jdk_${file.replace("*", `${release}_${build}`)}`,
    { hex, ...size },
  );
}

function sha256(
  name: string,
  url: string,
  { hex, ...size }: { readonly hex: string } & Pick<Artifact, "bytes" | "roughBytes">,
): Artifact {
  return { name, url, digest: { algorithm: "sha256", hex }, ...size };
}

function androidArtifact(
  file: string,
  hex: string,
  size: Pick<Artifact, "bytes" | "roughBytes">,
): Artifact {
  return {
    name: file,
    url: `https://dl.google.com/android/repository/${file}`,
    digest: { algorithm: "sha1", hex },
    ...size,
  };
}

/** The JavaScript runtime that npm comes with. */
export const NODE_ARTIFACTS: Readonly<Record<PlatformKey, Artifact>> = {
  "darwin-arm64": nodeArtifact(
    "darwin-arm64.tar.gz",
    "ef28d8fab2c0e4314522d4bb1b7173270aa3937e93b92cb7de79c112ac1fa953",
    { bytes: 50_067_502 },
  ),
  "win32-x64": nodeArtifact(
    "win-x64.zip",
    "7df0bc9375723f4a86b3aa1b7cc73342423d9677a8df4538aca31a049e309c29",
    { bytes: 35_682_836 },
  ),
  "linux-x64": nodeArtifact(
    "linux-x64.tar.gz",
    "7a8cb04b4a1df4eaf432125324b81b29a088e73570a23259a8de1c65d07fc129",
    { roughBytes: 57_000_000 },
  ),
};

/** The JDK. */
export const JDK_ARTIFACTS: Readonly<Record<PlatformKey, Artifact>> = {
  "darwin-arm64": jdkArtifact(
    "aarch64_mac_hotspot_*.tar.gz",
    "6ebcf221c9b41507b14c098e93c6ead6440b8d9bd154f8ec666c4c73abbdb201",
    { roughBytes: 205_000_000 },
  ),
  "win32-x64": jdkArtifact(
    "x64_windows_hotspot_*.zip",
    "d3625e7cadf23787ea540229544b6e2ab494b3b54da1801879e583e1dfee0a64",
    { bytes: 205_073_954 },
  ),
  "linux-x64": jdkArtifact(
    "x64_linux_hotspot_*.tar.gz",
    "4b2220e232a97997b436ca6ab15cbf70171ecff52958a46159dfa5a8c44ca4de",
    { roughBytes: 207_000_000 },
  ),
};

/** The platform package is the same for every host. */
const ANDROID_PLATFORM: Artifact = androidArtifact(
  "platform-36_r02.zip",
  "2c1a80dd4d9f7d0e6dd336ec603d9b5c55a6f576",
  { bytes: 65_878_410 },
);

/** The Android packages: command-line tools, platform tools, build tools, platform 36. */
export const ANDROID_ARTIFACTS: Readonly<Record<PlatformKey, readonly Artifact[]>> = {
  "darwin-arm64": [
    androidArtifact(
      "commandlinetools-mac-15641748_latest.zip",
      "b62a5d8cf63ded173b47be867be4ee058ceda6df",
      { bytes: 152_127_646 },
    ),
    androidArtifact(
      "platform-tools_r37.0.1-darwin.zip",
      "6ae73f4de6452dc57e62ec02b68eed92a4c21661",
      { bytes: 16_110_554 },
    ),
    androidArtifact(
      "build-tools_r36_macosx.zip",
      "199ae0047ee61e842f8ee0c6d3918e44fb9a1f83",
      { bytes: 79_121_749 },
    ),
    ANDROID_PLATFORM,
  ],
  "win32-x64": [
    androidArtifact(
      "commandlinetools-win-15641748_latest.zip",
      "2bea1388b8a248040a340a08ca0638138633f687",
      { bytes: 151_965_705 },
    ),
    androidArtifact(
      "platform-tools_r37.0.1-win.zip",
      "e03e78b1d80b396f1c3358e31251cb31740e1110",
      { bytes: 8_044_989 },
    ),
    androidArtifact(
      "build-tools_r36_windows.zip",
      "f16ccffd34de8790dede813a6c7d8e2c11a27b50",
      { roughBytes: 60_000_000 },
    ),
    ANDROID_PLATFORM,
  ],
  "linux-x64": [
    androidArtifact(
      "commandlinetools-linux-15641748_latest.zip",
      "63523a02a975a81102238566f2a16c057d52301e",
      { bytes: 174_244_366 },
    ),
    androidArtifact(
      "platform-tools_r37.0.1-linux.zip",
      "477254aa5f903c15cf51001717bdf347fb6b53e0",
      { bytes: 9_054_187 },
    ),
    androidArtifact(
      "build-tools_r36_linux.zip",
      "b0b6376977657e8ad9b969bacf4093601da2c6fb",
      { bytes: 63_737_259 },
    ),
    ANDROID_PLATFORM,
  ],
};

/** The bytes of an artifact, exact or not. */
export function artifactBytes(artifact: Artifact): number {
  return artifact.bytes ?? artifact.roughBytes ?? 0;
}
