import type { Failure, Result } from "../../core/result.ts";
import { SharedWork } from "../../core/shared-work.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { Reported } from "./probe.ts";

/** Lifetime of a failure, in milliseconds: its fix may leave the program's file unchanged. */
const BRIEF_MS = 5_000;

interface Entry {
  readonly asked: SharedWork<Result<Reported, Failure>>;
  /** Time on the monotonic clock; infinite while the answer is awaited, and for most good ones. */
  staleAt: number;
}

/**
 * Answers of programs, kept until the program changes or the cache is cleared. A caller that asks while
 * a program is running waits for the same answer.
 */
export class ProbeCache {
  readonly #deps: Pick<ToolchainDeps, "files" | "clock">;
  readonly #entries = new Map<string, Entry>();

  /** An empty cache. */
  constructor(deps: Pick<ToolchainDeps, "files" | "clock">) {
    this.#deps = deps;
  }

  /**
   * Returns the answer of the program at `path`; calls `ask` if it is not known.
   *
   * @param options.beside Further input of the answer, in addition to the program's file.
   * @param options.isBrief Whether files decide the answer that are not compared, such as those by which a
   * version manager selects: then a good answer lives no longer than a failure.
   * @param options.signal Ends this wait; the program is stopped once no caller waits for it.
   */
  async answer(
    path: string,
    ask: (signal: AbortSignal) => Promise<Result<Reported, Failure>>,
    { beside = "", isBrief = false, signal }: {
      readonly beside?: string;
      readonly isBrief?: boolean;
      readonly signal?: AbortSignal | undefined;
    } = {},
  ): Promise<Result<Reported, Failure>> {
    const { clock } = this.#deps;
    const key = await identity(path, beside, this.#deps);
    signal?.throwIfAborted();
    const known = this.#entries.get(key);
    const believed = known !== undefined && !known.asked.abandoned &&
      clock.monotonic() < known.staleAt;
    if (believed) return await known.asked.wait(signal);
    const entry: Entry = {
      staleAt: Infinity,
      asked: new SharedWork(async (ending) => {
        try {
          const answer = await ask(ending);
          if (isBrief || !answer.ok) entry.staleAt = clock.monotonic() + BRIEF_MS;
          return answer;
        } catch (thrown) {
          if (this.#entries.get(key) === entry) this.#entries.delete(key);
          throw thrown;
        }
      }),
    };
    this.#entries.set(key, entry);
    return await entry.asked.wait(signal);
  }

  /** Forgets everything (FIND-13). */
  clear(): void {
    this.#entries.clear();
  }
}

/** Another file behind the same name is another program: path, target, time and size together. */
async function identity(
  path: string,
  beside: string,
  { files }: Pick<ToolchainDeps, "files">,
): Promise<string> {
  const real = (await files.realPath(path)) ?? path;
  const stat = await files.stat(real);
  return JSON.stringify([path, real, stat?.mtimeMs, stat?.size, beside]);
}
