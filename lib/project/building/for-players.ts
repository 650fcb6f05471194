import type { Command, ProjectConfig } from "../config/config.ts";

/** Arguments of a build to try: Gradle's `assembleDebug`, Xcode's `-configuration Debug` and its simulator. */
const TO_TRY = /debug|simulator/i;
/** Those that make what players get, whatever stands beside them. */
const RELEASE = /release|^archive$/i;

/** A project as players get it: without the device bridge, by which an editor runs scripts (DEV-47). */
export function forPlayers({ devices: _bridge, ...config }: ProjectConfig): ProjectConfig {
  return config;
}

/**
 * Why a target's steps may make what players get; `null` where they are known to make a build to try.
 * Nobody can tell of a script what it makes.
 */
export function playersReason(steps: readonly Command[]): string | null {
  const words = steps.flatMap(([_program, ...args]) => args);
  const release = words.find((word) => RELEASE.test(word));
  if (release !== undefined) return `${release} makes what players get`;
  if (words.some((word) => TO_TRY.test(word))) return null;
  return "no step says that it makes a build to try (assembleDebug, -configuration Debug, a simulator)";
}
