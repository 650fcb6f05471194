import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { embedBundle } from "../../lib/project/building/embedded-manifest.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withReleased } from "../../scripts/ota-doctor.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

// What a store should not get before it is published (CHECK-14): publish first, then submit.

const BASE_URL = "https://cdn.example";
const V1 = { "index.html": "one" };
const V2 = { "index.html": "two" };
const NEXT = { "index.html": "next" };
const ASSETS = "android/app/src/main/assets/public";

/** A project whose app is built, over a bucket; what both say of its order. */
async function open(folder: string, { isUp = true, enabled = true } = {}) {
  const world = await openOtaWorld(folder);
  const { files, hashing, clock } = world.runtime;
  const serve = createStaticHandler(files, join(folder, "bucket"));
  const asked: string[] = [];
  const fetch = (url: string, init?: RequestInit) => {
    asked.push(url.slice(BASE_URL.length + 1));
    return isUp ? serve(new Request(url, init)) : Promise.reject(new TypeError("no network"));
  };
  const { publicKey } = world.key;
  const ota = { enabled, baseUrl: BASE_URL, publicKey, bundleName: "shell", engineApi: 1 };
  const root = join(folder, "project");
  writeTree(root, { "project.config.json": JSON.stringify({ ota }) });
  return {
    ...world,
    asked,
    /** Builds the app of these files. @returns What its embedded manifest says, and what was warned. */
    async build(tree: Record<string, string>) {
      const app = join(root, ASSETS);
      await files.remove(app);
      writeTree(app, tree);
      const log: string[] = [];
      const context = {
        log: (line: string) => void log.push(line),
        signal: new AbortController().signal,
      };
      const embedded = await embedBundle({ files, hashing, fetch, clock }, app, { ota }, context);
      assert.ok(embedded.ok, JSON.stringify(embedded));
      const text = readFileSync(join(app, "ota-embedded-manifest.json"), "utf8");
      const { version, released, sequence, published } = JSON.parse(text);
      const warned = log.filter((line) => line.startsWith("warning: "));
      return { version, released, sequence, isPublished: published !== undefined, warned };
    },
    /** Changes what the app says of itself, as `embed-manifest --version` does. */
    say(change: Record<string, unknown>) {
      const path = `${ASSETS}/ota-embedded-manifest.json`;
      const { published: _published, ...manifest } = JSON.parse(
        readFileSync(join(root, path), "utf8"),
      );
      writeTree(root, { [path]: JSON.stringify({ ...manifest, ...change }) });
    },
    doctor: async (platforms: readonly ("android" | "ios")[] = ["android"]) =>
      await withReleased({ files, fetch, clock }, root, { platforms, findings: [] }),
  };
}

test("a build knows the number of what is released, and says what a store should not get yet", () =>
  withFolder(async (folder) => {
    const world = await open(folder);
    const before = await world.build(V1);
    assert.deepEqual(before.warned, [], "nothing is released: nothing to compare with");
    assert.deepEqual([before.version, before.sequence], ["embedded", 0]);
    await world.publish("v1", V1);
    await world.publish("v2", V2);

    const same = await world.build(V2);
    assert.deepEqual(same, {
      version: "v2",
      released: "v2",
      sequence: 2,
      isPublished: true,
      warned: [],
    });
    assert.deepEqual(await world.doctor(), { platforms: ["android"], findings: [] });

    const next = await world.build(NEXT);
    assert.deepEqual([next.version, next.released, next.sequence], ["embedded", "v2", 2]);
    assert.equal(next.warned.length, 1);
    assert.match(
      next.warned[0] ?? "",
      /has no number, so its players stay on it until one above v2/,
    );
    assert.match(next.warned[0] ?? "", /Publish these files as a version above v2/);
  }));

test("the doctor warns of a number that is behind, ahead, another's or absent", () =>
  withFolder(async (folder) => {
    const world = await open(folder);
    const messages = async () => {
      const { findings, notCompared } = await world.doctor();
      assert.equal(notCompared, undefined);
      assert.ok(findings.every(({ level, code }) => level === "warning" && code === "order"));
      return findings.map(({ message, next }) => `${message}. ${next}`).join();
    };
    await world.build(V1);
    world.say({ version: "v1" });
    assert.match(await messages(), /contains shell v1, and nothing is released. Publish v1 first/);
    await world.publish("v1", V1);
    assert.equal(await messages(), "", "the same files, though nothing says so");
    await world.publish("v2", V2);
    assert.match(await messages(), /contains shell v1, and v2 is released: each new install/);
    await world.build(NEXT);
    assert.match(await messages(), /has no number, so its players stay on it until one above v2/);
    world.say({ released: undefined });
    assert.match(
      await messages(),
      /no number, and does not know of v2: its players are taken to v2/,
    );
    world.say({ version: "v2" });
    assert.match(await messages(), /contains shell v2, and not the files that were released as v2/);
    world.say({ version: "v3" });
    assert.match(await messages(), /contains shell v3, and v2 is released. Publish v3 first/);
    await world.publish("v3", NEXT);
    assert.equal(await messages(), "");
  }));

test("an address out of reach stops no build and no doctor, and both say that they did not compare", () =>
  withFolder(async (folder) => {
    const world = await open(folder, { isUp: false });
    const built = await world.build(V1);
    assert.equal(built.version, "embedded");
    assert.match(built.warned.join(), /the release was not compared with the app: .*no network/);
    const { findings, notCompared } = await world.doctor();
    assert.deepEqual(findings, []);
    assert.match(notCompared ?? "", /no network/);
  }));

test("a build that is cancelled waits for no address", () =>
  withFolder(async (folder) => {
    const { runtime: { files, hashing }, key: { publicKey } } = await openOtaWorld(folder);
    writeTree(folder, { "app/index.html": "one" });
    const cancelling = new AbortController();
    const silent = {
      fetch: () => {
        queueMicrotask(() => cancelling.abort(new Error("cancelled")));
        return new Promise<never>(() => {});
      },
      clock: { sleep: () => new Promise<never>(() => {}) },
    };
    const ota = { enabled: true, baseUrl: BASE_URL, publicKey, bundleName: "shell", engineApi: 1 };
    const context = { log: () => {}, signal: cancelling.signal };
    const app = join(folder, "app");
    const embedded = await embedBundle({ files, hashing, ...silent }, app, { ota }, context);
    assert.equal(embedded.ok, false);
  }));

test("a build that is cancelled while its files are hashed stops, also where updates are off", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    writeTree(folder, { "app/index.html": "one" });
    const ota = { enabled: false as const, bundleName: "shell", engineApi: 1 };
    const reported: string[] = [];
    const context = {
      log: (line: string) => void reported.push(line),
      signal: AbortSignal.abort(),
    };
    const embedded = await embedBundle(runtime, join(folder, "app"), { ota }, context);
    assert.ok(!embedded.ok && embedded.error.code === "cancelled", JSON.stringify(embedded));
    assert.deepEqual(reported, []);
  }));

test("the doctor asks for a release once, whatever platforms an app has", () =>
  withFolder(async (folder) => {
    const world = await open(folder);
    await world.publish("v1", V1);
    await world.build(V1);
    const project = join(folder, "project");
    cpSync(join(project, ASSETS), join(project, "ios/App/App/public"), { recursive: true });
    await world.publish("v2", V2);
    world.asked.length = 0;
    const { findings } = await world.doctor(["android", "ios"]);
    assert.deepEqual(findings.map(({ code }) => code), ["order", "order"]);
    assert.deepEqual(world.asked, ["release.json", "bundles/shell/v2/manifest.json"]);
  }));

test("a build whose updates are off asks nobody", () =>
  withFolder(async (folder) => {
    const world = await open(folder, { enabled: false });
    await world.publish("v1", V1);
    assert.equal((await world.build(V1)).version, "embedded");
    assert.deepEqual(world.asked, []);
  }));
