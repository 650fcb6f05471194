import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolchain, type Platform } from "../../lib/toolchain/mod.ts";
import { androidSdk, answer, buildParts, type Entry, jdk, machine, release } from "./machine.ts";

const PROGRAM: Entry = { program: "x" };
const JAVA_21: Entry = { program: "x", prints: 'openjdk version "21.0.11"\n' };
const TC = "/data/slipway/toolchain";

interface Row {
  readonly title: string;
  readonly env?: Record<string, string>;
  readonly platform?: Platform;
  readonly entries: Record<string, Entry>;
  /** Source, path, version. */
  readonly want: readonly [string, string, string] | null;
}

const JAVA: readonly Row[] = [
  {
    title: "its own before JAVA_HOME",
    env: { JAVA_HOME: "/j21" },
    entries: { ...jdk(`${TC}/jdk/21.0.11+10`, "21.0.11"), ...jdk("/j21", "21.0.2") },
    want: ["own", `${TC}/jdk/21.0.11+10`, "21.0.11"],
  },
  {
    title: "its own in the nested layout of a Mac",
    entries: jdk(`${TC}/jdk/21.0.11+10/jdk-21.0.11+10/Contents/Home`, "21.0.11"),
    want: ["own", `${TC}/jdk/21.0.11+10/jdk-21.0.11+10/Contents/Home`, "21.0.11"],
  },
  {
    title: "its own straight in the folder",
    entries: jdk(`${TC}/jdk`, "21.0.11"),
    want: ["own", `${TC}/jdk`, "21.0.11"],
  },
  {
    title: "the newest of its own, by number",
    entries: { ...jdk(`${TC}/jdk/21.0.9`, "21.0.9"), ...jdk(`${TC}/jdk/21.0.11`, "21.0.11") },
    want: ["own", `${TC}/jdk/21.0.11`, "21.0.11"],
  },
  {
    title: "JAVA_HOME before well-known folders",
    env: { JAVA_HOME: "/j21" },
    entries: { ...jdk("/j21", "21.0.2"), ...jdk("/usr/lib/jvm/jdk-21", "21.0.9") },
    want: ["env", "/j21", "21.0.2"],
  },
  {
    title: "past a JAVA_HOME of another major version",
    env: { JAVA_HOME: "/j17" },
    entries: { ...jdk("/j17", "17.0.15"), ...jdk("/usr/lib/jvm/jdk-21", "21.0.9") },
    want: ["well-known", "/usr/lib/jvm/jdk-21", "21.0.9"],
  },
  {
    title: "past other versions side by side, newest first",
    entries: {
      ...jdk("/usr/lib/jvm/java-17", "17.0.15"),
      ...jdk("/usr/lib/jvm/temurin-25", "25.0.3"),
      ...jdk("/usr/lib/jvm/temurin-21", "21.0.12.1"),
    },
    want: ["well-known", "/usr/lib/jvm/temurin-21", "21.0.12.1"],
  },
  ...[
    "/home/user/.asdf/installs/java/temurin-21.0.5+11.0.LTS",
    "/home/user/.local/share/mise/installs/java/21",
    "/home/user/.gradle/jdks/eclipse_adoptium-21-amd64-linux.2",
    "/home/linuxbrew/.linuxbrew/opt/openjdk@21",
  ].map((home) => ({
    title: `${home}, whose java on PATH is a script elsewhere`,
    env: { PATH: "/home/user/.asdf/shims" },
    entries: { ...jdk(home, "21.0.5"), "/home/user/.asdf/shims/java": PROGRAM },
    want: ["well-known", home, "21.0.5"] as const,
  })),
  {
    title: "what SDKMAN keeps",
    entries: jdk("/home/user/.sdkman/candidates/java/21.0.5-tem", "21.0.5"),
    want: ["well-known", "/home/user/.sdkman/candidates/java/21.0.5-tem", "21.0.5"],
  },
  {
    title: "what Installers of macOS leave",
    platform: "darwin",
    entries: jdk("/Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home", "21.0.5"),
    want: [
      "well-known",
      "/Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home",
      "21.0.5",
    ],
  },
  {
    title: "a user's own of macOS",
    platform: "darwin",
    entries: jdk("/home/user/Library/Java/JavaVirtualMachines/x.jdk/Contents/Home", "21.0.5"),
    want: [
      "well-known",
      "/home/user/Library/Java/JavaVirtualMachines/x.jdk/Contents/Home",
      "21.0.5",
    ],
  },
  {
    title: "Homebrew's",
    platform: "darwin",
    entries: jdk("/opt/homebrew/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home", "21.0.5"),
    want: [
      "well-known",
      "/opt/homebrew/opt/openjdk@21/libexec/openjdk.jdk/Contents/Home",
      "21.0.5",
    ],
  },
  {
    title: "Android Studio's of macOS",
    platform: "darwin",
    entries: jdk("/Applications/Android Studio.app/Contents/jbr/Contents/Home", "21.0.5"),
    want: ["well-known", "/Applications/Android Studio.app/Contents/jbr/Contents/Home", "21.0.5"],
  },
  {
    title: "an IDE's",
    platform: "linux",
    entries: jdk("/home/user/.jdks/temurin-21.0.5", "21.0.5"),
    want: ["well-known", "/home/user/.jdks/temurin-21.0.5", "21.0.5"],
  },
  {
    title: "Android Studio's of Linux",
    platform: "linux",
    entries: jdk("/opt/android-studio/jbr", "21.0.5"),
    want: ["well-known", "/opt/android-studio/jbr", "21.0.5"],
  },
  {
    title: "the home behind a linked java on PATH",
    env: { PATH: "/usr/bin" },
    entries: { "/usr/bin/java": { link: "/weird/jdk/bin/java" }, ...jdk("/weird/jdk", "21.0.1") },
    want: ["path", "/weird/jdk", "21.0.1"],
  },
  {
    title: "nothing when all are of another version",
    env: { JAVA_HOME: "/j17", PATH: "/j25/bin" },
    entries: { ...jdk("/j17", "17.0.15"), ...jdk("/j25", "25.0.3") },
    want: null,
  },
  {
    title: "no folder without bin/java",
    env: { JAVA_HOME: "/j" },
    entries: { "/j/release": release("21.0.11"), "/j/bin/java": "not executable" },
    want: null,
  },
  {
    title: "vendors' folders of Windows",
    platform: "win32",
    env: { ProgramFiles: "C:\\Program Files" },
    entries: {
      "C:/Program Files/Eclipse Adoptium/jdk-21.0.11.10-hotspot/bin/java.exe": JAVA_21,
      "C:/Program Files/Eclipse Adoptium/jdk-21.0.11.10-hotspot/bin/javac.exe": PROGRAM,
      "C:/Program Files/Eclipse Adoptium/jdk-21.0.11.10-hotspot/release": release("21.0.11"),
    },
    want: [
      "well-known",
      "C:\\Program Files\\Eclipse Adoptium\\jdk-21.0.11.10-hotspot",
      "21.0.11",
    ],
  },
];

for (const { title, env = {}, platform = "linux", entries, want } of JAVA) {
  // FIND-9
  test(`detect("java") takes ${title}, and runs each java once and nothing else`, async () => {
    const on = machine({ platform, env, entries });
    const java = await createToolchain(on).detect("java");
    const got = java.present ? [java.source, java.path, java.version] : null;
    const folded = platform === "win32" ? JSON.stringify(got).toLowerCase() : JSON.stringify(got);
    const expected = JSON.stringify(want);
    assert.equal(folded, platform === "win32" ? expected.toLowerCase() : expected);
    const ran = on.runs.map(({ command, args }) => `${command} ${args.join(" ")}`);
    assert.ok(
      ran.every((line) =>
        /[\\/]bin[\\/]java(?:\.exe)? -XshowSettings:properties -version$/.test(line)
      ),
      ran.join(),
    );
    assert.equal(new Set(ran).size, ran.length);
  });
}

/** A java that tells its home, as `java -XshowSettings:properties -version` does. */
function tellsHome(home: string): Entry {
  const settings = `Property settings:\n    java.home = ${home}\n    java.version = 21.0.11\n\n`;
  return { program: "java", prints: `${settings}openjdk version "21.0.11" 2026-04-21\n` };
}

const WRAPPED: Record<string, Entry> = {
  ...jdk("/jvm/21", "21.0.11"),
  "/jvm/21/bin/java": tellsHome("/jvm/21"),
};
const JRE = { "/jvm/jre/bin/java": tellsHome("/jvm/jre"), "/jvm/jre/release": release("21.0.11") };

for (
  const [title, env, entries, want] of [
    ["the one that a wrapper in its place starts", { JAVA_HOME: "/r" }, {
      "/r/bin/java": tellsHome("/jvm/21"),
      ...WRAPPED,
    }, [
      "/jvm/21",
      "taken: JDK 21.0.11, which runs from /jvm/21",
    ]],
    ["not the home folder of a person with a script of that name", { PATH: "/home/user/bin" }, {
      "/home/user/bin/java": tellsHome("/jvm/21"),
      ...WRAPPED,
    }, [
      "/jvm/21",
      "taken: JDK 21.0.11, which runs from /jvm/21",
    ]],
    ["the one that a version manager's shim starts", { PATH: "/home/user/.asdf/shims" }, {
      "/home/user/.asdf/shims/java": tellsHome("/jvm/21"),
      ...WRAPPED,
    }, [
      "/jvm/21",
      "taken: JDK 21.0.11, which runs from /jvm/21",
    ]],
    ["it by the name that it was found by, where that is a link", { JAVA_HOME: "/r" }, {
      "/r": { link: "/jvm/21" },
      "/r/bin/java": tellsHome("/jvm/21"),
      "/r/bin/javac": PROGRAM,
      ...WRAPPED,
    }, ["/r", "taken: JDK 21.0.11"]],
    ["no folder of the system whose java is a JRE's", { JAVA_HOME: "/r" }, {
      "/r/bin/java": tellsHome("/jvm/jre"),
      ...JRE,
    }, [null, "it is a JRE 21.0.11 without bin/javac, expected a JDK, which runs from /jvm/jre"]],
    ["no java without a compiler that tells no home", { JAVA_HOME: "/r" }, {
      "/r/bin/java": JAVA_21,
      "/r/release": 'JAVA_VERSION="21.0.11"\n',
    }, [null, "it is Java 21.0.11 without bin/javac, expected a JDK"]],
    ["no shim that tells no home", { PATH: "/home/user/.asdf/shims" }, {
      "/home/user/.asdf/shims/java": JAVA_21,
    }, [null, "it does not say where its Java home is"]],
  ] satisfies readonly (readonly [
    string,
    Record<string, string>,
    Record<string, Entry>,
    readonly [string | null, string],
  ])[]
) {
  // FIND-9
  test(`detect("java") takes ${title}`, async () => {
    const on = machine({ env, entries });
    const java = await createToolchain(on).detect("java");
    const [path, reason] = want;
    const reported = java.tried.find((each) => /^(?:taken|it) /.test(each.reason.replace(":", "")))
      ?.reason;
    assert.deepEqual([java.present ? java.path : null, reported], [path, reason]);
    assert.equal(on.runs.length, 1);
  });
}

test('detect("java") of a build takes the home that the named Java runs from', async () => {
  const on = machine({
    entries: { "/named/bin/java": tellsHome("/jvm/8/jre"), "/jvm/8/bin/javac": PROGRAM },
  });
  const overrides = { java: "/named" };
  const looked = await createToolchain(on).detect("java", { overrides });
  assert.deepEqual([looked.present && looked.path, on.runs.length], ["/named", 0]);
  const built = await createToolchain(on).detect("java", { overrides, runsOverrides: true });
  assert.equal(built.present && built.path, "/jvm/8");
});

const { "/r/bin/javac": _, ...jre } = jdk("/r", "21.0.5");

for (
  const [title, entries, want] of [
    ["another version", jdk("/r", "17.0.15"), "/r: it is JDK 17.0.15, expected 21"],
    [
      "a javac that may not run",
      { ...jdk("/r", "21.0.5"), "/r/bin/javac": "" },
      "/r: its bin/javac may not be executed",
    ],
    ["a JRE", jre, "/r: it is a JRE 21.0.5 without bin/javac, expected a JDK"],
    ["a folder without java", { "/r/release": release("21.0.5") }, "/r: it has no bin/java"],
    ["a java that may not run", { "/r/bin/java": "" }, "/r: its bin/java may not be executed"],
    [
      "a folder called java",
      { "/r/bin/java/x": "" },
      "/r: its bin/java is a folder, expected a program",
    ],
  ] as const
) {
  // FIND-8
  test(`detect("java") says why it passed over ${title}`, async () => {
    const on = machine({ env: { JAVA_HOME: "/r" }, entries });
    const java = await createToolchain(on).detect("java");
    assert.equal(java.present ? "" : java.reason, want);
  });
}

test('detect("java") on a Mac neither runs nor follows /usr/bin/java, which is no JDK', async () => {
  const home = "/Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home";
  const stub = { "/usr/bin/java": PROGRAM, "/usr/bin/javac": PROGRAM };
  for (
    const [entries, want] of [[stub, null], [{ ...stub, ...jdk(home, "21.0.11") }, home]] as const
  ) {
    const on = machine({
      platform: "darwin",
      arch: "arm64",
      env: { PATH: "/usr/bin" },
      entries,
    });
    const java = await createToolchain(on).detect("java");
    assert.equal(java.present ? java.path : null, want);
    if (!java.present) assert.match(java.reason, /^\/usr\/bin\/java: it is the stub of macOS/);
    const ran = on.runs.map(({ command }) => command);
    assert.deepEqual(ran, want === null ? [] : [`${want}/bin/java`]);
  }
});

test('detect("java") asks bin/java where there is no release file, and remembers', async () => {
  const on = machine({
    env: { JAVA_HOME: "/j", JAVA_TOOL_OPTIONS: "-Dx" },
    entries: {
      "/j/bin/java": PROGRAM,
      "/j/bin/javac": PROGRAM,
      "/j2/bin/java": PROGRAM,
      "/j2/release": "IMPLEMENTOR=x\n",
    },
    run: answer("", 'Picked up x: version "9"\nopenjdk version "21.0.4" 2024-07-16\n'),
  });
  const toolchain = createToolchain(on);
  for (let i = 0; i < 3; i++) {
    const java = await toolchain.detect("java");
    assert.deepEqual(java.present && [java.version, java.path], ["21.0.4", "/j"]);
  }
  assert.deepEqual(on.runs.map(({ command, args }) => [command, ...args]), [
    ["/j/bin/java", "-XshowSettings:properties", "-version"],
  ]);
  assert.equal(on.runs[0]?.env["JAVA_TOOL_OPTIONS"], undefined);
});

test('detect("java") looks anew each time: a directory is not cached', async () => {
  const on = machine({ env: { JAVA_HOME: "/j" }, entries: jdk("/j", "17.0.1") });
  const toolchain = createToolchain(on);
  assert.equal((await toolchain.detect("java")).present, false);
  for (const [path, entry] of Object.entries(jdk("/j", "21.0.1"))) on.entries.set(path, entry);
  assert.equal((await toolchain.detect("java")).present, true);
});

const TOOLS: Record<string, Entry> = {
  ...androidSdk("/sdk"),
  "/sdk/platform-tools/source.properties": "Pkg.Revision=37.0.1\n",
};

const ANDROID: readonly Row[] = [
  {
    title: "its own before ANDROID_HOME",
    env: { ANDROID_HOME: "/sdk" },
    entries: { ...TOOLS, ...androidSdk(`${TC}/android-sdk`) },
    want: ["own", `${TC}/android-sdk`, ""],
  },
  {
    title: "ANDROID_HOME before ANDROID_SDK_ROOT",
    env: { ANDROID_SDK_ROOT: "/other", ANDROID_HOME: "/sdk" },
    entries: { ...TOOLS, ...androidSdk("/other") },
    want: ["env", "/sdk", "37.0.1"],
  },
  {
    title: "ANDROID_SDK_ROOT when ANDROID_HOME has no platform-tools",
    env: { ANDROID_SDK_ROOT: "/sdk", ANDROID_HOME: "/empty" },
    entries: { ...TOOLS, "/empty": { folder: true } },
    want: ["env", "/sdk", "37.0.1"],
  },
  {
    title: "the well-known folder",
    entries: androidSdk("/home/user/Android/Sdk"),
    want: ["well-known", "/home/user/Android/Sdk", ""],
  },
  {
    title: "the SDK behind a linked adb on PATH",
    env: { PATH: "/usr/bin" },
    entries: { ...TOOLS, "/usr/bin/adb": { link: "/sdk/platform-tools/adb" } },
    want: ["path", "/sdk", "37.0.1"],
  },
  {
    title: "nothing for an adb that lies in no SDK",
    env: { PATH: "/usr/bin" },
    entries: { "/usr/bin/adb": PROGRAM },
    want: null,
  },
];

for (const { title, env = {}, entries, want } of ANDROID) {
  test(`detect("android-sdk") takes ${title}`, async () => {
    const sdk = await createToolchain(machine({ env, entries })).detect("android-sdk");
    const got = sdk.present ? [sdk.source, sdk.path, sdk.version ?? ""] : null;
    assert.deepEqual(got, want);
  });
}

// FIND-5
test('detect("android-sdk") says that a file stands where the marker should', async () => {
  const entries = { "/sdk/platform-tools": "" };
  const on = machine({ env: { ANDROID_HOME: "/sdk" }, entries });
  const sdk = await createToolchain(on).detect("android-sdk");
  assert.equal(sdk.present ? "" : sdk.reason, "/sdk: its platform-tools is not a folder");
});

const LICENCE = "licence android-sdk-license";
const ALL = ["platforms;android-36", "build-tools;36.0.0", LICENCE];
const without = (entries: Record<string, Entry>, ...paths: readonly string[]) =>
  Object.fromEntries(Object.entries(entries).filter(([path]) => !paths.includes(path)));

/** SDKs that cannot build: title, entries, what lacks, what is said; `compileSdk` of the project. */
const LACKING: readonly {
  readonly title: string;
  readonly entries: Record<string, Entry>;
  readonly compileSdk?: number;
  readonly buildTools?: string;
  readonly lacks: readonly string[];
  readonly said?: RegExp;
}[] = [
  {
    title: "of platform-tools alone",
    entries: { "/sdk/platform-tools/adb": PROGRAM },
    lacks: ALL,
    said:
      /^\/sdk: it lacks platforms;android-36, build-tools;36\.0\.0 and licence android-sdk-license$/,
  },
  {
    title: "of empty folders",
    entries: Object.fromEntries(
      ["platform-tools", "platforms/android-36", "build-tools/36.0.0", "licenses"]
        .map((name) => [`/sdk/${name}`, { folder: true }]),
    ),
    lacks: ALL,
    said: /android-36 \(it has no android\.jar\), build-tools;36\.0\.0 \(it has no aapt2\) and/,
  },
  {
    title: "whose files are empty",
    entries: { ...TOOLS, "/sdk/platforms/android-36/android.jar": "" },
    lacks: ["platforms;android-36"],
    said: /\(its android\.jar is empty\)$/,
  },
  {
    title: "whose aapt2 may not run",
    entries: { ...TOOLS, "/sdk/build-tools/36.0.0/aapt2": "x" },
    lacks: ["build-tools;36.0.0"],
    said: /\(its aapt2 may not be executed\)$/,
  },
  {
    title: "without an accepted licence",
    entries: without(TOOLS, "/sdk/licenses/android-sdk-license"),
    lacks: [LICENCE],
  },
  {
    title: "whose licence is an older one",
    entries: { ...TOOLS, "/sdk/licenses/android-sdk-license": "\n8933bad161af4178b1185d1a37f\n" },
    lacks: [LICENCE],
  },
  {
    title: "with older build tools and a preview",
    entries: {
      ...without(TOOLS, "/sdk/build-tools/36.0.0/aapt2"),
      "/sdk/build-tools/35.0.1/aapt2": PROGRAM,
      "/sdk/build-tools/37.0.0-rc1/aapt2": PROGRAM,
    },
    lacks: ["build-tools;36.0.0"],
  },
  {
    title: "without the build tools that the project's plugin takes, or newer ones",
    entries: {
      ...without(TOOLS, "/sdk/build-tools/36.0.0/aapt2"),
      "/sdk/build-tools/34.0.0/aapt2": PROGRAM,
    },
    buildTools: "35.0.0",
    lacks: ["build-tools;35.0.0"],
  },
  {
    title: "whose build tools of the project's plugin are an empty folder",
    entries: {
      ...without(TOOLS, "/sdk/build-tools/36.0.0/aapt2"),
      "/sdk/build-tools/35.0.0": { folder: true },
    },
    buildTools: "35.0.0",
    lacks: ["build-tools;35.0.0"],
    said: /build-tools;35\.0\.0 \(it has no aapt2\)$/,
  },
  {
    title: "without the older platform of the project",
    entries: TOOLS,
    compileSdk: 35,
    lacks: ["platforms;android-35"],
  },
  {
    title: "without the newer platform of the project",
    entries: TOOLS,
    compileSdk: 37,
    lacks: ["platforms;android-37.0"],
  },
  {
    title: "without the minor platform of the project",
    entries: TOOLS,
    compileSdk: 36.1,
    lacks: ["platforms;android-36.1"],
  },
  {
    title: "without platform-tools",
    entries: buildParts("/sdk"),
    lacks: ["platform-tools"],
    said: /^\/sdk: it has no platform-tools$/,
  },
  {
    title: "that lack more and less, by the one that lacks less",
    entries: {
      "/sdk/platform-tools/adb": PROGRAM,
      ...without(
        androidSdk("/home/user/Android/Sdk"),
        "/home/user/Android/Sdk/licenses/android-sdk-license",
      ),
    },
    lacks: [LICENCE],
    said: /^\/home\/user\/Android\/Sdk: it lacks/,
  },
];

for (
  const { title, entries, compileSdk, buildTools, lacks, said = /^\/sdk: it lacks / } of LACKING
) {
  // FIND-10
  test(`detect("android-sdk") refuses SDKs ${title}`, async () => {
    const on = machine({ env: { ANDROID_HOME: "/sdk" }, entries });
    const toolchain = createToolchain(on);
    const sdk = await toolchain.detect("android-sdk", { compileSdk, buildTools });
    assert.ok(!sdk.present);
    assert.deepEqual(sdk.lacks, lacks);
    assert.match(sdk.reason, said);
    const { tools, preflight } = await toolchain.status({ compileSdk, buildTools });
    const [shown] = tools.filter(({ id }) => id === "android-sdk");
    const missing = preflight.android.missing.find(({ id }) => id === "android-sdk");
    for (const each of [shown, missing]) {
      const reason = each?.reason?.replace(/; installing brings .*$/, "");
      assert.deepEqual([reason, each?.lacks, each?.fix], [
        sdk.reason,
        lacks,
        "npx slipway toolchain install android-sdk",
      ]);
    }
  });
}

for (
  const [level, tools] of [[34, "34.0.0"], [35, "36.1.0"], [36, "36"], [37, "36.0.0"]] as const
) {
  test(`detect("android-sdk") for a project of ${level} takes build-tools ${tools}`, async () => {
    const entries = {
      ...without(androidSdk("/sdk", level), `/sdk/build-tools/${level}.0.0/aapt2`),
      [`/sdk/build-tools/${tools}/aapt2`]: PROGRAM,
    };
    const toolchain = createToolchain(machine({ env: { ANDROID_HOME: "/sdk" }, entries }));
    const sdk = await toolchain.detect("android-sdk", { compileSdk: level });
    assert.equal(sdk.present, true, JSON.stringify(sdk));
  });
}

test('detect("android-sdk") for a project whose level is not known takes any platform', async () => {
  const on = (entries: Record<string, Entry>) =>
    createToolchain(machine({ env: { ANDROID_HOME: "/sdk" }, entries }));
  const compileSdk = "unknown";
  for (const level of [30, 36]) {
    const sdk = await on(androidSdk("/sdk", level)).detect("android-sdk", { compileSdk });
    assert.equal(sdk.present, true, JSON.stringify(sdk));
  }
  const empty = without(androidSdk("/sdk", 30), "/sdk/platforms/android-30/android.jar");
  const entries = { ...empty, "/sdk/platforms/android-30": { folder: true } } as const;
  const { lacks } = await on(entries).detect("android-sdk", { compileSdk });
  assert.deepEqual(lacks, ["platforms;android-36"]);
});

for (const [level, name] of [[36.1, "36.1"], [37, "37.0"], [37.1, "37.1"]] as const) {
  test(`detect("android-sdk") for a project of ${level} takes platforms/android-${name}`, async () => {
    const entries = {
      ...without(androidSdk("/sdk"), "/sdk/platforms/android-36/android.jar"),
      [`/sdk/platforms/android-${name}/android.jar`]: "jar",
    };
    const toolchain = createToolchain(machine({ env: { ANDROID_HOME: "/sdk" }, entries }));
    const sdk = await toolchain.detect("android-sdk", { compileSdk: level });
    assert.equal(sdk.present, true, JSON.stringify(sdk));
  });
}

test('detect("android-sdk") falls through an SDK that lacks parts to one that has them', async () => {
  const entries = {
    "/usr/lib/android-sdk/platform-tools/adb": PROGRAM,
    ...androidSdk("/opt/android-sdk"),
  };
  const sdk = await createToolchain(machine({ entries })).detect("android-sdk");
  assert.deepEqual(sdk.present && [sdk.path, sdk.lacks], ["/opt/android-sdk", undefined]);
});

const MANAGER = "/sdk/cmdline-tools/latest/bin/sdkmanager";
const LINE = 'npx slipway toolchain add "platforms;android-36"';
const java21 = jdk("/j", "21.0.1");

/** The line that adds what an SDK lacks: the machine, the SDK, the line. */
const FIXES: readonly {
  readonly title: string;
  readonly env?: Record<string, string>;
  readonly entries: Record<string, Entry>;
  readonly compileSdk?: number;
  readonly fix: string;
  readonly canAutoInstall?: boolean;
}[] = [
  {
    title: "its own package manager, on JAVA_HOME",
    env: { JAVA_HOME: "/j" },
    entries: { ...java21, ...without(TOOLS, "/sdk/platforms/android-36/android.jar") },
    fix: LINE,
  },
  {
    title: "its own package manager, on a JDK that it would not find",
    entries: {
      ...jdk("/usr/lib/jvm/a $b", "21.0.1"),
      ...without(TOOLS, "/sdk/platforms/android-36/android.jar"),
    },
    fix: LINE,
  },
  {
    title: "its own package manager, on the JDK that is to be installed first",
    entries: without(TOOLS, "/sdk/platforms/android-36/android.jar"),
    fix: LINE,
  },
  {
    title: "the question for the licence alone",
    env: { JAVA_HOME: "/j" },
    entries: { ...java21, ...without(TOOLS, "/sdk/licenses/android-sdk-license") },
    fix: "npx slipway toolchain add licences",
  },
  {
    title: "all packages, which ask for the licence",
    env: { JAVA_HOME: "/j" },
    entries: { ...java21, "/sdk/platform-tools/adb": PROGRAM },
    fix: 'npx slipway toolchain add "platforms;android-36" "build-tools;36.0.0"',
  },
  {
    title: "another platform, which ours would not bring",
    env: { JAVA_HOME: "/j" },
    entries: { ...java21, ...TOOLS },
    compileSdk: 35,
    fix: 'npx slipway toolchain add "platforms;android-35"',
    canAutoInstall: false,
  },
  {
    title: "ours, where its package manager would find the folder and leave it so",
    env: { JAVA_HOME: "/j" },
    entries: { ...java21, ...TOOLS, "/sdk/platforms/android-36/android.jar": "" },
    fix: "npx slipway toolchain install android-sdk",
  },
  {
    title: "ours, where its package manager does nothing any more",
    env: { JAVA_HOME: "/j" },
    entries: {
      ...java21,
      ...without(TOOLS, "/sdk/licenses/android-sdk-license"),
      "/sdk/cmdline-tools/latest/source.properties": "Pkg.Revision=23.0\n",
    },
    fix: "npx slipway toolchain install android-sdk",
  },
];

for (const { title, env, entries, compileSdk, fix, canAutoInstall = true } of FIXES) {
  test(`preflight() of an SDK that lacks parts tells ${title}`, async () => {
    const on = machine({
      env: { ANDROID_HOME: "/sdk", ...env },
      entries: { [MANAGER]: PROGRAM, ...entries },
    });
    const { missing } = await createToolchain(on).preflight("android", { compileSdk });
    const sdk = missing.find(({ id }) => id === "android-sdk");
    assert.deepEqual([sdk?.fix, sdk?.canAutoInstall], [fix, canAutoInstall]);
  });
}

test("preflight() leads to a platform that installing does not bring", async () => {
  const own = `${TC}/android-sdk`;
  const on = machine({ env: { JAVA_HOME: "/j" }, entries: java21 });
  const toolchain = createToolchain(on);
  const look = async () => {
    const { missing } = await toolchain.preflight("android", { compileSdk: 35 });
    return missing.find(({ id }) => id === "android-sdk");
  };
  const first = await look();
  assert.equal(first?.fix, "npx slipway toolchain install android-sdk");
  assert.match(
    first?.reason ?? "",
    /^not found; installing brings platforms;android-36, and after/,
  );
  const installed = {
    ...androidSdk(own),
    [`${own}/cmdline-tools/latest/bin/sdkmanager`]: PROGRAM,
  };
  for (const [path, entry] of Object.entries(installed)) on.entries.set(path, entry);
  const second = await look();
  assert.deepEqual([second?.fix, second?.canAutoInstall, second?.lacks], [
    'npx slipway toolchain add "platforms;android-35"',
    false,
    ["platforms;android-35"],
  ]);
  on.entries.set(`${own}/platforms/android-35/android.jar`, "jar");
  assert.equal((await look())?.reason, undefined);
});

test("preflight() of an SDK on Windows tells the same command", async () => {
  const on = machine({
    platform: "win32",
    env: { ANDROID_HOME: "C:\\sdk" },
    entries: {
      "C:/sdk/platform-tools/adb.exe": PROGRAM,
      "C:/sdk/cmdline-tools/21.0/bin/sdkmanager.bat": PROGRAM,
    },
  });
  const { missing } = await createToolchain(on).preflight("android");
  assert.equal(
    missing.find(({ id }) => id === "android-sdk")?.fix,
    'npx slipway toolchain add "platforms;android-36" "build-tools;36.0.0"',
  );
});

test("preflight() with an SDK of the project is not ready when parts lack, and says where", async () => {
  const on = machine({ entries: { "/sdk/platform-tools/adb": PROGRAM, [MANAGER]: PROGRAM } });
  const toolchain = createToolchain(on);
  const overrides = { "android-sdk": "/sdk" };
  const sdk = await toolchain.detect("android-sdk", { overrides });
  assert.deepEqual([sdk.present && sdk.source, sdk.lacks], ["override", ALL]);
  const { ready, missing } = await toolchain.preflight("android", { overrides });
  const reported = missing.find(({ id }) => id === "android-sdk");
  assert.equal(ready, false);
  assert.match(
    reported?.reason ?? "",
    /^user\.sdk\.android-sdk in project\.config\.json points at \/sdk: it lacks platforms;/,
  );
  assert.deepEqual([reported?.fix, reported?.canAutoInstall, reported?.lacks], [
    'npx slipway toolchain add "platforms;android-36" "build-tools;36.0.0"',
    false,
    ALL,
  ]);
  const alone = createToolchain(machine({ entries: { "/sdk/platform-tools/adb": PROGRAM } }));
  assert.equal(
    (await alone.preflight("android", { overrides })).missing.find(({ id }) => id === "android-sdk")
      ?.fix,
    "Correct or remove user.sdk.android-sdk in project.config.json",
  );
  const named = await toolchain.withToolOnPath("android-sdk", {}, { overrides });
  assert.equal(named.ok ? "" : named.error.code, "tool-absent");
  assert.deepEqual((await toolchain.status({ overrides })).adb, {
    present: true,
    path: "/sdk/platform-tools/adb",
  });
});

test("status() finds adb in an SDK that cannot build, and never in one that is refused", async () => {
  const entries = {
    ...buildParts("/sdk"),
    "/sdk/platform-tools": { folder: true },
    "/usr/lib/android-sdk/platform-tools/adb": PROGRAM,
  } as const;
  const adb = async (env: Record<string, string>, more: Record<string, Entry> = {}) => {
    const on = machine({ env, entries: { ...entries, ...more } });
    const toolchain = createToolchain(on);
    const { adb } = await toolchain.status();
    assert.deepEqual(adb.path, (await toolchain.detectAdb()).path);
    return adb.path;
  };
  const debian = "/usr/lib/android-sdk/platform-tools/adb";
  assert.equal(await adb({}), debian);
  const own = `${TC}/android-sdk/platform-tools/adb`;
  assert.equal(await adb({}, { [own]: PROGRAM }), own);
  assert.equal(await adb({ SVC_PACKAGED: "1" }), undefined);
});

const ADB = "Android Debug Bridge version 1.0.41\nVersion 37.0.1-12345\n";

test("detectAdb() gives the adb of the SDK, with the version of its second line", async () => {
  const given = { env: { ANDROID_HOME: "/sdk" }, entries: TOOLS };
  assert.deepEqual(await createToolchain(machine({ ...given, run: answer(ADB) })).detectAdb(), {
    present: true,
    path: "/sdk/platform-tools/adb",
    version: "37.0.1-12345",
  });
  const none = machine({ env: { ANDROID_HOME: "/sdk" }, entries: { "/sdk/platform-tools/x": "" } });
  assert.deepEqual(await createToolchain(none).detectAdb(), { present: false });
});

// The order of the user's PATH decides which Node, Ruby or Git a build runs.
test("withToolOnPath() leaves PATH as it is where PATH gives the tool already", async () => {
  const on = machine({
    env: { PATH: "/node22:/usr/bin", JAVA_HOME: "/usr", ANDROID_HOME: "/sdk" },
    entries: {
      "/node22/node": { program: "" },
      "/usr/bin/npm": { program: "" },
      "/usr/bin/node": { program: "" },
      ...jdk("/usr", "21.0.1"),
      ...TOOLS,
    },
    run: ({ command }) =>
      answer(/npm/.test(`${command}`) ? "10.8.2\n" : "", 'openjdk version "21.0.1"\n')(),
  });
  const toolchain = createToolchain(on);
  const env = { PATH: "/node22:/usr/bin" };
  const npm = await toolchain.withToolOnPath("npm", env);
  assert.deepEqual(npm.ok && npm.value, env, JSON.stringify(npm));
  const java = await toolchain.withToolOnPath("java", env);
  assert.deepEqual(java.ok && java.value, { ...env, JAVA_HOME: "/usr" }, JSON.stringify(java));
  // A tool that PATH hides behind another of its name comes in front.
  const named = await toolchain.withToolOnPath("npm", { PATH: "/other:/usr/bin" });
  assert.deepEqual(named.ok && named.value, { PATH: "/other:/usr/bin" });
  on.entries.set("/other/npm", { program: "" });
  const hidden = await toolchain.withToolOnPath("npm", { PATH: "/other:/usr/bin" });
  assert.deepEqual(hidden.ok && hidden.value, { PATH: "/usr/bin:/other" });
});

test("withToolOnPath() puts a program that a variable names in front, with the Node next to it", async () => {
  const PATH = "/node18:/opt/node22";
  const on = machine({
    env: { PATH, SVC_NPM: "/opt/node22/npm" },
    entries: {
      "/node18/node": { program: "" },
      "/opt/node22/npm": { program: "" },
      "/opt/node22/node": { program: "" },
    },
    run: () => answer("10.8.2\n")(),
  });
  const npm = await createToolchain(on).withToolOnPath("npm", { PATH });
  assert.deepEqual(npm.ok && npm.value, { PATH: "/opt/node22:/node18" }, JSON.stringify(npm));
});

test("withToolOnPath() adds the folder and the variables, or says what is missing", async () => {
  const on = machine({
    env: { JAVA_HOME: "/j", ANDROID_HOME: "/sdk" },
    entries: { ...jdk("/j", "21.0.1"), ...TOOLS },
  });
  const toolchain = createToolchain(on);
  const env = { PATH: "/usr/bin", JAVA_HOME: "/old" };
  assert.deepEqual(await toolchain.withToolOnPath("java", env), {
    ok: true,
    value: { PATH: "/j/bin:/usr/bin", JAVA_HOME: "/j" },
  });
  const sdk = await toolchain.withToolOnPath("android-sdk", env);
  assert.deepEqual(sdk.ok && sdk.value, {
    PATH: "/sdk/platform-tools:/usr/bin",
    JAVA_HOME: "/old",
    ANDROID_HOME: "/sdk",
    ANDROID_SDK_ROOT: "/sdk",
  });
  assert.deepEqual(env, { PATH: "/usr/bin", JAVA_HOME: "/old" });
  const npm = await toolchain.withToolOnPath("npm", env);
  assert.equal(npm.ok ? null : npm.error.code, "tool-absent");
});
