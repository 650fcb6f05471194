import type { Host } from "../ports/host.ts";

// What the editor provides, pinned (spec §4.8, provisioning). Sizes are the vendors' own where they
// are known exactly; `roughBytes` is for telling the user how much there is to download. A hash that
// was not seen in two independent sources is marked so; a hash that is not known is not here.

/** A platform that downloads are pinned for: `<platform>-<arch>`. */
export type PlatformKey = "darwin-arm64" | "win32-x64" | "linux-x64" | "linux-arm64";

const PLATFORM_KEYS: readonly PlatformKey[] = [
  "darwin-arm64",
  "win32-x64",
  "linux-x64",
  "linux-arm64",
];

/** The platform key of a machine, or `null` when nothing is pinned for it. */
export function platformKey(host: Pick<Host, "platform" | "arch">): PlatformKey | null {
  return PLATFORM_KEYS.find((key) => key === `${host.platform}-${host.arch}`) ?? null;
}

/** A pinned download. */
export interface Artifact {
  /** For people: `JDK 21.0.11+10`. */
  readonly name: string;
  /** Where the vendor has it. */
  readonly url: string;
  /** The name that it is stored under in `<toolchainDir>/downloads`. */
  readonly file: string;
  /** Lower-case hex. At least one of the two hashes is there; both are checked where both are. */
  readonly sha256?: string;
  /** Lower-case hex; all that the vendor of the Android packages publishes. */
  readonly sha1?: string;
  /** Exact size, in bytes; a download of another size is refused. */
  readonly bytes?: number;
  /** Size where the exact one is not known. */
  readonly roughBytes?: number;
  /** Whether the hash was seen in two independent sources. */
  readonly confirmed: boolean;
  /** Headers that the server asks for. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is downloaded for one installation, and the space that it takes when unpacked. */
export interface Pin {
  readonly artifacts: readonly Artifact[];
  /** An estimate, in bytes. */
  readonly unpackedBytes: number;
}

/** Everything that an installation may consist of; each has a folder and a receipt of its own. */
export const PACKAGE_IDS = [
  "node",
  "jdk",
  "android-sdk",
  "npm-tools",
  "ffmpeg",
  "ffprobe",
  "ruby",
  "cocoapods",
] as const;

/** The id of a package. */
export type PackageId = (typeof PACKAGE_IDS)[number];

/** Pins by package and platform: what has none cannot be installed there. */
export type Pins = Readonly<Record<PackageId, Readonly<Partial<Record<PlatformKey, Pin>>>>>;

/** The packages that must be in place before another one can be installed, in order. */
export function packagesBefore(id: PackageId): readonly PackageId[] {
  return id === "cocoapods" ? ["ruby"] : [];
}

/** What installing a package downloads on this platform, or `null` when it is not pinned there. */
export function pinOf(id: PackageId, key: PlatformKey | null, pins: Pins): Pin | null {
  if (key === null) return null;
  if (packagesBefore(id).some((before) => pins[before][key] === undefined)) return null;
  return pins[id][key] ?? null;
}

/** The pinned versions, as the status shows them. */
export const PINNED_VERSIONS = {
  node: "22.23.1",
  "gltf-transform-cli": "4.4.1",
  gltfpack: "1.2.0",
  java: "21.0.11+10",
  "cmdline-tools": "15641748",
  "platform-tools": "37.0.1",
  "build-tools": "36.0.0",
  "platform": "36",
  cocoapods: "1.17.0",
  ruby: "3.4.6",
} as const;

type Known = Pick<Artifact, "sha256" | "sha1" | "bytes" | "roughBytes"> & {
  readonly confirmed?: boolean;
};

function nodePin(file: string, known: Known): Pin {
  const version = PINNED_VERSIONS.node;
  const name = `node-v${version}-${file}`;
  return {
    artifacts: [
      artifact(`Node.js ${version}`, `https://nodejs.org/dist/v${version}/${name}`, known),
    ],
    unpackedBytes: 200_000_000,
  };
}

function jdkPin(file: string, known: Known): Pin {
  const [release = "", build = ""] = PINNED_VERSIONS.java.split("+");
  const folder = "https://github.com/adoptium/temurin21-binaries/releases/download/" +
    `jdk-${release}%2B${build}`;
  const name = `OpenJDK21U-jdk_${file.replace("*", `${release}_${build}`)}`;
  return {
    artifacts: [artifact(`JDK ${PINNED_VERSIONS.java}`, `${folder}/${name}`, known)],
    unpackedBytes: 350_000_000,
  };
}

/** @param unpackedBytes Of all archives together. */
function androidPin(unpackedBytes: number, archives: readonly (readonly [string, Known])[]): Pin {
  return {
    artifacts: archives.map(([file, known]) =>
      artifact(file, `https://dl.google.com/android/repository/${file}`, known)
    ),
    unpackedBytes,
  };
}

function artifact(name: string, url: string, { confirmed = true, ...known }: Known): Artifact {
  return { name, url, file: url.slice(url.lastIndexOf("/") + 1), ...known, confirmed };
}

/** A program in an npm package; its server is the user's own registry, and npm fetches it. */
function npmPin(
  name: string,
  version: string,
  { unpackedBytes, ...known }: Known & { readonly unpackedBytes: number },
): Pin {
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  // The registry is the only source that was seen.
  const source = { name: `${name} ${version}`, url: `npm:${name}@${version}`, file };
  return { artifacts: [{ ...source, ...known, confirmed: false }], unpackedBytes };
}

/** The platform package is the same for every host. */
const ANDROID_PLATFORM: readonly [string, Known] = ["platform-36_r02.zip", {
  sha1: "2c1a80dd4d9f7d0e6dd336ec603d9b5c55a6f576",
  sha256: "37607369a28c5b640b3a7998868d45898ebcb777565a0e85f9acf36f29631d2e",
  bytes: 65_878_410,
}];

/** npm checks every package against the lock file that we ship: nothing else to pin. */
const NPM_TOOLS: Pin = { artifacts: [], unpackedBytes: 120_000_000 };

/** The pins of the editor. */
export const PINS: Pins = {
  node: {
    "darwin-arm64": nodePin("darwin-arm64.tar.gz", {
      sha256: "ef28d8fab2c0e4314522d4bb1b7173270aa3937e93b92cb7de79c112ac1fa953",
      bytes: 50_067_502,
    }),
    "win32-x64": nodePin("win-x64.zip", {
      sha256: "7df0bc9375723f4a86b3aa1b7cc73342423d9677a8df4538aca31a049e309c29",
      bytes: 35_682_836,
    }),
    "linux-x64": nodePin("linux-x64.tar.gz", {
      sha256: "7a8cb04b4a1df4eaf432125324b81b29a088e73570a23259a8de1c65d07fc129",
      roughBytes: 57_000_000,
    }),
    "linux-arm64": nodePin("linux-arm64.tar.gz", {
      sha256: "543fa39e57d4c07855939459a323f4deb9a79dd1bb45e6e99458b0f2de10db8d",
      roughBytes: 57_000_000,
    }),
  },
  jdk: {
    "darwin-arm64": jdkPin("aarch64_mac_hotspot_*.tar.gz", {
      sha256: "6ebcf221c9b41507b14c098e93c6ead6440b8d9bd154f8ec666c4c73abbdb201",
      roughBytes: 205_000_000,
    }),
    "win32-x64": jdkPin("x64_windows_hotspot_*.zip", {
      sha256: "d3625e7cadf23787ea540229544b6e2ab494b3b54da1801879e583e1dfee0a64",
      bytes: 205_073_954,
    }),
    "linux-x64": jdkPin("x64_linux_hotspot_*.tar.gz", {
      sha256: "4b2220e232a97997b436ca6ab15cbf70171ecff52958a46159dfa5a8c44ca4de",
      roughBytes: 207_000_000,
    }),
    "linux-arm64": jdkPin("aarch64_linux_hotspot_*.tar.gz", {
      sha256: "8d498ec88e1c1989fab95c6784240ab92d011e29c54d20a3f9c324b13476f9ad",
      roughBytes: 205_000_000,
    }),
  },
  // Google builds its tools for Linux on x64 only.
  "android-sdk": {
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
        roughBytes: 60_000_000,
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
  },
  "npm-tools": {
    "darwin-arm64": NPM_TOOLS,
    "win32-x64": NPM_TOOLS,
    "linux-x64": NPM_TOOLS,
    "linux-arm64": NPM_TOOLS,
  },
  ffmpeg: {
    "darwin-arm64": npmPin("@ffmpeg-installer/darwin-arm64", "4.1.5", {
      sha256: "8a4306e64ed3ba3cb5e51093266c8c72f65314bec146c899a50426f21aaa0f44",
      sha1: "b7b5c262dd96d1aea4807514e1cdcf6e11f82743",
      bytes: 15_712_439,
      unpackedBytes: 36_766_920,
    }),
    "win32-x64": npmPin("@ffmpeg-installer/win32-x64", "4.1.0", {
      sha256: "2aa313be3585994d710197bc4196f5fcbb6a1469be1013b24d200e45d773592f",
      sha1: "17e8699b5798d4c60e36e2d6326a8ebe5e95a2c5",
      bytes: 22_202_240,
      unpackedBytes: 64_458_752,
    }),
    "linux-x64": npmPin("@ffmpeg-installer/linux-x64", "4.1.0", {
      sha256: "b836abe532912ae6c3388dbe713952af293a3d005fc9e4d34d52f14da99dda71",
      sha1: "b4a5d89c4e12e6d9306dbcdc573df716ec1c4323",
      bytes: 23_070_854,
      unpackedBytes: 68_174_760,
    }),
    "linux-arm64": npmPin("@ffmpeg-installer/linux-arm64", "4.1.4", {
      sha256: "2dbe7362c21f8d6bec085d6ad5dfd4b883876013d670e0a8ec60fdb51399814a",
      sha1: "7219f3f901bb67f7926cb060b56b6974a6cad29f",
      bytes: 15_645_188,
      unpackedBytes: 32_808_336,
    }),
  },
  ffprobe: {
    "darwin-arm64": npmPin("@ffprobe-installer/darwin-arm64", "5.0.1", {
      sha256: "27069fc32879761968823c3ce5353d3c6573f5df7d83d40b60bc2d878e886d39",
      sha1: "a020a623955d55aa8daf45cb668c3044876b553b",
      bytes: 8_398_999,
      unpackedBytes: 18_187_448,
    }),
    "win32-x64": npmPin("@ffprobe-installer/win32-x64", "5.1.0", {
      sha256: "97992b5e3b651c7df625831fd369eecc5ec0e9532ac98921138b1c4fbc8de96e",
      sha1: "87841123e8b903cc327f1e5b9aa69e5d2fbe6d7b",
      bytes: 28_822_426,
      unpackedBytes: 80_995_328,
    }),
    "linux-x64": npmPin("@ffprobe-installer/linux-x64", "5.2.0", {
      sha256: "8b6b2e34bad5ea7cfbe1914185145f514f620f24203a1a421e8d00a698bf8e61",
      sha1: "5dd8dbd51d130b5997bf49cb874e1f92e97f02e7",
      bytes: 28_996_468,
      unpackedBytes: 78_926_144,
    }),
    "linux-arm64": npmPin("@ffprobe-installer/linux-arm64", "5.2.0", {
      sha256: "369ec8159c5a347e460fe5e2cc9a7e3ed9c53acecb8f29e2a6491e756103c060",
      sha1: "b6cb3735792d9d012d1caba4de2a6f90af2a8966",
      bytes: 25_198_251,
      unpackedBytes: 50_245_776,
    }),
  },
  ruby: {
    "darwin-arm64": {
      artifacts: [
        artifact(
          `Ruby ${PINNED_VERSIONS.ruby}`,
          "https://github.com/Homebrew/homebrew-portable-ruby/releases/download/" +
            `${PINNED_VERSIONS.ruby}/portable-ruby-${PINNED_VERSIONS.ruby}.arm64_big_sur.bottle.tar.gz`,
          {
            sha256: "62fe925f284cc38aac68b9a42b02cd90de753f8832e8866be3fd60558dd70f67",
            roughBytes: 13_000_000,
          },
        ),
      ],
      unpackedBytes: 60_000_000,
    },
  },
  // No hash of the gems of CocoaPods 1.17.0 was seen in any source: not installable until one is.
  cocoapods: {},
};

/** The bytes of an artifact, exact or not. */
export function artifactBytes(artifact: Artifact): number {
  return artifact.bytes ?? artifact.roughBytes ?? 0;
}
