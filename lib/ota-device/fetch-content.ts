import type { ContentRef } from "../ota-format/mod.ts";
import { openDownload } from "./download.ts";
import type { Staging } from "./staging.ts";
import { StageError } from "./transfer.ts";

/** Tries to fetch a content: its earlier bytes may be wrong, or another process may take it. */
const MOST_BEGINNINGS = 3;

/**
 * Fetches a content into `.partial`, from where an earlier process stopped (DEV-20). After a
 * failure the received bytes stay there.
 *
 * @returns Its file, synced, with the right size and hash.
 */
export async function fetchContent(
  { dependencies, partials }: Pick<Staging, "dependencies" | "partials">,
  { path, ref, url }: { readonly path: string; readonly ref: ContentRef; readonly url: string },
  { onBytes, onRestart }: {
    /** Called with the count of new bytes, and of those from an earlier process. */
    readonly onBytes: (count: number) => void;
    /** Given the bytes that have to be fetched besides, for counts only grow (DEV-16). */
    readonly onRestart: (count: number) => void;
  },
): Promise<string> {
  for (let begun = 1; begun <= MOST_BEGINNINGS; begun++) {
    const partial = await partials.open({ ...ref, label: path });
    if (partial.from > 0) onBytes(partial.from);
    try {
      if (partial.from < ref.size) {
        const body = openDownload(dependencies, url, ref, partial.from);
        await body.pipeTo(
          new WritableStream({
            async write(chunk) {
              await partial.append(chunk);
              onBytes(chunk.length);
            },
          }),
        );
      }
    } catch (thrown) {
      await partial.flush().catch(() => undefined); // the first error is thrown
      throw thrown;
    }
    if (await partial.finish()) return partial.path;
    onRestart(ref.size);
  }
  throw new StageError("io", `${path} was changed by another process while it was fetched`);
}
