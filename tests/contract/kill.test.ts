import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withFolder } from "../support/folder.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { soaking } from "../support/rounds.ts";

// A process that is killed at any moment leaves the old file or the new one. What a power cut
// leaves cannot be tested here; that the bytes are synced before the rename is read off the code.

const onDeno = "Deno" in globalThis;
const SIZES = [50_000, 120_000, 400_000];

/** Writes generation after generation, each filled with its number, and says so. */
function writerScript(): string {
  const adapter = new URL(`../../adapters/node/files.${onDeno ? "ts" : "js"}`, import.meta.url);
  return `
    import { createFiles } from ${JSON.stringify(adapter.href)};
    import process from "node:process";
    const files = createFiles();
    const [path, first] = process.argv.slice(2);
    const sizes = ${JSON.stringify(SIZES)};
    for (let n = Number(first);; n = (n + 1) % 256) {
      await files.writeAtomic(path, new Uint8Array(sizes[n % sizes.length]).fill(n));
      process.stdout.write(".");
    }`;
}

/** Starts the writer, kills it so many milliseconds after its first write, and waits for its end. */
function writeUntilKilled(script: string, args: readonly string[], afterMs: number): Promise<void> {
  const runtime = onDeno ? ["run", "-A", "--no-check", script] : [script];
  const child = spawn(process.execPath, [...runtime, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => complaint += chunk);
  return new Promise((resolve, reject) => {
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), afterMs));
    child.stdout.resume();
    child.on("error", reject);
    child.on("close", (_, signal) => {
      if (signal === "SIGKILL") resolve();
      else reject(new Error(`The writer ended by itself: ${complaint}`));
    });
  });
}

test("Files.writeAtomic() leaves one whole generation when its process is killed", async (t) => {
  const seed = runSeed();
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  await withFolder(async (folder) => {
    const script = join(folder, "writer.mjs");
    const path = join(folder, "file");
    writeFileSync(script, writerScript());
    let last = 0;
    for (let round = 0; round < (soaking ? 300 : 10); round++) {
      await writeUntilKilled(script, [path, String(last)], random.next() * 40);
      assert.ok(existsSync(path), `seed ${seed}, round ${round}: the file is gone`);
      const bytes = readFileSync(path);
      last = bytes[0] ?? 0;
      const mixed = bytes.findIndex((byte) => byte !== last);
      assert.equal(mixed, -1, `seed ${seed}, round ${round}: another generation at ${mixed}`);
      assert.equal(bytes.length, SIZES[last % SIZES.length], `seed ${seed}, round ${round}`);
    }
  });
});
