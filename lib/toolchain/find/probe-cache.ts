import type { Failure, Result } from "../../core/result.ts";
import { SharedWork } from "../../core/shared-work.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { Told } from "./probe.ts";

/** How long a failure is believed, in milliseconds: what cures it may leave the file as it is. */
const FAILURE_MS = 5_000;

interface Entry {
  readonly asked: SharedWork<Result<Told, Failure>>;
  /** On the monotonic clock; infinite while the answer is awaited or good. */
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
   * The answer of the program at `path`, asked by `ask` when it is not known.
   *
   * @param options.beside What the answer depends on besides the program's file.
   * @param options.signal Ends this wait; the program is stopped when nobody waits for it any more.
   */
  async answer(
    path: string,
    ask: (signal: AbortSignal) => Promise<Result<Told, Failure>>,
    { beside = "", signal }: {
      readonly beside?: string;
      readonly signal?: AbortSignal | undefined;
    } = {},
  ): Promise<Result<Told, Failure>> {
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
          if (!answer.ok) entry.staleAt = clock.monotonic() + FAILURE_MS;
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
