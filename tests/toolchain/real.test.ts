import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import type { Host } from "../../lib/ports/host.ts";
import { DESCRIPTORS } from "../../lib/toolchain/descriptors.ts";
import { createToolchain, type Toolchain, type ToolId } from "../../lib/toolchain/mod.ts";
import { probe } from "../../lib/toolchain/probe.ts";
import { loadRuntime, loadSyncStat } from "../../scripts/runtime.ts";

// Real programs, files and processes. The folder has a space and a letter beyond ASCII in its name.

const posix = process.platform === "win32" ? { skip: "needs shell scripts" } : {};
const root = mkdtempSync(join(tmpdir(), "slipway töol chain-"));
after(() => rmSync(root, { recursive: true, force: true }));

const runtime = await loadRuntime();
const syncStat = await loadSyncStat();

let folders = 0;

/** A fresh folder. */
function folder(): string {
  const path = join(root, String(folders++));
  mkdirSync(path);
  return path;
}

/** A shell script that can be run. */
function script(path: string, body: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function hostWith(env: Record<string, string>, userData: string): Host {
  return {
    ...runtime.host,
    env: (name) => env[name],
    environment: () => ({ ...env }),
    home: join(userData, "home"),
    userData,
  };
}

function toolchainWith(env: Record<string, string>, userData = folder()): Toolchain {
  return createToolchain({ ...runtime, syncStat, host: hostWith(env, userData) });
}

const REFUSABLE: readonly (readonly [ToolId, string])[] = [
  ["gltf-transform-cli", "gltf-transform"],
  ["gltfpack", "gltfpack"],
  ["ffmpeg", "ffmpeg"],
  ["ffprobe", "ffprobe"],
  ["npm", "npm"],
  ["java", "java"],
  ["android-sdk", "adb"],
];

/** A PATH full of tools that write down that they were run. */
function decoys(): { readonly env: Record<string, string>; readonly ran: () => string[] } {
  const at = folder();
  const log = join(at, "ran");
  const names = [...REFUSABLE.map(([, name]) => name), "node", "npx", "sdkmanager", "toktx", "pod"];
  for (const name of names) {
    script(join(at, "jdk/bin", name), `echo ${name} >> "${log}"; echo "${name} 1.2.3 version"`);
  }
  script(join(at, "sdk/platform-tools/adb"), `echo adb >> "${log}"`);
  return {
    env: {
      PATH: [join(at, "jdk/bin"), "/usr/bin", "/bin"].join(delimiter),
      JAVA_HOME: join(at, "jdk"),
      ANDROID_HOME: join(at, "sdk"),
      ANDROID_SDK_ROOT: join(at, "sdk"),
    },
    ran: () => existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [],
  };
}

for (
  const [title, prepare] of [
    ["packaged", (env: Record<string, string>) => ({ ...env, SVC_PACKAGED: "1" })],
    [
      "with the toggle saved as off",
      (env: Record<string, string>) => ({ ...env, SVC_PROVISION_NODE: "1" }),
    ],
  ] as const
) {
  test(`a toolchain ${title} runs none of the decoys on PATH`, posix, async () => {
    const { env, ran } = decoys();
    const toolchain = toolchainWith(prepare(env));
    assert.ok((await toolchain.setAllowSystem(false)).ok);
    const status = await toolchain.status();
    for (const [id] of REFUSABLE) {
      assert.equal(status.tools.find((tool) => tool.id === id)?.present, false, id);
    }
    await toolchain.preflight("android");
    await toolchain.detectAdb();
    const allowed = new Set(["toktx", "pod"]); // the editor cannot provide these here
    assert.deepEqual(ran().filter((name) => !allowed.has(name)), []);
  });
}

test("a toolchain that allows the system does run them: the decoys work", posix, async () => {
  const { env, ran } = decoys();
  await toolchainWith(env).status();
  for (const name of ["gltfpack", "ffmpeg", "npm", "adb", "java"]) {
    assert.ok(ran().includes(name), name);
  }
});

test("detect() finds its own program behind a link and a shebang", posix, async () => {
  const userData = folder();
  const bin = join(userData, "toolchain/npm-tools/node_modules/.bin");
  const cli = join(userData, "toolchain/npm-tools/node_modules/gltfpack/cli.sh");
  script(cli, 'echo "gltfpack 1.2"');
  mkdirSync(bin, { recursive: true });
  symlinkSync(cli, join(bin, "gltfpack"));
  const found = await toolchainWith({ PATH: "/usr/bin:/bin" }, userData).detect("gltfpack");
  assert.deepEqual(found.present && [found.source, found.path, found.version], [
    "own",
    join(bin, "gltfpack"),
    "1.2",
  ]);
});

test("probe() stops a program that hangs, with all it started", posix, async () => {
  const at = folder();
  const pidFile = join(at, "pid");
  script(join(at, "hang"), `sleep 60 & echo $! > "${pidFile}"; echo ffmpeg version 1.0; wait`);
  const { probe: spec } = binary("ffmpeg");
  const started = runtime.clock.monotonic();
  const result = await probe(join(at, "hang"), { ...spec, timeoutMs: 400 }, {
    ...runtime,
    syncStat,
    env: { PATH: "/usr/bin:/bin" },
  });
  assert.equal(result.ok ? null : result.error.code, "timeout");
  assert.ok(runtime.clock.monotonic() - started < 5_000);
  const pid = readFileSync(pidFile, "utf8").trim();
  // A zombie that nobody has reaped yet is dead, too.
  const state = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
  assert.ok(state === "" || state.startsWith("Z"), `sleep is still in state ${state}`);
});

test(
  "probe() reads the version before a flood of output, and keeps little of it",
  posix,
  async () => {
    const at = folder();
    script(
      join(at, "flood"),
      "echo ffmpeg version 9.9 Copyright; head -c 20000000 /dev/zero | tr '\\0' x; echo",
    );
    const { probe: spec } = binary("ffmpeg");
    const result = await probe(join(at, "flood"), spec, {
      ...runtime,
      syncStat,
      env: { PATH: "/usr/bin:/bin" },
    });
    assert.equal(result.ok && result.value, "9.9");
  },
);

test("probe() gives a program no input, and a folder that is not the project", posix, async () => {
  const at = folder();
  script(join(at, "asks"), 'read line; echo "ffmpeg version [$line]-$(pwd)"');
  const { probe: spec } = binary("ffmpeg");
  const env = { PATH: "/usr/bin:/bin" };
  const result = await probe(join(at, "asks"), spec, { ...runtime, syncStat, env });
  assert.match(result.ok ? result.value : result.error.message, /^\[\]-/);
  assert.ok(!(result.ok && result.value.endsWith(process.cwd())));
});

test("probe() tells of a script whose interpreter is missing", posix, async () => {
  const at = folder();
  writeFileSync(join(at, "odd"), "#!/no/such/interpreter\n");
  chmodSync(join(at, "odd"), 0o755);
  const env = { PATH: "/usr/bin:/bin" };
  const deps = { ...runtime, syncStat, env };
  const result = await probe(join(at, "odd"), binary("npm").probe, deps);
  assert.equal(result.ok ? null : result.error.code, "not-started");
});

test("settings survive on a real disk, damage is moved aside", async () => {
  const toolchain = toolchainWith({});
  assert.ok((await toolchain.setAllowSystem(false)).ok);
  assert.equal(await toolchain.systemToolchainAllowed(), false);
  writeFileSync(join(toolchain.directory, "settings.json"), "{");
  assert.equal(await toolchain.systemToolchainAllowed(), true);
  const written = await toolchain.setAllowSystem(false);
  assert.ok(written.ok && written.value.setAside !== undefined);
  assert.equal(readFileSync(written.value.setAside, "utf8"), "{");
  assert.equal(await toolchain.systemToolchainAllowed(), false);
});

test("status() of this very machine keeps its promises", async () => {
  const { env } = process;
  const inherited = Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("SVC_")),
  );
  const userData = folder();
  const host = {
    ...hostWith({}, userData),
    env: (name: string) => runtime.host.env(name),
    environment: () => Object.fromEntries(Object.entries(inherited).map(([k, v]) => [k, v ?? ""])),
    home: runtime.host.home,
  };
  const toolchain = createToolchain({ ...runtime, syncStat, host });
  const status = await toolchain.status();
  for (const tool of status.tools) {
    if (!tool.present) continue;
    assert.ok(tool.path !== undefined && existsSync(tool.path), tool.id);
    assert.ok(tool.tried.at(-1)?.reason.startsWith("taken"), tool.id);
    if (tool.kind === "binary") assert.match(tool.version ?? "", /\d/, tool.id);
  }
  const java = status.tools.find(({ id }) => id === "java");
  if (java?.present) assert.match(java.version ?? "", /^21\b/);
  const { android, ios } = status.preflight;
  assert.equal(android.ready, android.missing.length === 0);
  assert.equal(ios.ready && process.platform !== "darwin", false);
});

function binary(id: ToolId) {
  const descriptor = DESCRIPTORS[id];
  if (descriptor.kind !== "binary") throw new TypeError(`${id} is no binary`);
  return descriptor;
}
