import type { Pin, PlatformKey } from "../pins.ts";

const ALL_TOOLS: Pin = { artifacts: [], unpackedBytes: 120_000_000 };

/** The model tools: our lock file pins them (install/recipes/npm-tools-lock.ts). */
export const NPM_TOOLS_PINS: Readonly<Partial<Record<PlatformKey, Pin>>> = {
  "darwin-arm64": ALL_TOOLS,
  "win32-x64": ALL_TOOLS,
  "linux-x64": ALL_TOOLS,
  "linux-arm64": ALL_TOOLS,
};
