import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";

/** A clock that stands still. */
export const stillClock: Clock = {
  now: () => 1_700_000_000_000,
  monotonic: () => 0,
  sleep: () => Promise.resolve(),
};

/** A folder with these files, for as long as `use` runs. Values that are no text become JSON. */
export async function withFolder(
  content: Readonly<Record<string, unknown>>,
  use: (root: string, files: Files) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "slipway-editor-"));
  try {
    for (const [path, value] of Object.entries(content)) {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      const isRaw = typeof value === "string" || value instanceof Uint8Array;
      writeFileSync(target, isRaw ? value : JSON.stringify(value));
    }
    await use(root, createFiles());
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
