import type { Pin, PlatformPins } from "./pins.ts";

// Measured with npm 10: 44 MB come from the registry, and while `npm ci` works its cache takes 63 MB
// and the packages 92 MB (95 on Windows).
const ALL_TOOLS: Pin = { artifacts: [], npmBytes: 45_000_000, unpackedBytes: 115_000_000 };

/** The model tools: our lock file pins them (recipes/npm-tools-lock.ts). */
export const NPM_TOOLS_PINS: PlatformPins = {
  "darwin-arm64": ALL_TOOLS,
  "win32-x64": ALL_TOOLS,
  "linux-x64": ALL_TOOLS,
  "linux-arm64": ALL_TOOLS,
};
