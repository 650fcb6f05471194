import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Device } from "../../lib/ota-device/device.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { manifestOf } from "../support/release-world.ts";

// What JavaScript asks a plugin for came over the air: no operation believes it (NAT-1 to NAT-5).

/** Calls an operation as a bridge does, which knows no types. */
function ask(device: Device, operation: keyof Device, request: unknown): Promise<unknown> {
  const call: unknown = device[operation];
  assert.ok(typeof call === "function");
  return Promise.resolve(Reflect.apply(call, device, [request]));
}

/** The code of an answer or of an error. */
function codeOf(answer: unknown): unknown {
  return answer instanceof Object && "code" in answer ? answer.code : answer;
}

function namesUnder(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
}

const text = (over: object) =>
  JSON.stringify({ ...JSON.parse(serializeManifest(manifestOf("v1", { a: "x" }))), ...over });

const STAGINGS: readonly [string, Record<string, unknown>][] = [
  ["a name that leads out of the root", { name: "..", manifest: text({ name: ".." }) }],
  ["a version that leads out of the root", {
    version: "../../v1",
    manifest: text({ version: "../../v1" }),
  }],
  ["a name of the device's own file", {
    name: "state.json",
    manifest: text({ name: "state.json" }),
  }],
  ["a name that the sweep removes", { name: "x.tmp", manifest: text({ name: "x.tmp" }) }],
  ["no manifest", { manifest: undefined }],
  ["a manifest that is no text", { manifest: 1 }],
  ["an address that is none", { zipUrl: "no address" }],
  ["an address of a file", { zipUrl: "file:///etc/passwd" }],
  ["no address", { zipUrl: null }],
];

for (const [what, over] of STAGINGS) {
  test(`stageUpdate() answers invalid and writes nothing for ${what} (NAT-1, NAT-3)`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device({ root: join(folder, "in/phone") });
      const before = namesUnder(folder);
      const request = {
        name: "shell",
        version: "v1",
        manifest: text({}),
        zipUrl: "https://cdn.example/bundles/shell/v1/bundle.zip",
        ...over,
      };
      assert.equal(codeOf(await ask(device, "stageUpdate", request)), "invalid");
      assert.deepEqual(world.requests, []);
      assert.deepEqual(namesUnder(folder), before);
    }));
}

const DELTAS: readonly [string, Record<string, unknown>][] = [
  ["a manifest of another version", { manifest: text({ version: "v2" }) }],
  ["a manifest without files", { manifest: text({ files: {} }) }],
  ["a file of the manifest that is left out", { copy: [] }],
  ["a file that the manifest lacks", {
    copy: [{ from: "a", path: "a" }, { from: "a", path: "b" }],
  }],
];

for (const [what, over] of DELTAS) {
  test(`stageUpdateDelta() answers invalid, and nothing goes, for ${what} (NAT-1, NAT-4, NAT-5)`, () =>
    withFolder(async (folder) => {
      const device = (await openOtaWorld(folder)).device();
      writeTree(join(folder, "phone"), {
        ".trash/shell@v8.left/a": "old",
        "guard.json": JSON.stringify({ rejected: { shell: ["v1"] } }), // not looked at
        "shell/v7/a": "x",
        ".complete/shell@v7.json": "{}",
      });
      const before = namesUnder(folder);
      const copy = [{ from: "a", path: "a" }];
      const request = { name: "shell", version: "v1", manifest: text({}), base: "v7", copy };
      const answer = await ask(device, "stageUpdateDelta", { ...request, download: [], ...over });
      assert.equal(codeOf(answer), "invalid");
      assert.deepEqual(namesUnder(folder), before);
    }));
}

const SEQUENCES: readonly [string, unknown][] = [
  ["NaN", NaN],
  ["2^53-1", Number.MAX_SAFE_INTEGER],
  ["a fraction", 7.5],
  ["a text", "8"],
  ["a leap of one too many", 1_000_008],
  ["an object that is no text either", JSON.parse('{"toString":1,"valueOf":1}')],
];

for (const [what, sequence] of SEQUENCES) {
  test(`acceptSequence() refuses ${what}, and the accepted one stays (NAT-2)`, () =>
    withFolder(async (folder) => {
      const device = (await openOtaWorld(folder)).device();
      await device.acceptSequence({ app: "default", channel: "production", sequence: 7 });
      await assert.rejects(
        ask(device, "acceptSequence", { app: "default", channel: "production", sequence }),
        { code: "invalid", message: /sequence/ },
      );
      assert.deepEqual((await device.getState({})).sequence, { "default/production": 7 });
    }));
}

// Beyond it the record would read as damaged: the floor and the quarantine were gone.
test("acceptSequence() of one line more than guard.json holds is refused, and the accepted ones stay (DEV-33)", () =>
  withFolder(async (folder) => {
    const device = (await openOtaWorld(folder)).device();
    await device.acceptSequence({ app: "default", channel: "production", sequence: 7 });
    const guard = join(folder, "phone/guard.json");
    const { sequence } = JSON.parse(readFileSync(guard, "utf8"));
    const lines = Array.from({ length: 7_653 }, (_, i) => [`a${1e9 + i}/${"c".repeat(120)}`, 1]);
    writeFileSync(
      guard,
      JSON.stringify({ sequence: { ...sequence, ...Object.fromEntries(lines) } }),
    );
    const more = () =>
      ask(device, "acceptSequence", { app: "b", channel: "c".repeat(64), sequence: 1 });
    await assert.rejects(more(), { code: "io", message: /expected at most 1048576/ });
    assert.equal((await device.getState({})).sequence["default/production"], 7);
  }));

test("guard.json is written up to its last byte, and not beyond (DEV-33)", () =>
  withFolder(async (folder) => {
    const device = (await openOtaWorld(folder)).device();
    await device.acceptSequence({ app: "b", channel: "c", sequence: 1 });
    const guard = join(folder, "phone/guard.json");
    const empty = readFileSync(guard).length + `,"${""}":1`.length;
    for (const [size, code] of [[1024 * 1024, null], [1024 * 1024 + 1, "io"]] as const) {
      const line = "l".repeat(size - empty);
      writeFileSync(guard, JSON.stringify({ sequence: { [line]: 1 } }));
      const accepted = ask(device, "acceptSequence", { app: "b", channel: "c", sequence: 1 });
      if (code !== null) await assert.rejects(accepted, { code });
      else await accepted;
      assert.equal((await device.getState({})).sequence["b/c"], code === null ? 1 : undefined);
    }
  }));

for (const name of ["..", "state.json", 7, null]) {
  test(`confirmBoot(), revert() and activate() refuse the name ${name} and write nothing (NAT-1, NAT-5)`, () =>
    withFolder(async (folder) => {
      const device = (await openOtaWorld(folder)).device();
      const refused = { code: "invalid" };
      await assert.rejects(ask(device, "confirmBoot", { name, token: "t" }), refused);
      await assert.rejects(ask(device, "revert", { name }), refused);
      assert.equal(codeOf(await ask(device, "activate", { name, version: "v1" })), "invalid");
      const read = await ask(device, "readManifest", { name, version: "v1" });
      assert.deepEqual(read, { manifest: null });
      assert.deepEqual(namesUnder(join(folder, "phone")), []);
    }));
}

test("stageUpdateDelta() answers invalid for a base and a url of a copy that are no text (NAT-3)", () =>
  withFolder(async (folder) => {
    const device = (await openOtaWorld(folder)).device();
    const odd = JSON.parse('{"toString":1,"valueOf":1}');
    for (const over of [{ base: odd }, { url: odd }]) {
      const copy = [{ from: "a", path: "a", ...over }];
      const request = {
        name: "shell",
        version: "v1",
        manifest: text({}),
        base: "v2",
        download: [],
      };
      assert.equal(codeOf(await ask(device, "stageUpdateDelta", { ...request, copy })), "invalid");
    }
  }));

test("launch() of what is no bundle name serves the embedded bundle and records nothing (NAT-1)", () =>
  withFolder(async (folder) => {
    const device = (await openOtaWorld(folder)).device();
    const { target } = await device.launch({ name: ".." });
    assert.deepEqual(target, { kind: "embedded" });
    assert.deepEqual(namesUnder(join(folder, "phone")), []);
  }));

test("revert() with quarantine drops the version on trial, and it is not staged again (BOOT-19)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", { "index.html": "one" });
    assert.equal((await world.check(device)).result, "staged");
    await device.revert({ name: "shell" });
    assert.equal((await world.check(device)).result, "staged", "without it the version comes back");
    await device.revert({ name: "shell", quarantine: true });
    const { state, rejected } = await device.getState({});
    assert.deepEqual([state, rejected], [{ rejected: { shell: ["v1"] } }, { shell: ["v1"] }]);
    const guard = readFileSync(join(folder, "phone/guard.json"), "utf8");
    assert.deepEqual(JSON.parse(guard).rejected, { shell: ["v1"] }, "DEV-5");
    assert.equal((await world.check(device)).result, "version-rejected");
  }));
