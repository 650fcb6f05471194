import assert from "node:assert/strict";
import { test } from "node:test";
import { Flushing } from "../../adapters/node/flushing.ts";

const MIB = 1024 * 1024;

/** A file whose syncs end when they are told to. */
function slowFile() {
  const running: { end(): void; fail(error: Error): void }[] = [];
  let count = 0;
  return {
    running,
    begun: () => count,
    datasync() {
      count++;
      return new Promise<void>((end, fail) => running.push({ end, fail }));
    },
  };
}

test("a long file is synced every 16 MiB while it is written, one sync at a time", async () => {
  const file = slowFile();
  const flushing = new Flushing(file);
  for (let written = 1; written < 16; written++) flushing.add(MIB);
  assert.equal(file.begun(), 0);
  flushing.add(MIB);
  assert.equal(file.begun(), 1);
  for (let written = 0; written < 40; written++) flushing.add(MIB);
  assert.equal(file.begun(), 1, "the next one waits for the first");
  file.running.shift()?.end();
  await flushing.end();
  flushing.add(1);
  assert.equal(file.begun(), 2);
  file.running.shift()?.end();
  await flushing.end();
});

test("an error of an early sync stops the next write, and is thrown again at the end", async () => {
  const file = slowFile();
  const flushing = new Flushing(file);
  flushing.add(16 * MIB);
  const ended = flushing.end();
  file.running.shift()?.fail(new Error("the disk is full"));
  await assert.rejects(ended, /the disk is full/);
  assert.throws(() => flushing.add(1), /the disk is full/);
  await assert.rejects(flushing.end(), /the disk is full/);
});
