import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { mismatchOf, readExecutable } from "../../lib/programs/executable.ts";
import { createToolchain, type SyncStat, type Toolchain } from "../../lib/toolchain/mod.ts";
import { failureOf, type Skip, withoutMount } from "../support/needs.ts";
import { machine, release } from "./machine.ts";
import { debianJdk, pythonJre } from "./real-jdks.ts";
import { addBuildParts, folder, mountAt, posix, script, toolchainWith } from "./real-machine.ts";

// A JDK that cannot start here is refused with the reason, wherever it is told of.

/** The first bytes of a program of Linux. @param machine `e_machine` (ELF, 18). */
function elf(machine: number, { wide = true, little = true, loader = "" } = {}): Uint8Array {
  const bytes = new Uint8Array(512);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, little ? 1 : 2, 1]);
  view.setUint16(18, machine, little);
  if (loader === "") return bytes;
  const [table, size] = [wide ? 64 : 52, wide ? 56 : 32];
  if (wide) view.setBigUint64(32, BigInt(table), little);
  else view.setUint32(28, table, little);
  view.setUint16(wide ? 54 : 42, size, little);
  view.setUint16(wide ? 56 : 44, 2, little);
  const header = table + size; // the second: the first is of another kind
  view.setUint32(header, 3, little);
  const text = new TextEncoder().encode(`${loader}\0`);
  if (wide) {
    view.setBigUint64(header + 8, 300n, little);
    view.setBigUint64(header + 32, BigInt(text.length), little);
  } else {
    view.setUint32(header + 4, 300, little);
    view.setUint32(header + 16, text.length, little);
  }
  bytes.set(text, 300);
  return bytes;
}

/** The first bytes of a program of Windows. */
function pe(machine: number): Uint8Array {
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  bytes.set([0x4d, 0x5a]);
  view.setUint32(0x3c, 0x80, true);
  view.setUint32(0x80, 0x50450000);
  view.setUint16(0x84, machine, true);
  return bytes;
}

/** The first bytes of a program of macOS, for one machine or several. */
function machO(...machines: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(1024);
  const view = new DataView(bytes.buffer);
  const [only] = machines;
  if (machines.length === 1 && only !== undefined) {
    view.setUint32(0, 0xcffaedfe);
    view.setUint32(4, only, true);
    return bytes;
  }
  view.setUint32(0, 0xcafebabe);
  view.setUint32(4, machines.length);
  machines.forEach((each, i) => view.setUint32(8 + 20 * i, each));
  return bytes;
}

const text = (content: string) => new TextEncoder().encode(content);
const [X86, X64, ARM64] = [3, 0x3e, 0xb7];
const [MAC_X64, MAC_ARM64] = [0x01000007, 0x0100000c];
const LINUX = { platform: "linux", arch: "x64" } as const;
const MAC = { platform: "darwin", arch: "arm64" } as const;
const WINDOWS = { platform: "win32", arch: "x64" } as const;
const ARM_LINUX = { platform: "linux", arch: "arm64" } as const;

/** What a file is, the machine, and why it cannot run there; `~` in front where it might, translated. */
const MISFITS = [
  ["an ELF of this machine", elf(X64), LINUX, null],
  ["a static one", elf(X64, { loader: "" }), LINUX, null],
  ["one whose loader is there", elf(X64, { loader: "/lib/there" }), LINUX, null],
  ["one of 32 bits", elf(X86, { wide: false }), LINUX, null],
  ["one of aarch64", elf(ARM64), LINUX, "it is built for aarch64, this machine is x64"],
  ["one of x64", elf(X64), ARM_LINUX, "it is built for x64, this machine is aarch64"],
  ["one of no known machine", elf(999), LINUX, "it is built for machine 999, this machine is x64"],
  ["any on a machine without a name", elf(ARM64), { ...LINUX, arch: "other" }, null],
  [
    "one of the other byte order",
    elf(0x16, { little: false }),
    LINUX,
    "it is built for s390x, this machine is x64",
  ],
  [
    "one of musl",
    elf(X64, { loader: "/lib/ld-musl-x86_64.so.1" }),
    LINUX,
    "it is built for musl: its loader /lib/ld-musl-x86_64.so.1 is not there",
  ],
  [
    "one of 32 bits without its loader",
    elf(X86, { wide: false, loader: "/lib/ld-linux.so.2" }),
    LINUX,
    "it is built for another C library: its loader /lib/ld-linux.so.2 is not there",
  ],
  ["an ELF", elf(ARM64), MAC, "it is built for Linux, this machine runs macOS"],
  ["a Mach-O", machO(MAC_ARM64), LINUX, "it is built for macOS, this machine runs Linux"],
  ["a Mach-O of this machine", machO(MAC_ARM64), MAC, null],
  ["a Mach-O of several", machO(MAC_X64, MAC_ARM64), MAC, null],
  ["a Mach-O of x64", machO(MAC_X64), MAC, "~it is built for x64, this machine is aarch64"],
  ["a PE", pe(0x8664), LINUX, "it is built for Windows, this machine runs Linux"],
  ["a PE of this machine", pe(0x8664), WINDOWS, null],
  ["a PE of aarch64", pe(0xaa64), WINDOWS, "~it is built for aarch64, this machine is x64"],
  ["a script", text("#!/lib/there -x\n"), LINUX, null],
  [
    "a script for nothing",
    text("#! /no/such/sh\n"),
    LINUX,
    "it is a script for /no/such/sh, which is not there",
  ],
  [
    "a script in another encoding",
    new Uint8Array([...text("#!/lib/there\n# K"), 0xfc, 0]),
    LINUX,
    null,
  ],
  [
    "a script of Windows",
    text("#!/lib/there\r\n"),
    LINUX,
    "it is a script with the line endings of Windows (CR LF)",
  ],
  [
    "a script of Windows for env",
    text("#!/usr/bin/env sh\r\n"),
    LINUX,
    "it is a script with the line endings of Windows (CR LF)",
  ],
  [
    "a script of Windows whose words env splits",
    text("#!/lib/env -S sh -e\r\n"),
    LINUX,
    "it is a script for /lib/env, which is not there",
  ],
  ["a script", text("#!/bin/sh\n"), WINDOWS, "it is a script, expected a program"],
  ["a text", text("echo é\n"), LINUX, "it is a text file that begins without #!"],
  ["a text", text("<html>"), WINDOWS, "it is a text file"],
  ["nothing", new Uint8Array(0), LINUX, "it is an empty file"],
  ["bytes", new Uint8Array([1, 2, 0, 255]), LINUX, "it is not a program"],
  ["a cut header", elf(X64).slice(0, 20), LINUX, "it is not a program"],
  ["a class of Java", machO(...Array.from({ length: 25 }, () => 7)), MAC, "it is not a program"],
] as const;

const stat: SyncStat = (path) => ({
  kind: path === "/lib/there" ? "file" : "missing",
  executable: true,
  size: 1,
});

for (const [title, bytes, host, want] of MISFITS) {
  test(`mismatchOf() ${title} on ${host.platform} ${host.arch}`, () => {
    const mismatch = mismatchOf(readExecutable(bytes), host, stat);
    assert.equal(mismatch && `${mismatch.certain ? "" : "~"}${mismatch.reason}`, want);
  });
}

for (
  const [title, member, want] of [
    [
      "another machine",
      'OS_ARCH="aarch64"',
      /it is built for aarch64, this machine is x64 \(its release file says so\)$/,
    ],
    ["another system", 'OS_NAME="Darwin"', /it is built for macOS, this machine runs Linux/],
    ["this one", 'OS_ARCH="x86_64"\nOS_NAME="Linux"', null],
    ["what nobody knows", 'OS_ARCH="vax"\nOS_NAME="Plan 9"', null],
  ] as const
) {
  test(`detect("java") with a release file of ${title} ${want ? "runs nothing" : "runs it"}`, async () => {
    const on = machine({
      env: { JAVA_HOME: "/j" },
      entries: {
        "/j/bin/java": { program: "java", prints: 'openjdk version "21.0.11"\n' },
        "/j/bin/javac": { program: "javac" },
        "/j/release": `${release("21.0.11")}${member}\n`,
      },
    });
    const toolchain = createToolchain(on);
    const java = await toolchain.detect("java");
    assert.equal(java.present, want === null, JSON.stringify(java));
    assert.equal(on.runs.length, want === null ? 1 : 0);
    if (want !== null) assert.match(java.present ? "" : java.reason, want);
  });
}

test('detect("java") believes what ran, and starts none that says it is another', async () => {
  const home = (ran: string, reported: string) => ({
    "/j/bin/java": { program: "java", prints: `openjdk version "${ran}"\n` },
    "/j/bin/javac": { program: "javac" },
    "/j/release": `${release(reported)}JAVA_RUNTIME_VERSION="${reported}+9-LTS"\n`,
  });
  for (
    const [ran, reported, want, runs] of [
      ["21.0.4", "17.0.1", "/j: it is JDK 17.0.1+9, expected 21", 0],
      ["21.0.4", "21.0.4", "21.0.4+9", 1],
      ["21.0.5", "21.0.4", "21.0.5", 1],
      ["17.0.1", "21.0.4", "/j: it is JDK 17.0.1, expected 21", 1],
    ] as const
  ) {
    const on = machine({ env: { JAVA_HOME: "/j" }, entries: home(ran, reported) });
    const java = await createToolchain(on).detect("java");
    assert.equal(java.present ? java.version : java.reason, want);
    assert.equal(on.runs.length, runs);
  }
});

const isLinux = process.platform === "linux";
const gcc = { skip: posix.skip || withoutGcc() };

/** A compiler may be there without the headers of the C library, or make programs for musl's. */
function withoutGcc(): Skip {
  if (!isLinux) return "only Linux has programs in ELF";
  const program = ["-x", "c", "-include", "gnu/libc-version.h", "-o", "/dev/null", "-"];
  const input = "int main(void) { return gnu_get_libc_version() == 0; }";
  const ran = spawnSync("gcc", program, { encoding: "utf8", input });
  return failureOf("gcc of a program of glibc", ran, "Debian's packages gcc and libc6-dev");
}

/** Compiles. @param sources By file name. */
function compile(at: string, sources: Readonly<Record<string, string>>, args: readonly string[]) {
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(at, name), source);
  const { status, stderr } = spawnSync("gcc", [...args], { cwd: at, encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** What is told of a Java home in detect, status and preflight: the same in all of them. */
async function toldOf(toolchain: Toolchain): Promise<string> {
  const java = await toolchain.detect("java");
  if (java.present) return `present ${java.version}`;
  const status = await toolchain.status();
  const preflight = await toolchain.preflight("android");
  const shown = status.tools.find(({ id }) => id === "java");
  assert.equal(shown?.reason, java.reason);
  for (const { missing, ready } of [status.preflight.android, preflight]) {
    assert.equal(ready, false);
    assert.equal(missing.find(({ id }) => id === "java")?.reason, java.reason);
  }
  return java.reason;
}

/** A Java home whose `bin/java` is this file. */
function homeOf(bytes: Uint8Array): string {
  const home = join(folder(), "jdk");
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "bin/java"), bytes, { mode: 0o755 });
  script(join(home, "bin/javac"), "exit 0");
  writeFileSync(join(home, "release"), release("21.0.11"));
  return home;
}

/** A toolchain that has this Java home, called `jdk`, as its own, and runs nothing of the machine. */
const about = (home: string) =>
  toolchainWith({ SVC_TOOLCHAIN_DIR: dirname(home), SVC_PACKAGED: "1", PATH: "/nowhere" });

/** The same of a Java home that lies elsewhere. */
function aboutReal(home: string): Toolchain {
  const link = join(folder(), "jdk");
  symlinkSync(home, link);
  return about(link);
}

const SAYS_21 =
  '#include <stdio.h>\nint main(void) { fputs("openjdk version \\"21.0.11\\"\\n", stderr); }\n';

test('detect("java") tells of real programs why they do not start here', gcc, async () => {
  const bench = folder();
  compile(bench, { "java.c": SAYS_21 }, ["java.c", "-o", "java"]);
  const works = new Uint8Array(readFileSync(join(bench, "java")));
  assert.equal(await toldOf(about(homeOf(works))), "present 21.0.11");

  const other = new Uint8Array(works);
  const own = other[18];
  other[18] = own === 0xb7 ? 0x3e : 0xb7;
  const machines = own === 0xb7
    ? /it is built for x64, this machine is aarch64$/
    : /it is built for aarch64, this machine is x64$/;
  assert.match(await toldOf(about(homeOf(other))), machines);

  // Another loader's name in place of its own: no longer than that, and ended like it.
  const musl = new Uint8Array(works);
  const found = readExecutable(works);
  const loader = found.kind === "elf" ? found.interpreter ?? "" : "";
  const at = new TextDecoder("latin1").decode(works).indexOf(`${loader}\0`);
  musl.set(text("/lib/ld-musl-no.so.1\0".padEnd(loader.length, "\0")), at);
  assert.match(
    await toldOf(about(homeOf(musl))),
    /: it does not start: it is built for musl: its loader \/lib\/ld-musl-no\.so\.1 is not there$/,
  );

  // The loader says of a library's version what it says of the C library's.
  const library = ["-shared", "-fPIC", "jli.c", "-o", "libjli.so"];
  compile(bench, { "jli.c": "int jli(void) { return 0; }\n", "map": "GLIBC_9.99 { jli; };\n" }, [
    ...library,
    "-Wl,--version-script=map",
  ]);
  compile(bench, { "needs.c": "int jli(void); int main(void) { return jli(); }\n" }, [
    ...["needs.c", "-L.", "-ljli", "-Wl,-rpath,$ORIGIN/../lib", "-o", "needs"],
  ]);
  compile(bench, { "old": "GLIBC_2.0 { jli; };\n" }, [...library, "-Wl,--version-script=old"]);
  const home = homeOf(new Uint8Array(readFileSync(join(bench, "needs"))));
  assert.match(
    await toldOf(about(home)),
    /it does not start: it needs libjli\.so, which is not there$/,
  );
  mkdirSync(join(home, "lib"));
  copyFileSync(join(bench, "libjli.so"), join(home, "lib/libjli.so"));
  assert.match(
    await toldOf(about(home)),
    /it does not start: it needs GLIBC_9\.99, and the C library of this machine is older$/,
  );
});

const linux = { skip: posix.skip || !isLinux && "the reasons are those of Linux" };

for (
  const [title, bytes, want] of [
    ["a text file", text("this is java\n"), /it does not start: it is a text file that begins/],
    ["an empty file", new Uint8Array(0), /it does not start: it is an empty file$/],
    ["a program of Windows", pe(0x8664), /it does not start: it is built for Windows/],
    [
      "a script that fails",
      text("#!/bin/sh\nexit 3\n"),
      /it exits with 3 when asked '-XshowSettings:properties -version'$/,
    ],
    [
      "a distribution's script",
      text("#!/bin/sh\necho 'openjdk version \"21.0.4\"' >&2\n"),
      /^present 21\.0\.4$/,
    ],
  ] as const
) {
  test(`detect("java") tells of ${title} as bin/java`, linux, async () => {
    assert.match(await toldOf(about(homeOf(bytes))), want);
  });
}

for (
  const [title, bytes, want] of [
    ["a text file", text("this is javac\n"), /: its bin\/javac does not start: it is a text file/],
    ["an empty file", new Uint8Array(0), /: its bin\/javac does not start: it is an empty file$/],
    [
      "a program of another machine",
      elf(ARM64),
      /: its bin\/javac does not start: it is built for/,
    ],
    ["a script", text("#!/bin/sh\nexit 0\n"), /^present 21\.0\.4$/],
  ] as const
) {
  test(`detect("java") tells of ${title} as bin/javac`, linux, async () => {
    const home = homeOf(text("#!/bin/sh\necho 'openjdk version \"21.0.4\"' >&2\n"));
    writeFileSync(join(home, "bin/javac"), bytes);
    assert.match(await toldOf(about(home)), want);
  });
}

test('detect("android-sdk") takes no aapt2 that is no program', linux, async () => {
  const sdk = join(folder(), "android-sdk");
  mkdirSync(join(sdk, "platform-tools"), { recursive: true });
  addBuildParts(sdk);
  for (
    const [bytes, want] of [
      [text("this is aapt2\n"), /build-tools;36\.0\.0 \(its aapt2 is not a program\)$/],
      [new Uint8Array(0), /build-tools;36\.0\.0 \(its aapt2 is an empty file\)$/],
      [elf(ARM64), /^present$/],
    ] as const
  ) {
    writeFileSync(join(sdk, "build-tools/36.0.0/aapt2"), bytes);
    const found = await about(sdk).detect("android-sdk");
    assert.match(found.present ? "present" : found.reason, want);
  }
});

test(
  "a project's java is compared without running it, and run for a build alone",
  linux,
  async () => {
    const toolchain = toolchainWith({ PATH: "/nowhere" });
    const home = homeOf(text("#!/bin/sh\n: > ran\nexit 3\n"));
    const overrides = { java: home };
    const java = async (runsOverrides: boolean, at = overrides) =>
      (await toolchain.preflight("android", { overrides: at, runsOverrides }))
        .missing.find(({ id }) => id === "java");
    assert.equal(await java(false), undefined);
    const run = await java(true);
    assert.match(
      run?.reason ?? "",
      /^user\.sdk\.java in project\.config\.json points at .* exits with 3/,
    );
    assert.equal(run?.fix, "Correct or remove user.sdk.java in project.config.json");
    const foreign = await java(false, { java: homeOf(elf(X86 + 5)) });
    assert.match(foreign?.reason ?? "", /points at .*: it does not start: it is built for/);
  },
);

const mounts = { skip: withoutMount() };

test("a JDK on a file system mounted noexec is told as that", mounts, async (t) => {
  const at = join(folder(), "no exec ü");
  mkdirSync(at);
  const options = ["-t", "tmpfs", "-o", "noexec,size=1m", "tmpfs"];
  mountAt(t, at, ...options);
  const works = "echo 'openjdk version \"21.0.11\"' >&2";
  for (const name of ["java", "javac"]) script(join(at, "jdk/bin", name), works);
  const reported =
    /it does not start: it lies on a file system that forbids running programs \(noexec\)$/;
  const toolchain = about(join(at, "jdk"));
  assert.match(await toldOf(toolchain), reported);
  const overrides = { java: join(at, "jdk") };
  const { missing } = await toolchain.preflight("android", { overrides, runsOverrides: true });
  assert.match(missing.find(({ id }) => id === "java")?.reason ?? "", reported);
});

/** Packages of a JRE have the same folder, and some leave it behind. Its own Java need not start. */
function withoutJdk(home: string): Skip {
  const missing = ["release", "bin/java", "bin/javac"].find((part) =>
    !existsSync(join(home, part))
  );
  return missing !== undefined && `found no ${join(home, missing)}: expected that JDK`;
}

for (const name of ["java-17-openjdk-amd64", "temurin-25-jdk-amd64"]) {
  const home = `/usr/lib/jvm/${name}`;
  const skip = withoutJdk(home);
  test(`detect("java") refuses the real ${name} by its release file`, { skip }, async () => {
    assert.match(
      await toldOf(aboutReal(home)),
      /: it is JDK (?:17|25)\.\d\S*, expected 21$/,
    );
  });
}

const debian = await debianJdk();
test(
  "detect() of Debian 13's whole JDK says what it lacks here, or takes it",
  { skip: debian.skip },
  async () => {
    const { stderr } = spawnSync(join(debian.home, "bin/java"), ["-version"], { encoding: "utf8" });
    const lacks = /version `(GLIBC_[\d.]+)' not found/.exec(stderr)?.[1];
    const reported = await toldOf(aboutReal(debian.home));
    if (lacks === undefined) assert.match(reported, /^present 21\./);
    else {assert.match(
        reported,
        new RegExp(`it does not start: it needs ${lacks}, and the C library`),
      );}
  },
);

const python = await pythonJre();
test("detect() runs a real JRE 21, which cannot compile", { skip: python.skip }, async () => {
  assert.match(
    await toldOf(aboutReal(python.home)),
    /: it is a JRE 21\.0\.8\S* without bin\/javac/,
  );
});
