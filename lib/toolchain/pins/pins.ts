import type { Host } from "../../ports/host.ts";

// Definition and lookup of pins (INST-1). The pins themselves are in this folder, one file per vendor.

/** A platform that downloads are pinned for: `<platform>-<arch>`. */
export type PlatformKey = "darwin-arm64" | "win32-x64" | "linux-x64" | "linux-arm64";

/** Every platform that something is pinned for. */
export const PLATFORM_KEYS: readonly PlatformKey[] = [
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
  /** The vendor's address. */
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

/** Downloads of one installation, and its size when unpacked. */
export interface Pin {
  /** The downloads, in the order of their installation. */
  readonly artifacts: readonly Artifact[];
  /** The lock file of the model tools if it is not ours: the packages that npm installs, with hashes. */
  readonly lock?: string;
  /** Bytes that npm downloads in addition to the artifacts; an estimate. */
  readonly npmBytes?: number;
  /** Libraries of the system, by their file names, without which its programs do not start. */
  readonly libraries?: readonly string[];
  /** Bytes of disk during the installation, in addition to the downloads; an estimate. */
  readonly unpackedBytes: number;
}

/** Pins of one package; on other platforms it cannot be installed. */
export type PlatformPins = Readonly<Partial<Record<PlatformKey, Pin>>>;

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
  ffmpeg: "8.1.2",
  cocoapods: "1.17.0",
  ruby: "3.4.6",
} as const;

/** The bytes that an installation downloads, exact or not. */
export function downloadBytes({ artifacts, npmBytes = 0 }: Pin): number {
  return artifacts.reduce((sum, artifact) => sum + artifactBytes(artifact), npmBytes);
}

/** The bytes of an artifact, exact or not. */
export function artifactBytes(artifact: Artifact): number {
  return artifact.bytes ?? artifact.roughBytes ?? 0;
}
