import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fail, ok } from "../../lib/core/result.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/mod.ts";
import { readRecord } from "../../lib/ota-format/release.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { dryRun } from "../../lib/ota-publish/dry-run.ts";
import type { PublishDependencies } from "../../lib/ota-publish/publish-request.ts";
import { openSeenSequence, type SeenSequence } from "../../lib/ota-publish/seen.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { refOf } from "../support/release-world.ts";

const GAME = { "index.html": "one", "game.js": "play()", "copy/of/index.html": "one" };

/** The request of a version that is not yet published. */
function requestFor({ key }: OtaWorld, dist: string, version: string) {
  return {
    dist,
    name: "shell",
    version,
    engineApi: 1,
    target: DEFAULT_TARGET,
    key,
    minSequence: 0,
  };
}

function release(world: OtaWorld) {
  const record = readRecord(readFileSync(join(world.folder, "bucket/release.json")));
  assert.ok(record.ok);
  return record.value;
}

// PUB-1, PUB-8
test("publish() lays out the bucket as the specification says", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const published = await world.publish("v1", GAME);
    assert.ok(published.ok);
    assert.equal(published.value.files.uploaded, 2, "equal files are stored once");
    const bucket = join(folder, "bucket");
    const version = join(bucket, "bundles/shell/v1");
    assert.deepEqual(readdirSync(bucket).sort(), ["bundles", "release.json", "releases"]);
    assert.deepEqual(readdirSync(version).sort(), ["bundle.zip", "files", "manifest.json"]);
    for (const hash of readdirSync(join(version, "files"))) {
      assert.equal(refOf(readFileSync(join(version, "files", hash), "utf8")).hash, hash);
    }
    const manifest = readFileSync(join(version, "manifest.json"), "utf8");
    const { sig, ...record } = release(world);
    assert.equal(typeof sig, "string");
    assert.deepEqual(record, {
      schema: 1,
      app: "default",
      channel: "production",
      sequence: 1,
      bundles: { shell: "v1" },
      manifests: { shell: refOf(manifest) },
      mandatory: false,
      minEngineApi: 1,
    });
    assert.deepEqual(JSON.parse(manifest).files["copy/of/index.html"], refOf("one"));
  }));

// PUB-4
test("publish() merges: other bundles, mandatory and minEngineApi stay unless they are given", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME, { mandatory: true, minEngineApi: 2, engineApi: 2 });
    await world.publish("v4", { "level.json": "{}" }, { name: "game" });
    const second = release(world);
    assert.deepEqual(second["bundles"], { shell: "v1", game: "v4" });
    assert.deepEqual([second["sequence"], second["mandatory"], second["minEngineApi"]], [
      2,
      true,
      2,
    ]);
    await world.publish("v2", { ...GAME, "index.html": "two" }, {
      mandatory: false,
      minEngineApi: 1,
    });
    const third = release(world);
    assert.deepEqual(third["bundles"], { shell: "v2", game: "v4" });
    assert.deepEqual([third["sequence"], third["mandatory"], third["minEngineApi"]], [3, false, 1]);
  }));

test("publish() copies inside the store what the released version holds", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME);
    const second = await world.publish("v2", { ...GAME, "index.html": "two" });
    assert.ok(second.ok);
    // The copy under copy/of/ still has the content of v1's index.html.
    assert.deepEqual([second.value.files.uploaded, second.value.files.copied], [1, 2]);
  }));

// PUB-2
test("publish() resumes the same version with the same content, and refuses other content", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME);
    rmSync(join(folder, "bucket/release.json"));
    rmSync(join(folder, "bucket/bundles/shell/v1/bundle.zip"));
    const again = await world.publish("v1", GAME);
    assert.ok(again.ok && again.value.resumed);
    assert.ok(existsSync(join(folder, "bucket/bundles/shell/v1/bundle.zip")));
    await world.publish("v7", { ...GAME, "index.html": "seven" });
    for (const other of [{ "index.html": "other" }, { ...GAME, extra: "" }]) {
      const refused = await world.publish("v1", other);
      assert.ok(!refused.ok);
      assert.equal(refused.error.code, "version-exists");
      assert.match(refused.error.next ?? "", /v8/, "the next free version");
    }
    const level = await world.publish("v1", GAME, { engineApi: 2 });
    assert.ok(!level.ok && level.error.code === "version-exists");
    assert.equal(release(world)["sequence"], 2, "a refusal changes nothing");
  }));

// PUB-37
test("publish() of what is released confirms it, and takes no other sequence", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const readBack = () => Promise.resolve({ code: "lagging", message: "the edge lags behind" });
    for (const version of ["v1", "v2"]) {
      const failed = await world.publish(version, { ...GAME, version }, { readBack });
      assert.ok(!failed.ok && failed.error.code === "read-back");
      const before = release(world);
      const dist = join(folder, `as-${version}`);
      writeTree(dist, { ...GAME, version });
      const planned = await dryRun(
        { ...world.runtime, bucket: world.bucket, workFolder: folder },
        requestFor(world, dist, version),
      );
      assert.equal(planned.ok && planned.value.sequence, before["sequence"]);
      rmSync(join(folder, `bucket/releases/${before["sequence"]}.json`)); // as older publishers left it
      const again = await world.publish(version, { ...GAME, version });
      assert.ok(again.ok && again.value.resumed);
      assert.equal(again.value.release.sequence, before["sequence"]);
      assert.deepEqual(release(world), before);
      assert.ok(existsSync(join(folder, `bucket/releases/${before["sequence"]}.json`)));
    }
    const mandatory = await world.publish("v2", { ...GAME, version: "v2" }, { mandatory: true });
    assert.ok(mandatory.ok);
    assert.equal(mandatory.value.release.sequence, 3, "that is another release");
    const confirmed = await world.publish("v2", { ...GAME, version: "v2" });
    assert.ok(confirmed.ok && confirmed.value.release.sequence === 3);
    assert.equal(confirmed.value.mandatoryFrom, 3, "nobody asked for it this time");
  }));

// PUB-32, PUB-37
test("publish() of what is released does not confirm it once a higher version is out", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", GAME)).ok);
    let isReleasing = false;
    let rival: Awaited<ReturnType<OtaWorld["publish"]>> | undefined;
    const slow: Bucket = {
      ...world.bucket,
      async read(key, maxBytes) {
        const found = await world.bucket.read(key, maxBytes);
        if (isReleasing) rival ??= await world.publish("v2", { ...GAME, version: "v2" });
        return found;
      },
    };
    const onStep = (step: string) => void (isReleasing ||= step === "release");
    const again = await world.publish("v1", GAME, { bucket: slow, onStep });
    assert.deepEqual([rival?.ok, !again.ok && again.error.code], [true, "superseded"]);
    assert.equal(release(world)["sequence"], 2);
  }));

test("publish() stops over a release that it cannot verify", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME);
    const path = join(folder, "bucket/release.json");
    const good = readFileSync(path, "utf8");
    const bad = [
      good.slice(0, -10),
      good.replace('"v1"', '"v2"'),
      "[]",
      "",
      " ".repeat(300 * 1024),
    ];
    for (const text of bad) {
      writeFileSync(path, text);
      const refused = await world.publish("v2", { a: "a" });
      assert.ok(!refused.ok, text.slice(0, 40));
      assert.ok(["invalid-release", "bucket"].includes(refused.error.code), refused.error.code);
      assert.equal(readFileSync(path, "utf8"), text);
    }
    writeFileSync(path, good);
    const otherKey = await world.publish("v2", { a: "a" }, { key: await generateKeyPair() });
    assert.ok(!otherKey.ok && otherKey.error.code === "invalid-release");
    const otherApp = await world.publish("v2", { a: "a" }, {
      target: { app: "other", channel: "production" },
    });
    assert.ok(!otherApp.ok && otherApp.error.code === "invalid-release");
  }));

// PUB-4
test("publish() says which release it took mandatory over from, and only then", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const kept: (number | undefined)[] = [];
    for (const [version, over] of [["v1", { mandatory: true }], ["v2", {}], ["v3", {}]] as const) {
      const published = await world.publish(version, GAME, over);
      assert.ok(published.ok);
      kept.push(published.value.mandatoryFrom);
    }
    const reported = await world.publish("v4", GAME, { mandatory: true });
    const ended = await world.publish("v5", GAME, { mandatory: false });
    const after = await world.publish("v6", GAME);
    for (const one of [reported, ended, after]) kept.push(one.ok ? one.value.mandatoryFrom : NaN);
    assert.deepEqual(kept, [undefined, 1, 2, undefined, undefined, undefined]);
  }));

// PUB-5
test("publish() stops when an older release was put back, or the release is gone", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME);
    const path = join(folder, "bucket/release.json");
    const first = readFileSync(path);
    await world.publish("v2", { a: "2" });
    writeFileSync(path, first);
    const put = await world.publish("v3", { a: "3" }, { minSequence: 2 });
    assert.ok(!put.ok && put.error.code === "rolled-back");
    rmSync(path);
    const gone = await world.publish("v3", { a: "3" }, { minSequence: 2 });
    assert.ok(!gone.ok && gone.error.code === "rolled-back");
  }));

test("publish() follows a link to the folder once, and reads all from there", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const name of ["one", "two"]) writeTree(join(folder, name), { "who.txt": name });
    const dist = join(folder, "latest");
    symlinkSync("one", dist);
    const published = await world.publish("v1", {}, {
      dist,
      onStep(step) {
        if (step !== "check") return;
        rmSync(dist);
        symlinkSync("two", dist);
      },
    });
    assert.ok(published.ok, JSON.stringify(published));
    const stored = join(folder, "bucket/bundles/shell/v1/files", refOf("one").hash);
    assert.equal(readFileSync(stored, "utf8"), "one");
    rmSync(dist);
    symlinkSync("nowhere", dist);
    const broken = await world.publish("v2", {}, { dist });
    assert.ok(!broken.ok && broken.error.code === "missing-folder");
  }));

const REFUSED = [
  ["no folder", null, "missing-folder"],
  ["no file", {}, "empty"],
  ["a name that climbs", { "a\\b": "x" }, "path"],
  ["a control character", { "a\nb": "x" }, "path"],
  ["a name not in NFC", { "cafe\u0301": "x" }, "path"],
  ["two names equal but for case", { A: "1", a: "2" }, "path"],
  ["two names equal but for the case of É", { "\u00c9": "1", "\u00e9": "2" }, "path"],
  ["__proto__", { ["__proto__"]: "x" }, "path"],
] as const;

for (const [what, files, code] of REFUSED) {
  test(`publish() refuses ${what} before a byte is sent`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const over = files === null ? { dist: join(folder, "nowhere") } : {};
      const refused = await world.publish(
        "v1",
        Object.fromEntries(Object.entries(files ?? {})),
        over,
      );
      assert.ok(!refused.ok);
      assert.equal(refused.error.code, code);
      assert.ok(!existsSync(join(folder, "bucket/bundles")));
    }));
}

test("publish() refuses a symbolic link and a FIFO by name", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const dist = join(folder, "linked");
    writeTree(dist, { "real.txt": "x" });
    symlinkSync("real.txt", join(dist, "link.txt"));
    const refused = await world.publish("v1", {}, { dist });
    assert.ok(!refused.ok && refused.error.code === "not-a-file");
    assert.match(refused.error.message, /link\.txt.*not a file: a symbolic link/);
    rmSync(join(dist, "link.txt"));
    assert.equal(spawnSync("mkfifo", [join(dist, "pipe.txt")]).status, 0);
    const piped = await world.publish("v1", {}, { dist });
    assert.match(piped.ok ? "" : piped.error.message, /pipe\.txt.*not a file: a FIFO/);
  }));

for (
  const [what, over] of [
    ["a bundle name", { name: "Shell" }],
    ["a version", { version: "1.0" }],
    ["an engine API", { engineApi: 0 }],
  ] as const
) {
  test(`publish() refuses ${what} that no record can hold`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const refused = await world.publish("v1", GAME, over);
      assert.ok(!refused.ok && refused.error.code === "bad-request");
    }));
}

test("publish() by several at once: every entry is whole, none is lost", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const names = ["shell", "game", "levels", "music"];
    const results = await Promise.all([
      ...names.map((name) => world.publish("v1", { ...GAME, who: name }, { name })),
      world.publish("v1", { ...GAME, who: "a rival" }, { name: "shell" }),
    ]);
    const shell = [results[0], results[4]];
    assert.equal(shell.filter((result) => result?.ok).length, 1, "one publisher owns a version");
    const { bundles, sequence } = release(world);
    const won = results.filter((result) => result.ok).length;
    assert.equal(won, 4);
    assert.deepEqual(Object.keys(Object(bundles)).sort(), [...names].sort());
    assert.equal(sequence, won);
    const device = world.device();
    for (const name of names) assert.equal((await world.check(device, { name })).result, "staged");
  }));

test("dryRun() plans and writes nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1", b: "22", c: "333" });
    await world.publish("v2", { a: "1", b: "22", c: "4444" });
    const dist = join(folder, "next");
    writeTree(dist, { a: "1", renamed: "22", d: "55555" });
    const plan = await dryRun(
      { ...world.runtime, bucket: world.bucket, workFolder: folder },
      requestFor(world, dist, "v3"),
    );
    assert.ok(plan.ok);
    const { newFiles, knownFiles, newBytes, sequence } = plan.value;
    assert.deepEqual([newFiles, knownFiles, newBytes, sequence], [1, 2, 5, 3]);
    const wayBytes = { delta: 5, zip: plan.value.zipBytes };
    const cost = { bytes: 5, requests: 1, wayBytes, downloadBytes: 5, downloadFiles: 1 };
    assert.deepEqual(plan.value.updates, [
      { from: "v2", way: "delta", ...cost },
      { from: "v1", way: "delta", ...cost },
    ]);
    assert.ok(!existsSync(join(folder, "bucket/bundles/shell/v3")));
  }));

// PUB-35
test("dryRun() that is given up says so, wherever it was", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "a.js": "a".repeat(5_000), b: "22" });
    const dist = join(folder, "next");
    writeTree(dist, { "a.js": "b".repeat(5_000), b: "22", c: "3" });
    const plan = (signal: AbortSignal, onRead: () => void) => {
      const read: typeof world.runtime.files.read = (path, ...rest) => {
        onRead();
        return world.runtime.files.read(path, ...rest);
      };
      const readChunks: typeof world.runtime.files.readChunks = (path, ...rest) => {
        onRead();
        return world.runtime.files.readChunks(path, ...rest);
      };
      const files = { ...world.runtime.files, read, readChunks };
      const bucket: Bucket = {
        ...world.bucket,
        keepsHeaders: true, // so that contents would be coded
        read(key, maxBytes) {
          onRead();
          return world.bucket.read(key, maxBytes);
        },
      };
      return dryRun(
        { ...world.runtime, files, bucket, workFolder: folder, signal },
        requestFor(world, dist, "v2"),
      );
    };
    let reads = 0;
    assert.ok((await plan(new AbortController().signal, () => reads++)).ok);
    assert.ok(reads > 6, `${reads} reads`);
    for (let at = 1; at <= reads; at++) {
      const abort = new AbortController();
      let met = 0;
      const stopped = await plan(abort.signal, () => {
        if (++met === at) abort.abort(new Error("Ctrl-C"));
      });
      assert.ok(!stopped.ok && stopped.error.code === "cancelled", `at ${at}`);
    }
  }));

test("dryRun() warns of what publish() warns of", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", { "index.html": "x" })).ok);
    const files = { "sw.js": "x", "a.js.map": "{}" };
    const dist = join(folder, "next");
    writeTree(dist, files);
    const [planned, published]: [string[], string[]] = [[], []];
    const plan = await dryRun({
      ...world.runtime,
      bucket: world.bucket,
      workFolder: folder,
      onWarning: ({ code }) => void planned.push(code),
    }, requestFor(world, dist, "v2"));
    assert.ok(plan.ok);
    const onWarning = ({ code }: { code: string }) => void published.push(code);
    assert.ok((await world.publish("v2", files, { onWarning })).ok);
    assert.deepEqual(planned, published);
    assert.deepEqual(planned, ["source-map", "service-worker", "no-entry-page"]);
  }));

test("publish() notices a file that changes after it was hashed", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const step of ["check", "upload"]) {
      const dist = join(folder, `dist-${step}`);
      writeTree(dist, { a: "one", b: "two" });
      const refused = await world.publish("v1", {}, {
        dist,
        onStep: (name) => {
          if (name === step) writeFileSync(join(dist, "b"), "TWO");
        },
      });
      assert.ok(!refused.ok && /changed while it was published/.test(refused.error.message));
    }
    assert.ok(!existsSync(join(folder, "bucket/release.json")));
  }));

test("publish() refuses a bucket that holds other bytes under a content's address", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const torn = join(folder, "bucket/bundles/shell/v1/files");
    writeTree(torn, { [refOf("one").hash]: "" });
    const refused = await world.publish("v1", { a: "one" });
    assert.ok(!refused.ok && refused.error.code === "bucket", JSON.stringify(refused));
  }));

test("publish() remembers a sequence as soon as it has seen it", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { memory, raised } = memoryOf();
    await world.publish("v1", GAME, { memory });
    const readBack = () => Promise.resolve({ code: "read-back", message: "not served" });
    await world.publish("v2", { a: "a" }, { memory, readBack });
    assert.deepEqual(raised, [0, 0, 1, 0, 1, 2]);
  }));

/** A memory that tells what it was given; `fails` says which of its writes fail. */

function memoryOf(fails: (sequence: number) => boolean = () => false): {
  readonly memory: SeenSequence;
  readonly raised: readonly number[];
} {
  const raised: number[] = [];
  const memory: SeenSequence = {
    path: "/me/ota-seen/1.json",
    read: () => Promise.resolve(ok(Math.max(0, ...raised))),
    raise(sequence) {
      raised.push(sequence);
      return fails(sequence)
        ? Promise.resolve(fail("memory", "The disk is full", "Make room"))
        : memory.read();
    },
  };
  return { memory, raised };
}

test("publish() whose memory fails is refused before a byte is written", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { memory } = memoryOf(() => true);
    let writes = 0;
    const bucket: Bucket = {
      ...world.bucket,
      proveConditions() {
        writes++;
        return Promise.resolve(ok(null));
      },
    };
    const refused = await world.publish("v1", GAME, { memory, bucket });
    assert.ok(!refused.ok && refused.error.code === "memory");
    assert.deepEqual([writes, existsSync(join(folder, "bucket"))], [0, false]);
    for (const damage of ["{", '{"schema":1}', '{"sequence":-1}']) {
      const target = { app: "default", channel: "production" };
      const real = await openSeenSequence(world.runtime, folder, { bucket: "b", target });
      writeTree(folder, { [real.path.slice(folder.length + 1)]: damage });
      const damaged = await world.publish("v1", GAME, { memory: real, bucket });
      assert.ok(!damaged.ok && damaged.error.code === "memory-damaged");
      assert.ok(damaged.error.message.includes(real.path), damaged.error.message);
      assert.match(damaged.error.next ?? "", /delete that file/);
    }
  }));

test("publish() whose memory fails when the release is out warns, reads back and succeeds", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { memory } = memoryOf((sequence) => sequence > 0);
    const warned: string[] = [];
    let readBacks = 0;
    const published = await world.publish("v1", GAME, {
      memory,
      onWarning: ({ code, message, next }) => void warned.push(`${code}: ${message}. ${next}`),
      readBack() {
        readBacks++;
        return Promise.resolve(null);
      },
    });
    assert.ok(published.ok);
    assert.equal(readBacks, 1);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? "", /^memory: shell v1 is published.*disk is full.*--min-sequence 1/);
  }));

test("publish() that is rolled back only by what is remembered names the file that remembers", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { memory } = memoryOf();
    await memory.raise(3);
    for (const [minSequence, named] of [[0, true], [2, true], [3, false], [9, false]] as const) {
      const refused = await world.publish("v1", GAME, { memory, minSequence });
      assert.ok(!refused.ok && refused.error.code === "rolled-back");
      assert.equal(refused.error.message.includes(memory.path), named, refused.error.message);
      assert.equal(/delete that file/.test(refused.error.next ?? ""), named);
    }
  }));

test("publish() that may go back to a version warns before it does", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const warned: string[] = [];
    const steps: string[] = [];
    const tell: Partial<PublishDependencies> = {
      onStep: (step) => void steps.push(step),
      onWarning({ code, message, next }) {
        warned.push(`${code}: ${message}. ${next}`);
        assert.ok(!steps.includes("release"), "while it can still be given up");
      },
    };
    for (const version of ["v2", "v10", "v10"]) {
      assert.ok((await world.publish(version, { a: version }, tell)).ok);
      steps.length = 0;
    }
    assert.ok((await world.publish("v1", GAME, { ...tell, name: "other" })).ok);
    assert.deepEqual(warned, []);
    steps.length = 0;
    const back = await world.publish("v2", { a: "v2" }, { ...tell, allowOlder: true });
    assert.ok(back.ok && back.value.resumed);
    assert.equal(warned.length, 1);
    assert.match(
      warned[0] ?? "",
      /^goes-back: shell goes back from v10 to v2:.*a version above v10/,
    );
    assert.deepEqual(release(world)["bundles"], { shell: "v2", other: "v1" });
  }));

// PUB-29
test("publish() refuses what looks private before it writes, unless it is allowed, and nothing else", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const files = [".env", "deep/.env.production", ".git/config", "app/release.jks", "a.pem"];
    const more = [".git/HEAD", "x/.envrc", "deploy.key"];
    const plain = [".nojekyll", ".well-known/x", "env.js", "my.env.json", "a.key.png", "github"];
    const all = Object.fromEntries([...files, ...more, ...plain].map((path) => [path, path]));
    const refused = await world.publish("v1", all);
    assert.ok(!refused.ok && refused.error.code === "private-file");
    assert.equal(
      refused.error.message,
      "Cannot publish shell v1: everybody could read .env (settings of one machine), " +
        ".git (a repository), a.pem (a private key), app/release.jks (a store of keys), " +
        "deep/.env.production (settings of one machine), deploy.key (a private key), " +
        "x/.envrc (settings of one machine), which looks private",
    );
    assert.match(refused.error.next ?? "", /--allow PATH/);
    assert.equal(existsSync(join(folder, "bucket")), false, "nothing was written");
    const allow = [".env", ".git/", "a.pem", "app", "deep/.env.production", "x"];
    const less = await world.publish("v1", all, { allow });
    assert.match(
      less.ok ? "" : less.error.message,
      /could read deploy\.key \(a private key\), which/,
    );
    assert.ok((await world.publish("v1", all, { allow: [...allow, "./deploy.key"] })).ok);
  }));

test("publish() refuses a build that has the device bridge (DEV-47)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const bridge = "runtime/device-bridge-X5ORW7EB.js";
    const refused = await world.publish("v1", { ...GAME, [bridge]: "" });
    assert.ok(!refused.ok && refused.error.code === "private-file");
    assert.match(refused.error.message, /X5ORW7EB\.js is the device bridge, through which/);
    assert.equal(existsSync(join(folder, "bucket")), false, "nothing was written");
    assert.ok((await world.publish("v1", { ...GAME, "device-bridge.js": "" })).ok);
  }));

// PUB-29
test("publish() refuses the key that signs, whatever its file is called, and allows it nowhere", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const key = JSON.stringify({ schema: 1, ...world.key });
    const refused = await world.publish("v1", { ...GAME, "data/harbor.json": key }, {
      allow: ["data"],
    });
    assert.ok(!refused.ok && refused.error.code === "private-file");
    assert.match(refused.error.message, /v1: data\/harbor\.json holds the private key/);
    assert.equal(existsSync(join(folder, "bucket")), false, "nothing was written");
    assert.ok((await world.publish("v1", { ...GAME, key: world.key.publicKey })).ok);
  }));

// PUB-29
test("publish() names ten of the places that look private", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`${i}.pem`, "x"]));
    const refused = await world.publish("v1", many);
    assert.match(
      refused.ok ? "" : refused.error.message,
      /could read 0\.pem \(.* and 4 more, which/,
    );
  }));

test("publish() warns of a lost entry page and of source maps, and goes on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const found: string[][] = [];
    for (
      const [i, files] of [{ a: "1" }, GAME, { a: "2", "a.js.map": "{}" }, { a: "3" }].entries()
    ) {
      const codes: string[] = [];
      const onWarning = ({ code }: { code: string }) => void codes.push(code);
      assert.ok((await world.publish(`v${i + 1}`, { ...files }, { onWarning })).ok);
      found.push(codes);
    }
    assert.deepEqual(found, [[], [], ["source-map", "no-entry-page"], []]);
  }));

test("publish() warns of service workers, and goes on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const found: string[] = [];
    const onWarning = ({ code, message }: { code: string; message: string }) =>
      void found.push(`${code}: ${message}`);
    for (
      const [i, path] of [
        "sw.js",
        "app/service-worker.js",
        "ngsw-worker.js",
        "registerSW.js",
        "a/sw.mjs",
        "answer.js",
        "sw.json",
        "my-sw.js",
      ].entries()
    ) {
      const version = `v${i + 1}`;
      assert.ok(
        (await world.publish(version, { "index.html": "x", [path]: version }, { onWarning })).ok,
      );
    }
    assert.deepEqual(
      found.map((one) => /^service-worker: .* holds (.*): in an app/.exec(one)?.[1]),
      [
        "sw.js",
        "app/service-worker.js",
        "ngsw-worker.js",
        "registerSW.js",
        "a/sw.mjs",
      ],
    );
  }));

test("publish() resumes a version whose zip another packer packed", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", GAME);
    const version = join(folder, "bucket/bundles/shell/v1");
    const manifest = JSON.parse(readFileSync(join(version, "manifest.json"), "utf8"));
    const zip = "packed by somebody else";
    const text = JSON.stringify({ ...manifest, bundleZip: refOf(zip) });
    writeFileSync(join(version, "manifest.json"), text);
    writeFileSync(join(version, "bundle.zip"), zip);
    const again = await world.publish("v1", GAME);
    assert.ok(again.ok && again.value.resumed);
    assert.deepEqual(again.value.manifest, refOf(text), "the release names what stands there");
    assert.equal(readFileSync(join(version, "bundle.zip"), "utf8"), zip);
    rmSync(join(version, "bundle.zip"));
    const without = await world.publish("v1", GAME);
    assert.ok(!without.ok && without.error.code === "zip-differs");
    const { bundleZip: _, ...plain } = manifest;
    writeFileSync(join(version, "manifest.json"), JSON.stringify(plain));
    assert.ok((await world.publish("v1", GAME)).ok, "a claim may name no zip");
  }));

test("publish() copies what any of the last versions holds", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "first", b: "b" });
    await world.publish("v2", { a: "second", b: "b" });
    const back = await world.publish("v3", { a: "first", b: "b" });
    assert.ok(back.ok);
    assert.deepEqual([back.value.files.uploaded, back.value.files.copied], [0, 2]);
  }));

test("publish() that is given up says so, and resumes", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const step of ["hash", "check", "upload"]) {
      const abort = new AbortController();
      const onStep = (begun: string) => {
        if (begun === step) abort.abort(new Error("Ctrl-C"));
      };
      const stopped = await world.publish("v1", GAME, { onStep, signal: abort.signal });
      assert.ok(!stopped.ok && stopped.error.code === "cancelled", step);
      assert.ok(!existsSync(join(folder, "bucket/release.json")));
    }
    assert.ok((await world.publish("v1", GAME)).ok);
  }));

// PUB-14
test("publish() stops before the first write at a store that ignores a condition", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const careless: Bucket = {
      ...world.bucket,
      proveConditions: () => Promise.resolve(fail("unsupported", "It ignores If-None-Match")),
    };
    const refused = await world.publish("v1", GAME, { bucket: careless });
    assert.ok(!refused.ok && refused.error.code === "unsafe-store");
    assert.ok(!existsSync(join(folder, "bucket")));
  }));

// PUB-3
test("publish() gives the release up after five tries, and says so", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    let tries = 0;
    const busy: Bucket = {
      ...world.bucket,
      put(key, body, options) {
        if (key !== "release.json") return world.bucket.put(key, body, options);
        tries++;
        return Promise.resolve(ok("lost"));
      },
    };
    const slept: number[] = [];
    const clock = {
      ...world.runtime.clock,
      sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
    };
    const lost = await world.publish("v1", GAME, { bucket: busy, clock });
    assert.ok(!lost.ok && lost.error.code === "release-race");
    assert.equal(tries, 5);
    assert.equal(slept.length, 4, "nothing is waited for after the last try");
    for (const [i, ms] of slept.entries()) {
      const base = 100 * 2 ** i;
      assert.ok(ms >= base / 2 && ms <= base * 1.5, `${ms} is not ${base}, give or take`);
    }
    assert.match(lost.error.message, /5 times/);
  }));

// PUB-9
test("publish() warns of cross-origin rules and goes on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const answers: readonly [Awaited<ReturnType<Bucket["allowCrossOrigin"]>>, readonly string[]][] =
      [
        [ok({ kind: "ready" }), []],
        [ok({ kind: "set" }), []],
        [ok({ kind: "unsure", message: "Others' rules", next: "Add GET" }), ["Others' rules"]],
        [fail("denied", "May not look"), ["May not look"]],
      ];
    for (const [i, [answer, expected]] of answers.entries()) {
      const bucket: Bucket = { ...world.bucket, allowCrossOrigin: () => Promise.resolve(answer) };
      const warned: string[] = [];
      const onWarning = ({ message }: { message: string }) => void warned.push(message);
      assert.ok((await world.publish(`v${i + 1}`, GAME, { bucket, onWarning })).ok);
      assert.deepEqual(warned, expected);
    }
  }));

test("publish() suggests a version that is free, also when the listing lags behind", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const version of ["v1", "v2", "v3"]) await world.publish(version, { a: version });
    const lagging: Bucket = { ...world.bucket, list: () => Promise.resolve(ok(["v1"])) };
    const refused = await world.publish("v1", { a: "other" }, { bucket: lagging });
    assert.ok(!refused.ok && refused.error.code === "version-exists");
    assert.match(refused.error.next ?? "", /publish as v4$/);
  }));

test("publish() to a file where a folder should be says what is in the way", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    writeFileSync(join(folder, "bucket"), "not a folder");
    const refused = await world.publish("v1", GAME);
    assert.ok(!refused.ok && refused.error.code === "bucket");
    assert.doesNotMatch(refused.error.message, /hard links/);
  }));
