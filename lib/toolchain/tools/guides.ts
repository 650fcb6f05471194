import type { Host } from "../../ports/host.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import type { Platform } from "../work/ports.ts";
import type { Guide, ToolId } from "./types.ts";

/** What a guide needs to know about the machine. */
export interface GuideContext {
  readonly platform: Platform;
  /** Of the processor. */
  readonly arch: Host["arch"];
  readonly toolchainDir: string;
}

interface GuideText {
  readonly title: string;
  readonly url?: string;
  readonly steps: readonly string[];
}

/** Steps that a person can follow to have the tool found. */
export function guideFor(id: ToolId, context: GuideContext): Guide {
  const { title, steps, url } = textOf(id, context);
  return url === undefined ? { id, title, steps } : { id, title, steps, url };
}

function textOf(id: ToolId, context: GuideContext): GuideText {
  return GUIDES[id](context);
}

const GEM_INSTALL = `gem install cocoapods -v ${PINNED_VERSIONS.cocoapods}`;

const GUIDES: Readonly<Record<ToolId, (context: GuideContext) => GuideText>> = {
  toktx: ({ platform }) => ({
    title: "KTX-Software (toktx or ktx)",
    url: "https://github.com/KhronosGroup/KTX-Software/releases",
    steps: [
      "Open the releases page and choose version 4.4.2; version 5 has 'ktx' only, which also serves.",
      by(platform, {
        darwin:
          "Run the .pkg for your processor (arm64 or x86_64); it installs into /usr/local/bin.",
        win32: "Run the Windows-x64 installer and let it add KTX-Software to PATH.",
        linux: "Install the .deb or .rpm, or unpack the .tar.bz2 and put its bin folder on PATH.",
      }),
      "Or set SVC_TOKTX to the absolute path of toktx or ktx.",
      "Open a new terminal and check: 'toktx --version' or 'ktx --version'.",
    ],
  }),
  "msdf-atlas-gen": ({ platform }) => ({
    title: "msdf-atlas-gen",
    url: "https://github.com/Chlumsky/msdf-atlas-gen/releases",
    steps: [
      by(platform, {
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
  npm: () => ({
    title: "Node.js with npm",
    url: "https://nodejs.org/en/download",
    steps: [
      "Install Node.js 22 with the installer or your version manager; npm comes with it.",
      "Or set SVC_NPM to the absolute path of npm (npm.cmd on Windows).",
      "Check in a new terminal: 'npm --version'.",
    ],
  }),
  xcodebuild: ({ platform }) =>
    platform === "darwin"
      ? {
        title: "Xcode",
        url: "https://apps.apple.com/app/xcode/id497799835",
        steps: [
          "Install Xcode from the App Store; it needs about 40 GB and an Apple ID.",
          "Start Xcode once and let it install its components.",
          "Run 'sudo xcode-select -s /Applications/Xcode.app'.",
          "Run 'sudo xcodebuild -license accept' after reading the licence.",
          "Check: 'xcodebuild -version'.",
        ],
      }
      : {
        title: "Xcode",
        steps: [
          "Xcode exists for macOS only: open the project on a Mac to build for iOS.",
          "Updates over the air reach iOS devices from any machine; only the app itself needs a Mac.",
        ],
      },
  cocoapods: ({ platform }) => ({
    title: "CocoaPods",
    url: "https://guides.cocoapods.org/using/getting-started.html",
    steps: platform === "darwin"
      ? [
        "Install Ruby 3.4 or an older 3.x (the one of macOS is too old): 'brew install ruby@3.4'.",
        `Run '${GEM_INSTALL}' with that Ruby.`,
        "Or set SVC_COCOAPODS to the absolute path of pod.",
        "Check: 'pod --version'.",
      ]
      : [
        "CocoaPods serves iOS builds, which need macOS: it is not needed on this machine.",
        `To use it here all the same: install Ruby, run '${GEM_INSTALL}' and set ` +
        "SVC_COCOAPODS to the absolute path of pod.",
      ],
  }),
  "gltf-transform-cli": ({ toolchainDir }) =>
    npmTool({
      title: "glTF Transform",
      name: "gltf-transform",
      requirement: `@gltf-transform/cli@${PINNED_VERSIONS["gltf-transform-cli"]}`,
      env: "SVC_GLTF_TRANSFORM_CLI",
      check: "gltf-transform --version",
      url: "https://gltf-transform.dev/cli",
      toolchainDir,
    }),
  gltfpack: ({ toolchainDir }) =>
    npmTool({
      title: "gltfpack",
      name: "gltfpack",
      requirement: `gltfpack@${PINNED_VERSIONS.gltfpack}`,
      env: "SVC_GLTFPACK",
      check: "gltfpack -v",
      url: "https://meshoptimizer.org/gltf/",
      toolchainDir,
    }),
  ffmpeg: ({ platform }) => ffmpegFamily("ffmpeg", "SVC_FFMPEG", platform),
  ffprobe: ({ platform }) => ffmpegFamily("ffprobe", "SVC_FFPROBE", platform),
  "android-sdk": ({ platform, arch, toolchainDir }) => ({
    title: "Android SDK",
    url: "https://developer.android.com/studio#command-line-tools-only",
    steps: [
      ...(platform === "linux" && arch !== "x64"
        ? [
          "Google builds adb, aapt2 and the other tools for Linux on x86-64 only: build on such a " +
          "machine, on a Mac or on Windows, or have this one run x86-64 programs (qemu-user).",
        ]
        : []),
      "Install Android Studio, or the command-line tools alone.",
      "In the SDK Manager install: platform-tools, platforms;android-36, build-tools;36.0.0.",
      `Set ANDROID_HOME to the SDK folder, or put the SDK into ${toolchainDir} as android-sdk.`,
      "Accept its licence: the SDK Manager asks for it, 'sdkmanager --licenses' does, too.",
      "Check: the folder has platform-tools, platforms/android-36/android.jar, " +
      "build-tools/36.0.0/aapt2 and licenses/android-sdk-license.",
    ],
  }),
  java: ({ toolchainDir }) => ({
    title: "JDK 21",
    url: "https://adoptium.net/temurin/releases/?version=21",
    steps: [
      "Install a JDK of major version 21, such as Temurin 21.0.11; no other version is accepted.",
      `Set JAVA_HOME to its folder, or put it into ${toolchainDir} as jdk.`,
      "Check: the folder has bin/java, and its file 'release' says JAVA_VERSION=\"21…\".",
    ],
  }),
};

function by(platform: Platform, text: Readonly<Record<Platform, string>>): string {
  return text[platform];
}

function npmTool(tool: {
  readonly title: string;
  readonly name: string;
  readonly requirement: string;
  readonly env: string;
  readonly check: string;
  readonly url: string;
  readonly toolchainDir: string;
}): GuideText {
  const { title, name, requirement, env, check, url, toolchainDir } = tool;
  const install = `npm install --prefix "${toolchainDir}/npm-tools" ${requirement}`;
  return {
    title,
    url,
    steps: [
      `With Node.js installed, run '${install}'.`,
      `Or set ${env} to the absolute path of ${name}.`,
      `Check: '${check}'.`,
    ],
  };
}

function ffmpegFamily(id: "ffmpeg" | "ffprobe", env: string, platform: Platform): GuideText {
  return {
    title: "FFmpeg",
    url: "https://ffmpeg.org/download.html",
    steps: [
      by(platform, {
        darwin: "Run 'brew install ffmpeg'; it brings ffmpeg and ffprobe.",
        win32: "Run 'winget install Gyan.FFmpeg'; it brings ffmpeg and ffprobe.",
        linux: "Install the package ffmpeg of your distribution; it brings ffmpeg and ffprobe.",
      }),
      `Or set ${env} to the absolute path of ${id}.`,
      `Check in a new terminal: '${id} -version'.`,
    ],
  };
}
