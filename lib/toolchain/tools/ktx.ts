import { editorEnv, everywhere, HOMEBREW, onPlatform, QUICK_MS } from "./common.ts";
import type { BinaryDescriptor } from "./descriptor.ts";

/** Compresses textures. */
export const TOKTX: BinaryDescriptor = {
  id: "toktx",
  kind: "binary",
  group: "Model",
  // KTX-Software 5 has `ktx` only; older ones have both.
  names: ["toktx", "ktx"],
  env: editorEnv("SVC_TOKTX"),
  own: everywhere("toktx/bin", "toktx/*/bin", "toktx/*", "toktx"),
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "either",
    accept: [0],
    version: /\bv?(\d+\.\d+[\w.+~-]*)/,
    timeoutMs: QUICK_MS,
  },
  refuseSystem: "when-bundled",
  provision: { kind: "guide" },
  requiredFor: [],
  guide: ({ platform }) => ({
    title: "KTX-Software (toktx or ktx)",
    url: "https://github.com/KhronosGroup/KTX-Software/releases",
    steps: [
      "Open the releases page and choose version 4.4.2; version 5 has 'ktx' only, which also serves.",
      onPlatform(platform, {
        darwin:
          "Run the .pkg for your processor (arm64 or x86_64); it installs into /usr/local/bin.",
        win32: "Run the Windows-x64 installer and let it add KTX-Software to PATH.",
        linux: "Install the .deb or .rpm, or unpack the .tar.bz2 and put its bin folder on PATH.",
      }),
      "Or set SVC_TOKTX to the absolute path of toktx or ktx.",
      "Open a new terminal and check: 'toktx --version' or 'ktx --version'.",
    ],
  }),
};
