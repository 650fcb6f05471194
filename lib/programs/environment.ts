import { withoutSecrets } from "../core/secrets.ts";
import type { Platform } from "../ports/host.ts";
import { hostPaths } from "./host-paths.ts";

// Variables that change what a program does or prints.
const CHANGING = [
  /^JAVA_TOOL_OPTIONS$/,
  /^_JAVA_OPTIONS$/,
  /^JDK_JAVA_OPTIONS$/,
  /^NODE_OPTIONS$/,
  /^NODE_PATH$/,
  /^NODE_DEBUG$/,
  /^NPM_CONFIG_/,
  /^NPM_PACKAGE_/,
  /^NPM_LIFECYCLE_/,
  /^RUBYOPT$/,
  /^RUBYLIB$/,
  /^GEM_/,
  /^BUNDLE_/,
];

/**
 * Returns the host's environment without variables that would change a program, and without
 * secrets.
 *
 * @param allowed Secrets that stay: {@linkcode allowedSecrets}.
 */
export function scrubbedEnvironment(
  env: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(withoutSecrets(env, allowed))
      .filter(([name]) => !CHANGING.some((rule) => rule.test(name.toUpperCase()))),
  );
}

/** `env` with `folders` in front of its PATH, each once. */
export function withFolders(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  if (folders.length === 0) return { ...env };
  const paths = hostPaths(platform);
  const key = paths.environmentKey(env, "PATH") ?? (platform === "win32" ? "Path" : "PATH");
  const rest = (env[key] ?? "").split(paths.delimiter)
    .filter((folder) => folder !== "" && !folders.includes(folder));
  return { ...env, [key]: [...folders, ...rest].join(paths.delimiter) };
}
