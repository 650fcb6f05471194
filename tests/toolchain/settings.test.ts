import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { type Entry, machine } from "./machine.ts";
import { folder, toolchainWith } from "./real-machine.ts";

const PATH = "/data/slipway/toolchain/settings.json";

test("settings() says nothing where there is no file", async () => {
  assert.deepEqual(await createToolchain(machine({})).settings(), { path: PATH, members: {} });
});

const DAMAGED: readonly (readonly [string, Entry, string, RegExp])[] = [
  ["cut short", '{"allowSystemToolchain": tr', "settings-damaged", /not a JSON object/],
  ["empty", "", "settings-damaged", /not a JSON object/],
  ["a list", "[]", "settings-damaged", /not a JSON object/],
  ["a toggle of the wrong type", '{"allowSystemToolchain":"on"}', "settings-damaged", /"on"/],
  ["unreadable", { denied: true }, "settings-unreadable", /permission denied/],
];

for (const [title, entry, code, message] of DAMAGED) {
  // FIND-16
  test(`settings() tells of a file that is ${title}, and the default holds`, async () => {
    for (const packaged of ["0", "1"]) {
      const on = machine({ env: { SVC_PACKAGED: packaged }, entries: { [PATH]: entry } });
      const toolchain = createToolchain(on);
      const { problem, allowSystemToolchain } = await toolchain.settings();
      assert.equal(problem?.code, code);
      assert.match(problem?.message ?? "", message);
      assert.ok(problem?.message.includes(PATH));
      assert.equal(allowSystemToolchain, undefined);
      assert.equal(await toolchain.systemToolchainAllowed(), packaged === "0");
      assert.equal(on.entries.get(PATH), entry, "reading changes nothing");
    }
  });
}

test("setAllowSystem() moves a damaged file aside, and keeps every earlier one", async () => {
  const on = machine({
    entries: { [PATH]: "{broken", [`${PATH}.damaged-1`]: "older" },
  });
  const toolchain = createToolchain(on);
  const written = await toolchain.setAllowSystem(false);
  assert.deepEqual(written, { ok: true, value: { path: PATH, setAside: `${PATH}.damaged-2` } });
  assert.equal(on.entries.get(`${PATH}.damaged-1`), "older");
  assert.equal(on.entries.get(`${PATH}.damaged-2`), "{broken");
  assert.deepEqual(await toolchain.settings(), {
    path: PATH,
    members: { allowSystemToolchain: false },
    allowSystemToolchain: false,
  });
});

test("settings() and setAllowSystem() say once what they could not do", async () => {
  const data = folder();
  const file = join(data, "toolchain/settings.json");
  mkdirSync(file, { recursive: true });
  const { problem } = await toolchainWith({}, data).settings();
  assert.equal(problem?.message, `Cannot read ${file}: it is a folder; the defaults hold`);
  writeFileSync(join(data, "file"), "");
  const inFile = join(data, "file/toolchain");
  const refused = await toolchainWith({ SVC_TOOLCHAIN_DIR: inFile }).setAllowSystem(true);
  const reported = refused.ok ? "" : refused.error.message;
  assert.equal(reported.split("Cannot ").length - 1, 2, reported); // the file, and why: the folder
});

test("setAllowSystem() keeps members that it does not know", async () => {
  const on = machine({ entries: { [PATH]: '{"mirror":"x","allowSystemToolchain":false}' } });
  assert.ok((await createToolchain(on).setAllowSystem(true)).ok);
  assert.deepEqual(JSON.parse(String(on.entries.get(PATH))), {
    mirror: "x",
    allowSystemToolchain: true,
  });
});

test("setAllowSystem() tells why it cannot write", async () => {
  const on = machine({});
  const files = { ...on.files, makeDirectory: () => Promise.reject(new Error("read-only")) };
  const written = await createToolchain({ ...on, files }).setAllowSystem(true);
  assert.equal(written.ok ? null : written.error.code, "settings-unwritable");
  assert.match(written.ok ? "" : written.error.message, /read-only/);
});

// FIND-15
test("SVC_TOOLCHAIN_DIR moves the folder, and a relative one is refused", async () => {
  const moved = createToolchain(machine({ env: { SVC_TOOLCHAIN_DIR: "/elsewhere/tc" } }));
  assert.equal(moved.directory, "/elsewhere/tc");
  assert.equal((await moved.settings()).path, "/elsewhere/tc/settings.json");
  const relative = machine({ env: { SVC_TOOLCHAIN_DIR: "tc" } });
  assert.throws(
    () => createToolchain(relative),
    /SVC_TOOLCHAIN_DIR "tc": it is not an absolute path/,
  );
});
