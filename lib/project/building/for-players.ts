import type { Command, ProjectConfig } from "../config/config.ts";

/** Arguments that make what players get: Gradle's `bundleRelease`, Xcode's `-configuration Release` and `archive`. */
const RELEASE = /release|^archive$/i;

/** A project as players get it: without the device bridge, by which an editor runs scripts (DEV-47). */
export function forPlayers({ devices: _bridge, ...config }: ProjectConfig): ProjectConfig {
  return config;
}

/** The first argument of a target's steps that makes what players get; `null` for a build to try. */
export function releaseArgument(steps: readonly Command[]): string | null {
  return steps.flatMap(([_program, ...args]) => args).find((one) => RELEASE.test(one)) ?? null;
}
