import { homedir, hostname, tmpdir, userInfo } from "node:os";
import { basename, delimiter, posix, win32 } from "node:path";
import process from "node:process";
import { HostError } from "../../lib/core/host-error.ts";
import { own } from "../../lib/core/json.ts";
import type { Host } from "../../lib/ports/host.ts";

/** Command line of the package where it is installed in a project: the default. */
const DEFAULT_CLI = "npx slipway";

/** Facts that {@linkcode createHost} reads; a test that simulates another machine passes its own. */
export interface HostFacts
  extends Pick<Host, "home" | "temporary" | "pid" | "user" | "hostname" | "cli"> {
  /** In the spelling of `process.platform`. */
  readonly platform: string;
  /** In the spelling of `process.arch`. */
  readonly arch: string;
  /** The environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Describes this machine and this user, except for the facts that the caller passes.
 *
 * @throws {HostError} if the home folder or the folder for temporary files is not an absolute path: where
 * files are stored would depend on the working directory.
 */
export function createHost(given: Partial<HostFacts> = {}): Host {
  const all = { ...readFacts(), ...given };
  const facts = { ...all, environment: withoutNodeShim(all.environment) };
  const platform = facts.platform === "win32" || facts.platform === "darwin"
    ? facts.platform
    : "linux";
  const env = (name: string): string | undefined => {
    if (platform !== "win32") return own(facts.environment, name);
    const upperName = name.toUpperCase();
    const key = Object.keys(facts.environment).find((other) => other.toUpperCase() === upperName);
    return key === undefined ? undefined : facts.environment[key];
  };
  const paths = platform === "win32" ? win32 : posix;
  const absolute: Absolute = (variables, path) => {
    if (paths.isAbsolute(path)) return path;
    const variable = variables.find((name) => env(name) === path) ?? variables[0];
    throw new HostError(
      `Cannot use ${variable} ${JSON.stringify(path)}: expected an absolute path`,
      `Set ${variable} to an absolute path, or unset it`,
    );
  };
  const home = absolute(platform === "win32" ? ["USERPROFILE"] : ["HOME"], facts.home);
  return {
    platform,
    arch: facts.arch === "x64" || facts.arch === "arm64" ? facts.arch : "other",
    env,
    environment() {
      const copy: Record<string, string> = {};
      for (const [name, value] of Object.entries(facts.environment)) {
        if (value !== undefined) copy[name] = value;
      }
      return copy;
    },
    home,
    userData: userDataOf(platform, home, { env, absolute }),
    temporary: absolute(["TMPDIR", "TMP", "TEMP"], facts.temporary),
    pid: facts.pid,
    user: facts.user,
    hostname: facts.hostname,
    cli: facts.cli,
  };
}

/**
 * Removes Deno's imitation of Node from PATH. On a machine without Node, Deno adds a folder with a link
 * `node` to itself, and sets the variable: programs that need Node must not find it.
 */
function withoutNodeShim(environment: HostFacts["environment"]): HostFacts["environment"] {
  const { DENO_NODE_SHIM_ACTIVE: shim, ...rest } = environment;
  if (shim === undefined) return environment; // the process's own object: later changes count
  const kept = Object.entries(rest).map(([name, value]) => {
    if (value === undefined || name.toUpperCase() !== "PATH") return [name, value];
    const folders = value.split(delimiter);
    return [name, folders.filter((folder) => basename(folder) !== SHIM_FOLDER).join(delimiter)];
  });
  return Object.fromEntries(kept);
}

/** The folder of Deno's imitation, in its cache. */
const SHIM_FOLDER = "node_compat_bin";

function readFacts(): HostFacts {
  return {
    platform: process.platform,
    arch: process.arch,
    environment: process.env,
    home: homedir() || userInfo().homedir, // an empty HOME counts as none
    temporary: tmpdir(),
    pid: process.pid,
    user: userName(),
    hostname: hostname(),
    cli: DEFAULT_CLI,
  };
}

/** Reads the name of the user. In a container the system may not know the user. */
function userName(): string {
  const { env } = process;
  try {
    return userInfo().username;
  } catch {
    return env["USER"] || env["LOGNAME"] || `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** The path as it is. @throws {HostError} that names the variable which makes it relative. */
type Absolute = (variables: readonly string[], path: string) => string;

/** Returns the folder that the system has for data of a user (FIND-19). */
function userDataOf(
  platform: Host["platform"],
  home: string,
  { env, absolute }: { readonly env: Host["env"]; readonly absolute: Absolute },
): string {
  switch (platform) {
    case "darwin":
      return posix.join(home, "Library/Application Support/slipway");
    case "win32": {
      const local = env("LOCALAPPDATA") || win32.join(home, "AppData/Local");
      return win32.join(absolute(["LOCALAPPDATA"], local), "slipway");
    }
    case "linux": {
      const data = env("XDG_DATA_HOME") ?? "";
      // The XDG base directory specification has relative paths ignored.
      return posix.join(
        posix.isAbsolute(data) ? data : posix.join(home, ".local/share"),
        "slipway",
      );
    }
  }
}
