import { artifact } from "./artifact.ts";
import { COCOAPODS_CHECKSUMS } from "./cocoapods-checksums.ts";
import type { Artifact, PlatformPins } from "./pins.ts";

/** A line of Bundler's CHECKSUMS: `  ffi (1.17.4-arm64-darwin) sha256=…`. */
const CHECKSUM = /^ {2}([\w.-]+) \(([\w.]+(?:-[\w-]+)?)\) sha256=([0-9a-f]{64})$/gm;

/** How large such a gem is on average, in bytes. */
const GEM_BYTES = 100_000;

/** CocoaPods with every gem that it needs, from the gem server. */
export const COCOAPODS_PINS: PlatformPins = {
  "darwin-arm64": {
    artifacts: gemArtifacts(COCOAPODS_CHECKSUMS),
    unpackedBytes: 40_000_000,
  },
};

/** The gems of a CHECKSUMS section, in its order. */
export function gemArtifacts(checksums: string): Artifact[] {
  return [...checksums.matchAll(CHECKSUM)].map(([, name = "", version = "", sha256 = ""]) =>
    artifact(`${name} ${version}`, `https://rubygems.org/gems/${name}-${version}.gem`, {
      sha256,
      roughBytes: GEM_BYTES,
    })
  );
}
