import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Manifest } from "../../lib/ota-format/manifest.ts";
import { contentPath } from "../../lib/ota-format/layout.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { withResolvers } from "../support/with-resolvers.ts";

/** Twenty small files, of which each version has its own. */
function files(version: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`data/${i}.txt`, `${version} ${i}`]),
  );
}

/** A phone with v1 staged, and v2 published. */
async function openUpdate(folder: string): Promise<OtaWorld> {
  const world = await openOtaWorld(folder);
  await world.publish("v1", files("v1"));
  const device = world.device();
  assert.equal((await world.check(device)).result, "staged");
  for (let boot = 0; boot < 2; boot++) {
    await device.launch({ name: "shell" });
    await device.confirmLaunch({ name: "shell" });
  }
  await world.publish("v2", { ...files("v2"), "kept.txt": "kept" });
  return world;
}

function manifestOf(folder: string, version: string): Manifest & { readonly text: string } {
  const path = join(folder, "bucket/bundles/shell", version, "manifest.json");
  const text = readFileSync(path, "utf8");
  return { ...JSON.parse(text), text };
}

/** A delta that downloads everything. */
function deltaOf(folder: string) {
  const { text, files } = manifestOf(folder, "v2");
  const download = Object.entries(files).map(([path, { hash }]) => ({
    path,
    url: `https://cdn.example/${contentPath("shell", "v2", hash)}`,
  }));
  return { name: "shell", version: "v2", manifest: text, base: "v1", copy: [], download };
}

test("a delta's files are downloaded side by side, six at most", () =>
  withFolder(async (folder) => {
    const world = await openUpdate(folder);
    let running = 0;
    let most = 0;
    const six = withResolvers();
    const device = world.device({
      async fetch(url) {
        most = Math.max(most, ++running);
        if (running === 6) six.resolve();
        await six.promise;
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        const below = url.slice("https://cdn.example/".length);
        return new Response(readFileSync(join(folder, "bucket", below)));
      },
    });
    assert.deepEqual(await device.stageUpdateDelta(deltaOf(folder)), { ok: true });
    assert.equal(most, 6);
  }));

test("one file that cannot be had ends the downloads of the others at once", () =>
  withFolder(async (folder) => {
    const world = await openUpdate(folder);
    const delta = deltaOf(folder);
    let asked = 0;
    let aborted = 0;
    const others = withResolvers();
    const device = world.device({
      async fetch(url, init) {
        if (url === delta.download[3]?.url) {
          await others.promise;
          return new Response("", { status: 404 });
        }
        if (++asked === 5) others.resolve();
        return await new Promise((_, reject) =>
          init?.signal?.addEventListener("abort", () => {
            aborted++;
            reject(init.signal?.reason);
          })
        );
      },
    });
    const staged = await device.stageUpdateDelta(delta);
    assert.ok(!staged.ok && staged.code === "missing", JSON.stringify(staged));
    assert.match(staged.detail, /404/);
    assert.equal(aborted, 5);
    assert.deepEqual(readdirSync(join(folder, "phone/.staging")), []);
  }));

for (const way of ["whole", "delta"] as const) {
  // DEV-11
  test(`staging ${way} needs the bytes of its manifest, to the byte`, () =>
    withFolder(async (folder) => {
      const world = await openUpdate(folder);
      const { text, files, bundleZip } = manifestOf(folder, "v2");
      const sizes = Object.values(files).reduce((sum, { size }) => sum + size, 0);
      const needed = sizes + (way === "whole" ? bundleZip?.size ?? 0 : 0);
      const zipUrl = "https://cdn.example/bundles/shell/v2/bundle.zip";
      const stage = (free: number) => {
        const device = world.device({
          files: { ...world.runtime.files, freeSpace: () => Promise.resolve(free) },
          fetch: (url) =>
            Promise.resolve(
              new Response(readFileSync(join(folder, "bucket", new URL(url).pathname))),
            ),
        });
        return way === "whole"
          ? device.stageUpdate({ name: "shell", version: "v2", manifest: text, zipUrl })
          : device.stageUpdateDelta(deltaOf(folder));
      };
      const before = world.requests.length;
      const short = await stage(needed - 1);
      assert.ok(!short.ok && short.code === "disk-full", JSON.stringify(short));
      assert.match(short.detail, new RegExp(`needs ${needed} bytes, ${needed - 1} are free`));
      assert.equal(world.requests.length, before, "nothing was asked for");
      assert.deepEqual(await stage(needed), { ok: true });
    }));
}

for (const [way, moment] of [["whole", "rename"], ["delta", "read"]] as const) {
  test(`staging ${way} ends when it is given up while it puts files in place`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const many = Array.from({ length: 40 }, (_, i) => [`f${i}`, `${i}`]); // more than go at once
      await world.publish("v1", Object.fromEntries(many));
      const { text, files } = manifestOf(folder, "v1");
      const abort = new AbortController();
      const real = world.runtime.files;
      const giveUp = () => abort.abort(new Error("enough"));
      const device = world.device({
        embedded: join(folder, "dist-1"),
        signal: abort.signal,
        files: {
          ...real,
          [moment]: (...all: [string, number, number]) => {
            if (way === "whole" || all[0].includes("dist-1")) giveUp();
            return Reflect.apply(real[moment], real, all);
          },
        },
        fetch: () =>
          Promise.resolve(
            new Response(readFileSync(join(folder, "bucket/bundles/shell/v1/bundle.zip"))),
          ),
      });
      const target = { name: "shell", version: "v1", manifest: text };
      const staged = way === "whole"
        ? await device.stageUpdate({ ...target, zipUrl: "https://cdn.example/bundle.zip" })
        : await device.stageUpdateDelta({
          ...target,
          base: "embedded",
          copy: Object.keys(files).map((path) => ({ from: path, path })),
          download: [],
        });
      assert.ok(!staged.ok && staged.code === "cancelled", JSON.stringify(staged));
      assert.deepEqual(readdirSync(join(folder, "phone/.staging")), []);
    }));
}
