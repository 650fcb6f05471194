import { artifact } from "./artifact.ts";
import { PINNED_VERSIONS, type PlatformPins } from "./pins.ts";

/** The relocatable Ruby that Homebrew builds. */
export const RUBY_PINS: PlatformPins = {
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
};
