import { createHash } from "node:crypto";
import type { Host } from "../../lib/ports/host.ts";
import type { Artifact, Pins } from "../../lib/toolchain/mod.ts";
import { soaking } from "../support/rounds.ts";
import { archiveOf, type Item } from "../support/archives.ts";
import { findNpm, pathToNode } from "../support/needs.ts";
import type { Subject } from "./install-subjects.ts";
import { offer, type Vendor } from "./install-world.ts";
import { hostWith } from "./real-machine.ts";

// The recipes that npm runs for, with the real npm and small packages of the real names. The vendor
// is their registry; what it says of a package is never at fault, what it gives as one may be.

/** Every archive is another one: npm keeps what it has seen. */
let offered = 0;

async function npmPackage(name: string, version: string, items: readonly Item[]) {
  const manifest = JSON.stringify({ name, version, offered: ++offered });
  const all = [{ name: "package/package.json", body: manifest }, ...items];
  return [fileOf(name, version), await archiveOf("tar.gz", all)] as const;
}

/** As `npm pack` names it. */
function fileOf(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** A program that prints a line. */
function prints(name: string, line: string): Item {
  return { name, body: `#!/usr/bin/env node\nconsole.log("${line}");\n`, mode: 0o755 };
}

/**
 * The recipes that npm runs for, of a vendor. In the gate none on Node: npm does the work, and is the
 * same program there.
 */
export function npmSubjects(vendor: Vendor): readonly Subject[] {
  if (!soaking && !("Deno" in globalThis)) return [];
  const env = {
    PATH: pathToNode(),
    npm_config_registry: `${vendor.origin}/npm/`,
    npm_config_fetch_retry_mintimeout: "1",
    npm_config_fetch_retry_maxtimeout: "5",
  };
  const known = new Map<string, Record<string, object>>();

  /** The registry tells of a package from now on. @returns Its hash as lock files have it. */
  function publish(name: string, version: string, { url }: Artifact): string {
    const bytes = vendor.bodies.get(new URL(url).pathname) ?? new Uint8Array();
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const versions = known.get(name) ?? {};
    versions[version] = { name, version, dist: { tarball: url, integrity } };
    known.set(name, versions);
    const reported = JSON.stringify({ name, "dist-tags": { latest: version }, versions });
    offer(vendor, `npm/${name.replace("/", "%2f")}`, new TextEncoder().encode(reported));
    return integrity;
  }

  const base = {
    skip: findNpm().skip,
    format: "tar.gz",
    options: {},
    before: () => Promise.resolve({}),
    env,
    host: (userData: string, more: Readonly<Record<string, string>> = {}): Host => ({
      ...hostWith({ HOME: userData, ...env, ...more }, userData),
      platform: "linux",
      arch: "x64",
    }),
  } as const;
  return [{
    ...base,
    name: "npm-tools",
    tool: "gltfpack",
    package: "npm-tools",
    version: (n) => `1.2.${n}`,
    archives: async (n) => [
      await npmPackage(CLI, `4.4.${n}`, [prints("package/bin/cli.js", `4.4.${n}`)]),
      await npmPackage("gltfpack", `1.2.${n}`, [prints("package/cli.js", `gltfpack 1.2.${n}`)]),
    ],
    pins([cli, pack], n): Partial<Pins> {
      if (cli === undefined || pack === undefined) throw new TypeError("two archives");
      const lock = lockOf([
        [CLI, `4.4.${n}`, publish(CLI, `4.4.${n}`, cli), { "gltf-transform": "bin/cli.js" }],
        ["gltfpack", `1.2.${n}`, publish("gltfpack", `1.2.${n}`, pack), { gltfpack: "cli.js" }],
      ]);
      const pin = { artifacts: [], lock, unpackedBytes: 1_000_000 };
      return { "npm-tools": { "linux-x64": pin } };
    },
  }];
}

const CLI = "@gltf-transform/cli";

/** A lock file as ours is: hashes, and no address. */
function lockOf(
  packages: readonly (readonly [string, string, string, Readonly<Record<string, string>>])[],
): string {
  const about = { name: "npm-tools", version: "1.0.0" };
  return JSON.stringify({
    ...about,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": {
        ...about,
        dependencies: Object.fromEntries(packages.map(([name, version]) => [name, version])),
      },
      ...Object.fromEntries(
        packages.map(([name, version, integrity, bin]) =>
          [`node_modules/${name}`, { version, integrity, bin }] as const
        ),
      ),
    },
  });
}
