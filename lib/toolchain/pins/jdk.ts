import { artifact, type KnownArtifact } from "./artifact.ts";
import { type Pin, PINNED_VERSIONS, type PlatformPins } from "./pins.ts";

/** The JDK, as Eclipse Temurin builds it; the hashes are those of its `.sha256.txt` files. */
export const JDK_PINS: PlatformPins = {
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
};

function jdkPin(file: string, known: KnownArtifact): Pin {
  const [release = "", build = ""] = PINNED_VERSIONS.java.split("+");
  const folder = "https://github.com/adoptium/temurin21-binaries/releases/download/" +
    `jdk-${release}%2B${build}`;
  const name = `OpenJDK21U-jdk_${file.replace("*", `${release}_${build}`)}`;
  return {
    artifacts: [artifact(`JDK ${PINNED_VERSIONS.java}`, `${folder}/${name}`, known)],
    unpackedBytes: 350_000_000,
  };
}
