import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  openPartials,
  type PartialContent,
  type PartialDependencies,
  removeOldPartials,
  removeOtherPartials,
} from "../../lib/ota-device/partial.ts";
import { type NamedContent, stageFailure } from "../../lib/ota-device/transfer.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

const BYTES = randomBytes(700_000);
const OTHER = randomBytes(700_000);
const HALF = 300_000;

function contentOf(bytes: Uint8Array): NamedContent {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { hash, size: bytes.length, label: "art/a.bin" };
}

/** A phone with an empty `.partial`. */
function withPhone(work: (phone: PartialDependencies, lying: () => string[]) => Promise<void>) {
  return withFolder(async (root) => {
    const { files, hashing } = await loadRuntime();
    mkdirSync(join(root, ".partial"));
    await work({ files, hashing, root }, () => readdirSync(join(root, ".partial")));
  });
}

/** What the next process finds of a content. */
async function opened(
  phone: PartialDependencies,
  bytes: Uint8Array,
): Promise<PartialContent> {
  return await (await openPartials(phone)).open(contentOf(bytes));
}

/** A process that ends in the middle. */
async function begin(phone: PartialDependencies, of: Uint8Array, bytes: Uint8Array): Promise<void> {
  const partial = await opened(phone, of);
  await partial.append(bytes);
  await partial.flush();
}

for (
  const [what, bytes] of [
    ["of a few bytes", BYTES.subarray(0, 100)],
    ["of many", BYTES],
    ["that is empty", new Uint8Array()],
  ] as const
) {
  test(`a content ${what} is fetched in one process, or in two (DEV-20)`, () =>
    withPhone(async (phone) => {
      const half = bytes.length >> 1;
      const first = await opened(phone, bytes);
      assert.equal(first.from, 0);
      await first.append(bytes);
      assert.ok(await first.finish());
      assert.deepEqual(new Uint8Array(readFileSync(first.path)), new Uint8Array(bytes));
      await phone.files.remove(first.path);

      await begin(phone, bytes, bytes.subarray(0, half));
      const second = await opened(phone, bytes);
      assert.equal(second.from, half);
      await second.append(bytes.subarray(half));
      assert.ok(await second.finish());
      assert.deepEqual(new Uint8Array(readFileSync(second.path)), new Uint8Array(bytes));
    }));
}

test("a finished content that was not put in place is finished again without a byte (DEV-21)", () =>
  withPhone(async (phone) => {
    const first = await opened(phone, BYTES);
    await first.append(BYTES);
    assert.ok(await first.finish());
    const partials = await openPartials(phone);
    assert.equal(partials.bytesOf(contentOf(BYTES)), BYTES.length);
    const second = await partials.open(contentOf(BYTES));
    assert.equal(second.from, BYTES.length);
    assert.ok(await second.finish());
    assert.equal(partials.bytesOf(contentOf(OTHER)), 0);
  }));

test("a kill costs less than 256 KiB of what was received", () =>
  withPhone(async (phone) => {
    const killed = await opened(phone, BYTES);
    for (let at = 0; at < BYTES.length - 1000; at += 1000) {
      await killed.append(BYTES.subarray(at, at + 1000));
    }
    const { from } = await opened(phone, BYTES);
    assert.ok(from > BYTES.length - 1000 - 256 * 1024, `${from}`);
  }));

for (
  const [what, lying, from] of [
    ["other bytes", OTHER.subarray(0, HALF), HALF],
    ["a hole that a power cut left", new Uint8Array(HALF), HALF],
    ["no bytes", new Uint8Array(), 0],
    ["too many bytes", randomBytes(BYTES.length + 1), 0],
  ] as const
) {
  test(`${what} under a content's name are never content, and it is begun anew (DEV-20)`, () =>
    withPhone(async (phone, names) => {
      await begin(phone, BYTES, BYTES.subarray(0, HALF));
      const [name = ""] = names();
      writeFileSync(join(phone.root, ".partial", name), lying);
      const partials = await openPartials(phone);
      const partial = await partials.open(contentOf(BYTES));
      assert.equal(partial.from, from);
      await partial.append(BYTES.subarray(from));
      assert.equal(await partial.finish(), from === 0);
      if (from === 0) return;
      assert.deepEqual(names(), []);
      const anew = await partials.open(contentOf(BYTES));
      assert.equal(anew.from, 0);
      await anew.append(BYTES);
      assert.ok(await anew.finish());
    }));
}

for (
  const [what, bytes, code] of [
    ["other", OTHER, "hash-mismatch"],
    ["fewer", BYTES.subarray(1), "size-mismatch"],
    ["more", Buffer.concat([BYTES, OTHER]), "size-mismatch"],
  ] as const
) {
  test(`a server's ${what} bytes are ${code}, and nothing is left`, () =>
    withPhone(async (phone, names) => {
      const partial = await opened(phone, BYTES);
      const receive = async () => {
        await partial.append(bytes);
        return await partial.finish();
      };
      const outcome = await receive().catch(stageFailure);
      assert.ok(typeof outcome === "object" && outcome.code === code, JSON.stringify(outcome));
      assert.match(outcome.detail, /^art\/a\.bin has /);
      assert.deepEqual(names(), []);
    }));
}

test("two processes at one content never append to one file: the later has it (DEV-20)", () =>
  withPhone(async (phone) => {
    const earlier = await opened(phone, BYTES);
    await earlier.append(BYTES.subarray(0, HALF));
    const later = await opened(phone, BYTES);
    assert.equal(later.from, HALF);
    await earlier.append(BYTES.subarray(HALF));
    await later.append(BYTES.subarray(HALF));
    assert.equal(await earlier.finish(), false);
    assert.ok(await later.finish());
    assert.deepEqual(readFileSync(later.path), BYTES);
  }));

test("what nobody wrote to since goes, and for room all that is not needed", () =>
  withPhone(async (phone, names) => {
    await begin(phone, BYTES, BYTES.subarray(0, HALF));
    const [old = ""] = names();
    utimesSync(join(phone.root, ".partial", old), 0, 0);
    await begin(phone, OTHER, OTHER.subarray(0, HALF));
    await removeOldPartials(phone, 0);
    assert.equal(names().length, 2);
    await removeOldPartials(phone, 1);
    assert.deepEqual(names().filter((name) => name === old), []);
    assert.equal(names().length, 1);
    const kept = (await openPartials(phone)).pathOf(contentOf(OTHER));
    assert.ok(kept);
    writeFileSync(`${kept.slice(0, -24)}${"0".repeat(24)}`, OTHER.subarray(0, HALF / 2));
    await removeOtherPartials(phone, new Set([kept]));
    assert.deepEqual(names(), [basename(kept)], "one content, one file");
    await removeOtherPartials(phone, new Set());
    assert.deepEqual(names(), []);
  }));
