import { JDK_PINS } from "../pins/jdk.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { everywhere, QUICK_MS, SLOW_MS } from "./common.ts";
import type { DirectoryDescriptor, Places, ProbeSpec } from "./descriptor.ts";
import { openLicence } from "./licences.ts";
import type { ToolPackage } from "./package.ts";
import { JDK_PLACES } from "./well-known.ts";

/** The only major version of the JDK that is accepted (FIND-8). */
export const REQUIRED_JAVA_MAJOR = 21;

/** Probe of the version and the home of `bin/java`: a wrapper or a shim starts one elsewhere. */
export const JAVA_PROBE: ProbeSpec = {
  args: ["-XshowSettings:properties", "-version"],
  stream: "stderr",
  accept: [0],
  version: /^\w+ version "([^"]+)"/m,
  home: /^ {4}java\.home = (\S.*)$/m,
  noise: /^(?:NOTE: )?Picked up |^(?:OpenJDK.* )?warning:/i,
  timeoutMs: QUICK_MS,
  knownFailures: [
    {
      pattern: /unable to locate a java runtime/i,
      reason: "it is the stub of macOS, and no JDK is installed",
    },
  ],
};

/** Probe of the version of `bin/javac`. */
export const JAVAC_PROBE: ProbeSpec = {
  args: ["-version"],
  stream: "either",
  accept: [0],
  version: /^javac (\d\S*)/m,
  noise: JAVA_PROBE.noise,
  timeoutMs: SLOW_MS,
};

const JDK_OWN: Places = everywhere(
  "jdk/*",
  "jdk/*/Contents/Home",
  "jdk/*/*",
  "jdk/*/*/Contents/Home",
  "jdk",
  "jdk/Contents/Home",
);

/** Runs Gradle, and so every Android build. */
export const JAVA: DirectoryDescriptor = {
  id: "java",
  kind: "directory",
  group: "Android",
  env: [{ name: "JAVA_HOME", scope: "system" }],
  own: JDK_OWN,
  wellKnown: JDK_PLACES,
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
  guide: ({ toolchainDir }) => ({
    title: "JDK 21",
    url: "https://adoptium.net/temurin/releases/?version=21",
    steps: [
      "Install a JDK of major version 21, such as Temurin 21.0.11; no other version is accepted.",
      `Set JAVA_HOME to its folder, or put it into ${toolchainDir} as jdk.`,
      "Check: the folder has bin/java, and its file 'release' says JAVA_VERSION=\"21…\".",
    ],
  }),
};

/** The JDK (INST-5): the Java home is the folder itself, or `Contents/Home` in it on macOS. */
export const JDK_PACKAGE: ToolPackage = {
  id: "jdk",
  title: `JDK ${PINNED_VERSIONS.java}`,
  version: PINNED_VERSIONS.java,
  tools: ["java"],
  licences: [openLicence("jdk", {
    title: "The JDK",
    spdx: "GPL-2.0-only WITH Classpath-exception-2.0",
    url: "https://openjdk.org/legal/gplv2+ce.html",
    files: ["jdk/*/legal/java.base/LICENSE", "jdk/*/Contents/Home/legal/java.base/LICENSE"],
  })],
  folders: ["jdk"],
  pins: JDK_PINS,
};
