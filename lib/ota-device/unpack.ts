import { ArchiveError, gathered, WriteQueue } from "../archive/mod.ts";
import { own } from "../core/json.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import type { BundleFile } from "./bundle-zip.ts";
import { partialFolder } from "./folders.ts";
import { randomId } from "./random.ts";
import { type Staging, throwIfCancelled } from "./staging.ts";
import { StageError, verifiedBytes, verifiedChunks } from "./transfer.ts";

/** Largest file that is held in memory, in bytes, so that several are written in parallel. */
const SMALL_BYTES = 512 * 1024;

/**
 * The files of a bundle while they are unpacked: into `.partial`, where they outlive the process.
 */
export class Unpacking {
  /** The place of each unpacked file, by its path: synced, with the right size and hash. */
  readonly files: Map<string, string> = new Map();
  /** Path of the archive, if all of it had to be downloaded. */
  archive: string | null = null;
  readonly #staging: Staging;
  readonly #onFile: () => void;
  readonly #byHash = new Map<string, string>();
  /** Contents whose file is being written. */
  readonly #writing = new Set<string>();
  /** Files whose content another file has. */
  readonly #same: { readonly path: string; readonly ref: ContentRef }[] = [];
  readonly #taken = new Set<string>();
  /** Buffers of small files that have been written, for reuse. */
  readonly #spares: Uint8Array<ArrayBuffer>[] = [];

  constructor(staging: Staging, onFile: () => void) {
    this.#staging = staging;
    this.#onFile = onFile;
  }

  /** Files that were unpacked. */
  get count(): number {
    return this.#taken.size;
  }

  /** Returns whether a file was unpacked. */
  has(path: string): boolean {
    return this.#taken.has(path);
  }

  /** Returns the files to copy from one that has the same content, once all are unpacked. */
  get copies(): { readonly path: string; readonly ref: ContentRef; readonly from: string }[] {
    return this.#same.map(({ path, ref }) => {
      const from = this.#byHash.get(ref.hash);
      if (from === undefined) throw new StageError("io", `What ${path} is copied from is gone`);
      return { path, ref, from };
    });
  }

  /** Bytes of the unpacked files. */
  get bytes(): number {
    let bytes = 0;
    for (const path of this.files.keys()) {
      bytes += own(this.#staging.manifest.files, path)?.size ?? 0;
    }
    return bytes;
  }

  /**
   * Takes the files that earlier processes unpacked, if they are complete. @returns Whether nothing
   * is left to unpack.
   */
  async takeLying(): Promise<boolean> {
    const { manifest: { files }, partials } = this.#staging;
    const contents = Object.entries(files);
    if (contents.some(([, ref]) => ref.size === 0 || partials.bytesOf(ref) !== ref.size)) {
      return false;
    }
    for (const [path, ref] of contents) {
      throwIfCancelled(this.#staging);
      if (this.#isSame(path, ref)) continue;
      const held = await this.#heldFile(path, ref);
      if (held !== null) this.#add(path, ref, held);
    }
    return this.count === contents.length;
  }

  /** Unpacks the remaining files. */
  async takeAll<T extends BundleFile>(
    entries: AsyncIterable<T>,
    onEntry?: (entry: T, settle: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { manifest } = this.#staging;
    const queue = new WriteQueue();
    const missing = new Set(Object.keys(manifest.files));
    this.#writing.clear();
    try {
      for await (const entry of entries) {
        throwIfCancelled(this.#staging);
        const path = entry.name;
        const ref = own(manifest.files, path);
        if (ref === undefined || !missing.delete(path)) {
          const found = "which its manifest does not name, or twice";
          throw new ArchiveError(
            path,
            `is in it, ${found}, expected each file of the manifest once`,
          );
        }
        if (entry.size !== ref.size) { // before a byte is inflated
          const found = `${JSON.stringify(path)} has ${entry.size} bytes, expected ${ref.size}`;
          throw new StageError("size-mismatch", `In bundle.zip ${found}`);
        }
        if (!this.#taken.has(path)) await this.#take(entry, { ref, queue });
        await onEntry?.(entry, () => queue.settle());
      }
    } finally {
      await queue.settle();
    }
    if (missing.size > 0) {
      const lacks = JSON.stringify([...missing][0]);
      throw new ArchiveError(null, `it lacks ${lacks}, expected each file of the manifest once`);
    }
  }

  /** Removes the unpacked files and the archive, which was refused. */
  async remove(): Promise<void> {
    const { files } = this.#staging.dependencies;
    const archive = this.archive === null ? [] : [this.archive];
    for (const path of [...this.files.values(), ...archive]) {
      await files.remove(path).catch(() => undefined); // swept
    }
  }

  async #take(
    entry: BundleFile,
    { ref, queue }: { readonly ref: ContentRef; readonly queue: WriteQueue },
  ): Promise<void> {
    const path = entry.name;
    if (this.#isSame(path, ref)) return;
    const isPassed = entry.isPassed === true;
    // An empty file has no bytes to find: if its entry is passed, it is made again.
    const held = ref.size > 0 || isPassed ? await this.#heldFile(path, ref) : null;
    if (held !== null) return this.#add(path, ref, held);
    if (isPassed) {
      throw new ArchiveError(path, "was unpacked before and is gone, expected it in .partial");
    }
    this.#writing.add(ref.hash);
    const { files, hashing, root } = this.#staging.dependencies;
    const file = `${partialFolder(root)}/${ref.hash}.${randomId()}`;
    const named = { ...ref, label: path };
    const done = () => this.#add(path, ref, file);
    if (ref.size > SMALL_BYTES) {
      const body = verifiedChunks(gathered(entry.open()), named, hashing.createSha256());
      await files.write(file, body, { createNew: true });
      await queue.start(0, async () => {
        await files.sync(file);
        done();
      });
    } else {
      const memory = this.#spares.pop() ?? new Uint8Array(SMALL_BYTES);
      let size = 0;
      for await (const chunk of entry.open()) {
        memory.set(chunk, size);
        size += chunk.length;
      }
      await queue.start(ref.size, async () => {
        const bytes = verifiedBytes(memory.subarray(0, size), named, hashing.createSha256());
        await files.write(file, bytes, { createNew: true, sync: true });
        this.#spares.push(memory);
        done();
      });
    }
  }

  /**
   * Returns whether another file has the content, and if so notes the copy: one content has one file.
   */
  #isSame(path: string, ref: ContentRef): boolean {
    if (!this.#byHash.has(ref.hash) && !this.#writing.has(ref.hash)) return false;
    this.#same.push({ path, ref });
    this.#tell(path);
    return true;
  }

  /**
   * Returns a file that an earlier process unpacked, hashed again (DEV-20); `null` if there is
   * none.
   */
  async #heldFile(path: string, ref: ContentRef): Promise<string | null> {
    const { partials } = this.#staging;
    if (partials.bytesOf(ref) !== ref.size) return null;
    const content = await partials.open({ ...ref, label: path });
    if (content.from === ref.size && await content.finish()) return content.path;
    return null;
  }

  #add(path: string, { hash }: ContentRef, file: string): void {
    this.files.set(path, file);
    this.#byHash.set(hash, file);
    this.#tell(path);
  }

  #tell(path: string): void {
    this.#taken.add(path);
    this.#onFile();
  }
}
