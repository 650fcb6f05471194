import { artifact, type KnownArtifact } from "./artifact.ts";
import { type Pin, PINNED_VERSIONS, type PlatformPins } from "./pins.ts";

/** Node.js, as its project builds it; the hashes are those of its `SHASUMS256.txt`. */
export const NODE_PINS: PlatformPins = {
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
};

function nodePin(file: string, known: KnownArtifact): Pin {
  const version = PINNED_VERSIONS.node;
  const name = `node-v${version}-${file}`;
  return {
    artifacts: [
      artifact(`Node.js ${version}`, `https://nodejs.org/dist/v${version}/${name}`, known),
    ],
    unpackedBytes: 215_000_000, // of Linux on x64, in blocks of 4 KiB; the others take less
  };
}
