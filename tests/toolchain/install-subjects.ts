import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../lib/ports/host.ts";
import type { Artifact, InstallOptions, PackageId, Pins, ToolId } from "../../lib/toolchain/mod.ts";
import { archiveOf, type Format, type Item } from "../support/archives.ts";
import type { Skip } from "../support/needs.ts";
import {
  formatOf,
  NO_PINS,
  offer,
  plainHost,
  STAND_INS,
  type StandIn,
  TOOL_OF,
  type Vendor,
} from "./install-world.ts";

// Every recipe with stand-ins for what it downloads, so that one table of faults goes over them all.

/** A recipe under test. */
export interface Subject {
  readonly name: string;
  readonly tool: ToolId;
  readonly package: PackageId;
  readonly format: Format;
  readonly options: InstallOptions;
  /** What the tool says of itself when its stand-in is the n-th. */
  readonly version: (n: number) => string;
  readonly host: (userData: string, env?: Readonly<Record<string, string>>) => Host;
  /** What the recipe downloads, by file name. */
  readonly archives: (n: number) => Promise<readonly (readonly [string, Uint8Array])[]>;
  /** The packages that it needs, from a vendor without fault. */
  readonly before: (vendor: Vendor) => Promise<Partial<Pins>>;
  /** Its own pins, where they are more than what is downloaded. @param n As of `archives`. */
  readonly pins?: (offered: readonly Artifact[], n: number) => Partial<Pins>;
  /** What its installer must find in the environment, in whatever process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why its recipe cannot run here. */
  readonly skip?: Skip;
}

async function packed(
  archives: readonly (readonly [string, readonly Item[]])[],
): Promise<readonly (readonly [string, Uint8Array])[]> {
  return await Promise.all(
    archives.map(async ([file, items]) => [file, await archiveOf(formatOf(file), items)] as const),
  );
}

function standIn(id: StandIn): Subject {
  const [tool, version] = TOOL_OF[id];
  return {
    name: id,
    tool,
    package: id,
    format: id === "android-sdk" || id === "ffmpeg" ? "zip" : "tar.gz",
    options: {},
    version,
    host: plainHost,
    archives: (n) => packed(STAND_INS[id](n)),
    before: () => Promise.resolve({}),
  };
}

/** Does what the package manager would: makes the folders that it is asked for. */
const MANAGER = `#!/bin/sh
root=; tools=
for word; do
  case $word in
    --sdk_root=*) root=\${word#--sdk_root=};;
    -Dcom.android.sdklib.toolsdir=*) tools=\${word#*=};;
  esac
done
[ -n "$root" ] || { echo 'openjdk version "21.0.11"' >&2; exit 0; }
mkdir -p "$root/platform-tools"
. "$tools/behaviour"
mkdir -p "$root/platforms/android-36" "$root/build-tools/36.0.0"
cp "$tools/revision" "$root/platform-tools/source.properties"
for f in platform-tools/adb build-tools/36.0.0/aapt2; do
  printf '#!/bin/sh\necho "Version 37.0.1"; echo "(aapt) 2.20"\n' > "$root/$f"
  chmod +x "$root/$f"
done
echo x > "$root/platforms/android-36/android.jar"
`;

/** The command-line tools of a package manager that behaves so. @param behaviour Shell. */
export async function managerTools(
  n: number,
  behaviour = "",
): Promise<readonly (readonly [string, Uint8Array])[]> {
  return await packed([["commandlinetools-linux-1_latest.zip", [
    { name: "cmdline-tools/lib/sdkmanager-classpath.jar", body: "jar" },
    { name: "cmdline-tools/source.properties", body: "Pkg.Revision=21.0" },
    { name: "cmdline-tools/revision", body: `Pkg.Revision=37.0.${n}\n` },
    { name: "cmdline-tools/behaviour", body: `${behaviour}\n` },
  ]]]);
}

/** The Android SDK by a stand-in of the package manager. */
export const SDKMANAGER: Subject = {
  ...standIn("android-sdk"),
  name: "android-sdk by sdkmanager",
  options: { android: "sdkmanager" },
  archives: managerTools,
  async before(vendor) {
    const jdk = await archiveOf("tar.gz", [
      { name: "jdk/bin/java", body: MANAGER, mode: 0o755 },
      { name: "jdk/bin/javac", body: "#!/bin/sh\necho javac 21.0.11\n", mode: 0o755 },
      { name: "jdk/release", body: 'JAVA_VERSION="21.0.11"\n' },
    ]);
    return pinned("jdk", [offer(vendor, "manager-jdk.tar.gz", jdk)]);
  },
};

const GEM = `#!/bin/sh
shift; home=
while [ $# -gt 0 ]; do case $1 in --install-dir) home=$2;; esac; last=$1; shift; done
mkdir -p "$home/bin"; . "$last"
`;

/** The one gem, for the stand-in of Ruby: a script that is run with the gems' `home`. */
function gemOf(script: string): readonly (readonly [string, Uint8Array])[] {
  return [["cocoapods.gem", new TextEncoder().encode(script)]];
}

/** Of every n another archive: one that was downloaded is not asked for again. */
const RUBY = (n: number): Promise<readonly (readonly [string, Uint8Array])[]> =>
  packed([["portable-ruby.tar.gz", [
    { name: "portable-ruby/3.4.6/bin/ruby", body: GEM, mode: 0o755 },
    { name: "portable-ruby/3.4.6/revision", body: `${n}\n` },
  ]]]);

function onMac(userData: string, env: Readonly<Record<string, string>> = {}): Host {
  return { ...plainHost(userData, env), platform: "darwin", arch: "arm64" };
}

/** CocoaPods on a stand-in of Ruby. */
const COCOAPODS: Subject = {
  name: "cocoapods",
  tool: "cocoapods",
  package: "cocoapods",
  format: "tar.gz",
  options: {},
  version: (n) => `1.17.${n}`,
  host: onMac,
  archives: (n) =>
    Promise.resolve(gemOf(
      `printf '#!/bin/sh\\necho 1.17.${n}\\n' > "$home/bin/pod"; chmod +x "$home/bin/pod"\n`,
    )),
  async before(vendor) {
    return pinned("ruby", (await RUBY(1)).map(([file, bytes]) => offer(vendor, file, bytes)));
  },
};

/** The Ruby below it: it brings no tool of its own, and is looked for through what runs on it. */
const RUBY_ALONE: Subject = {
  ...COCOAPODS,
  name: "ruby",
  package: "ruby",
  version: () => "1.17.1",
  archives: RUBY,
  async before(vendor) {
    const gems = await COCOAPODS.archives(1);
    return pinned("cocoapods", gems.map(([file, bytes]) => offer(vendor, file, bytes)));
  },
};

/**
 * Makes the Ruby of a toolchain folder one of an older version, as far as its receipt tells: only what
 * is asked for is installed anew by a wish. Other subjects stay as they are.
 */
export function age({ name }: Subject, toolchainDir: string): void {
  const path = join(toolchainDir, "receipts/ruby.json");
  if (name !== "ruby" || !existsSync(path)) return;
  const receipt: object = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...receipt, version: "0" }));
}

/** Every recipe whose downloads are ours; those of npm are in npm-subjects.ts. */
export const SUBJECTS: readonly Subject[] = [
  standIn("node"),
  standIn("jdk"),
  standIn("android-sdk"),
  SDKMANAGER,
  standIn("ffmpeg"),
  RUBY_ALONE,
  COCOAPODS,
];

/** Pins of a package for the platforms of these tests. */
function pinned(id: PackageId, artifacts: readonly Artifact[]): Partial<Pins> {
  const pin = { artifacts, unpackedBytes: 1_000_000 };
  return { [id]: { "linux-x64": pin, "darwin-arm64": pin } };
}

/** The vendor offers what the subject needs and downloads. @param folder Of the vendor, with a `/`. */
export async function offerSubject(
  vendor: Vendor,
  subject: Subject,
  {
    n = 1,
    folder = "",
    origin = vendor.origin,
    change = (bytes: Uint8Array) => bytes,
    archives = subject.archives(n),
  }: {
    readonly n?: number;
    readonly folder?: string;
    /** Another server than the vendor's, where the archives are said to be. */
    readonly origin?: string;
    /** Breaks an archive; its hash is that of the broken one. */
    readonly change?: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
    readonly archives?: ReturnType<Subject["archives"]>;
  } = {},
): Promise<Pins> {
  const artifacts: Artifact[] = [];
  for (const [file, bytes] of await archives) {
    const offered = offer(vendor, `${folder}${file}`, await change(bytes));
    artifacts.push({ ...offered, file, url: `${origin}/${folder}${file}` });
  }
  const own = subject.pins?.(artifacts, n) ?? pinned(subject.package, artifacts);
  return { ...NO_PINS, ...await subject.before(vendor), ...own };
}
