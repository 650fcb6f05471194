import { parseJson } from "../core/json-text.ts";
import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { isRecord } from "../core/json.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import type { ReleaseTarget } from "../ota-format/mod.ts";
import { withLock } from "../core/file-lock.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";

/** Why the seen sequences cannot be read or remembered. */
export type SeenFailureCode =
  /** Its folder refuses to be read, locked or written. */
  | "memory"
  /** The memory's file exists but is damaged. */
  | "memory-damaged";

/** Dependencies of a lock. */
export interface SeenDependencies {
  /** The file system. */
  readonly files: Files;
  /** Measures how long the lock has waited for an owner. */
  readonly clock: Clock;
}

/** A publisher's memory of a bucket, which reveals an older release that was put back (PUB-5). */
export interface SeenSequence {
  /** The file that remembers, for messages. */
  readonly path: string;
  /** Reads the highest seen sequence; 0 for none. Fails with `memory` or `memory-damaged`. */
  read(): Promise<Result<number, Failure<SeenFailureCode>>>;
  /**
   * Remembers a sequence if it is higher than the remembered one; 0 only proves that the memory is
   * writable.
   *
   * @returns The highest seen sequence, or `memory` or `memory-damaged`.
   */
  raise(sequence: number): Promise<Result<number, Failure<SeenFailureCode>>>;
}

/**
 * The memory of one user on one machine.
 *
 * @param of The bucket's `identity`, and whom its release is for.
 */
export async function openSeenSequence(
  dependencies: SeenDependencies,
  userData: string,
  of: { readonly bucket: string; readonly target: ReleaseTarget },
): Promise<SeenSequence> {
  const { files } = dependencies;
  const { bucket, target: { app, channel } } = of;
  const line = `${bucket}\n${app}\n${channel}`;
  const folder = `${userData}/ota-seen`;
  const path = `${folder}/${(await sha256Hex(encodeUtf8(line))).slice(0, 32)}.json`;

  async function readFile(): Promise<Result<number, Failure<SeenFailureCode>>> {
    const bytes = await files.read(path, 4096);
    if (bytes === null) return ok(0);
    const sequence = sequenceIn(decodeUtf8(bytes) ?? "");
    return sequence !== null ? ok(sequence) : fail(
      "memory-damaged",
      `Cannot read which sequence was last published to ${bucket}: ${path} is damaged, ` +
        'expected {"schema":1,"sequence":N}',
      "Compare the bucket's release.json with what you know, then delete that file",
    );
  }

  async function attempt<T>(
    work: () => Promise<Result<T, Failure<SeenFailureCode>>>,
  ): Promise<Result<T, Failure<SeenFailureCode>>> {
    try {
      return await work();
    } catch (thrown) {
      return fail(
        "memory",
        `Cannot remember which sequence was published to ${bucket} last: ${messageOf(thrown)}`,
        thrown instanceof FileError && thrown.code === "full"
          ? `Free space on the disk of ${folder}`
          : `Make ${folder} a folder that this user can read and write`,
      );
    }
  }

  return {
    path,
    read: () => attempt(readFile),
    raise: (sequence) =>
      attempt(async () => {
        await files.makeDirectory(folder);
        return await withLock(dependencies, `${path}.lock`, async () => {
          const highest = await readFile();
          if (!highest.ok || sequence <= highest.value) return highest;
          const text = JSON.stringify({ schema: 1, sequence, bucket, app, channel });
          await files.writeAtomic(path, encodeUtf8(`${text}\n`));
          return ok(sequence);
        });
      }),
  };
}

function sequenceIn(text: string): number | null {
  const value = parseJson(text);
  const sequence = isRecord(value) ? value["sequence"] : undefined;
  return typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence >= 0
    ? sequence
    : null;
}
