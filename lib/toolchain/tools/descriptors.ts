import type {
  BinaryDescriptor,
  DirectoryDescriptor,
  EnvOverride,
  Places,
  ProbeSpec,
  ToolDescriptor,
} from "./descriptor.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import type { ToolId } from "./types.ts";

// One descriptor a tool (spec §4.8, "Adding a tool"): everything that differs between tools is data.

const QUICK_MS = 10_000;
/** Programs that start a JavaScript or Ruby runtime, on a cold and busy machine. */
const SLOW_MS = 30_000;

const NOWHERE: Places = { darwin: [], linux: [], win32: [] };

/** An app started from the desktop has no Homebrew on its PATH. */
const HOMEBREW: Places = { darwin: ["/opt/homebrew/bin", "/usr/local/bin"], linux: [], win32: [] };

const NODE_FOLDERS: Places = {
  darwin: ["node/*/bin", "node/bin"],
  linux: ["node/*/bin", "node/bin"],
  win32: ["node/*", "node"],
};

const NPM_TOOLS: Places = everywhere("npm-tools/node_modules/.bin");
const RUBY_FOLDERS: Places = everywhere("ruby/portable-ruby/*/bin", "ruby/*/bin", "ruby/bin");

function everywhere(...places: readonly string[]): Places {
  return { darwin: places, linux: places, win32: places };
}

function editorEnv(name: string): readonly EnvOverride[] {
  return [{ name, scope: "editor" }];
}

const TOKTX: BinaryDescriptor = {
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
};

const MSDF_ATLAS_GEN: BinaryDescriptor = {
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
};

const NPM: BinaryDescriptor = {
  id: "npm",
  kind: "binary",
  group: "Core",
  names: ["npm"],
  env: editorEnv("SVC_NPM"),
  own: NODE_FOLDERS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
    env: { npm_config_update_notifier: "false" },
  },
  refuseSystem: "when-node-provisioned",
  provision: { kind: "install", package: "node" },
  pin: { version: `node ${PINNED_VERSIONS.node}`, comparable: false },
  requiredFor: ["android", "ios"],
};

const XCODEBUILD: BinaryDescriptor = {
  id: "xcodebuild",
  kind: "binary",
  group: "iOS",
  names: ["xcodebuild"],
  env: editorEnv("SVC_XCODEBUILD"),
  own: NOWHERE,
  wellKnown: NOWHERE,
  probe: {
    args: ["-version"],
    stream: "stdout",
    accept: [0],
    version: /^Xcode (\d+[\d.]*)/m,
    timeoutMs: SLOW_MS,
    knownFailures: [
      {
        pattern: /requires Xcode|command line tools instance/i,
        reason: "only the Command Line Tools are selected; run " +
          "'sudo xcode-select -s /Applications/Xcode.app' when Xcode is installed",
      },
      {
        pattern: /no developer tools were found/i,
        reason: "it is the stub of macOS, and no Xcode is installed",
      },
      {
        pattern: /license/i,
        reason: "the Xcode licence is not accepted; run 'sudo xcodebuild -license'",
      },
    ],
  },
  refuseSystem: "never",
  provision: { kind: "guide" },
  onlyOn: "darwin",
  requiredFor: ["ios"],
};

const COCOAPODS: BinaryDescriptor = {
  id: "cocoapods",
  kind: "binary",
  group: "iOS",
  names: ["pod"],
  env: editorEnv("SVC_COCOAPODS"),
  own: everywhere("cocoapods-gems/bin"),
  ownRuntime: {
    path: RUBY_FOLDERS,
    env: { GEM_HOME: "cocoapods-gems", GEM_PATH: "cocoapods-gems" },
  },
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
    // It refuses to print anything useful in another locale.
    env: { LANG: "en_US.UTF-8", COCOAPODS_DISABLE_STATS: "true" },
  },
  refuseSystem: "when-installable",
  provision: { kind: "install", package: "cocoapods" },
  pin: { version: PINNED_VERSIONS.cocoapods, comparable: true },
  onlyOn: "darwin",
  requiredFor: [],
};

const GLTF_TRANSFORM: BinaryDescriptor = {
  id: "gltf-transform-cli",
  kind: "binary",
  group: "Model",
  names: ["gltf-transform"],
  env: editorEnv("SVC_GLTF_TRANSFORM_CLI"),
  own: NPM_TOOLS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
  },
  refuseSystem: "always",
  provision: { kind: "install", package: "npm-tools" },
  pin: { version: PINNED_VERSIONS["gltf-transform-cli"], comparable: true },
  requiredFor: [],
};

const GLTFPACK: BinaryDescriptor = {
  id: "gltfpack",
  kind: "binary",
  group: "Model",
  names: ["gltfpack"],
  env: editorEnv("SVC_GLTFPACK"),
  own: NPM_TOOLS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: HOMEBREW,
  probe: {
    args: ["-v"], // `--version` is an unrecognised option
    stream: "stdout",
    accept: [0],
    version: /^gltfpack v?(\d+\.\d+\S*)/m,
    timeoutMs: SLOW_MS,
  },
  refuseSystem: "always",
  provision: { kind: "install", package: "npm-tools" },
  pin: { version: PINNED_VERSIONS.gltfpack, comparable: true },
  requiredFor: [],
};

function ffmpegFamily(id: "ffmpeg" | "ffprobe"): BinaryDescriptor {
  const own = (folder: string) => [`${folder}/*`, `${folder}/*/bin`, folder];
  return {
    id,
    kind: "binary",
    group: "Audio",
    names: [id],
    env: editorEnv(id === "ffmpeg" ? "SVC_FFMPEG" : "SVC_FFPROBE"),
    // Builds of ffmpeg have ffprobe in the same folder.
    own: everywhere(...own("ffmpeg"), ...(id === "ffprobe" ? own("ffprobe") : [])),
    wellKnown: HOMEBREW,
    probe: {
      args: ["-version"], // `--version` exits 1
      stream: "stdout",
      accept: [0],
      // A build may tell no more than its commit: the year says how old it is.
      version: new RegExp(`^${id} version (\\S+)(?: Copyright \\(c\\) \\d{4}-(\\d{4})\\b)?`, "m"),
      timeoutMs: QUICK_MS,
      knownFailures: [{
        pattern: /error while loading shared libraries/i,
        reason: "this system lacks a library that it needs (install its own package ffmpeg)",
      }],
    },
    refuseSystem: "always",
    provision: {
      kind: "install",
      package: "ffmpeg",
      ...(id === "ffprobe" && { formerly: id }),
    },
    pin: { version: `${PINNED_VERSIONS.ffmpeg} (2026)`, comparable: true },
    requiredFor: [],
  };
}

/** The only major version of the JDK that is accepted (spec §4.8, rule 4; §8). */
export const REQUIRED_JAVA_MAJOR = 21;

/** How `bin/java` tells its version, where the `release` file does not. */
export const JAVA_PROBE: ProbeSpec = {
  args: ["-version"],
  stream: "stderr",
  accept: [0],
  version: /^\w+ version "([^"]+)"/m,
  noise: /^(?:NOTE: )?Picked up |^(?:OpenJDK.* )?warning:/i,
  timeoutMs: QUICK_MS,
  knownFailures: [
    {
      pattern: /unable to locate a java runtime/i,
      reason: "it is the stub of macOS, and no JDK is installed",
    },
  ],
};

/** How `bin/javac` tells its version. */
export const JAVAC_PROBE: ProbeSpec = {
  args: ["-version"],
  stream: "either",
  accept: [0],
  version: /^javac (\d\S*)/m,
  noise: JAVA_PROBE.noise,
  timeoutMs: SLOW_MS,
};

/** How aapt2 tells its version. */
export const AAPT2_PROBE: ProbeSpec = {
  args: ["version"],
  stream: "either",
  accept: [0],
  version: /\(aapt\) (\d\S*)/,
  timeoutMs: QUICK_MS,
};

/** How adb tells its version: line 1 is the version of its protocol. */
export const ADB_PROBE: ProbeSpec = {
  args: ["--version"],
  stream: "stdout",
  accept: [0],
  version: /^Version (\S+)/m,
  timeoutMs: QUICK_MS,
};

const ANDROID_SDK: DirectoryDescriptor = {
  id: "android-sdk",
  kind: "directory",
  group: "Android",
  env: [
    { name: "ANDROID_HOME", scope: "system" },
    { name: "ANDROID_SDK_ROOT", scope: "system" },
  ],
  own: everywhere("android-sdk"),
  wellKnown: {
    darwin: [
      "~/Library/Android/sdk",
      "/opt/homebrew/share/android-commandlinetools",
      "/usr/local/share/android-commandlinetools",
    ],
    linux: ["~/Android/Sdk", "~/Android/sdk", "/usr/lib/android-sdk", "/opt/android-sdk"],
    win32: [
      "%LOCALAPPDATA%/Android/Sdk",
      "~/AppData/Local/Android/Sdk",
      "%ProgramFiles%/Android/Sdk",
      "%ProgramFiles%/Android/android-sdk",
      "%ProgramFiles(x86)%/Android/Sdk",
      "%ProgramFiles(x86)%/Android/android-sdk",
      "C:/Android/Sdk",
      "C:/Android/android-sdk",
    ],
  },
  marker: { path: "platform-tools", kind: "directory" },
  validate: "android-sdk",
  pathHint: "adb",
  binFolder: "platform-tools",
  starts: [
    { path: "platform-tools/adb", probe: ADB_PROBE },
    { path: `build-tools/${PINNED_VERSIONS["build-tools"]}/aapt2`, probe: AAPT2_PROBE },
  ],
  exports: ["ANDROID_HOME", "ANDROID_SDK_ROOT"],
  refuseSystem: "always",
  provision: { kind: "install", package: "android-sdk" },
  pin: { version: `cmdline-tools ${PINNED_VERSIONS["cmdline-tools"]}`, comparable: false },
  requiredFor: ["android"],
  after: ["java"],
};

const JDK_OWN: Places = everywhere(
  "jdk/*",
  "jdk/*/Contents/Home",
  "jdk/*/*",
  "jdk/*/*/Contents/Home",
  "jdk",
  "jdk/Contents/Home",
);

/** Where version managers, editors and Gradle keep them: `java` on PATH is a script of theirs, if any. */
const JDKS_AT_HOME = [
  "~/.sdkman/candidates/java/*",
  "~/.asdf/installs/java/*",
  "~/.local/share/mise/installs/java/*",
  "~/.jenv/versions/*",
  "~/.jdks/*",
  "~/.gradle/jdks/*",
];

function windowsJdks(root: string): readonly string[] {
  return [
    "Eclipse Adoptium/jdk-21*",
    "Microsoft/jdk-21*",
    "Java/jdk-21*",
    "Zulu/zulu-21*",
    "Amazon Corretto/jdk21*",
    "BellSoft/LibericaJDK-21*",
    "Android/Android Studio/jbr",
    "Android Studio/jbr",
  ].map((folder) => `${root}/${folder}`);
}

const JAVA: DirectoryDescriptor = {
  id: "java",
  kind: "directory",
  group: "Android",
  env: [{ name: "JAVA_HOME", scope: "system" }],
  own: JDK_OWN,
  wellKnown: {
    darwin: [
      "/opt/homebrew/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home",
      "/usr/local/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home",
      "/Library/Java/JavaVirtualMachines/*/Contents/Home",
      "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
      ...JDKS_AT_HOME,
      "/Applications/Android Studio.app/Contents/jbr/Contents/Home",
    ],
    linux: [
      "/usr/lib/jvm/*",
      "/usr/java/*",
      "/opt/java/*",
      ...JDKS_AT_HOME,
      "/home/linuxbrew/.linuxbrew/opt/openjdk@21",
      "/opt/android-studio/jbr",
      "/snap/android-studio/current/jbr",
      "~/android-studio/jbr",
      "~/.local/share/JetBrains/Toolbox/apps/android-studio/jbr",
    ],
    win32: [
      ...windowsJdks("%ProgramFiles%"),
      ...windowsJdks("%ProgramFiles(x86)%"),
      ...windowsJdks("%LOCALAPPDATA%/Programs"),
    ],
  },
  marker: { path: "bin/java", kind: "program" },
  validate: "java",
  pathHint: "java",
  stub: {
    platform: "darwin",
    path: "/usr/bin/java",
    reason: "it is the stub of macOS, which only starts a JDK installed elsewhere",
  },
  binFolder: "bin",
  starts: [{ path: "bin/javac", probe: JAVAC_PROBE }],
  exports: ["JAVA_HOME"],
  refuseSystem: "always",
  provision: { kind: "install", package: "jdk" },
  pin: { version: PINNED_VERSIONS.java, comparable: true },
  requiredFor: ["android"],
};

/** Every tool, in the order of {@linkcode TOOL_IDS}. */
export const DESCRIPTORS: Readonly<Record<ToolId, ToolDescriptor>> = {
  toktx: TOKTX,
  "msdf-atlas-gen": MSDF_ATLAS_GEN,
  npm: NPM,
  xcodebuild: XCODEBUILD,
  cocoapods: COCOAPODS,
  "gltf-transform-cli": GLTF_TRANSFORM,
  gltfpack: GLTFPACK,
  ffmpeg: ffmpegFamily("ffmpeg"),
  ffprobe: ffmpegFamily("ffprobe"),
  "android-sdk": ANDROID_SDK,
  java: JAVA,
};
