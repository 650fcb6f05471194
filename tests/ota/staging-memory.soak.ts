import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import process from "node:process";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { withFolder } from "../support/folder.ts";
import { scriptCommand } from "../support/script.ts";
import { hashOf } from "./content-world.ts";

const FILES = 20_000;
const MOST_KIB = 200 * 1024;

/** The most memory that a process had, in KiB; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

test("a delta of 20,000 files takes at most 200 MiB, the runtime's own included", {
  skip: process.platform !== "linux" && "only Linux tells of another process",
}, () =>
  withFolder(async (folder) => {
    const embedded = join(folder, "embedded");
    const files: Record<string, { hash: string; size: number }> = {};
    for (let i = 0; i < FILES; i++) {
      const path = `assets/${i % 100}/name-of-an-asset-${i}.json`;
      if (i < 100) mkdirSync(join(embedded, `assets/${i}`), { recursive: true });
      const bytes = Buffer.from(`${i} `.repeat(200));
      writeFileSync(join(embedded, path), bytes);
      files[path] = { hash: hashOf(bytes), size: bytes.length };
    }
    const identity = { schema: 1, name: "shell", version: "v1", engineApi: 1 } as const;
    const request = join(folder, "request.json");
    writeFileSync(
      request,
      JSON.stringify({
        name: "shell",
        version: "v1",
        manifest: serializeManifest({ ...identity, files }),
        base: "embedded",
        copy: Object.entries(files).map(([path, { hash }]) => ({
          from: path,
          path,
          url: `https://cdn.example/bundles/shell/v1/files/${hash}`,
        })),
        download: [],
      }),
    );
    const [command, words] = scriptCommand("../tests/ota/phone-process", [
      join(folder, "phone"),
      embedded,
      request,
    ]);
    const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    let peak = 0;
    child.stdout.on("data", (chunk) => printed += chunk);
    const looking = setInterval(() => peak = Math.max(peak, peakOf(child.pid ?? 0)), 20);
    await new Promise((resolve) => child.on("close", resolve));
    clearInterval(looking);
    assert.deepEqual(JSON.parse(printed), { ok: true });
    assert.ok(peak > 0 && peak < MOST_KIB, `${peak} KiB`);
  }));
