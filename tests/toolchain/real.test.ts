import assert from "node:assert/strict";
import process from "node:process";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { probe } from "../../lib/toolchain/find/probe.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { until } from "../support/until.ts";
import { binary, folder, hostWith, posix, runtime, script, toolchainWith } from "./real-machine.ts";

// Real programs, files and processes. The folder has a space and a letter beyond ASCII in its name.

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
  script(join(at, "hang"), `sleep 300 & echo $! > "${pidFile}"; echo ffmpeg version 1.0; wait`);
  const { probe: spec } = binary("ffmpeg");
  const started = runtime.clock.monotonic();
  const result = await probe({
    path: join(at, "hang"),
    spec: { ...spec, timeoutMs: 2_000 },
    env: { PATH: "/usr/bin:/bin" },
  }, runtime);
  assert.equal(result.ok ? null : result.error.code, "timeout");
  assert.ok(runtime.clock.monotonic() - started < 100_000);
  await assertEnded(readFileSync(pidFile, "utf8").trim());
});

/** A signal that was sent is not yet one that has worked: the process may have to run once more. */
async function assertEnded(pid: string): Promise<void> {
  // A zombie that nobody has reaped yet is dead, too.
  const state = () =>
    spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
  await until(`process ${pid} has ended`, () => /^(?:Z.*)?$/.test(state()));
}

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
    const result = await probe({
      path: join(at, "flood"),
      spec,
      env: { PATH: "/usr/bin:/bin" },
    }, runtime);
    assert.equal(result.ok && result.value.version, "9.9");
  },
);

test("probe() does not wait for what a program leaves running, and ends it", posix, async () => {
  const at = folder();
  const pidFile = join(at, "pid");
  script(join(at, "leaves"), `sleep 300 & echo $! > "${pidFile}"; echo ffmpeg version 1.0`);
  const started = runtime.clock.monotonic();
  const { probe: spec } = binary("ffmpeg");
  const env = { PATH: "/usr/bin:/bin" };
  const result = await probe({ path: join(at, "leaves"), spec, env }, runtime);
  assert.equal(result.ok && result.value.version, "1.0");
  assert.ok(runtime.clock.monotonic() - started < spec.timeoutMs / 2);
  await assertEnded(readFileSync(pidFile, "utf8").trim());
});

test("detect() hides from a program what would change it", posix, async () => {
  const at = folder();
  const names = "JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|NODE_OPTIONS|RUBYOPT|GEM_HOME|GEM_PATH|SVC_TOKEN";
  script(join(at, "ffmpeg"), `echo "ffmpeg version 1.$(env | grep -cE '^(${names}|KEPT)=')"`);
  const hidden = Object.fromEntries(names.split("|").map((name) => [name, "-x"]));
  const env = { ...hidden, KEPT: "1", PATH: [at, "/usr/bin", "/bin"].join(delimiter) };
  const found = await toolchainWith(env).detect("ffmpeg");
  assert.equal(found.present && found.version, "1.1");
});

test("probe() gives a program no input, and a folder that is not the project", posix, async () => {
  const at = folder();
  script(join(at, "asks"), 'read line; echo "ffmpeg version [$line]-$(pwd)"');
  const { probe: spec } = binary("ffmpeg");
  const env = { PATH: "/usr/bin:/bin" };
  const result = await probe({ path: join(at, "asks"), spec, env }, runtime);
  assert.match(result.ok ? result.value.version : result.error.message, /^\[\]-/);
  assert.ok(!(result.ok && result.value.version.endsWith(process.cwd())));
});

test("probe() tells of a script whose interpreter is missing", posix, async () => {
  const at = folder();
  writeFileSync(join(at, "odd"), "#!/no/such/interpreter\n");
  chmodSync(join(at, "odd"), 0o755);
  const env = { PATH: "/usr/bin:/bin" };
  const result = await probe({ path: join(at, "odd"), spec: binary("npm").probe, env }, runtime);
  assert.equal(result.ok ? null : result.error.code, "not-started");
});

test("detect() never waits for a pipe that stands where a JDK has a file", posix, async () => {
  const home = folder();
  script(join(home, "bin/java"), `echo 'openjdk version "21.0.7"' >&2`);
  script(join(home, "bin/javac"), "exit 0");
  assert.equal(spawnSync("mkfifo", [join(home, "release")]).status, 0);
  const java = await toolchainWith({ JAVA_HOME: home, PATH: "/usr/bin:/bin" }).detect("java");
  assert.equal(java.present && java.version, "21.0.7");
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
  const toolchain = createToolchain({ ...runtime, host });
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
