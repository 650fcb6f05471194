import { concatBytes } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import type { Result } from "../core/result.ts";
import type { FileBody, Files } from "../ports/files.ts";
import type { Platform } from "../ports/host.ts";
import { type ArchiveEntry, ArchiveError } from "./entry.ts";
import { entryPath, linkTarget } from "./entry-path.ts";
import { ArchiveTree, type TreeNode } from "./tree.ts";
import { streamOf } from "./stream.ts";
import { WriteQueue } from "./write-queue.ts";

/** Options of filling a folder. */
export interface FillingOptions {
  readonly files: Pick<Files, "write" | "makeDirectory" | "link" | "copy" | "symlink">;
  readonly platform: Platform;
  readonly into: string;
  /** The folder of the archive that is unpacked; all of it when absent. */
  readonly only?: string | undefined;
  readonly strip: number;
  readonly signal: AbortSignal | undefined;
  readonly limits: {
    readonly maxFiles: number;
    readonly maxBytes: number;
    readonly maxFileBytes: number;
  };
}

/** Largest file that is held in memory, in bytes, so that several are written in parallel. */
const SMALL_BYTES = 512 * 1024;

interface HeldLink {
  /** The name in the archive. */
  readonly name: string;
  readonly node: TreeNode;
}

interface HeldSymlink extends HeldLink {
  /** The target as in the archive, after it was found to stay inside. */
  readonly target: string;
}

interface HeldHardLink extends HeldLink {
  readonly from: TreeNode;
}

/** Fills an empty folder, within limits. */
export class Filling {
  readonly #options: FillingOptions;
  readonly #only: readonly string[];
  readonly #tree: ArchiveTree;
  readonly #writes = new WriteQueue();
  readonly #made = new Set<string>([""]);
  readonly #hardLinks: HeldHardLink[] = [];
  readonly #symlinks: HeldSymlink[] = [];
  #entries = 0;
  #written = 0;
  #declared = 0;
  #unpacked = 0;

  constructor(options: FillingOptions) {
    this.#options = options;
    this.#only = options.only?.split("/") ?? [];
    this.#tree = new ArchiveTree(options.platform, options.limits.maxFiles);
  }

  /** Writes one entry at its place; keeps links for the end. */
  async take(entry: ArchiveEntry): Promise<void> {
    const { platform, signal, limits: { maxFiles } } = this.#options;
    signal?.throwIfAborted();
    const { name, kind } = entry;
    if (++this.#entries > maxFiles) {
      throw new ArchiveError(name, `is one too many, expected at most ${maxFiles} entries`);
    }
    const path = checked(name, entryPath(name, platform));
    if (path.length === 0 && kind !== "directory") {
      throw new ArchiveError(name, "has no name, expected one");
    }
    this.#count(name, entry.size);
    const segments = this.#kept(path);
    if (segments.length === 0) return;
    switch (kind) {
      case "directory":
        return await this.#makeFolder(checked(name, this.#tree.claim(segments, kind)).path);
      case "file":
        return await this.#takeFile(entry, segments);
      case "hardlink":
        return this.#takeHardLink(entry, segments);
      case "symlink": {
        const { target } = entry;
        const node = this.#tree.claim(segments, kind, checked(name, linkTarget(target)));
        this.#symlinks.push({ name, target, node: checked(name, node) });
        return;
      }
    }
  }

  /** Waits for every file, then makes the links. */
  async finish(): Promise<{ readonly files: number; readonly bytes: number }> {
    const { platform, files, strip, signal } = this.#options;
    await this.#writes.settle();
    const links = this.#symlinks.map((link) => ({
      ...link,
      to: checked(link.name, this.#tree.resolve(link.node)),
    }));
    for (const link of this.#hardLinks) {
      signal?.throwIfAborted();
      await this.#makeFolder(parentOf(link.node.path));
      await naming(link.name, () => this.#linkOrCopy(link));
      this.#written++;
    }
    for (const { name, node, target, to } of links) {
      signal?.throwIfAborted();
      await this.#makeFolder(parentOf(node.path));
      await naming(
        name,
        () =>
          platform === "win32"
            ? this.#copyTarget(name, node, to)
            : files.symlink(target, this.#absolute(node.path)),
      );
      this.#written++;
    }
    if (this.#written === 0) {
      const below = strip === 0 ? "" : ` below ${strip} leading folders`;
      throw new ArchiveError(null, `it holds no files${below}, expected at least one`);
    }
    return { files: this.#written, bytes: this.#unpacked };
  }

  /** Waits for running writes, and ignores their errors. */
  async stop(): Promise<void> {
    await this.#writes.settle().catch(() => undefined); // take() or finish() has thrown it
  }

  async #takeFile(entry: ArchiveEntry, segments: readonly string[]): Promise<void> {
    const { files, signal } = this.#options;
    const { name, size } = entry;
    const node = checked(name, this.#tree.claim(segments, "file"));
    node.size = size;
    await this.#makeFolder(parentOf(node.path));
    const mode = entry.mode & 0o755 | (entry.mode === 0 ? 0o644 : 0o600);
    const write = (body: FileBody) =>
      naming(name, () =>
        files.write(this.#absolute(node.path), body, {
          mode,
          createNew: true, // if the disk treats two names as one
          ...(signal && { signal }),
        }));
    if (size > SMALL_BYTES) await write(streamOf(entry.open()));
    else {
      const body = await wholeOf(entry.open());
      await this.#writes.start(size, () => write(body));
    }
    this.#written++;
    this.#unpacked += size;
  }

  #takeHardLink({ name, target }: ArchiveEntry, segments: readonly string[]): void {
    const node = checked(name, this.#tree.claim(segments, "file"));
    const path = checked(name, entryPath(target, this.#options.platform));
    const from = this.#tree.at(this.#kept(path));
    if (from?.kind !== "file" || from === node) {
      const said = JSON.stringify(target.slice(0, 120));
      throw new ArchiveError(name, `is a hard link to ${said}, expected one to a file before it`);
    }
    node.size = from.size;
    this.#hardLinks.push({ name, node, from });
  }

  /** A disk without hard links gets a second file. */
  async #linkOrCopy({ name, node, from }: HeldHardLink): Promise<void> {
    const { files } = this.#options;
    const paths = [this.#absolute(from.path), this.#absolute(node.path)] as const;
    try {
      await files.link(...paths);
    } catch (thrown) {
      const unable = thrown instanceof FileError &&
        ["denied", "read-only", "other"].includes(thrown.code);
      if (!unable) throw thrown;
      this.#count(name, from.size);
      await files.copy(...paths);
    }
  }

  /** Windows gives the right to make links to few users. */
  async #copyTarget(name: string, node: TreeNode, to: TreeNode | null): Promise<void> {
    if (to?.kind !== "file") {
      const found = to === null ? "nothing of this archive" : "a folder";
      const said = JSON.stringify(node.target.join("/"));
      throw new ArchiveError(
        name,
        `is a link to ${said}, which is ${found}: on Windows it becomes a copy, expected a file`,
      );
    }
    this.#count(name, to.size);
    await this.#options.files.copy(this.#absolute(to.path), this.#absolute(node.path));
  }

  #count(name: string, size: number): void {
    const { maxBytes, maxFileBytes } = this.#options.limits;
    if (size > maxFileBytes) {
      throw new ArchiveError(name, `has ${size} bytes, expected at most ${maxFileBytes}`);
    }
    this.#declared += size;
    if (this.#declared > maxBytes) {
      throw new ArchiveError(
        name,
        `makes ${this.#declared} bytes in all, expected at most ${maxBytes}`,
      );
    }
  }

  /** Removes the leading folders of a name; empty for an entry that is not unpacked. */
  #kept(path: readonly string[]): readonly string[] {
    const isBelow = this.#only.every((segment, i) => path[i] === segment);
    return isBelow ? path.slice(this.#only.length + this.#options.strip) : [];
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await this.#options.files.makeDirectory(this.#absolute(path));
    this.#made.add(path);
  }

  #absolute(path: string): string {
    return `${this.#options.into}/${path}`;
  }
}

/** Names the entry in the error of a disk that treats two names as one. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof FileError) || thrown.code !== "exists") throw thrown;
    throw new ArchiveError(
      name,
      "is the same as an earlier entry on this disk, expected names that it tells apart",
      thrown,
    );
  }
}

function checked<T>(name: string, result: Result<T, string>): T {
  if (!result.ok) throw new ArchiveError(name, result.error);
  return result.value;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return only ?? concatBytes(chunks);
}
