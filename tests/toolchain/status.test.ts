import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import {
  type BuildTarget,
  createToolchain,
  type Platform,
  TOOL_IDS,
  type Toolchain,
  type ToolchainDeps,
} from "../../lib/toolchain/mod.ts";
import { until } from "../support/until.ts";
import { androidSdk, answer, type Entry, jdk, machine } from "./machine.ts";

const PROGRAM: Entry = { program: "x" };
const READY = {
  env: { PATH: "/p", JAVA_HOME: "/j", ANDROID_HOME: "/sdk" },
  entries: { "/p/npm": PROGRAM, ...androidSdk("/sdk"), ...jdk("/j", "21.0.11") },
  run: answer("10.8.2\n"),
} as const;

// FIND-1
test("status() has its shape (FIND-12), all eleven tools in order", async () => {
  const status = await createToolchain(machine(READY)).status();
  assert.deepEqual(Object.keys(status), [
    "platform",
    "toolchainDir",
    "packaged",
    "allowSystemToolchain",
    "tools",
    "adb",
    "preflight",
    "installable",
  ]);
  assert.deepEqual(status.tools.map(({ id }) => id), [...TOOL_IDS]);
  for (const tool of status.tools) {
    const expected = tool.present
      ? ["id", "kind", "group", "need", "present", "source", "path", "canAutoInstall", "tried"]
      : ["id", "kind", "group", "need", "present", "canAutoInstall", "reason", "fix", "tried"];
    for (const key of expected) assert.ok(key in tool, `${tool.id}.${key}`);
    assert.equal("guide" in tool, !tool.present && !tool.canAutoInstall, tool.id);
    assert.ok(tool.tried.length > 0, tool.id);
    for (const each of tool.tried) {
      assert.deepEqual(Object.keys(each), ["path", "source", "reason"]);
    }
  }
  assert.deepEqual(status.adb, { present: true, path: "/sdk/platform-tools/adb" });
  assert.equal(status.preflight.android.ready, true);
  assert.deepEqual(JSON.parse(JSON.stringify(status)), status, "no undefined members");
});

test("toolchainStatus() and install(id, {toolchainDir, onLog}) are called as the specification writes them", async () => {
  const { toolchainStatus, install, status } = createToolchain(machine(READY));
  assert.deepEqual(await toolchainStatus(), await status());
  const lines: string[] = [];
  const options = { toolchainDir: "tools", onLog: (line: string) => void lines.push(line) };
  const refused = await install("java", options);
  assert.equal(
    refused.ok ? "" : refused.error.message,
    'Cannot use the toolchain folder "tools": expected an absolute path',
  );
  assert.deepEqual(lines, []);
});

test("status() shows an absent tool that can be provided without a guide, others with steps", async () => {
  const status = await createToolchain(machine({})).status();
  const byId = new Map(status.tools.map((tool) => [tool.id, tool]));
  assert.deepEqual(
    [byId.get("java")?.canAutoInstall, byId.get("java")?.pinned, byId.get("java")?.guide],
    [true, "21.0.11+10", undefined],
  );
  assert.ok((byId.get("toktx")?.guide?.steps.length ?? 0) >= 3);
  assert.deepEqual(status.adb, { present: false });
});

const IOS = ["xcodebuild", "cocoapods"];
const NEEDS: readonly (readonly [Platform, readonly BuildTarget[] | undefined, {
  readonly required: readonly string[];
  readonly elsewhere: readonly string[];
}])[] = [
  ["linux", undefined, { required: ["npm", "android-sdk", "java"], elsewhere: IOS }],
  ["linux", ["ios"], { required: [], elsewhere: IOS }],
  ["win32", ["android", "ios"], { required: ["npm", "android-sdk", "java"], elsewhere: IOS }],
  ["darwin", undefined, {
    required: ["npm", "xcodebuild", "android-sdk", "java"],
    elsewhere: [],
  }],
  ["darwin", ["ios"], { required: ["npm", "xcodebuild"], elsewhere: [] }],
  ["darwin", ["web"], { required: [], elsewhere: [] }],
];

for (const [platform, targets, expected] of NEEDS) {
  test(`status() on ${platform} for ${targets?.join(", ") ?? "no project"}: what is needed, in groups`, async () => {
    const { tools } = await createToolchain(machine({ platform })).status({ targets });
    const of = (need: string) => tools.filter((tool) => tool.need === need).map(({ id }) => id);
    assert.deepEqual({ required: of("required"), elsewhere: of("elsewhere") }, expected);
    const idsOf = (group: string) =>
      tools.filter((tool) => tool.group === group).map(({ id }) => id);
    assert.deepEqual(
      Object.fromEntries(tools.map(({ group }) => [group, idsOf(group)])),
      {
        Model: ["toktx", "gltf-transform-cli", "gltfpack"],
        Text: ["msdf-atlas-gen"],
        Core: ["npm"],
        iOS: IOS,
        Audio: ["ffmpeg", "ffprobe"],
        Android: ["android-sdk", "java"],
      },
    );
  });
}

test("status() runs all probes side by side", async () => {
  const names = ["npm", "ffmpeg", "ffprobe", "gltfpack", "gltf-transform", "pod", "toktx"];
  let running = 0;
  let most = 0;
  const on = machine({
    env: { PATH: "/p" },
    entries: Object.fromEntries(names.map((name) => [`/p/${name}`, PROGRAM])),
    run: async () => {
      most = Math.max(most, ++running);
      for (let i = 0; i < 50; i++) await Promise.resolve();
      running--;
      return answer("x")();
    },
  });
  await createToolchain(on).status();
  assert.equal(most, names.length);
});

// FIND-13
test("status() probes anew at every call, and an unchanged toolchain answers the same", async () => {
  const on = machine(READY);
  const toolchain = createToolchain(on);
  const first = await toolchain.status();
  const runs = on.runs.length;
  assert.deepEqual(await toolchain.status(), first);
  assert.equal(on.runs.length, 2 * runs);
});

test("preflight() of web is ready on any machine, and runs nothing", async () => {
  const on = machine({});
  const preflight = await createToolchain(on).preflight("web");
  assert.deepEqual(preflight, { target: "web", ready: true, missing: [], bytes: 0 });
  assert.deepEqual(on.runs, []);
});

/** A machine with one program, which answers when told or when it is stopped. */
function slowMachine() {
  let answerAll = () => {};
  const reported = new Promise<void>((resolve) => answerAll = resolve);
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM },
    run: ({ signal }) =>
      new Promise((resolve) => {
        const output = { stdout: "", stderr: "", truncated: false };
        void reported.then(() => resolve(answer("10.8.2\n")()));
        signal?.addEventListener(
          "abort",
          () => resolve({ kind: "killed", by: "cancel", ...output }),
        );
      }),
  });
  const started = () => until("a program runs", () => on.runs.length > 0);
  return { on, toolchain: createToolchain(on), started, answerAll: () => answerAll() };
}

for (const look of ["status", "preflight"] as const) {
  const ask = (toolchain: Toolchain, signal?: AbortSignal) =>
    look === "status" ? toolchain.status({ signal }) : toolchain.preflight("android", { signal });

  test(`${look}() is one round of probes for all who ask meanwhile`, async () => {
    const { on, toolchain, started, answerAll } = slowMachine();
    const looking = ask(toolchain);
    await started();
    const joined = Array.from({ length: 20 }, () => ask(toolchain));
    await new Promise((resolve) => setTimeout(resolve, 0));
    answerAll();
    const [first, ...others] = await Promise.all([looking, ...joined]);
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(on.runs.length, 1);
  });

  test(`${look}() that nobody waits for any more stops its programs; one who waits keeps them`, async () => {
    const { on, toolchain, started, answerAll } = slowMachine();
    const leaving = [new AbortController(), new AbortController()];
    const left = leaving.map(({ signal }) => ask(toolchain, signal));
    await started();
    leaving[0]?.abort(new Error("left"));
    await assert.rejects(async () => await left[0], /left/);
    assert.equal(on.runs[0]?.signal?.aborted, false);
    leaving[1]?.abort(new Error("left"));
    await assert.rejects(async () => await left[1], /left/);
    assert.equal(on.runs[0]?.signal?.aborted, true);
    const again = ask(toolchain);
    answerAll();
    await again;
    assert.equal(on.runs.length, 2);
  });
}

test("status() that is left does not stop a program that a preflight waits for", async () => {
  const { on, toolchain, started, answerAll } = slowMachine();
  const leaving = new AbortController();
  const left = toolchain.status({ signal: leaving.signal });
  await started();
  const preflight = toolchain.preflight("android");
  await new Promise((resolve) => setTimeout(resolve, 0));
  leaving.abort(new Error("left"));
  await assert.rejects(left, /left/);
  answerAll();
  assert.deepEqual((await preflight).missing.map(({ id }) => id), ["java", "android-sdk"]);
  assert.equal(on.runs.length, 1);
});

test("status() after a change does not share the look from before it", async () => {
  const { toolchain, started, answerAll } = slowMachine();
  const before = toolchain.status();
  await started();
  await toolchain.setAllowSystem(false);
  const after = toolchain.status();
  answerAll();
  assert.deepEqual(
    [(await before).allowSystemToolchain, (await after).allowSystemToolchain],
    [true, false],
  );
});

// FIND-14
test("preflight() names what is missing in order, why, the next step and the bytes", async () => {
  const on = machine({ env: { JAVA_HOME: "/j17" }, entries: jdk("/j17", "17.0.1") });
  const preflight = await createToolchain(on).preflight("android");
  assert.equal(preflight.ready, false);
  assert.deepEqual(preflight.missing.map(({ id }) => id), ["npm", "java", "android-sdk"]);
  const java = preflight.missing[1];
  assert.equal(java?.reason, "/j17: it is JDK 17.0.1, expected 21");
  assert.equal(java?.fix, "npx slipway toolchain install java");
  assert.ok(preflight.missing.every(({ canAutoInstall }) => canAutoInstall));
  assert.ok(preflight.bytes > 500e6 && preflight.bytes < 700e6, String(preflight.bytes));
});

test("preflight() counts what each missing tool brings, bytes to download and disk", async () => {
  const of = async (entries: Record<string, Entry>, env: Record<string, string>) => {
    const on = machine({ platform: "win32", env, entries, run: answer("10.8.2\n") });
    const { bytes, disk = 0 } = await createToolchain(on).preflight("android");
    return { bytes, disk };
  };
  const npm = { "C:/p/npm.exe": PROGRAM };
  const env = { PATH: "C:\\p", JAVA_HOME: "C:\\j" };
  const java = {
    ...jdk("C:/j", "21.0.1"),
    "C:/j/bin/java.exe": { program: "x", prints: 'openjdk version "21.0.1"\n' },
  };
  const compiler = { "C:/j/bin/javac.exe": PROGRAM };
  const sdk = await of({ ...npm, ...java, ...compiler }, env);
  const sdkAndJdk = await of(npm, env);
  const all = await of({}, {});
  assert.equal(sdkAndJdk.bytes - sdk.bytes, 205_073_954);
  assert.equal(all.bytes - sdkAndJdk.bytes, 35_682_836);
  assert.ok(all.disk > sdkAndJdk.disk && sdkAndJdk.disk > sdk.disk && sdk.disk > sdk.bytes);
});

test("preflight() of what cannot be provided downloads nothing", async () => {
  const on = machine({ platform: "linux", arch: "other" });
  const preflight = await createToolchain(on).preflight("android");
  assert.deepEqual(preflight.missing.map(({ canAutoInstall }) => canAutoInstall), [
    false,
    false,
    false,
  ]);
  assert.equal(preflight.bytes, 0);
});

for (const platform of ["linux", "win32"] as const) {
  test(`preflight("ios") is never ready on ${platform}, whatever is found`, async () => {
    const on = machine({
      platform,
      env: { PATH: "/p;C:\\p" },
      entries: { "C:/p/npm.exe": PROGRAM, "C:/p/xcodebuild.exe": PROGRAM },
      run: ({ args }) => answer(args[0] === "-version" ? "Xcode 16.2\n" : "10.8.2\n")(),
    });
    const { ready, missing } = await createToolchain(on).preflight("ios");
    assert.equal(ready, false);
    assert.match(missing.find(({ id }) => id === "xcodebuild")?.reason ?? "", /macOS only/);
  });
}

test('preflight("ios") on a Mac needs npm and xcodebuild, not CocoaPods', async () => {
  const on = machine({
    platform: "darwin",
    arch: "arm64",
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM, "/p/xcodebuild": PROGRAM },
    run: ({ args }) => answer(args[0] === "-version" ? "Xcode 16.2\n" : "10.8.2\n")(),
  });
  assert.deepEqual(await createToolchain(on).preflight("ios"), {
    target: "ios",
    ready: true,
    missing: [],
    bytes: 0,
  });
});

interface Override {
  readonly title: string;
  readonly folder: string;
  readonly entries: Record<string, Entry>;
  /** What is said of java when it does not satisfy. */
  readonly missing: RegExp | null;
}

const { "/o/bin/javac": _, ...jre } = jdk("/o", "17.0.1");

const OVERRIDES: readonly Override[] = [
  { title: "a JDK 21", folder: "/o", entries: jdk("/o", "21.0.1"), missing: null },
  {
    title: "a JDK 17, which the user chose",
    folder: "/o",
    entries: jdk("/o", "17.0.1"),
    missing: null,
  },
  {
    title: "nothing",
    folder: "/gone",
    entries: {},
    missing: /user\.sdk\.java in project\.config\.json points at \/gone: nothing is there/,
  },
  {
    title: "a file",
    folder: "/o/bin/java",
    entries: jdk("/o", "21.0.1"),
    missing: /points at \/o\/bin\/java: it is a file, expected a folder/,
  },
  {
    title: "a folder whose java is a dangling link",
    folder: "/o",
    entries: { ...jdk("/o", "21.0.1"), "/o/bin/java": { link: "/nowhere" } },
    missing: /points at \/o: its bin\/java is a link to nothing/,
  },
  {
    title: "a JRE",
    folder: "/o",
    entries: jre,
    missing: /points at \/o: it is a JRE 17\.0\.1 without bin\/javac, expected a JDK/,
  },
  { title: "a relative folder", folder: "jdk", entries: {}, missing: /not an absolute path/ },
];

for (const { title, folder, entries, missing } of OVERRIDES) {
  test(`preflight() with user.sdk.java at ${title}`, async () => {
    const on = machine({
      ...READY,
      env: { ...READY.env, SVC_PACKAGED: "1" },
      entries: { ...READY.entries, ...entries },
    });
    const toolchain = createToolchain(on);
    const overrides = { java: folder };
    const preflight = await toolchain.preflight("android", { overrides });
    const java = preflight.missing.find(({ id }) => id === "java");
    if (missing === null) assert.equal(java, undefined);
    else {
      assert.match(java?.reason ?? "", missing);
      assert.deepEqual([java?.fix, java?.canAutoInstall], [
        "Correct or remove user.sdk.java in project.config.json",
        false,
      ]);
    }
    const detection = await toolchain.detect("java", { overrides });
    assert.equal(detection.tried[0]?.source, "override");
    assert.equal(detection.present && detection.source, missing === null && "override");
  });
}

test("preflight() says that a folder may not be looked into", async () => {
  const on = machine({ ...READY, entries: {} });
  const stat = () => Promise.reject(new FileError("denied", "/o", "permission denied"));
  const toolchain = createToolchain({ ...on, files: { ...on.files, stat } });
  const { missing } = await toolchain.preflight("android", { overrides: { java: "/o" } });
  const java = missing.find(({ id }) => id === "java");
  assert.match(java?.reason ?? "", /points at \/o: this user may not look into it$/);
});

// FIND-18
test("guide() has steps that a person can follow for every tool on every platform", () => {
  for (const platform of ["linux", "darwin", "win32"] as const) {
    const deps: ToolchainDeps = machine({ platform });
    const toolchain = createToolchain(deps);
    for (const id of TOOL_IDS) {
      const guide = toolchain.guide(id);
      assert.equal(guide.id, id);
      assert.ok(guide.title.length > 2 && guide.steps.length >= 2, `${platform} ${id}`);
      for (const step of guide.steps) assert.match(step, /^\S.*\S$/);
    }
  }
});
