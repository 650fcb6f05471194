import { FileError } from "../../lib/core/file-error.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { FileKind } from "../../lib/ports/files.ts";
import type { RunRequest, RunResult } from "../../lib/ports/processes.ts";
import type { Platform, ToolchainDeps } from "../../lib/toolchain/mod.ts";

/** What is at a path: text of a plain file, a program and what it prints as an error, a link, a folder, or a file that is denied. */
export type Entry =
  | string
  | { readonly program: string; readonly prints?: string }
  | { readonly link: string }
  | { readonly folder: true }
  | { readonly denied: true };

/** A machine in memory, of any platform. */
export interface Machine extends ToolchainDeps {
  /** Every process that was asked for, in order. */
  readonly runs: RunRequest[];
  readonly entries: Map<string, Entry>;
  /** Milliseconds of the monotonic clock; tests move it. */
  time: number;
}

/** Builds a machine. `entries` are keyed by absolute path, with `/` on every platform. */
export function machine(given: {
  readonly platform?: Platform;
  readonly arch?: "x64" | "arm64" | "other";
  readonly env?: Readonly<Record<string, string>>;
  readonly entries?: Readonly<Record<string, Entry>>;
  readonly run?: (request: RunRequest) => RunResult | Promise<RunResult>;
}): Machine {
  const { platform = "linux", arch = "x64", env = {} } = given;
  const entries = new Map(
    Object.entries(given.entries ?? {}).map(([path, entry]) => [plain(path), entry]),
  );
  const runs: RunRequest[] = [];
  const root = platform === "win32" ? "C:" : "";
  const state = { time: 0 };

  function plain(path: string): string {
    const spelled = platform === "win32" ? path.replaceAll("\\", "/").toLowerCase() : path;
    return spelled.length > 1 ? spelled.replace(/\/+$/, "") : spelled;
  }

  function target(path: string, depth = 0): string {
    const entry = entries.get(plain(path));
    return typeof entry === "object" && "link" in entry && depth < 8
      ? target(entry.link, depth + 1)
      : plain(path);
  }

  function kindOf(path: string): FileKind | null {
    const entry = entries.get(plain(path));
    if (entry === undefined) {
      const prefix = `${plain(path)}/`;
      return [...entries.keys()].some((key) => key.startsWith(prefix)) ? "directory" : null;
    }
    if (typeof entry === "string" || "program" in entry || "denied" in entry) return "file";
    return "link" in entry ? "symlink" : "directory";
  }

  function textOf(path: string): string {
    const entry = entries.get(plain(path));
    return typeof entry === "string" ? entry : entry && "program" in entry ? entry.program : "";
  }

  return {
    runs,
    entries,
    get time() {
      return state.time;
    },
    set time(value: number) {
      state.time = value;
    },
    host: {
      platform,
      arch,
      env: (name) =>
        platform === "win32"
          ? Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
          : env[name],
      environment: () => ({ ...env }),
      home: `${root}/home/user`,
      userData: `${root}/data/slipway`,
      temporary: `${root}/tmp`,
      user: "user",
      pid: 1,
      hostname: "test",
      cli: "npx slipway",
    },
    clock: { now: () => 0, monotonic: () => state.time, sleep: () => Promise.resolve() },
    isAlive: () => true,
    syncStat(path) {
      const real = target(path);
      const kind = kindOf(real);
      if (kind !== "file" && kind !== "directory") {
        return { kind: "missing", executable: false, size: 0 };
      }
      const entry = entries.get(real);
      const executable = typeof entry === "object" && "program" in entry;
      return { kind, executable, size: textOf(real).length };
    },
    files: {
      stat(path) {
        const kind = kindOf(path);
        const size = textOf(path).length;
        return Promise.resolve(kind === null ? null : { kind, size, mtimeMs: 1, mode: 0o755 });
      },
      realPath: (path) => Promise.resolve(kindOf(target(path)) === null ? null : target(path)),
      list(folder) {
        const prefix = `${target(folder)}/`;
        const names = [...entries.keys()]
          .filter((key) => key.startsWith(prefix))
          .map((key) => key.slice(prefix.length).split("/")[0] ?? "");
        if (names.length === 0) return Promise.resolve(null);
        return Promise.resolve(
          [...new Set(names)].sort().map((name) => ({
            name,
            kind: kindOf(prefix + name) ?? "device",
          })),
        );
      },
      read(path) {
        const entry = entries.get(target(path));
        if (entry === undefined) return Promise.resolve(null);
        if (typeof entry === "object" && "denied" in entry) {
          return Promise.reject(new FileError("denied", path, "permission denied"));
        }
        return Promise.resolve(encodeUtf8(textOf(target(path))));
      },
      writeAtomic(path, body) {
        if (!(body instanceof Uint8Array)) throw new TypeError("expected bytes");
        entries.set(plain(path), new TextDecoder().decode(body));
        return Promise.resolve(body.length);
      },
      makeDirectory: () => Promise.resolve(),
      rename(from, to) {
        const entry = entries.get(plain(from));
        if (entry !== undefined) entries.set(plain(to), entry);
        entries.delete(plain(from));
        return Promise.resolve();
      },
      append: notHere,
      openRead: notHere,
      readChunks: notHere,
      readRange: notHere,
      write: notHere,
      makeTemporaryDirectory: notHere,
      copy: notHere,
      link: notHere,
      symlink: notHere,
      remove: notHere,
      setMode: notHere,
      sync: notHere,
      freeSpace: notHere,
    },
    fetch: notHere,
    hashing: { createSha1: hashesNothing, createSha256: hashesNothing },
    processes: {
      async run(request) {
        runs.push(request);
        const entry = entries.get(target(request.command));
        const prints = typeof entry === "object" && "prints" in entry ? entry.prints : undefined;
        if (prints !== undefined) return answer("", prints)();
        return await (given.run ?? answer("1.2.3\n"))(request);
      },
    },
  };
}

function hashesNothing(): never {
  throw new Error("a machine in memory hashes nothing");
}

function notHere(): Promise<never> {
  return Promise.reject(new Error("a machine in memory installs nothing"));
}

/** A process that prints and exits. */
export function answer(stdout: string, stderr = "", code = 0): () => RunResult {
  return () => ({ kind: "exited", code, stdout, stderr, truncated: false });
}

/** The text of a JDK's `release` file. */
export function release(version: string): string {
  return `IMPLEMENTOR="Eclipse Adoptium"\nJAVA_VERSION="${version}"\n` +
    'MODULES="java.base java.compiler jdk.compiler"\n';
}

/** The hash of the licence of the Android SDK (facts: SHA-1 of its normalized text). */
const ANDROID_LICENCE_HASH = "24333f8a63b6825ea9c5514f83c2829b004d1fee";

/** What an Android SDK needs to build, besides its platform-tools. */
export function buildParts(home: string, level = 36): Record<string, Entry> {
  return {
    [`${home}/platforms/android-${level}/android.jar`]: "jar",
    [`${home}/build-tools/${level}.0.0/aapt2`]: { program: "aapt2" },
    [`${home}/licenses/android-sdk-license`]: `\n${ANDROID_LICENCE_HASH}\n`,
  };
}

/** An Android SDK that can build. */
export function androidSdk(home: string, level = 36): Record<string, Entry> {
  return { [`${home}/platform-tools/adb`]: { program: "adb" }, ...buildParts(home, level) };
}

/** A Java home below `home`. */
export function jdk(home: string, version: string): Record<string, Entry> {
  return {
    [`${home}/bin/java`]: { program: "java", prints: `openjdk version "${version}"\n` },
    [`${home}/bin/javac`]: { program: "javac" },
    [`${home}/release`]: release(version),
  };
}
