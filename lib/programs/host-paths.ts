import type { Platform } from "../ports/host.ts";

/**
 * Paths in the spelling of one operating system, independent of the host: Windows rules are tested
 * on Linux. Created once for the host: `hostPaths(host.platform).join(home, "bin/java")`.
 */
export class HostPaths {
  /** The operating system. */
  readonly platform: Platform;
  /** Between the segments of a path. */
  readonly separator: "\\" | "/";
  /** Between the entries of `PATH`. */
  readonly delimiter: ";" | ":";
  readonly #isWindows: boolean;

  /** Binds the rules to a platform; {@linkcode hostPaths} has one of each. */
  constructor(platform: Platform) {
    this.platform = platform;
    this.#isWindows = platform === "win32";
    this.separator = this.#isWindows ? "\\" : "/";
    this.delimiter = this.#isWindows ? ";" : ":";
  }

  /**
   * Returns whether `path` names one place from any working folder: neither relative nor
   * drive-relative.
   */
  isAbsolute(path: string): boolean {
    return this.#isWindows ? /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(path) : path.startsWith("/");
  }

  /** Returns whether an absolute path is a folder or below it, by spelling. */
  isWithin(path: string, folder: string): boolean {
    const plain = (text: string) =>
      this.#isWindows ? text.replaceAll("/", "\\").toLowerCase() : text;
    const base = this.#trimmed(plain(folder));
    return `${plain(path)}${this.separator}`.startsWith(`${base}${this.separator}`);
  }

  /** Appends a relative path, written with `/`, to a folder. */
  join(folder: string, relative: string): string {
    if (relative === "" || relative === ".") return folder;
    const base = this.#trimmed(folder);
    const below = relative.split("/").join(this.separator);
    return `${base === this.separator ? "" : base}${this.separator}${below}`;
  }

  /** Returns the parent folder of `path`; the root is its own. */
  parent(path: string): string {
    const trimmed = this.#trimmed(path);
    const cut = Math.max(
      trimmed.lastIndexOf("/"),
      this.#isWindows ? trimmed.lastIndexOf("\\") : -1,
    );
    if (cut < 0) return trimmed;
    if (cut === 0) return trimmed.slice(0, 1);
    if (/^[A-Za-z]:$/.test(trimmed.slice(0, cut))) return trimmed.slice(0, cut + 1);
    return trimmed.slice(0, cut);
  }

  /** The last segment of `path`. */
  name(path: string): string {
    return path.split(this.#isWindows ? /[\\/]/ : "/").at(-1) ?? "";
  }

  /** Returns the environment's spelling of `name`: Windows ignores case. */
  environmentKey(env: Readonly<Record<string, string>>, name: string): string | undefined {
    if (!this.#isWindows) return Object.hasOwn(env, name) ? name : undefined;
    const upperName = name.toUpperCase();
    // Sorted, so that an environment with both `PATH` and `Path` reads the same everywhere.
    return Object.keys(env).sort().find((key) => key.toUpperCase() === upperName);
  }

  #trimmed(path: string): string {
    let end = path.length;
    while (end > 1 && (path[end - 1] === "/" || (this.#isWindows && path[end - 1] === "\\"))) end--;
    return path.slice(0, end);
  }
}

const OF: Readonly<Record<Platform, HostPaths>> = {
  linux: new HostPaths("linux"),
  darwin: new HostPaths("darwin"),
  win32: new HostPaths("win32"),
};

/** The paths of a platform. */
export function hostPaths(platform: Platform): HostPaths {
  return OF[platform];
}

/** Whether `path` names a server (`\\server\share`, `//server/share`), or a device in its spelling. */
export function isNetworkPath(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}
