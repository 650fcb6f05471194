import { editorEnv, everywhere, HOMEBREW, onPlatform, QUICK_MS } from "./common.ts";
import type { BinaryDescriptor } from "./descriptor.ts";

/** Makes the atlases of fonts. */
export const MSDF_ATLAS_GEN: BinaryDescriptor = {
  id: "msdf-atlas-gen",
  kind: "binary",
  group: "Text",
  names: ["msdf-atlas-gen"],
  env: editorEnv("SVC_MSDF_ATLAS_GEN"),
  own: everywhere("msdf-atlas-gen", "msdf-atlas-gen/*", "msdf-atlas-gen/bin"),
  wellKnown: HOMEBREW,
  probe: {
    args: ["-version"],
    stream: "either",
    accept: [0],
    version: /\bv?(\d+\.\d+[\w.-]*)/,
    timeoutMs: QUICK_MS,
  },
  refuseSystem: "when-bundled",
  provision: { kind: "guide" },
  requiredFor: [],
  guide: ({ platform }) => ({
    title: "msdf-atlas-gen",
    url: "https://github.com/Chlumsky/msdf-atlas-gen/releases",
    steps: [
      onPlatform(platform, {
        win32: "Download the win64 archive of version 1.4 and unpack it.",
        darwin: "There is no ready build for macOS: install Xcode's Command Line Tools, CMake " +
          "and vcpkg, clone the repository with its submodules, then run " +
          "'cmake -B build -DCMAKE_BUILD_TYPE=Release' and 'cmake --build build'.",
        linux:
          "There is no ready build for Linux: install a C++ compiler, CMake and vcpkg, clone the " +
          "repository with its submodules, then run 'cmake -B build -DCMAKE_BUILD_TYPE=Release' " +
          "and 'cmake --build build'.",
      }),
      "Put the program into a folder on PATH, or set SVC_MSDF_ATLAS_GEN to its absolute path.",
      "Check: 'msdf-atlas-gen -version'.",
    ],
  }),
};
