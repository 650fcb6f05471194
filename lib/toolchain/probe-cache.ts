import type { Failure, Result } from "../core/result.ts";
import type { ToolchainDeps } from "./ports.ts";

/** How long a failure is believed, in milliseconds: what cures it may leave the file as it is. */
const FAILURE_MS = 5_000;

/** What programs answered, kept until the program changes or the cache is cleared. */
export interface ProbeCache {
  /** The answer of the program at `path`, asked by `ask` when it is not known. */
  answer(
    path: string,
    ask: () => Promise<Result<string, Failure>>,
  ): Promise<Result<string, Failure>>;
  /** Forgets everything (spec §3.3). */
  clear(): void;
}

interface Entry {
  readonly asked: Promise<Result<string, Failure>>;
  /** On the monotonic clock; infinite while the answer is awaited or good. */
  staleAt: number;
}

/** Creates an empty cache. Who asks while a program is being asked waits for the same answer. */
export function createProbeCache(deps: Pick<ToolchainDeps, "files" | "clock">): ProbeCache {
  const entries = new Map<string, Entry>();
  return {
    async answer(path, ask) {
      const key = await identity(path, deps);
      const known = entries.get(key);
      if (known !== undefined && deps.clock.monotonic() < known.staleAt) return known.asked;
      const entry: Entry = { asked: ask(), staleAt: Infinity };
      entries.set(key, entry);
      try {
        const answer = await entry.asked;
        if (!answer.ok) entry.staleAt = deps.clock.monotonic() + FAILURE_MS;
        return answer;
      } catch (thrown) {
        if (entries.get(key) === entry) entries.delete(key);
        throw thrown;
      }
    },
    clear: () => entries.clear(),
  };
}

/** Another file behind the same name is another program: path, target, time and size together. */
async function identity(
  path: string,
  { files }: Pick<ToolchainDeps, "files">,
): Promise<string> {
  const real = (await files.realPath(path)) ?? path;
  const stat = await files.stat(real);
  return JSON.stringify([path, real, stat?.mtimeMs, stat?.size]);
}
