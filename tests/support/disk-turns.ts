import type { Files, WriteOptions } from "../../lib/ports/files.ts";

/**
 * Writes a file a few times, so that work that is under way gets its turns on the disk: a test that
 * holds one side back shows in this way that the other side waits for it.
 *
 * @param path A file of its own, beside what is tested; removed again.
 * @param options Synced where the other side's work is: that takes longer.
 */
export async function takeDiskTurns(
  files: Pick<Files, "write" | "remove">,
  path: string,
  options?: WriteOptions,
): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await files.write(path, Uint8Array.of(turn), options);
  }
  await files.remove(path);
}
