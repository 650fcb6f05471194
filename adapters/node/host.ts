import { homedir, hostname, tmpdir } from "node:os";
import { posix, win32 } from "node:path";
import process from "node:process";
import { own } from "../../lib/core/json.ts";
import type { Host } from "../../lib/ports/host.ts";

/** How commands are run where nobody says otherwise: the package is installed in a project. */
const DEFAULT_CLI = "npx slipway";

/** What {@linkcode createHost} reads; given where a test plays another machine. */
export interface HostFacts {
  /** As `process.platform` spells it. */
  readonly platform: string;
  /** As `process.arch` spells it. */
  readonly arch: string;
  /** The environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Where temporary files go. */
  readonly temporary: string;
  /** The process's id. */
  readonly pid: number;
  /** The machine's name. */
  readonly hostname: string;
  /** How Slipway's commands are run here, `npx slipway` unless told. */
  readonly cli: string;
}

/** This machine and this user, but for the facts that are given. */
export function createHost(given: Partial<HostFacts> = {}): Host {
  const facts = { ...readFacts(), ...given };
  const platform = facts.platform === "win32" || facts.platform === "darwin"
    ? facts.platform
    : "linux";
  const env = (name: string): string | undefined => {
    if (platform !== "win32") return own(facts.environment, name);
    const wanted = name.toUpperCase();
    const key = Object.keys(facts.environment).find((other) => other.toUpperCase() === wanted);
    return key === undefined ? undefined : facts.environment[key];
  };
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
    home: facts.home,
    userData: userDataOf(platform, facts.home, env),
    temporary: facts.temporary,
    pid: facts.pid,
    hostname: facts.hostname,
    cli: facts.cli,
  };
}

function readFacts(): HostFacts {
  return {
    platform: process.platform,
    arch: process.arch,
    environment: process.env,
    home: homedir(),
    temporary: tmpdir(),
    pid: process.pid,
    hostname: hostname(),
    cli: DEFAULT_CLI,
  };
}

/** The folders of CONTRACTS §3. */
function userDataOf(
  platform: Host["platform"],
  home: string,
  env: (name: string) => string | undefined,
): string {
  switch (platform) {
    case "darwin":
      return posix.join(home, "Library/Application Support/slipway");
    case "win32":
      return win32.join(env("LOCALAPPDATA") || win32.join(home, "AppData/Local"), "slipway");
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
