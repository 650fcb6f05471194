import { chmodSync } from "node:fs";
import { join } from "node:path";
import { writeTree } from "../support/folder.ts";
import { script } from "../toolchain/real-machine.ts";
import type { Tree } from "./plan-apps.ts";

// Stand-ins for what a build of an app starts. Each does by itself what the real one does with the files of
// the project, so that a plan can be held against it.

/** Stands in for Capacitor 6, 7 and 8: its settings are in a shell script here, whatever file names them. */
const CAPACITOR = `#!/bin/sh
here=$(pwd -P)
. ./settings.sh
case $platform in /*) app=$platform ;; *) app=$here/$platform ;; esac
copy=$app/app/src/main/assets/public
case $1 in
config)
  [ "$fails" != 1 ] || { echo "[fatal] install TypeScript" >&2; exit 1; }
  printf '{"app":{"appId":"com.example.game","webDir":"%s","webDirAbs":"%s",' "$web" "$here/$web"
  printf '"extConfigName":"%s"},' "$name"
  printf '"android":{"platformDirAbs":"%s","webDirAbs":"%s"}}\\n' "$app" "$copy" ;;
sync) rm -rf "$copy"; mkdir -p "$copy"; cp -R "$here/$web/." "$copy/" ;;
build) cd "$platform" && exec ./gradlew assembleRelease ;;
esac
`;

/** Stands in for a program that runs those of packages: \`npx cap\`, \`pnpm exec cap\`, \`yarn cap\`. */
const RUNNER = `while [ $# -gt 0 ]; do
  case $1 in
  cap|@capacitor/cli) shift; exec node_modules/.bin/cap "$@" ;;
  esac
  shift
done
exit 1`;

/**
 * Stands in for the wrapper of Gradle: takes its version, its JDK and the SDK from where Gradle takes them,
 * and ends as Gradle does if they do not go together.
 */
export const GRADLEW = `#!/usr/bin/env node
// The real one starts $APP_HOME/gradle/wrapper/gradle-wrapper.jar
const fs = require("fs");
const path = require("path");
const here = path.dirname(fs.realpathSync(process.argv[1]));
const read = (file) => fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
const own = (file) => read(path.join(here, file));
const end = (why) => { console.error("FAILURE: " + why); process.exit(1); };
const property = (text, key) =>
  (new RegExp("^" + key.replace(/\\./g, "\\\\.") + "[ ]*[=:][ ]*(.*)$", "m").exec(text) || [])[1]
    ?.trim().replace(/\\\\(.)/g, "$1");
const newer = (a, b) => {
  const [x, y] = [a, b].map((each) => each.split(/[.-]/).map(Number));
  for (let i = 0; i < 3; i++) if ((x[i] || 0) !== (y[i] || 0)) return (x[i] || 0) > (y[i] || 0);
  return true;
};
const jar = path.join(here, "gradle/wrapper/gradle-wrapper.jar");
if (!fs.existsSync(jar)) end("Could not find or load main class org.gradle.wrapper.GradleWrapperMain");
if (!read(jar).startsWith("PK")) end("Invalid or corrupt jarfile");
const gradle = /gradle-([\\d.]+)/.exec(property(own("gradle/wrapper/gradle-wrapper.properties"), "distributionUrl"))[1];
const user = read(path.join(process.env.HOME, ".gradle/gradle.properties"));
const argument = process.argv.find((word) => word.startsWith("-Dorg.gradle.java.home="));
const named = argument?.split("=")[1] ?? property(user, "org.gradle.java.home") ??
  property(own("gradle.properties"), "org.gradle.java.home");
const criteria = property(own("gradle/gradle-daemon-jvm.properties"), "toolchainVersion");
const home = named ?? process.env.JAVA_HOME;
if (!criteria && !fs.existsSync(path.join(home, "bin/java"))) end("Java home is invalid: " + home);
const jdk = Number(criteria ?? /JAVA_VERSION="(\\d+)/.exec(read(path.join(home, "release")))[1]);
const first = { 17: "7.3", 21: "8.5", 25: "9.1" }[jdk];
if (!newer(gradle, first)) end("Unsupported class file major version " + (44 + jdk));
const plugin = /com\\.android\\.(?:tools\\.build:gradle:|application.*version.*?['"])([\\d.]+)/
  .exec(own("build.gradle") + own("settings.gradle"))?.[1];
const least = { "8.2": "8.2", "8.7": "8.9", "8.13": "8.13", "9.0": "9.1" }[/^\\d+\\.\\d+/.exec(plugin ?? "")?.[0]];
if (least && !newer(gradle, least)) end("Minimum supported Gradle version is " + least);
const level = Number(/VERSION_(\\d+)/.exec(own("app/capacitor.build.gradle"))?.[1] ?? 0);
if (level > jdk) end("invalid source release: " + level);
const sdk = property(own("local.properties"), "sdk.dir") ?? process.env.ANDROID_HOME;
if (!fs.existsSync(sdk)) end("SDK location not found");
const compile = /compileSdk(?:Version)? = (\\d+)/.exec(own("variables.gradle"))?.[1];
if (compile && !fs.existsSync(path.join(sdk, "platforms/android-" + compile))) {
  end("Failed to find target with hash string 'android-" + compile + "'");
}
fs.writeFileSync(path.join(here, "app.apk"), JSON.stringify({ gradle, jdk, sdk }));
`;

/** Writes a project, with stand-ins for Gradle's wrapper and for Capacitor. */
export function writeProject(root: string, tree: Tree): void {
  const wrappers = Object.keys(tree).filter((path) => path.endsWith("/gradlew"));
  writeTree(root, {
    ...tree,
    ...Object.fromEntries(wrappers.map((path) => [path, GRADLEW])),
    "node_modules/.bin/cap": CAPACITOR,
  });
  for (const path of [...wrappers, "node_modules/.bin/cap"]) chmodSync(join(root, path), 0o755);
}

/** A folder with stand-ins for the programs of package managers; npm tells its version alone. */
export function writeRunners(folder: string): string {
  for (const name of ["npx", "pnpm", "yarn", "bunx"]) script(join(folder, name), RUNNER);
  script(join(folder, "npm"), '[ "$1" = --version ] && echo 11.6.0');
  return folder;
}

/** A stand-in for a JDK of a version. */
export function writeJdk(home: string, version: string): string {
  script(join(home, "bin/java"), `echo 'openjdk version "${version}"' >&2`);
  script(join(home, "bin/javac"), "exit 0");
  writeTree(home, { release: `JAVA_VERSION="${version}"\n` });
  return home;
}
