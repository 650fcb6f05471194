import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { OtaProgress } from "../../lib/ota-format/native.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import { createFaultFiles } from "../support/fault-files.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";
import { launch, launched, makeActive, update } from "../support/phone-life.ts";
import { stride } from "../support/rounds.ts";
import { until } from "../support/until.ts";

const V1: Tree = {
  "index.html": "one",
  "game.js": "play()",
  "art/a.bin": randomBytes(300_000), // does not deflate: the whole bundle costs what it holds
};
const V2: Tree = {
  ...V1,
  "index.html": "two",
  "art/moved.bin": V1["art/a.bin"] ?? "",
  "art/new.bin": "new",
};
const V3: Tree = { ...V2, "index.html": "three" };

function textsOf(tree: Tree): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).map((
      [path, body],
    ) => [path, typeof body === "string" ? body : Buffer.from(body).toString("latin1")]),
  );
}

test("device stages a whole bundle, then a delta of it, and holds exactly the files", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await makeActive(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v1")), textsOf(V1));
    assert.ok(world.requests.includes("bundles/shell/v1/bundle.zip"));

    world.requests.length = 0;
    await world.publish("v2", V2);
    const progress: OtaProgress[] = [];
    const listening = await device.addListener("otaProgress", (event) => progress.push(event));
    await update(world, device);
    await listening.remove();
    assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), textsOf(V2));
    const downloads = world.requests.filter((path) => path.includes("/files/"));
    assert.equal(downloads.length, 2, "index.html and art/new.bin; the rest is copied");
    assert.ok(!world.requests.some((path) => path.endsWith("bundle.zip")));
    for (const [i, event] of progress.entries()) {
      const before = progress[i - 1];
      assert.equal(event.bytesTotal, 6);
      assert.ok(
        before === undefined ||
          (event.bytesDone >= before.bytesDone && event.filesDone >= before.filesDone),
      );
    }
    assert.deepEqual([progress.at(-1)?.bytesDone, progress.at(-1)?.filesDone], [6, 5]);
  }));

test("device tells the story of a good and of a broken version", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    assert.equal(await launch(device), "embedded");
    await world.publish("v1", V1);
    await makeActive(world, device);
    assert.equal(await launch(device), "v1");
    await world.publish("v2", V2);
    await update(world, device);
    assert.deepEqual([await launch(device), await launch(device), await launch(device)], [
      "v2",
      "v2",
      "v2",
    ]);
    assert.equal(await launch(device), "v1");
    assert.equal((await world.check(device)).result, "version-rejected");
    await world.publish("v3", V3);
    await makeActive(world, device);
    assert.equal(await launch(device), "v3");
    assert.deepEqual(
      readdirSync(join(folder, "phone/shell")).sort(),
      ["v1", "v3"],
      "the previous good one is kept, v2 is not",
    );
  }));

test("confirmBoot() counts a token once, and only of the launch that it was given to", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await update(world, device);
    const first = await device.launch({ name: "shell" });
    for (const token of ["", "x", first.token, first.token]) {
      await device.confirmBoot({ name: "shell", token });
    }
    assert.deepEqual((await device.getState({})).state?.confirmedBoots, { shell: 1 });
    await device.launch({ name: "shell" });
    await device.confirmBoot({ name: "shell", token: first.token });
    assert.deepEqual((await device.getState({})).state?.confirmedBoots, { shell: 1 });
  }));

test("launch() with another binary starts afresh, and quarantine survives", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await device.launch({ name: "shell", binaryVersion: "1" });
    await world.publish("v1", V1);
    await makeActive(world, device);
    assert.equal(
      launched((await device.launch({ name: "shell", binaryVersion: "2" })).target),
      "embedded",
    );
    assert.deepEqual((await device.getState({})).state, { lastSeenBinaryVersion: "2" });
  }));

for (const damage of ["", "{", "[]", '{"active":{"shell":"../x"}}', '{"rejected":1}']) {
  // DEV-5
  test(`a state.json of ${JSON.stringify(damage)} boots embedded; quarantine and floor survive`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device();
      await world.publish("v1", V1);
      await update(world, device);
      for (let i = 0; i < 4; i++) await launch(device);
      writeFileSync(join(folder, "phone/state.json"), damage);
      assert.equal(await launch(device), "embedded");
      assert.equal((await world.check(device)).result, "version-rejected");
      assert.deepEqual((await device.getState({})).sequence, { "default/production": 1 });
    }));
}

test("a replayed release is refused, also by a fresh install with a newer binary", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const old = readFileSync(join(folder, "bucket/release.json"));
    await world.publish("v2", V2);
    const device = world.device();
    await update(world, device);
    writeFileSync(join(folder, "bucket/release.json"), old);
    const replayed = await world.check(device);
    assert.equal(replayed.result, "signature-invalid");
    writeTree(join(folder, "binary"), textsOf(V2));
    await embedManifest(world.runtime, {
      dist: join(folder, "binary"),
      name: "shell",
      engineApi: 1,
      version: "v2",
      target: { app: "default", channel: "production" },
      sequence: 2,
    });
    const fresh = world.device({ root: join(folder, "fresh"), embedded: join(folder, "binary") });
    assert.equal((await world.check(fresh)).result, "signature-invalid");
  }));

// DEV-14
test("the embedded bundle is a base: only what changed is fetched", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const embedded = join(folder, "binary");
    writeTree(embedded, V1);
    await embedManifest(world.runtime, {
      dist: embedded,
      name: "shell",
      engineApi: 1,
      target: { app: "default", channel: "production" },
      sequence: 0,
    });
    await world.publish("v2", V2);
    const device = world.device({ embedded });
    await update(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), textsOf(V2));
    assert.ok(!world.requests.some((path) => path.endsWith("bundle.zip")));
  }));

test("a base whose file was changed is no base: the whole bundle is fetched", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await makeActive(world, device);
    writeFileSync(join(folder, "phone/shell/v1/game.js"), "evil");
    await world.publish("v2", V2);
    await update(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), textsOf(V2));
  }));

// DEV-7
// DEV-6
test("a folder without its mark is not booted, told, built upon or activated", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const root = join(folder, "phone");
    writeTree(root, {
      "state.json": JSON.stringify({ active: { shell: "v1" }, pending: { shell: "v2" } }),
      "shell/v1/index.html": "half",
      "shell/v2/index.html": "half",
    });
    const device = world.device();
    assert.deepEqual((await device.launch({ name: "shell" })).target, { kind: "embedded" });
    assert.deepEqual((await device.getState({})).state, {});
    assert.equal((await device.getState({})).staged?.["shell"], undefined);
    assert.deepEqual(await device.readManifest?.({ name: "shell", version: "v1" }), {
      manifest: null,
    });
    const activated = await device.activate({ name: "shell", version: "v2" });
    assert.equal(activated.ok ? "ok" : activated.code, "invalid");
  }));

test("a damaged folder that nothing uses is staged again; one in use is never touched", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await update(world, device);
    await device.revert({ name: "shell" });
    writeFileSync(join(folder, "phone/shell/v1/game.js"), "torn");
    await update(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v1")), textsOf(V1));
    writeFileSync(join(folder, "phone/shell/v1/game.js"), "torn");
    const manifest = readFileSync(join(folder, "bucket/bundles/shell/v1/manifest.json"), "utf8");
    const again = await device.stageUpdate({
      name: "shell",
      version: "v1",
      manifest,
      zipUrl: "https://cdn.example/x",
    });
    assert.ok(!again.ok && again.code === "damaged");
    assert.ok(existsSync(join(folder, "phone/shell/v1/index.html")));
  }));

// DEV-7
test("a damaged version that is activated while its files are read is not moved aside", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await update(world, world.device());
    await world.device().revert({ name: "shell" });
    writeFileSync(join(folder, "phone/shell/v1/game.js"), "torn");
    const { files } = world.runtime;
    const asked = { name: "shell", version: "v1" };
    let activated: unknown;
    const device = world.device({
      files: {
        ...files,
        async read(path, maxBytes) {
          const isRead = path.endsWith("/v1/game.js") && activated === undefined;
          if (isRead) activated = await device.activate(asked);
          return await files.read(path, maxBytes);
        },
      },
    });
    const manifest = readFileSync(join(folder, "bucket/bundles/shell/v1/manifest.json"), "utf8");
    const request = { ...asked, manifest, zipUrl: "https://cdn.example/x" };
    const staged = await device.stageUpdate(request);
    assert.deepEqual(activated, { ok: true });
    assert.ok(!staged.ok && staged.code === "damaged");
    assert.ok(existsSync(join(folder, "phone/.complete/shell@v1.json")));
    assert.ok(existsSync(join(folder, "phone/shell/v1/index.html")));
  }));

const HOSTILE = [
  ["a file with other bytes of the same size", (body: string) => body.replace(/./s, "#")],
  ["a file that is longer", (body: string) => `${body}x`],
  ["a file that is shorter", (body: string) => body.slice(1)],
] as const;

for (const [what, change] of HOSTILE) {
  test(`staging refuses ${what}, and nothing is left`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device();
      await world.publish("v1", V1);
      await makeActive(world, device);
      await world.publish("v2", V2);
      const files = join(folder, "bucket/bundles/shell/v2/files");
      for (const name of readdirSync(files)) {
        const path = join(files, name);
        const body = readFileSync(path, "latin1");
        rmSync(path); // contents are hard links of v1's
        writeFileSync(path, change(body), "latin1");
      }
      rmSync(join(folder, "bucket/bundles/shell/v2/bundle.zip")); // which would do instead
      const check = await world.check(device);
      assert.equal(check.result, "stage-failed");
      assert.equal(await launch(device), "v1");
      assert.ok(!existsSync(join(folder, "phone/shell/v2")));
      assert.deepEqual((await device.getState({})).state?.pending, undefined);
    }));
}

for (
  const [what, change] of [
    ...HOSTILE,
    ["a file that is not there", null],
  ] as const
) {
  // CHECK-7
  test(`a delta with ${what} becomes the whole bundle`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device();
      await world.publish("v1", V1);
      await makeActive(world, device);
      await world.publish("v2", V2);
      const files = join(folder, "bucket/bundles/shell/v2/files");
      for (const name of readdirSync(files)) {
        const path = join(files, name);
        const body = readFileSync(path, "latin1");
        rmSync(path);
        if (change !== null) writeFileSync(path, change(body), "latin1");
      }
      await update(world, device);
      assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), textsOf(V2));
    }));
}

// DIFF-4
test("many small files that changed are fetched as the whole bundle, in one request", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    const files = (version: string) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.txt`, `${version} ${i}`]));
    await world.publish("v1", files("v1"));
    await makeActive(world, device);
    await world.publish("v2", files("v2"));
    world.requests.length = 0;
    await update(world, device);
    assert.deepEqual(world.requests, [
      "release.json",
      "bundles/shell/v2/manifest.json",
      "bundles/shell/v2/bundle.zip",
    ]);
  }));

// DEV-27
test("a base of which more is lost than the whole bundle costs is none: no file is fetched alone", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`${i}.bin`, randomBytes(1000)]),
    );
    await world.publish("v1", { ...files, "index.html": "one" });
    await makeActive(world, device);
    for (let i = 0; i < 20; i++) {
      writeFileSync(join(folder, `phone/shell/v1/${i}.bin`), randomBytes(1000));
    }
    await world.publish("v2", { ...files, "index.html": "two" });
    world.requests.length = 0;
    await update(world, device);
    const contents = world.requests.filter((path) => path.includes("/files/"));
    assert.ok(contents.length <= 1, "index.html, which may have been asked for meanwhile");
    assert.ok(world.requests.includes("bundles/shell/v2/bundle.zip"));
    assert.deepEqual(
      treeOf(join(folder, "phone/shell/v2")),
      textsOf({ ...files, "index.html": "two" }),
    );
  }));

// DIFF-3
test("content of any version that lies on the device is copied, quarantined or previous", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await makeActive(world, device);
    const art = { "art/next.bin": randomBytes(300_000) };
    await world.publish("v2", { ...V2, ...art });
    await update(world, device);
    for (let boot = 0; boot < 4; boot++) await launch(device);
    assert.deepEqual((await device.getState({})).rejected, { shell: ["v2"] });
    await world.publish("v3", { ...V3, ...art });
    world.requests.length = 0;
    await update(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v3")), textsOf({ ...V3, ...art }));
    assert.equal(world.requests.filter((path) => path.includes("/files/")).length, 1);
  }));

test("the embedded manifest is read once, whatever is asked of the device", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const embedded = join(folder, "binary");
    writeTree(embedded, V1);
    const target = { app: "default", channel: "production" };
    const built = { dist: embedded, name: "shell", engineApi: 1, target, sequence: 7 };
    await embedManifest(world.runtime, built);
    const { files } = world.runtime;
    let reads = 0;
    const read: typeof files.read = (path, ...rest) => {
      if (path.startsWith(embedded)) reads++;
      return files.read(path, ...rest);
    };
    const device = world.device({ embedded, files: { ...files, read } });
    for (let check = 0; check < 3; check++) {
      const { sequence, embedded: versions } = await device.getState({});
      assert.deepEqual(sequence, { "default/production": 7 });
      assert.deepEqual(versions, { shell: "embedded" });
      await device.acceptSequence({ ...target, sequence: 7 });
    }
    assert.equal(reads, 1);
  }));

// DEV-19
test("a phone with little room removes a quarantined version for the next one", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const held = () =>
      ["v1", "v2", "v3"].filter((version) => existsSync(join(folder, "phone/shell", version)));
    const capacity = 1_300_000; // two versions and what one takes while it is staged
    const freeSpace = () => Promise.resolve(capacity - 600_000 * held().length);
    const link = (path: string) =>
      Promise.reject(new FileError("denied", path, "This disk shares nothing"));
    const device = world.device({ files: { ...world.runtime.files, freeSpace, link } });
    await world.publish("v1", V1);
    await makeActive(world, device);
    await world.publish("v2", V2);
    await update(world, device);
    for (let boot = 0; boot < 4; boot++) await launch(device);
    await world.publish("v3", V3);
    await update(world, device);
    assert.deepEqual(held(), ["v1", "v3"]);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v3")), textsOf(V3));
    assert.equal(await launch(device), "v3");
  }));

// DEV-18
test("a copy that is not what it should be is fetched alone", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await makeActive(world, device);
    writeFileSync(join(folder, "phone/shell/v1/game.js"), "evil");
    await world.publish("v2", V2);
    world.requests.length = 0;
    const progress: OtaProgress[] = [];
    await device.addListener("otaProgress", (event) => progress.push(event));
    await update(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), textsOf(V2));
    assert.equal(world.requests.filter((path) => path.includes("/files/")).length, 3);
    assert.ok(!world.requests.some((path) => path.endsWith("bundle.zip")));
    const last = progress.at(-1);
    assert.equal(last?.bytesDone, last?.bytesTotal);
  }));

test("staging refuses a request that does not fit its manifest", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", V1);
    await makeActive(world, device);
    await world.publish("v2", V2);
    const manifest = readFileSync(join(folder, "bucket/bundles/shell/v2/manifest.json"), "utf8");
    const request = { name: "shell", version: "v2", manifest, base: "v1", download: [] };
    const paths = Object.keys(V2);
    for (
      const copy of [
        [],
        paths.slice(1).map((path) => ({ from: "game.js", path })),
        paths.map(() => ({ from: "game.js", path: "game.js" })),
        paths.map((path) => ({ from: "../../../state.json", path })),
      ]
    ) {
      const staged = await device.stageUpdateDelta({ ...request, copy });
      assert.ok(!staged.ok && staged.code === "invalid", JSON.stringify(staged));
    }
    const other = await device.stageUpdate({
      ...request,
      version: "v3",
      zipUrl: "https://cdn.example/x",
    });
    assert.ok(!other.ok && other.code === "invalid");
  }));

test("staging gives up when the disk has no room", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const files = { ...world.runtime.files, freeSpace: () => Promise.resolve(1000) };
    const device = world.device({ files });
    await world.publish("v1", V1);
    const check = await world.check(device);
    assert.ok(
      check.result === "stage-failed" && check.detail.startsWith("disk-full: "),
      JSON.stringify(check),
    );
  }));

test("staging gives up on a server that sends nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const { clock } = world.runtime;
    const patience = {
      ...clock,
      sleep: (_ms: number, signal?: AbortSignal) => clock.sleep(1, signal),
    };
    const hanging = () =>
      new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const device = world.device({
      clock: patience,
      fetch: () => Promise.resolve(new Response(hanging())),
    });
    const manifest = readFileSync(join(folder, "bucket/bundles/shell/v1/manifest.json"), "utf8");
    const staged = await device.stageUpdate({
      name: "shell",
      version: "v1",
      manifest,
      zipUrl: "https://cdn.example/z",
    });
    assert.ok(!staged.ok && staged.code === "download", JSON.stringify(staged));
  }));

const EVERY = stride(3);
for (const forever of [false, true]) {
  // DEV-1, DEV-6
  test(`a disk that fails at any one change${forever ? " and ever after" : ""} leaves a device that boots`, async () => {
    let points = 0;
    for (let failAt = 1;; failAt += EVERY) {
      let reached = 0;
      await withFolder(async (folder) => {
        const world = await openOtaWorld(folder);
        await world.publish("v1", { "index.html": "one", "a/b.js": "b" });
        await makeActive(world, world.device());
        await world.publish("v2", { "index.html": "two", "a/b.js": "b" });
        const { files, changes } = createFaultFiles(world.runtime.files, { failAt, forever });
        const faulty = world.device({ files });
        await world.check(faulty);
        const target = await launch(faulty);
        await faulty.confirmLaunch({ name: "shell" }).catch(() => undefined);
        reached = changes();
        // Whatever failed: what was served is whole, nothing was credited that did not boot.
        assert.ok(target === "v1" || target === "v2", target);
        const { state } = await world.device().getState({});
        assert.equal(state?.active?.["shell"], "v1");
        assert.deepEqual(state?.rejected, undefined);
        const confirms = state?.confirmedBoots?.["shell"] ?? 0;
        assert.ok(confirms === 0 || (confirms === 1 && target === "v2"));
        const healthy = world.device();
        const next = await launch(healthy);
        const served = join(folder, "phone/shell", next);
        assert.deepEqual(Object.keys(treeOf(served)).sort(), ["a/b.js", "index.html"]);
        const check = await world.check(healthy);
        assert.ok(["staged", "up-to-date"].includes(check.result), JSON.stringify(check));
      });
      if (reached < failAt) break;
      points++;
    }
    assert.ok(points * EVERY > 30, `only ${points} points were reached`);
  });
}

// DEV-1
test("launch() never throws, even when nothing can be read", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    mkdirSync(join(folder, "phone/state.json"), { recursive: true });
    mkdirSync(join(folder, "phone/launch.json"), { recursive: true });
    assert.equal(await launch(world.device()), "embedded");
    const broken = () => Promise.reject(new Error("I/O error"));
    const files = { ...world.runtime.files, read: broken, stat: broken, writeAtomic: broken };
    assert.equal(await launch(world.device({ files })), "embedded");
  }));

// DEV-15
test("a boot is confirmed while a staging still downloads, whole or delta", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await world.publish("v2", V2);
    const abort = new AbortController();
    const hanging = () =>
      new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const device = world.device({
      fetch: () => Promise.resolve(new Response(hanging())),
      signal: abort.signal,
    });
    const manifest = readFileSync(join(folder, "bucket/bundles/shell/v2/manifest.json"), "utf8");
    const paths = Object.keys(V2);
    const staging = device.stageUpdateDelta({
      name: "shell",
      version: "v2",
      manifest,
      base: "v1",
      copy: [],
      download: paths.map((path) => ({ path, url: "https://cdn.example/x" })),
    });
    const put = join(folder, "phone/.staging");
    await until("the update is being staged", () => existsSync(put));
    assert.equal(await launch(device), "v1");
    assert.ok(existsSync(put), "a launch does not sweep what is being staged");
    await device.confirmLaunch({ name: "shell" });
    abort.abort();
    const staged = await staging;
    assert.ok(!staged.ok, "it would still be waiting otherwise");
  }));

test("a launch that was not recorded is confirmed by nobody, here or in a later process", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await world.publish("v2", V2);
    const device = world.device();
    await update(world, device);
    assert.equal(await launch(device), "v2"); // and crashes
    for (const after of [false, true]) {
      const { files } = world.runtime;
      const writeAtomic: typeof files.writeAtomic = async (path, body, options) => {
        if (!path.endsWith("state.json")) return await files.writeAtomic(path, body, options);
        if (after) await files.writeAtomic(path, body, options);
        throw new Error("the disk fails before or after the effect");
      };
      const faulty = world.device({ files: { ...files, writeAtomic } });
      const { target, token } = await faulty.launch({ name: "shell" });
      assert.equal(launched(target), "v1");
      assert.equal((await faulty.getState({})).launch?.version, "v1");
      await faulty.confirmBoot({ name: "shell", token });
      await faulty.confirmLaunch({ name: "shell" });
      const later = world.device();
      await later.confirmLaunch({ name: "shell" });
      assert.equal((await later.getState({})).state?.confirmedBoots, undefined);
    }
  }));

for (const record of ["guard.json", "state.json", "launch.json"]) {
  // DEV-10
  test(`a ${record} that cannot be read is not written over, and says so`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", V1);
      await makeActive(world, world.device());
      await world.publish("v2", V2);
      await update(world, world.device());
      const root = join(folder, "phone");
      const before = readFileSync(join(root, record), "utf8");
      const { files } = world.runtime;
      const read: typeof files.read = (path, ...rest) =>
        path.endsWith(record) ? Promise.reject(new Error("EMFILE")) : files.read(path, ...rest);
      const faulty = world.device({ files: { ...files, read } });
      const { token } = await faulty.launch({ name: "shell", binaryVersion: "2" });
      const sequence = { app: "default", channel: "production", sequence: 9 };
      const outcomes = await Promise.allSettled([
        faulty.acceptSequence(sequence),
        faulty.confirmBoot({ name: "shell", token }),
        faulty.revert({ name: "shell" }),
        faulty.activate({ name: "shell", version: "v1" }),
        faulty.activate({ name: "shell", version: "v1", mandatory: true }),
        faulty.getState({}),
      ]);
      const reported = outcomes.map((one) =>
        one.status === "rejected" || (one.value instanceof Object && "code" in one.value)
      );
      const expected = {
        "guard.json": [true, false, false, false, false, true],
        "state.json": [false, false, true, true, true, true],
        "launch.json": [false, false, false, false, true, false],
      }[record];
      assert.deepEqual(reported, expected);
      assert.equal(readFileSync(join(root, record), "utf8"), before);
    }));
}
