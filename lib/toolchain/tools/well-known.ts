import type { Places } from "./descriptor.ts";

// Places of JDKs, Android SDKs and Nodes that neither a variable nor PATH names: an app that is started from
// the desktop sees neither. One table, so that a place is added once (TOOL-20). From: Gradle's auto-detection of JVMs
// (asdf, IntelliJ, jabba, SDKMAN!, Linux, its own; scoop is gradle/gradle 29121), Maven's toolchains plugin
// with the variables that move these folders (apache/maven-toolchains-plugin 129), node-jdk-utils (jEnv,
// Homebrew, nested folders of Gradle), Flutter (SDKs; the runtime in Android Studio, of snap: flutter 137526),
// actions/runner-images (JAVA_HOME_21_X64), and what nvm, fnm, Volta, n, nodenv, asdf and mise document.

/** A user's folder that a variable may move: both places are searched, the variable's first. */
function moved(variables: readonly string[], usual: string, ...below: readonly string[]): string[] {
  return [...variables.map((name) => `%${name}%`), usual]
    .flatMap((folder) => below.map((path) => `${folder}/${path}`));
}

/** Places of mise's installations, by its own variable and that of the desktop. */
function ofMise(tool: string): string[] {
  return [
    ...moved(["MISE_DATA_DIR"], "~/.local/share/mise", `installs/${tool}`),
    `%XDG_DATA_HOME%/mise/installs/${tool}`,
    `%LOCALAPPDATA%/mise/installs/${tool}`,
  ];
}

const JDKS_AT_HOME: readonly string[] = [
  "%JAVA_HOME_21_X64%",
  "%JAVA_HOME_21_arm64%",
  "%JAVA_HOME_21_ARM64%",
  "%JDK_HOME%",
  "%SDKMAN_CANDIDATES_DIR%/java/*",
  ...moved(["SDKMAN_DIR"], "~/.sdkman", "candidates/java/*"),
  ...moved(["ASDF_DATA_DIR"], "~/.asdf", "installs/java/*"),
  ...ofMise("java/*"),
  ...moved(["JENV_ROOT"], "~/.jenv", "versions/*"),
  ...moved(["JABBA_HOME"], "~/.jabba", "jdk/*"),
  "~/.jdks/*",
  "~/.m2/jdks/*",
  ...moved(["JBANG_CACHE_DIR"], "~/.jbang/cache", "jdks/*"),
  ...moved(["GRADLE_USER_HOME"], "~/.gradle", "jdks/*", "jdks/*/*"),
];

/** The runtime that comes with Android Studio, which is a JDK. */
const STUDIO_APPS = ["", "~"].flatMap((root) =>
  ["Android Studio", "Android Studio Preview"].map((name) => `${root}/Applications/${name}.app`)
);

const WINDOWS_JDKS: readonly string[] = [
  "Eclipse Adoptium/jdk-21*",
  "Microsoft/jdk-21*",
  "Java/jdk-21*",
  "Zulu/zulu-21*",
  "Amazon Corretto/jdk21*",
  "BellSoft/LibericaJDK-21*",
  "Semeru/jdk-21*",
  "SapMachine/JDK/21*",
  "Red Hat/java-21*",
  "Android/Android Studio/jbr",
  "Android Studio/jbr",
];

/** Java homes. */
export const JDK_PLACES: Places = {
  darwin: [
    "/opt/homebrew/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    ...JDKS_AT_HOME.flatMap((place) => [place, `${place}/Contents/Home`]),
    ...STUDIO_APPS.map((app) => `${app}/Contents/jbr/Contents/Home`),
    "~/Library/Application Support/JetBrains/Toolbox/apps/AndroidStudio/ch-0/*/Android Studio.app" +
    "/Contents/jbr/Contents/Home",
  ],
  linux: [
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/usr/local/java/*",
    "/opt/java/*",
    ...JDKS_AT_HOME,
    "/home/linuxbrew/.linuxbrew/opt/openjdk@21",
    "/opt/android-studio/jbr",
    "/usr/local/android-studio/jbr",
    "/snap/android-studio/current/android-studio/jbr",
    "~/android-studio/jbr",
    "~/.local/share/JetBrains/Toolbox/apps/android-studio*/jbr",
    "~/.local/share/JetBrains/Toolbox/apps/AndroidStudio/ch-0/*/jbr",
  ],
  win32: [
    ...["%ProgramFiles%", "%ProgramFiles(x86)%", "%LOCALAPPDATA%/Programs"]
      .flatMap((root) => WINDOWS_JDKS.map((folder) => `${root}/${folder}`)),
    ...JDKS_AT_HOME,
    ...moved(["SCOOP"], "~/scoop", "apps/*/current"),
    "%LOCALAPPDATA%/JetBrains/Toolbox/apps/android-studio*/jbr",
    "%LOCALAPPDATA%/JetBrains/Toolbox/apps/AndroidStudio/ch-0/*/jbr",
  ],
};

/** Android SDKs. */
export const SDK_PLACES: Places = {
  darwin: [
    "~/Library/Android/sdk",
    "%HOMEBREW_PREFIX%/share/android-commandlinetools",
    "/opt/homebrew/share/android-commandlinetools",
    "/usr/local/share/android-commandlinetools",
  ],
  linux: [
    "~/Android/Sdk",
    "~/Android/sdk",
    "/usr/lib/android-sdk",
    "/usr/local/lib/android/sdk", // GitHub's runners
    "/opt/android-sdk",
    "/opt/android-sdk-linux",
    "/opt/android/sdk",
  ],
  win32: [
    "%LOCALAPPDATA%/Android/Sdk",
    "~/AppData/Local/Android/Sdk",
    "%ProgramFiles%/Android/Sdk",
    "%ProgramFiles%/Android/android-sdk",
    "%ProgramFiles(x86)%/Android/Sdk",
    "%ProgramFiles(x86)%/Android/android-sdk",
    ...moved(["SCOOP"], "~/scoop", "apps/android-clt/current"),
    "C:/Android/Sdk",
    "C:/Android/android-sdk",
  ],
};

const NODES_AT_HOME: readonly string[] = [
  ...moved(["NVM_DIR"], "~/.nvm", "versions/node/*/bin"),
  ...moved(["FNM_DIR"], "~/.local/share/fnm", "node-versions/*/installation/bin"),
  "~/.fnm/node-versions/*/installation/bin",
  ...ofMise("node/*/bin"),
  ...moved(["ASDF_DATA_DIR"], "~/.asdf", "installs/nodejs/*/bin"),
  ...moved(["NODENV_ROOT"], "~/.nodenv", "versions/*/bin"),
  ...moved(["N_PREFIX"], "~/n", "bin"),
  // A program there starts the Node that is the default for all folders, if there is one.
  ...moved(["VOLTA_HOME"], "~/.volta", "bin"),
];

/** Folders of npm, with the Node that it runs on. */
export const NODE_PLACES: Places = {
  darwin: [
    "/opt/homebrew/bin",
    "/usr/local/bin",
    ...NODES_AT_HOME,
    "~/Library/Application Support/fnm/node-versions/*/installation/bin",
  ],
  linux: [...NODES_AT_HOME, "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin"],
  win32: [
    "%NVM_SYMLINK%",
    ...moved(["NVM_HOME"], "%APPDATA%/nvm", "v*"),
    ...moved(["FNM_DIR"], "%APPDATA%/fnm", "node-versions/*/installation"),
    "%LOCALAPPDATA%/mise/installs/node/*",
    "%ProgramFiles%/nodejs",
    ...moved(["SCOOP"], "~/scoop", "apps/nodejs-lts/current", "apps/nodejs/current"),
    ...moved(["VOLTA_HOME"], "%LOCALAPPDATA%/Volta", "bin"),
  ],
};
