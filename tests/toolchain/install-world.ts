import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Host } from "../../lib/ports/host.ts";
import {
  type Artifact,
  createToolchain,
  type PackageId,
  type Pins,
  type Toolchain,
  type ToolchainDeps,
  type ToolId,
} from "../../lib/toolchain/mod.ts";
import { ofEachPackage } from "../../lib/toolchain/tools/tools.ts";
import { ToolchainFolder } from "../../lib/toolchain/work/folder.ts";
import { archiveOf, type Item } from "../support/archives.ts";
import { folder, hostWith, runtime, script } from "./real-machine.ts";

// A vendor's server with small archives of the real layouts, and a toolchain whose pins name it.

/** Answers a request in its own way; `null` gives the archive. */
export type Fault = ((request: IncomingMessage, response: ServerResponse) => void) | null;

/** The vendor. */
export interface Vendor {
  readonly origin: string;
  /** Every path that was asked for. */
  readonly asked: string[];
  /** What is wrong from now on, below `faulty`. */
  fault: Fault;
  faulty: string;
  /** What it gives, by path. */
  readonly bodies: Map<string, Uint8Array>;
  close(): Promise<void>;
}

/** Starts a vendor. */
export async function startVendor(): Promise<Vendor> {
  const asked: string[] = [];
  const bodies = new Map<string, Uint8Array>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.on("error", () => undefined);
    const url = request.url ?? "";
    if (vendor.fault !== null && url.startsWith(vendor.faulty)) {
      return vendor.fault(request, response);
    }
    const body = bodies.get(url);
    if (body === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": body.length }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const vendor: Vendor = {
    origin: `http://127.0.0.1:${portOf(server.address())}`,
    asked,
    fault: null,
    faulty: "/",
    bodies,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return vendor;
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const vendor = await startVendor();
  await vendor.close();
  return Number(new URL(vendor.origin).port);
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return address.port;
}

/** A pin of `bytes`, which the vendor gives from then on. */
export function offer(vendor: Vendor, file: string, bytes: Uint8Array): Artifact {
  vendor.bodies.set(`/${file}`, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const url = `${vendor.origin}/${file}`;
  return { name: file, url, file, sha256, bytes: bytes.length, confirmed: true };
}

const program = (name: string, text: string): Item => ({
  name,
  body: `#!/bin/sh\necho '${text}'\n`,
  mode: 0o755,
});

/** The programs of a JDK, which say this version. */
export const javaPrograms = (home: string, version: string): Item[] => [
  {
    name: `${home}/bin/java`,
    body: `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`,
    mode: 0o755,
  },
  program(`${home}/bin/javac`, `javac ${version}`),
];

/** Small archives of the real layouts; `n` is told as part of the version. */
export const STAND_INS: Readonly<
  Record<
    "node" | "jdk" | "android-sdk" | "ffmpeg",
    (n: number) => readonly (readonly [string, readonly Item[]])[]
  >
> = {
  node: (n) => [["node-v22.23.1-linux-x64.tar.gz", [
    program("node-v22.23.1-linux-x64/bin/node", "v22.23.1"),
    program("node-v22.23.1-linux-x64/lib/node_modules/npm/bin/npm-cli.js", `10.9.${n}`),
    {
      name: "node-v22.23.1-linux-x64/bin/npm",
      kind: "symlink",
      target: "../lib/node_modules/npm/bin/npm-cli.js",
    },
  ]]],
  jdk: (n) => [["OpenJDK21U-jdk_x64_linux_hotspot_21.0.11_10.tar.gz", [
    ...javaPrograms("jdk-21.0.11+10", `21.0.${n}`),
    { name: "jdk-21.0.11+10/release", body: `JAVA_VERSION="21.0.${n}"\n` },
  ]]],
  "android-sdk": (n) => [
    ["commandlinetools-linux-15641748_latest.zip", [
      { name: "cmdline-tools/source.properties", body: "Pkg.Revision=21.0\n" },
    ]],
    ["platform-tools_r37.0.1-linux.zip", [
      program("platform-tools/adb", `Version 37.0.${n}`),
      { name: "platform-tools/source.properties", body: `Pkg.Revision=37.0.${n}\n` },
    ]],
    ["build-tools_r36_linux.zip", [
      program("android-16/aapt2", "Android Asset Packaging Tool (aapt) 2.20"),
    ]],
    ["platform-36_r02.zip", [{ name: "android-16/android.jar", body: "jar" }]],
  ],
  // As its carrier packs it: without execute bits, among files that are named alike elsewhere.
  ffmpeg: (n) => [["ffmpeg-8.1.2-1.5.14-linux-x86_64.jar", [
    { name: "META-INF/native-image/linux-x86_64/ffmpeg/resource-config.json", body: "{}" },
    ...["ffmpeg", "ffprobe"].map((name) => ({
      ...program(`org/bytedeco/ffmpeg/linux-x86_64/${name}`, `${name} version n7.${n} Copyright`),
      mode: 0o644,
    })),
  ]]],
};

/** The packages that have stand-ins. */
export type StandIn = keyof typeof STAND_INS;

/** The tool that a stand-in brings, and the versions that it tells. */
export const TOOL_OF: Readonly<Record<StandIn, readonly [ToolId, (n: number) => string]>> = {
  node: ["npm", (n) => `10.9.${n}`],
  jdk: ["java", (n) => `21.0.${n}`],
  "android-sdk": ["android-sdk", (n) => `37.0.${n}`],
  ffmpeg: ["ffmpeg", (n) => `n7.${n}`],
};

/** No package at all. */
export const NO_PINS: Pins = ofEachPackage(() => ({}));

/** The vendor offers a stand-in. @returns Pins that name it for every platform of these tests. */
export async function offerStandIn(vendor: Vendor, id: StandIn, n = 1): Promise<Pins> {
  const artifacts: Artifact[] = [];
  for (const [file, items] of STAND_INS[id](n)) {
    artifacts.push(offer(vendor, file, await archiveOf(formatOf(file), items)));
  }
  return pinsOf(id, artifacts);
}

/** Pins of one package. */
export function pinsOf(id: PackageId, artifacts: readonly Artifact[]): Pins {
  return { ...NO_PINS, [id]: { "linux-x64": { artifacts, unpackedBytes: 1_000_000 } } };
}

/** By the name of an archive. */
export function formatOf(file: string): "zip" | "tar.gz" {
  return /\.(?:zip|jar)$/.test(file) ? "zip" : "tar.gz";
}

/** Time that runs so many times as fast, for waits and deadlines alike. */
function atSpeed(factor: number): Clock {
  return {
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic() * factor,
    sleep: (ms, signal) => runtime.clock.sleep(ms / factor, signal),
  };
}

/**
 * Time in which waits between tries pass at once, and silence counts tenfold.
 *
 * @param stallMs How long a server may be silent, in real milliseconds.
 */
export function quickClock(stallMs = 30_000): Clock {
  return {
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic() * 10,
    sleep: (ms, signal) =>
      runtime.clock.sleep(ms === BEAT_MS ? BEAT_MS / 10 : ms === STALL_MS ? stallMs : 1, signal),
  };
}

const BEAT_MS = 1_000;
const STALL_MS = 30_000;

/** A Linux x64 host with little on it but an npm of ours. */
export function plainHost(userData: string, env: Readonly<Record<string, string>> = {}): Host {
  const bin = join(userData, "bin");
  script(join(bin, "npm"), "echo 10.0.0");
  const host = hostWith({ PATH: `${bin}:/usr/bin:/bin`, ...env }, userData);
  return { ...host, platform: "linux", arch: "x64" };
}

/** A toolchain of a fresh user. */
export function toolchainFor(pins: Pins, deps: Partial<ToolchainDeps> = {}): Toolchain {
  const userData = folder();
  return createToolchain({
    ...runtime,
    clock: atSpeed(200),
    host: plainHost(userData),
    pins,
    ...deps,
  });
}

/** A folder that tools are installed in, on this machine. */
export function toolchainFolder(root: string): ToolchainFolder {
  return new ToolchainFolder(root, runtime.files, runtime.host.platform);
}

/** What lies in staging, trash and locks, but for the log of the last run. */
export function litterOf(directory: string): string[] {
  return ["staging", "trash", "locks"].flatMap((name) => {
    try {
      return readdirSync(join(directory, name))
        .filter((entry) => !entry.endsWith(".log"))
        .map((entry) => `${name}/${entry}`);
    } catch {
      return [];
    }
  });
}

/** Writes a file, with its folders. */
export function put(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}
