import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withFolder } from "../support/folder.ts";
import { adapter } from "./adapter.ts";

const onDeno = "Deno" in globalThis;

const facts = {
  platform: "linux",
  arch: "arm64",
  environment: { PATH: "/bin", Empty: "", GONE: undefined },
  home: "/home/ada",
  temporary: "/tmp",
  pid: 7,
  user: "ada",
  hostname: "harbor",
};

for (
  const [name, over, want] of [
    ["Linux", {}, "/home/ada/.local/share/slipway"],
    ["Linux with XDG_DATA_HOME", { environment: { XDG_DATA_HOME: "/data" } }, "/data/slipway"],
    [
      "Linux with an empty XDG_DATA_HOME",
      { environment: { XDG_DATA_HOME: "" } },
      "/home/ada/.local/share/slipway",
    ],
    [
      "Linux with a relative XDG_DATA_HOME",
      { environment: { XDG_DATA_HOME: "data" } },
      "/home/ada/.local/share/slipway",
    ],
    ["macOS", { platform: "darwin" }, "/home/ada/Library/Application Support/slipway"],
    [
      "Windows",
      { platform: "win32", environment: { LocalAppData: "D:\\Local" } },
      "D:\\Local\\slipway",
    ],
    [
      "Windows without LOCALAPPDATA",
      { platform: "win32", home: "C:\\Users\\ada" },
      "C:\\Users\\ada\\AppData\\Local\\slipway",
    ],
  ] as const
) {
  // FIND-19
  test(`createHost() keeps the user's data where ${name} does`, () => {
    assert.equal(adapter.createHost({ ...facts, ...over }).userData, want);
  });
}

test("createHost() leaves Deno's imitation of Node out of PATH", () => {
  const environment = {
    DENO_NODE_SHIM_ACTIVE: "1",
    PATH: ["/cache/deno/node_compat_bin", "/usr/bin"].join(delimiter),
    HOME: "/home/ada",
  };
  const host = adapter.createHost({ ...facts, environment });
  assert.deepEqual(host.environment(), { PATH: "/usr/bin", HOME: "/home/ada" });
  assert.equal(host.env("PATH"), "/usr/bin");
  const named = { PATH: "/srv/node_compat_bin" };
  assert.deepEqual(adapter.createHost({ ...facts, environment: named }).environment(), named);
});

test(
  "createHost() finds no Node where Deno imitates one",
  { skip: !onDeno },
  () =>
    withFolder((folder) => {
      const script = `
      import { createHost } from ${
        JSON.stringify(new URL("../../adapters/node/host.ts", import.meta.url).href)
      };
      console.log(JSON.stringify([process.env.PATH, createHost().env("PATH")]));
      import process from "node:process";`;
      const ran = spawnSync(process.execPath, ["eval", "--no-check", script], {
        encoding: "utf8",
        env: { PATH: join(folder, "none"), HOME: folder },
      });
      const [all, seen] = JSON.parse(ran.stdout || `["", "${ran.stderr}"]`);
      assert.match(all, /node_compat_bin/, "Deno imitates Node without one");
      assert.equal(seen, join(folder, "none"));
      return Promise.resolve();
    }),
);

for (
  const [name, over, message] of [
    ["HOME", { home: "rel" }, 'Cannot use HOME "rel": expected an absolute path'],
    ["USERPROFILE", { platform: "win32", home: "ada" }, /^Cannot use USERPROFILE "ada": /],
    [
      "LOCALAPPDATA",
      { platform: "win32", home: "C:\\ada", environment: { LOCALAPPDATA: "Local" } },
      'Cannot use LOCALAPPDATA "Local": expected an absolute path',
    ],
    ["TMPDIR", { temporary: "tmp", environment: { TMPDIR: "tmp" } }, /^Cannot use TMPDIR "tmp": /],
    [
      "TEMP",
      { platform: "win32", home: "C:\\ada", temporary: "t", environment: { Temp: "t" } },
      /^Cannot use TEMP "t": /,
    ],
  ] as const
) {
  test(`createHost() refuses a relative ${name} by name`, () => {
    const create = () => adapter.createHost({ ...facts, ...over });
    assert.throws(create, { name: "HostError", message });
  });
}

test("Host.env() minds the case of a name, except on Windows", () => {
  const linux = adapter.createHost(facts);
  assert.deepEqual([linux.env("PATH"), linux.env("Path")], ["/bin", undefined]);
  const windows = adapter.createHost({ ...facts, platform: "win32" });
  assert.deepEqual([windows.env("Path"), windows.env("EMPTY")], ["/bin", ""]);
});

test("Host.env() finds no variable in what every object inherits", () => {
  assert.equal(adapter.createHost(facts).env("constructor"), undefined);
});

test("Host.environment() is a copy without what is not set", () => {
  const host = adapter.createHost(facts);
  const copy = host.environment();
  assert.deepEqual(copy, { PATH: "/bin", Empty: "" });
  copy["PATH"] = "changed";
  assert.equal(host.env("PATH"), "/bin");
});

test("createHost() tells of this process", () => {
  const host = adapter.createHost();
  assert.equal(host.pid, process.pid);
  assert.equal(host.user, userInfo().username);
  assert.equal(host.env("PATH"), process.env["PATH"]);
  assert.deepEqual(host.environment(), { ...process.env });
});
