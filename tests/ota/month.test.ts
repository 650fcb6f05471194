import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { refOf } from "../support/release-world.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { isNative } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { type Binary, MonthPhone, type Trouble } from "./month-phone.ts";

// A month of a game: twelve builds and what goes wrong in the field. Every day each phone is started
// once; what it serves is looked at, and at the end every phone is on the newest build.

const seed = runSeed();
const PHONES = isNative ? rounds(1, 2) : rounds(2, 6);
const DAY_MS = 86_400_000;

type Files = Readonly<Record<string, string>>;

for (let month = 0; month < rounds(1, isNative ? 4 : 60); month++) {
  test(`month ${month + 1}: no phone is stuck, taken back unasked, or fetches twice`, () =>
    withFolder(async (folder) => {
      const reported: string[] = [];
      try {
        await play(await openOtaWorld(folder), seededRandom(seed + month), reported);
      } catch (thrown) {
        const said = reported.join("; ");
        throw new Error(`SLIPWAY_SEED=${seed + month}: ${said}`, { cause: thrown });
      }
    }));
}

async function play(world: OtaWorld, random: Random, reported: string[]): Promise<void> {
  const builds = makeBuilds(random);
  const released: Uint8Array<ArrayBuffer>[] = [];
  const first = binaryOf("1", { "index.html": "in the store" });
  const phones = Array.from(
    { length: PHONES },
    () => new MonthPhone(world, { random, builds, binary: first }),
  );
  let isDatePassed = false;
  const starts = (version: string) => version !== "v4" && !(version === "v10" && isDatePassed); // v10 breaks by a date

  const publish = async (version: string, over = {}) => {
    const before = await world.bucket.read("release.json", 1 << 18);
    if (before.ok && before.value !== null) released.push(before.value.bytes);
    const done = await world.publish(version, filesOf(builds, version), over);
    reported.push(`publish ${version}: ${done.ok ? "released" : done.error.code}`);
    return done;
  };
  const days = async (count: number, troubled = true) => {
    for (let day = 0; day < count; day++) {
      for (const [at, phone] of phones.entries()) {
        const trouble = troubled ? drawTrouble(random, released) : { title: "" };
        const result = await phone.day(trouble, starts);
        reported.push(`phone ${at + 1} ${trouble.title} ${result} ${await phone.active()}`);
      }
    }
  };

  for (const version of ["v1", "v2", "v3", "v4"]) {
    assert.ok((await publish(version)).ok);
    await days(2);
  }
  await days(3);
  await removeAll(world.bucket, ["release.json"]); // lost, and its log is there
  assert.ok((await publish("v5")).ok);
  await days(2);
  assert.ok((await publish("v6")).ok);
  await days(2);
  assert.ok((await publish("v7")).ok);
  await days(2);
  const second = binaryOf("2", filesOf(builds, "v8"), "v8"); // in the store before it is released
  for (const phone of phones) phone.install(second);
  reported.push("the store brings binary 2");
  await days(2);
  assert.ok((await publish("v8")).ok);
  await days(1);
  await suspend(world, publish);
  await days(4);
  isDatePassed = true;
  await days(8);
  await loseAll(world, publish);
  await days(2);
  assert.ok((await publish("v12")).ok);
  await days(2);
  await days(4, false);
  for (const phone of phones) {
    assert.equal(await phone.active(), "v12");
    phone.assertBytes();
  }
}

type Publish = (version: string, over?: object) => ReturnType<OtaWorld["publish"]>;

/** A publisher of v9 is suspended before its release, and goes on after v10 was released. */
async function suspend(world: OtaWorld, publish: Publish): Promise<void> {
  let resume = () => {};
  const gate = new Promise<void>((resolve) => resume = resolve);
  let reached = () => {};
  const isSuspended = new Promise<void>((resolve) => reached = resolve);
  const bucket: Bucket = {
    ...world.bucket,
    async put(key, body, options) {
      if (key === "bundles/shell/v9/bundle.zip" || key.startsWith("releases/")) {
        reached();
        await gate;
      }
      return await world.bucket.put(key, body, options);
    },
  };
  const slow = publish("v9", { bucket });
  await isSuspended;
  assert.ok((await publish("v10")).ok);
  resume();
  const outcome = await slow;
  assert.equal(outcome.ok ? "released" : outcome.error.code, "superseded");
}

/** Releases and their log are lost, and nobody remembers them. */
async function loseAll(world: OtaWorld, publish: Publish): Promise<void> {
  const names = await world.bucket.list("releases");
  assert.ok(names.ok);
  await removeAll(world.bucket, ["release.json", ...names.value.map((name) => `releases/${name}`)]);
  const refused = await publish("v11");
  assert.equal(refused.ok ? "released" : refused.error.code, "no-release");
  const again = await publish("v11", { first: true });
  assert.ok(again.ok, JSON.stringify(again));
}

async function removeAll(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (const key of keys) assert.ok((await bucket.remove(key)).ok);
}

/** Twelve builds: a large asset that few change, a small one that each does. */
function makeBuilds(random: Random): ReadonlyMap<string, Files> {
  const text = (bytes: number) =>
    Array.from({ length: bytes }, () => String.fromCharCode(33 + random.below(90))).join("");
  let music = text(1_500_000);
  let level = text(400_000);
  const builds = new Map<string, Files>();
  for (let number = 1; number <= 12; number++) {
    if (random.below(4) === 0) music = text(1_500_000);
    if (random.below(2) === 0) level = text(400_000);
    const version = `v${number}`;
    const script = `start("${version}"); // ${text(20_000)}`;
    builds.set(version, {
      "index.html": `<script src="game.js"></script> ${version}`,
      "game.js": script,
      "music.txt": music,
      "level.txt": level,
    });
  }
  return builds;
}

function filesOf(builds: ReadonlyMap<string, Files>, version: string): Files {
  const files = builds.get(version);
  assert.ok(files, version);
  return files;
}

/** An app binary with a bundle in it. */
function binaryOf(number: string, files: Files, version = "embedded"): Binary {
  const manifest = {
    schema: 1,
    name: "shell",
    version,
    engineApi: 1,
    sequence: 0,
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, refOf(text)])),
  };
  const all = { ...files, "ota-embedded-manifest.json": JSON.stringify(manifest) };
  return {
    version: number,
    holds: version === "embedded" ? 0 : Number(version.slice(1)),
    files: Object.fromEntries(Object.entries(all).map(([path, text]) => [path, encodeUtf8(text)])),
  };
}

/** What goes wrong today; on half of the days nothing does. */
function drawTrouble(random: Random, released: readonly Uint8Array<ArrayBuffer>[]): Trouble {
  const at = 1 + random.below(120);
  const when = random.below(2) === 0 ? "before" : "after";
  const older = released[random.below(Math.max(1, released.length))];
  switch (random.below(12)) {
    case 0:
    case 1:
      return { title: `killed ${when} ${at}`, fault: { kind: "power", at, when } };
    case 2: {
      const forever = random.below(2) === 0;
      return { title: `full disk from ${at}`, fault: { kind: "full", at, when, forever } };
    }
    case 3:
      return { title: "a clock of long ago", clockOff: -9_000 * DAY_MS };
    case 4:
      return { title: "a clock far ahead", clockOff: 9_000 * DAY_MS };
    case 5:
      return older === undefined ? { title: "" } : {
        title: "a lagging edge",
        network: (fetch) => (url, init) =>
          url.endsWith("/release.json") ? Promise.resolve(new Response(older)) : fetch(url, init),
      };
    case 6:
      return { title: "soft 404s", leavesWay: true, network: softly(random) };
    default:
      return { title: "" };
  }
}

/** An edge whose rule for single pages answers some files with a page. */
function softly(random: Random): (fetch: Fetch) => Fetch {
  const isChunked = random.below(2) === 0;
  const page = encodeUtf8(`<!doctype html>${"<p>Welcome</p>".repeat(140)}`);
  return (fetch) => (url, init) => {
    if (!url.includes("/files/")) return fetch(url, init);
    const body = isChunked ? new Blob([page]).stream() : page;
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/html" } }));
  };
}
