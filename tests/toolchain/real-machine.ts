import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Host } from "../../lib/ports/host.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import {
  createToolchain,
  type SyncStat,
  type Toolchain,
  type ToolId,
} from "../../lib/toolchain/mod.ts";
import { ANDROID_LICENCE } from "../../lib/toolchain/tools/android-packages.ts";
import type { BinaryDescriptor } from "../../lib/toolchain/tools/descriptor.ts";
import { DESCRIPTORS } from "../../lib/toolchain/tools/tools.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { type Skip, withoutScripts } from "../support/needs.ts";

// This machine, with folders of our own. Their names have a space and a letter beyond ASCII.

/** Options of a test whose fake tools are shell scripts. */
export const posix: { readonly skip: Skip } = { skip: withoutScripts() };

/** The runtime that runs this test. */
export const runtime: Runtime = await loadRuntime();
/** Its synchronous stat. */
export const syncStat: SyncStat = runtime.syncStat;

const root = mkdtempSync(join(tmpdir(), "slipway töol chain-"));
afterTests(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

/** A fresh folder. */
export function folder(): string {
  const path = join(root, String(folders++));
  mkdirSync(path);
  return path;
}

/** Mounts a file system until the test has ended. */
export function mountAt(t: TestContext, at: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", [...args, at], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  t.after(() => void spawnSync("umount", ["-l", at]));
}

/** A shell script that can be run. */
export function script(path: string, body: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

/** Adds to an Android SDK what it needs to build, besides its platform-tools. */
export function addBuildParts(sdk: string, level = 36): void {
  script(join(sdk, `build-tools/${level}.0.0/aapt2`), "exit 0");
  for (
    const [path, text] of [
      [`platforms/android-${level}/android.jar`, "jar"],
      ["licenses/android-sdk-license", `\n${ANDROID_LICENCE.hash}\n`],
    ] as const
  ) {
    mkdirSync(dirname(join(sdk, path)), { recursive: true });
    writeFileSync(join(sdk, path), text);
  }
}

/** Puts into a toolchain folder what detection takes for a JDK 21 and an SDK: neither does anything. */
export function provide(toolchainDir: string): void {
  script(join(toolchainDir, "jdk/bin/java"), "echo 'openjdk version \"21.0.11\"' >&2");
  script(join(toolchainDir, "jdk/bin/javac"), "exit 0");
  writeFileSync(join(toolchainDir, "jdk/release"), 'JAVA_VERSION="21.0.11"\n');
  const sdk = join(toolchainDir, "android-sdk");
  script(join(sdk, "platform-tools/adb"), "exit 0");
  writeFileSync(join(sdk, "platform-tools/source.properties"), "Pkg.Revision=37.0.1\n");
  addBuildParts(sdk);
}

/** This host with another environment, and a home folder of its own. */
export function hostWith(env: Readonly<Record<string, string>>, userData: string): Host {
  return {
    ...runtime.host,
    env: (name) => env[name],
    environment: () => ({ ...env }),
    home: join(userData, "home"),
    userData,
  };
}

/** A toolchain on {@linkcode hostWith}. */
export function toolchainWith(
  env: Readonly<Record<string, string>>,
  userData: string = folder(),
): Toolchain {
  return createToolchain({ ...runtime, host: hostWith(env, userData) });
}

/** The descriptor of a program. */
export function binary(id: ToolId): BinaryDescriptor {
  const descriptor = DESCRIPTORS[id];
  if (descriptor.kind !== "binary") throw new TypeError(`${id} is no binary`);
  return descriptor;
}
