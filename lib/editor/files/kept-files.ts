import { encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { atResolved } from "../../core/inside.ts";
import { Once } from "../../core/once.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";
import type { FileState, KeptBytes } from "./file-changes.ts";
import { Turns } from "../../core/turns.ts";

/** Largest file that is kept in memory, in bytes. */
export const MAX_KEPT_IN_MEMORY: number = 1024 * 1024;
/** Maximum bytes kept in memory altogether; the rest is in a temporary folder. */
export const MAX_MEMORY: number = 64 * 1024 * 1024;
/** Bytes read at a time when hashing a file. */
const CHUNK = 8 * 1024 * 1024;

/**
 * The contents that undo and redo restore: small ones in memory, others as copies in a temporary
 * folder, which is created for the first of them and removed by {@linkcode KeptFiles.close}. The
 * history bounds their total by dropping old steps.
 */
export class KeptFiles {
  readonly #files: Files;
  readonly #turns = new Turns();
  #memory = 0;
  /** The temporary folder, with links resolved: on macOS it is below one. */
  readonly #folder: Once<string> = new Once(async () => {
    const made = await this.#files.makeTemporaryDirectory("slipway-history-");
    return await this.#files.realPath(made) ?? made;
  });
  #copies = 0;

  constructor(files: Files) {
    this.#files = atResolved(files);
  }

  /**
   * Returns the current state of a file without keeping its content; `null` if it does not exist.
   *
   * @throws {FileError} When it cannot be read or is not a regular file.
   */
  async look(location: string): Promise<FileState | null> {
    const found = await this.#find(location);
    if (found === null) return null;
    const { size, mode } = found;
    return { print: await printOf(this.#files, location, size), mode };
  }

  /** {@linkcode look}, and keeps its bytes. */
  async keep(location: string): Promise<FileState | null> {
    const found = await this.#find(location);
    if (found === null) return null;
    const { size, mode } = found;
    const isSmall = size <= MAX_KEPT_IN_MEMORY && this.#memory + size <= MAX_MEMORY;
    return { ...(isSmall ? await this.#inMemory(location) : await this.#copy(location)), mode };
  }

  /** Removes all copies; kept contents can no longer be restored. */
  async close(): Promise<void> {
    await this.#turns.take(async () => {
      const folder = await attempt(async () => await this.#folder.begun);
      if (folder.ok && folder.value !== null) await this.#files.remove(folder.value);
      this.#folder.forget();
    });
  }

  async #find(
    location: string,
  ): Promise<{ readonly size: number; readonly mode: number } | null> {
    const stat = await this.#files.stat(location);
    if (stat === null || stat.kind === "file") return stat;
    const code = stat.kind === "directory" ? "is-a-directory" : "not-a-file";
    throw new FileError(code, location, `found a ${stat.kind} at "${location}", expected a file`);
  }

  async #inMemory(location: string): Promise<{ readonly print: string; readonly kept: KeptBytes }> {
    const bytes = await this.#files.read(location, MAX_KEPT_IN_MEMORY);
    if (bytes === null) throw gone(location);
    const size = bytes.length;
    this.#memory += size;
    let held = true;
    const kept: KeptBytes = {
      size,
      body: () => Promise.resolve(bytes),
      release: () => {
        if (held) this.#memory -= size;
        held = false;
      },
    };
    return { print: await printOfChunks([await sha256Hex(bytes)], size), kept };
  }

  async #copy(location: string): Promise<{ readonly print: string; readonly kept: KeptBytes }> {
    const copy = `${await this.#folder.get()}/${++this.#copies}`;
    try {
      const body = await this.#files.openRead(location);
      if (body === null) throw gone(location);
      const size = await this.#files.write(copy, body);
      // Hashes the copy, because others may change the original.
      const print = await printOf(this.#files, copy, size);
      return { print, kept: this.#keptCopy(copy, size) };
    } catch (thrown) {
      this.#drop(copy);
      throw thrown;
    }
  }

  #keptCopy(copy: string, size: number): KeptBytes {
    const files = this.#files;
    return {
      size,
      async body() {
        const body = await files.openRead(copy);
        if (body !== null) return body;
        throw new FileError("missing", copy, `what was kept for undo at "${copy}" is gone`);
      },
      release: () => this.#drop(copy),
    };
  }

  /** A copy that cannot be removed now is removed with the folder. */
  #drop(copy: string): void {
    void this.#turns.take(() => attempt(() => this.#files.remove(copy)));
  }
}

/** Reads a file of any size piece by piece. */
async function printOf(files: Files, location: string, size: number): Promise<string> {
  const hashes: string[] = [];
  let at = 0;
  do {
    const chunk = await files.readRange(location, at, CHUNK);
    if (chunk === null) throw gone(location);
    hashes.push(await sha256Hex(chunk));
    at += chunk.length;
    if (chunk.length < CHUNK) break;
  } while (at < size);
  return await printOfChunks(hashes, at);
}

async function printOfChunks(hashes: readonly string[], size: number): Promise<string> {
  const [only] = hashes;
  const hash = hashes.length === 1 && only !== undefined
    ? only
    : await sha256Hex(encodeUtf8(hashes.join("")));
  return `${size} ${hash}`;
}

/**
 * Returns the error for a file that was removed in between: it must not be kept as an empty file.
 */
function gone(location: string): FileError {
  return new FileError("missing", location, `"${location}" is gone`);
}
