import type { Files, WriteOptions } from "../../lib/ports/files.ts";

/**
 * Writes a file a few times, so that concurrent work gets its turns on the disk. A test that holds
 * one side back proves in this way that the other side waits for it.
 *
 * @param path A file that nothing else uses, beside the tested ones; removed again.
 * @param options Synced if the other side's work is: that takes longer.
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
