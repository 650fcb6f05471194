import assert from "node:assert/strict";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { FileError } from "../../lib/core/file-error.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { archiveOf } from "../support/archives.ts";
import {
  formatOf,
  javaPrograms,
  litterOf,
  NO_PINS,
  offer,
  offerStandIn,
  pinsOf,
  plainHost,
  put,
  quickClock,
  STAND_INS,
  type StandIn,
  startVendor,
  TOOL_OF,
  toolchainFor,
} from "./install-world.ts";
import { folder, posix, runtime } from "./real-machine.ts";
import { watched } from "./watched-steps.ts";

const vendor = await startVendor();
afterTests(() => vendor.close());

const PACKAGES: readonly StandIn[] = ["node", "jdk", "android-sdk", "ffmpeg"];

/** The version that is found of the editor's own copy, or null. */
async function ownVersion(toolchain: Toolchain, id: StandIn): Promise<string | null> {
  const found = await toolchain.detect(TOOL_OF[id][0]);
  return found.present && found.source === "own" ? found.version ?? "" : null;
}

async function codeOf(work: ReturnType<Toolchain["install"]>): Promise<string> {
  const result = await work;
  return result.ok ? "ok" : result.error.code;
}

/** Announces the whole archive, and sends a byte of it. */
function begin(request: IncomingMessage, response: ServerResponse, then = () => {}): void {
  const body = vendor.bodies.get(request.url ?? "") ?? new Uint8Array();
  response.writeHead(200, { "content-length": body.length });
  response.write(body.slice(0, 1), then);
}

test("install() of an ffmpeg that does not start here names what helps", posix, async () => {
  const stopped = "error while loading shared libraries: libpulse.so.0: cannot open";
  const archive = await archiveOf(
    "zip",
    ["ffmpeg", "ffprobe"].map((name) => ({
      name: `org/bytedeco/ffmpeg/linux-x86_64/${name}`,
      body: `#!/bin/sh\necho '${stopped}' >&2; exit 127\n`,
    })),
  );
  const toolchain = toolchainFor(pinsOf("ffmpeg", [offer(vendor, "stops.jar", archive)]));
  const refused = await toolchain.install("ffmpeg");
  assert.ok(!refused.ok && refused.error.code === "smoke-test", JSON.stringify(refused));
  assert.match(
    refused.error.message,
    /it does not start: it needs libpulse\.so\.0, which is not there$/,
  );
  assert.match(refused.error.next ?? "", / toolchain guide ffmpeg' /);
  assert.equal(existsSync(join(toolchain.directory, "ffmpeg")), false);
});

// TOOL-18
test(
  "install() of an ffmpeg fetches nothing where a library of the system is missing",
  posix,
  async () => {
    const archive = await archiveOf("zip", [{ name: "org/x", body: "" }]);
    const fetched = offer(vendor, "needs.jar", archive);
    const pins = pinsOf("ffmpeg", [fetched]);
    const [[key, pin] = ["", undefined]] = Object.entries(pins.ffmpeg);
    assert.ok(pin !== undefined);
    const toolchain = toolchainFor({
      ...pins,
      ffmpeg: { [key]: { ...pin, libraries: ["libc.so.6", "libslipway-none.so.9"] } },
    });
    const progress: string[] = [];
    const refused = await toolchain.install("ffmpeg", {
      onProgress: ({ phase }) => progress.push(phase),
    });
    assert.match(
      refused.ok ? "" : refused.error.message,
      /needs libslipway-none\.so\.9, which this system does not have$/,
    );
    assert.deepEqual(progress, []);
  },
);

for (const id of PACKAGES) {
  test(
    `install() of ${id} installs what is found, and a second time asks nobody`,
    posix,
    async () => {
      vendor.fault = null;
      const [tool, version] = TOOL_OF[id];
      const toolchain = toolchainFor(await offerStandIn(vendor, id));
      const installed = await toolchain.install(tool);
      assert.ok(installed.ok, installed.ok ? "" : installed.error.message);
      assert.equal(await ownVersion(toolchain, id), version(1));
      assert.deepEqual(litterOf(toolchain.directory), []);
      const asked = vendor.asked.length;
      assert.equal(await codeOf(toolchain.install(tool)), "ok");
      assert.equal(vendor.asked.length, asked);
      const verified = await toolchain.verify(tool, { deep: true });
      assert.ok(verified.ok && verified.value.intact, JSON.stringify(verified));
    },
  );

  test(`verify(), repair() and detect() of ${id} see damage, and mend it`, posix, async () => {
    vendor.fault = null;
    const [tool, version] = TOOL_OF[id];
    const toolchain = toolchainFor(await offerStandIn(vendor, id));
    assert.equal(await codeOf(toolchain.install(tool)), "ok");
    const receipt: { entries: { path: string }[] } = JSON.parse(
      readFileSync(join(toolchain.directory, `receipts/${id}.json`), "utf8"),
    );
    const [entry] = receipt.entries;
    assert.ok(entry !== undefined);
    const path = join(toolchain.directory, entry.path);
    const text = readFileSync(path);
    writeFileSync(path, text.map((byte, i) => i === 0 ? byte ^ 1 : byte));
    const detected = await toolchain.detect(tool);
    assert.match(
      detected.tried.find(({ source }) => source === "own")?.reason ?? "",
      /^damaged: .*; '.* toolchain repair .*' fixes it$/,
    );
    assert.equal(await ownVersion(toolchain, id), null);
    const verified = await toolchain.verify(tool);
    assert.ok(verified.ok && !verified.value.intact && verified.value.damaged === 1);
    assert.equal(await codeOf(toolchain.repair(tool)), "ok");
    assert.equal(await ownVersion(toolchain, id), version(1));
  });

  test(`uninstall() of ${id} takes exactly what was installed`, posix, async () => {
    vendor.fault = null;
    const [tool] = TOOL_OF[id];
    const toolchain = toolchainFor(await offerStandIn(vendor, id));
    assert.equal(await codeOf(toolchain.install(tool)), "ok");
    const kept = join(toolchain.directory, "android-sdk/ndk/26/source.properties");
    put(kept, "the user's own");
    const removed = await toolchain.uninstall(tool);
    assert.ok(removed.ok && removed.value.removed && removed.value.freed > 0);
    assert.equal(await ownVersion(toolchain, id), null);
    assert.equal(readFileSync(kept, "utf8"), "the user's own");
    const left = readdirSync(toolchain.directory).filter((name) => name === id || name === "node");
    assert.deepEqual(left, id === "android-sdk" ? ["android-sdk"] : []);
    assert.deepEqual(litterOf(toolchain.directory), []);
    const again = await toolchain.uninstall(tool);
    assert.ok(again.ok && (id === "android-sdk" || !again.value.removed));
  });
}

test(
  "a JDK whose java fails for another file of it is damaged, and installed again",
  posix,
  async () => {
    const java = '#!/bin/sh\ngrep -q whole "${0%/*}/../lib/modules" || exit 1\n' +
      "echo 'openjdk version \"21.0.1\"' >&2\n";
    const bytes = await archiveOf("tar.gz", [
      { name: "jdk/bin/java", body: java, mode: 0o755 },
      { name: "jdk/bin/javac", body: "#!/bin/sh\necho javac 21.0.1\n", mode: 0o755 },
      { name: "jdk/lib/modules", body: "whole" },
    ]);
    const toolchain = toolchainFor(pinsOf("jdk", [offer(vendor, "modules.tar.gz", bytes)]));
    const installed = await toolchain.install("java");
    assert.ok(installed.ok, JSON.stringify(installed));
    const modules = join(installed.value.tool.path, "lib/modules");
    const own = async () => {
      // Another time of the program's file, so that it is asked again.
      utimesSync(join(installed.value.tool.path, "bin/java"), 1, ++time);
      const { tried } = await toolchain.detect("java");
      return tried.find(({ source }) => source === "own")?.reason ?? "";
    };
    let time = 1;
    for (
      const [text, want] of [
        [
          "",
          /^damaged: .*lib\/modules has 0 bytes, expected 5; '.* toolchain repair java' fixes it$/,
        ],
        ["other", /^it exits with 1 when asked '-XshowSettings:properties -version'$/],
      ] as const
    ) {
      writeFileSync(modules, text);
      assert.match(await own(), want);
      assert.equal(await codeOf(toolchain.install("java")), "ok");
      assert.match(await own(), /^taken: JDK 21\.0\.1/);
    }
  },
);

test("install() of what is not pinned here is not-installable", async () => {
  const toolchain = toolchainFor(NO_PINS);
  for (const id of ["java", "npm", "toktx", "xcodebuild", "cocoapods"] as const) {
    assert.equal(await codeOf(toolchain.install(id)), "not-installable", id);
    assert.equal((await toolchain.describe(await toolchain.detect(id))).canAutoInstall, false, id);
  }
});

test("what the editor never provides is refused in the words of what was asked for", async () => {
  const toolchain = toolchainFor(NO_PINS);
  for (
    const [verb, asked] of [
      ["install", toolchain.install("xcodebuild")],
      ["remove", toolchain.uninstall("xcodebuild")],
      ["verify", toolchain.verify("xcodebuild")],
      ["repair", toolchain.repair("xcodebuild")],
    ] as const
  ) {
    const result = await asked;
    assert.ok(!result.ok);
    assert.match(result.error.message, new RegExp(`^Cannot ${verb} xcodebuild: `));
  }
});

test("install() takes nothing away that the editor did not install", posix, async () => {
  vendor.fault = null;
  const toolchain = toolchainFor(await offerStandIn(vendor, "jdk"));
  const own = join(toolchain.directory, "jdk/mine/release");
  put(own, 'JAVA_VERSION="21.0.1"\n');
  const refused = await toolchain.install("java");
  assert.ok(!refused.ok);
  assert.equal(refused.error.code, "occupied");
  assert.match(refused.error.message, /\/jdk is there, and the editor did not install it$/);
  assert.equal(readFileSync(own, "utf8"), 'JAVA_VERSION="21.0.1"\n');
  rmSync(join(toolchain.directory, "jdk/mine"), { recursive: true });
  assert.equal(await codeOf(toolchain.install("java")), "ok");
});

test("uninstall() takes nothing that has no receipt, unless it is forced", posix, async () => {
  const toolchain = toolchainFor(NO_PINS);
  const at = (path: string) => join(toolchain.directory, path);
  put(at("jdk/21.0.1/release"), 'JAVA_VERSION="21.0.1"\n');
  put(at("jdk/notes.txt"), "mine");
  put(at("node/bin/npm"), "mine");
  for (const [id, path] of [["java", "jdk"], ["npm", "node"]] as const) {
    const refused = await toolchain.uninstall(id);
    assert.ok(!refused.ok);
    assert.equal(refused.error.code, "no-receipt");
    assert.ok(refused.error.message.includes(`${at(path)} is there`), refused.error.message);
    assert.ok(refused.error.next.includes(`${runtime.host.cli} toolchain uninstall ${id} --force`));
  }
  assert.equal(readFileSync(at("jdk/notes.txt"), "utf8"), "mine");
  const forced = await toolchain.uninstall("java", { force: true });
  assert.ok(forced.ok && forced.value.removed);
  assert.deepEqual([existsSync(at("jdk")), existsSync(at("node/bin/npm"))], [false, true]);
});

test(
  "uninstall() takes nothing that was put into a package since, unless it is forced",
  posix,
  async () => {
    vendor.fault = null;
    const toolchain = toolchainFor(await offerStandIn(vendor, "jdk"));
    assert.equal(await codeOf(toolchain.install("java")), "ok");
    const java = await toolchain.detect("java");
    assert.ok(java.present);
    const notes = join(java.path, "notes.txt");
    put(notes, "mine");
    put(join(java.path, "more/a.txt"), "mine");
    put(join(java.path, ".DS_Store"), "the system's");
    const refused = await toolchain.uninstall("java");
    assert.ok(!refused.ok && refused.error.code === "no-receipt", JSON.stringify(refused));
    assert.match(
      refused.error.message,
      /jdk\/.*(?:notes|more\/a)\.txt \(and 1 more\) is in it/,
    );
    assert.equal(readFileSync(notes, "utf8"), "mine");
    assert.equal((await toolchain.detect("java")).present, true);
    rmSync(notes);
    rmSync(join(java.path, "more"), { recursive: true });
    assert.ok((await toolchain.uninstall("java")).ok);
    assert.equal(existsSync(join(toolchain.directory, "jdk")), false);

    assert.equal(await codeOf(toolchain.install("java")), "ok");
    put(notes, "mine");
    assert.ok((await toolchain.uninstall("java", { force: true })).ok);
    assert.equal(existsSync(notes), false);
  },
);

test("uninstall() names every tool that goes with its package", async () => {
  const toolchain = toolchainFor(NO_PINS);
  const removed = await toolchain.uninstall("gltfpack");
  assert.ok(removed.ok);
  assert.equal(existsSync(toolchain.directory), false, "nothing is made to remove nothing");
  assert.deepEqual(removed.value.tools, ["gltf-transform-cli", "gltfpack"]);
});

// INST-9
test(
  "install() without accepted terms is licence, and calling it accepts them",
  posix,
  async () => {
    vendor.fault = null;
    const toolchain = toolchainFor(await offerStandIn(vendor, "android-sdk"));
    const refused = await toolchain.install("android-sdk", { acceptLicences: false });
    assert.equal(refused.ok ? "" : refused.error.code, "licence");
    assert.match(refused.ok ? "" : refused.error.message, /android-sdk-license/);
    assert.equal((await toolchain.licences("android-sdk")).licences[0]?.accepted, undefined);
    assert.equal(await codeOf(toolchain.install("android-sdk")), "ok");
    const { licences } = await toolchain.licences("android-sdk");
    assert.equal(licences[0]?.accepted?.hash, "24333f8a63b6825ea9c5514f83c2829b004d1fee");
    const file = join(toolchain.directory, "android-sdk/licenses/android-sdk-license");
    assert.equal(readFileSync(file, "utf8"), "\n24333f8a63b6825ea9c5514f83c2829b004d1fee\n");
    assert.equal(
      await codeOf(toolchain.install("android-sdk", { acceptLicences: false, reinstall: true })),
      "ok",
    );
  },
);

test(
  "install() of the Android SDK leaves the user's packages and licence lines",
  posix,
  async () => {
    vendor.fault = null;
    const toolchain = toolchainFor(await offerStandIn(vendor, "android-sdk"));
    const sdk = join(toolchain.directory, "android-sdk");
    put(join(sdk, "platforms/android-35/android.jar"), "35");
    put(join(sdk, "licenses/android-sdk-license"), "\n8933bad161af4178b1185d1a37fbf41ea5269c55");
    assert.equal(await codeOf(toolchain.install("android-sdk")), "ok");
    assert.equal(readFileSync(join(sdk, "platforms/android-35/android.jar"), "utf8"), "35");
    assert.deepEqual(
      readFileSync(join(sdk, "licenses/android-sdk-license"), "utf8").trim().split("\n"),
      ["8933bad161af4178b1185d1a37fbf41ea5269c55", "24333f8a63b6825ea9c5514f83c2829b004d1fee"],
    );
    for (
      const [path, pattern] of [
        ["platform-tools", /path="platform-tools".*<major>37<\/major>/s],
        ["build-tools/36.0.0", /path="build-tools;36\.0\.0"/],
        ["platforms/android-36", /path="platforms;android-36".*<api-level>36</s],
        ["cmdline-tools/latest", /path="cmdline-tools;latest"/],
      ] as const
    ) assert.match(readFileSync(join(sdk, path, "package.xml"), "utf8"), pattern);
  },
);

// INST-6
test("install() by sdkmanager runs it on the editor's own JDK and on no other", posix, async () => {
  vendor.fault = null;
  const tools = await archiveOf("zip", [
    { name: "cmdline-tools/lib/sdkmanager-classpath.jar", body: "jar" },
    { name: "cmdline-tools/source.properties", body: "Pkg.Revision=21.0" },
  ]);
  // A java that does what the package manager would: it makes the folders that it is asked for.
  const java = `#!/bin/sh
for last; do :; done
if [ "$last" = -version ]; then echo 'javac 21.0.11'; echo 'openjdk version "21.0.11"' >&2; exit 0; fi
root=
for word; do case $word in --sdk_root=*) root=\${word#--sdk_root=};; esac; done
echo "ran $0 $3 $4"
mkdir -p "$root/platform-tools" "$root/platforms/android-36" "$root/build-tools/36.0.0"
echo "Pkg.Revision=37.0.9" > "$root/platform-tools/source.properties"
for f in platform-tools/adb build-tools/36.0.0/aapt2; do
  printf '#!/bin/sh\necho "Version 37.0.1"; echo "(aapt) 2.20"\n' > "$root/$f"
  chmod +x "$root/$f"
done
echo jar > "$root/platforms/android-36/android.jar"
`;
  const jdk = await archiveOf("tar.gz", [
    { name: "jdk/bin/java", body: java, mode: 0o755 },
    { name: "jdk/bin/javac", body: java, mode: 0o755 },
    { name: "jdk/release", body: 'JAVA_VERSION="21.0.11"\n' },
  ]);
  const pin = (file: string, bytes: Uint8Array) => ({
    "linux-x64": { artifacts: [offer(vendor, file, bytes)], unpackedBytes: 1_000 },
  });
  const toolchain = toolchainFor({
    ...NO_PINS,
    jdk: pin("jdk.tar.gz", jdk),
    "android-sdk": pin("commandlinetools-linux-1_latest.zip", tools),
  });
  const lines: string[] = [];
  const installed = await toolchain.install("android-sdk", {
    android: "sdkmanager",
    onLog: (line) => lines.push(line),
  });
  assert.ok(installed.ok, installed.ok ? "" : installed.error.message);
  assert.deepEqual(installed.value.packages.map((each) => each.package), ["jdk", "android-sdk"]);
  assert.equal(installed.value.tool.version, "37.0.9");
  const ran = lines.find((line) => line.startsWith("ran "));
  assert.ok(ran?.includes(join(toolchain.directory, "jdk/21.0.11+10/bin/java")), ran);
  assert.match(ran ?? "", /sdkmanager-classpath\.jar com\.android\.sdklib\.tool\.sdkmanager/);
});

// INST-8
test(
  "install() of CocoaPods puts Ruby first, and the gems into a home of their own",
  posix,
  async () => {
    vendor.fault = null;
    const ruby = `#!/bin/sh
shift; home=
while [ $# -gt 0 ]; do case $1 in --install-dir) home=$2;; esac; last=$1; shift; done
mkdir -p "$home/bin"; cp "$last" "$home/bin/pod"; chmod +x "$home/bin/pod"
`;
    const archive = await archiveOf("tar.gz", [
      { name: "portable-ruby/3.4.6/bin/ruby", body: ruby, mode: 0o755 },
    ]);
    const gem = new TextEncoder().encode("#!/bin/sh\necho 1.17.0\n");
    const pin = (file: string, bytes: Uint8Array) => ({
      "darwin-arm64": { artifacts: [offer(vendor, file, bytes)], unpackedBytes: 1_000 },
    });
    const pins = { ...NO_PINS, ruby: pin("ruby.tar.gz", archive), cocoapods: pin("pods.gem", gem) };
    const toolchain = toolchainFor(pins);
    assert.equal(await codeOf(toolchain.install("cocoapods")), "not-installable");
    const mac = toolchainFor(pins, {
      host: { ...runtime.host, platform: "darwin", arch: "arm64", userData: toolchain.directory },
    });
    const installed = await mac.install("cocoapods");
    assert.ok(installed.ok, installed.ok ? "" : installed.error.message);
    assert.deepEqual(installed.value.packages.map((each) => each.package), ["ruby", "cocoapods"]);
    assert.equal(installed.value.tool.path, join(mac.directory, "cocoapods-gems/bin/pod"));
  },
);

for (
  const [id, name, body, want] of [
    [
      "jdk",
      "bin/java",
      "no program\n",
      /java that was installed: .* it is a text file that begins/,
    ],
    ["jdk", "bin/java", "\x7fELF", /java that was installed: it does not start: it is not a prog/],
    ["jdk", "bin/javac", "#!/bin/sh\nexit 2\n", /its bin\/javac: it exits with 2/],
    [
      "jdk",
      "bin/javac",
      '#!/bin/sh\necho "javac: libc.so.6: version \\`GLIBC_9.9\' not found (by x)" >&2; exit 1\n',
      /its bin\/javac: it does not start: it needs GLIBC_9\.9, and the C library of this machine/,
    ],
    [
      "android-sdk",
      "adb",
      "#!/no/sh\n",
      /its platform-tools\/adb: it does not start: it is a script/,
    ],
    [
      "android-sdk",
      "aapt2",
      "no\n",
      /it lacks build-tools;36\.0\.0 \(its aapt2 is not a program\)$/,
    ],
  ] as const
) {
  test(`install() refuses ${id} whose ${name} is ${JSON.stringify(body)}`, posix, async () => {
    vendor.fault = null;
    const host = plainHost(folder());
    const first = toolchainFor(await offerStandIn(vendor, id, 1), { host });
    const [tool, versionOf] = TOOL_OF[id];
    assert.ok((await first.install(tool)).ok);
    const artifacts = await Promise.all(
      STAND_INS[id](2).map(async ([file, items]) => {
        const broken = items.map((item) => item.name.endsWith(name) ? { ...item, body } : item);
        return offer(vendor, file, await archiveOf(formatOf(file), broken));
      }),
    );
    const next = toolchainFor(pinsOf(id, artifacts), { host });
    const refused = await next.install(tool, { reinstall: true });
    assert.deepEqual(refused.ok ? "" : refused.error.code, "smoke-test");
    assert.match(refused.ok ? "" : refused.error.message, want);
    assert.equal(await ownVersion(next, id), versionOf(1), "what worked stays");
    assert.deepEqual(litterOf(next.directory), []);
  });
}

// INST-5
test("a JDK with Contents/Home is found as it is on macOS", posix, async () => {
  vendor.fault = null;
  const archive = await archiveOf("tar.gz", [
    ...javaPrograms("jdk-21/Contents/Home", "21.0.11"),
    { name: "jdk-21/Contents/Home/release", body: 'JAVA_VERSION="21.0.11"\n' },
  ]);
  const toolchain = toolchainFor(pinsOf("jdk", [offer(vendor, "mac.tar.gz", archive)]));
  const installed = await toolchain.install("java");
  assert.equal(
    installed.ok && installed.value.tool.path,
    join(toolchain.directory, "jdk/21.0.11+10/Contents/Home"),
  );
});

test("install() looks at the disk before it downloads", posix, async () => {
  vendor.fault = null;
  const pins = await offerStandIn(vendor, "jdk");
  const asked = vendor.asked.length;
  const files = { ...runtime.files, freeSpace: () => Promise.resolve(900_000) };
  const toolchain = toolchainFor(pins, { files });
  const result = await toolchain.install("java");
  assert.equal(result.ok ? "" : result.error.code, "disk-full");
  assert.match(result.ok ? "" : result.error.message, /takes about [\d.]+ MB.*has 0.9 MB left/);
  assert.equal(vendor.asked.length, asked);
});

test(
  "a rename that is held is tried again, and in the end says who may hold it",
  posix,
  async () => {
    vendor.fault = null;
    const pins = await offerStandIn(vendor, "jdk");
    for (const [times, code] of [[5, "ok"], [1_000, "rename"]] as const) {
      let left = times;
      const files = {
        ...runtime.files,
        rename(from: string, to: string) {
          if (!from.includes("staging") || left-- <= 0) return runtime.files.rename(from, to);
          return Promise.reject(new FileError("busy", from, `Cannot rename ${from}: it is open`));
        },
      };
      const toolchain = toolchainFor(pins, { files });
      const result = await toolchain.install("java");
      assert.equal(result.ok ? "ok" : result.error.code, code);
      if (!result.ok) assert.match(result.error.next, /virus scanner/);
      assert.equal(await ownVersion(toolchain, "jdk"), code === "ok" ? "21.0.1" : null);
      assert.deepEqual(litterOf(toolchain.directory), []);
    }
  },
);

test("install() that is cancelled keeps what was there and leaves nothing", posix, async () => {
  vendor.fault = null;
  const toolchain = toolchainFor(await offerStandIn(vendor, "node"));
  assert.equal(await codeOf(toolchain.install("npm")), "ok");
  const stop = new AbortController();
  vendor.fault = (request, response) => begin(request, response, () => stop.abort());
  assert.equal(
    await codeOf(toolchain.install("npm", { reinstall: true, signal: stop.signal })),
    "cancelled",
  );
  assert.equal(await ownVersion(toolchain, "node"), "10.9.1");
  assert.deepEqual(litterOf(toolchain.directory), []);
});

test("install() into another toolchain folder leaves this one alone", posix, async () => {
  vendor.fault = null;
  const toolchain = toolchainFor(await offerStandIn(vendor, "jdk"));
  const other = join(toolchain.directory, "..", "änderer Ort");
  const installed = await toolchain.install("java", { toolchainDir: other });
  assert.ok(installed.ok && installed.value.tool.path.startsWith(other));
  assert.equal(existsSync(toolchain.directory), false);
  const relative = await toolchain.install("java", { toolchainDir: "here" });
  assert.equal(relative.ok, false);
});

test("a toolchain folder behind a link works", posix, async () => {
  vendor.fault = null;
  const toolchain = toolchainFor(await offerStandIn(vendor, "node"));
  put(join(toolchain.directory, "../real/x"), "");
  symlinkSync("real", toolchain.directory);
  assert.equal(await codeOf(toolchain.install("npm")), "ok");
  const verified = await toolchain.verify("npm", { deep: true });
  assert.ok(verified.ok && verified.value.intact, JSON.stringify(verified));
});

test(
  "what holds the old version open is no failure, and no later version is undone",
  posix,
  async () => {
    vendor.fault = null;
    const host = plainHost(folder());
    let isHeld = true;
    let held = /trash.jdk-[^/]*$/;
    const files = {
      ...runtime.files,
      remove: (path: string) =>
        isHeld && held.test(path)
          ? Promise.reject(new FileError("busy", path, `Cannot remove ${path}: it is open`))
          : runtime.files.remove(path),
    };
    for (const n of [1, 2, 3]) {
      if (n === 3) held = /trash.jdk-[^/]*$|downloads.*\.gz$/;
      const toolchain = toolchainFor(await offerStandIn(vendor, "jdk", n), { host, files });
      assert.equal(await codeOf(toolchain.install("java", { reinstall: true })), "ok", String(n));
      assert.equal(await ownVersion(toolchain, "jdk"), `21.0.${n}`);
      assert.equal(litterOf(toolchain.directory).length, n);
    }
    isHeld = false;
    const next = toolchainFor(await offerStandIn(vendor, "jdk", 3), { host, files });
    assert.equal(await codeOf(next.install("java")), "ok");
    assert.equal(await ownVersion(next, "jdk"), "21.0.3");
    assert.deepEqual(litterOf(next.directory), []);
  },
);

test("install() of two tools at once that need Node installs it once", posix, async () => {
  vendor.fault = null;
  const pins = {
    ...await offerStandIn(vendor, "ffmpeg"),
    node: (await offerStandIn(vendor, "node")).node,
  };
  const host = plainHost(folder(), { SVC_PACKAGED: "1" });
  vendor.asked.length = 0;
  const clock = runtime.clock;
  const done = await Promise.all([
    codeOf(toolchainFor(pins, { host, clock }).install("ffmpeg")),
    codeOf(toolchainFor(pins, { host, clock }).install("npm")),
    codeOf(toolchainFor(pins, { host, clock }).install("ffmpeg")),
  ]);
  assert.deepEqual(done, ["ok", "ok", "ok"]);
  assert.equal(vendor.asked.length, 2, vendor.asked.join(" "));
  assert.deepEqual(litterOf(toolchainFor(pins, { host }).directory), []);
});

test("uninstall() while a tool is being installed waits, and then removes it", posix, async () => {
  vendor.fault = null;
  const pins = await offerStandIn(vendor, "jdk");
  const host = plainHost(folder());
  let begun: () => void = () => undefined;
  const building = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const clock = runtime.clock;
  const steps = watched(runtime, (step) => step === "build" ? begun() : undefined);
  const toolchain = toolchainFor(pins, { host, clock, ...steps });
  const installing = codeOf(toolchain.install("java"));
  await building;
  const removed = await toolchainFor(pins, { host, clock }).uninstall("java");
  assert.equal(await installing, "ok");
  assert.ok(removed.ok && removed.value.removed);
  assert.equal(await ownVersion(toolchain, "jdk"), null);
  assert.deepEqual(litterOf(toolchain.directory), []);
});

test("a mirror's password is in no line, no failure and no file", posix, async () => {
  const pins = await offerStandIn(vendor, "jdk");
  for (const [fault, code] of [[null, "ok"], [() => undefined, "stalled"]] as const) {
    vendor.fault = fault;
    const mirrors = { [`${vendor.origin}/`]: `${vendor.origin.replace("//", "//me:geheim@")}/` };
    const env = { SVC_TOOLCHAIN_MIRRORS: JSON.stringify(mirrors) };
    const host = plainHost(folder(), env);
    const toolchain = toolchainFor(pins, { host, clock: quickClock(50) });
    const lines: string[] = [];
    const result = await toolchain.install("java", { onLog: (line) => lines.push(line) });
    assert.equal(result.ok ? "ok" : result.error.code, code);
    assert.doesNotMatch(JSON.stringify([result, lines]), /geheim/);
    for (const path of filesBelow(toolchain.directory)) {
      assert.doesNotMatch(readFileSync(path, "latin1"), /geheim/, path);
    }
  }
  vendor.fault = null;
});

function filesBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const full = join(path, entry.name);
    return entry.isDirectory() ? filesBelow(full) : entry.isFile() ? [full] : [];
  });
}
