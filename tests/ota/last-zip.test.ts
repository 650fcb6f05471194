import assert from "node:assert/strict";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { streamOf } from "../../lib/archive/mod.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import type { PublishDependencies } from "../../lib/ota-publish/publish-request.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";

// PUB-26

const GAME: Tree = {
  "index.html": "<h1>game</h1>",
  "main.js": "ship.sail();\n".repeat(1_000),
  "engine.wasm": crypto.getRandomValues(new Uint8Array(1 << 16)).toString().repeat(5),
  "noise.bin": crypto.getRandomValues(new Uint8Array(5_000)),
  "sky.png": "blue".repeat(1_000),
};

/** Sizes of a file that is deflated in one piece, and of a sample of the engine. */
const FRESH = 4;

/** Publishes, and tells the sizes of what was deflated. */
async function publishCounting(
  { world, folder, store = false }: { world: OtaWorld; folder: string; store?: boolean },
  version: string,
  files: Tree = GAME,
  over: object = {},
): Promise<number[]> {
  const deflated: number[] = [];
  const { deflating } = world.runtime;
  const { local: _, ...stored } = world.bucket;
  const dependencies: Partial<PublishDependencies> = {
    packedFolder: join(folder, "user"),
    deflating: {
      ...deflating,
      deflate: (bytes, framing) => (deflated.push(bytes.length), deflating.deflate(bytes, framing)),
    },
    ...(store && { bucket: stored }),
  };
  const published = await world.publish(version, files, { ...dependencies, ...over });
  assert.ok(published.ok, JSON.stringify(published));
  await checkZip(world, join(folder, "bucket/bundles/shell", version));
  return deflated;
}

/** Every entry of a published zip is what its manifest says. */
async function checkZip(world: OtaWorld, version: string): Promise<void> {
  const { files } = JSON.parse(readFileSync(join(version, "manifest.json"), "utf8"));
  const path = join(version, "bundle.zip");
  const source = { files: world.runtime.files, path, size: statSync(path).size };
  const names: string[] = [];
  for await (const file of bundleFiles(source)) {
    const bytes = await new Response(streamOf(file.open())).arrayBuffer();
    assert.equal(await sha256Hex(new Uint8Array(bytes)), files[file.name].hash, file.name);
    names.push(file.name);
  }
  assert.deepEqual(names, Object.keys(files));
}

for (const store of [false, true]) {
  test(`publish() to ${store ? "a store" : "a folder"} deflates only what the last zip does not hold`, () =>
    withFolder(async (folder) => {
      const place = { world: await openOtaWorld(folder), folder, store };
      assert.equal((await publishCounting(place, "v1")).length, FRESH);
      assert.deepEqual(await publishCounting(place, "v2"), []);
      const main = "ship.sail(home);\n";
      assert.deepEqual(await publishCounting(place, "v3", { ...GAME, "main.js": main }), [
        main.length,
      ]);
      const kept = readdirSync(join(folder, "user")).map((name) => name.replace(/^\w+/, ""));
      assert.deepEqual(kept, store ? [".json", ".zip"] : [".json"]);
      const zip = (version: string) =>
        readFileSync(join(folder, "bucket/bundles/shell", version, "bundle.zip"));
      assert.deepEqual(zip("v1"), zip("v2"), "taken over, a zip is the same");
    }));
}

for (
  const [what, damage] of [
    ["a zip with bits that fell over", (zip: string) => {
      const bytes = readFileSync(zip);
      for (let at = 40; at < bytes.length; at += 5) bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(zip, bytes);
    }],
    [
      "a zip that is cut short",
      (zip: string) => writeFileSync(zip, readFileSync(zip).subarray(0, 30)),
    ],
    ["a zip that is another file", (zip: string) => writeFileSync(zip, "something else")],
    ["an index that is cut short", (_: string, index: string) => {
      writeFileSync(index, readFileSync(index).subarray(0, 300));
    }],
    ["an index that is no JSON", (_: string, index: string) => writeFileSync(index, "{")],
    ["an index in which somebody wrote", (_: string, index: string) => {
      const text = readFileSync(index, "utf8");
      writeFileSync(index, text.replace(/,(\d+),(\d+),/, (_, at, size) => `,${+at + 1},${size},`));
    }],
    ["an index that somebody made with another key", (_: string, index: string) => {
      writeFileSync(index, readFileSync(index, "utf8").replace(/"sig":"...../, '"sig":"AAAAA'));
    }],
  ] as const
) {
  test(`publish() with ${what} deflates again, and publishes what the manifest says`, () =>
    withFolder(async (folder) => {
      const place = { world: await openOtaWorld(folder), folder, store: true };
      await publishCounting(place, "v1");
      const user = join(folder, "user");
      const [index = "", zip = ""] = readdirSync(user).sort();
      damage(join(user, zip), join(user, index));
      assert.equal((await publishCounting(place, "v2")).length, FRESH);
      assert.deepEqual(await publishCounting(place, "v3"), [], "and it is kept again");
    }));
}

test("publish() under another key takes nothing over", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishCounting({ world, folder }, "v1");
    const over = {
      key: await generateKeyPair(),
      bucket: (await openOtaWorld(join(folder, "x"))).bucket,
    };
    const deflated: number[] = [];
    const { deflating } = world.runtime;
    const published = await world.publish("v1", GAME, {
      ...over,
      packedFolder: join(folder, "user"),
      deflating: {
        ...deflating,
        deflate: (
          bytes,
          framing,
        ) => (deflated.push(bytes.length), deflating.deflate(bytes, framing)),
      },
    });
    assert.ok(published.ok);
    assert.equal(deflated.length, FRESH);
  }));

test("publish() keeps no more than two gigabytes of zips, the oldest go first", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const sizes: Record<string, number> = { "old.zip": 1.5e9, "new.zip": 1e9 };
    const files = {
      ...world.runtime.files,
      stat: async (path: string) => {
        const stat = await world.runtime.files.stat(path);
        const size = sizes[path.slice(path.lastIndexOf("/") + 1)];
        return stat && size !== undefined ? { ...stat, size } : stat;
      },
    };
    await world.runtime.files.makeDirectory(join(folder, "user"));
    for (const [name, age] of [["old.zip", 2_000], ["new.zip", 1_000]] as const) {
      writeFileSync(join(folder, "user", name), "");
      utimesSync(join(folder, "user", name), Date.now() / 1e3 - age, Date.now() / 1e3 - age);
    }
    await publishCounting({ world, folder, store: true }, "v1", GAME, { files });
    assert.ok(!existsSync(join(folder, "user/old.zip")));
    assert.ok(existsSync(join(folder, "user/new.zip")));
    assert.equal(readdirSync(join(folder, "user")).length, 3);
  }));

test("publish() goes on where nothing can be kept", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    writeFileSync(join(folder, "user"), "a file, and no folder");
    assert.equal((await publishCounting({ world, folder }, "v1")).length, FRESH);
  }));

// PUB-36
test("publish() deflates again where another publish replaces the kept zip meanwhile", () =>
  withFolder(async (folder) => {
    const place = { world: await openOtaWorld(folder), folder, store: true };
    // Larger than a piece, which is read when its turn comes; and one that is deflated before it.
    const noise = [...crypto.getRandomValues(new Uint8Array(1 << 16))].join(" ");
    const game: Tree = { ...GAME, "main.js": noise.repeat(20) };
    await publishCounting(place, "v1", game);
    const { files } = place.world.runtime;
    const user = join(folder, "user");
    const zip = readdirSync(user).find((name) => name.endsWith(".zip")) ?? "";
    const { size } = statSync(join(user, zip));
    let looks = 0;
    const replacing: PublishDependencies["files"] = {
      ...files,
      readRange(path, at, length, buffer) {
        // Once all pieces were found to be right.
        if (path.endsWith(zip) && ++looks === Math.ceil(size / (256 * 1024)) + 1) {
          writeFileSync(path, "another");
        }
        return files.readRange(path, at, length, buffer);
      },
    };
    const deflated = await publishCounting(place, "v2", game, { files: replacing });
    assert.ok(deflated.length > 0);
    assert.deepEqual(await publishCounting(place, "v3", game), [], "and it is kept again");
  }));
