import { concatBytes } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import type { Result } from "../core/result.ts";
import type { FileBody, Files } from "../ports/files.ts";
import type { Platform } from "../ports/host.ts";
import { type ArchiveEntry, ArchiveError } from "./entry.ts";
import { entryPath, linkTarget } from "./entry-path.ts";
import { ArchiveTree, type TreeNode } from "./tree.ts";
import { streamOf } from "./stream.ts";
import { createWriteQueue } from "./write-queue.ts";

/** A folder that is being filled. */
export interface Filling {
  /** Puts one entry where it belongs; links are kept for the end. */
  take(entry: ArchiveEntry): Promise<void>;
  /** Waits for every file, then makes the links. */
  finish(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Waits for what is being written, whatever comes of it. */
  stop(): Promise<void>;
}

/** How a folder is filled. */
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

/** Up to here a file is held in memory, so that several are written at once, in bytes. */
const SMALL_BYTES = 512 * 1024;

interface HeldLink {
  /** As the archive calls it. */
  readonly name: string;
  readonly node: TreeNode;
}

interface HeldSymlink extends HeldLink {
  /** As the archive has it, once it was found to stay inside. */
  readonly target: string;
}

interface HeldHardLink extends HeldLink {
  readonly from: TreeNode;
}

/** Fills an empty folder, within limits. */
export function createFilling(options: FillingOptions): Filling {
  const { files, platform, into, strip, signal, limits } = options;
  const only = options.only?.split("/") ?? [];
  const tree = new ArchiveTree(platform, limits.maxFiles);
  const writes = createWriteQueue();
  const made = new Set<string>([""]);
  const hardLinks: HeldHardLink[] = [];
  const symlinks: HeldSymlink[] = [];
  let entries = 0;
  let written = 0;
  let announced = 0;
  let unpacked = 0;

  const count = (name: string, size: number) => {
    if (size > limits.maxFileBytes) {
      throw new ArchiveError(name, `has ${size} bytes, expected at most ${limits.maxFileBytes}`);
    }
    announced += size;
    if (announced > limits.maxBytes) {
      throw new ArchiveError(
        name,
        `makes ${announced} bytes in all, expected at most ${limits.maxBytes}`,
      );
    }
  };
  const absolute = (path: string) => `${into}/${path}`;
  const makeFolder = async (path: string) => {
    if (made.has(path)) return;
    await files.makeDirectory(absolute(path));
    made.add(path);
  };

  /** Drops the leading folders of a name; empty for one that is not unpacked. */
  const kept = (whole: readonly string[]): readonly string[] =>
    only.every((segment, i) => whole[i] === segment) ? whole.slice(only.length + strip) : [];

  async function take(entry: ArchiveEntry): Promise<void> {
    signal?.throwIfAborted();
    const { name, kind } = entry;
    if (++entries > limits.maxFiles) {
      throw new ArchiveError(name, `is one too many, expected at most ${limits.maxFiles} entries`);
    }
    const whole = checked(name, entryPath(name, platform));
    if (whole.length === 0 && kind !== "directory") {
      throw new ArchiveError(name, "has no name, expected one");
    }
    count(name, entry.size);
    const segments = kept(whole);
    if (segments.length === 0) return;
    switch (kind) {
      case "directory":
        return await makeFolder(checked(name, tree.claim(segments, kind)).path);
      case "file":
        return await takeFile(entry, segments);
      case "hardlink": {
        const node = checked(name, tree.claim(segments, "file"));
        const from = tree.at(kept(checked(name, entryPath(entry.target, platform))));
        if (from?.kind !== "file" || from === node) {
          const target = JSON.stringify(entry.target.slice(0, 120));
          throw new ArchiveError(
            name,
            `is a hard link to ${target}, expected one to a file before it`,
          );
        }
        node.size = from.size;
        hardLinks.push({ name, node, from });
        return;
      }
      case "symlink": {
        const { target } = entry;
        const leads = checked(name, linkTarget(target));
        symlinks.push({ name, target, node: checked(name, tree.claim(segments, kind, leads)) });
        return;
      }
    }
  }

  async function takeFile(entry: ArchiveEntry, segments: readonly string[]): Promise<void> {
    const { name, size } = entry;
    const node = checked(name, tree.claim(segments, "file"));
    node.size = size;
    await makeFolder(parentOf(node.path));
    const mode = entry.mode & 0o755 | (entry.mode === 0 ? 0o644 : 0o600);
    const write = (body: FileBody) =>
      naming(name, () =>
        files.write(absolute(node.path), body, {
          mode,
          createNew: true, // whatever two names the disk takes for one
          ...(signal && { signal }),
        }));
    if (size > SMALL_BYTES) await write(streamOf(entry.open()));
    else {
      const body = await wholeOf(entry.open());
      await writes.start(size, () => write(body));
    }
    written++;
    unpacked += size;
  }

  async function finish(): Promise<{ files: number; bytes: number }> {
    await writes.settle();
    const links = symlinks.map((link) => ({
      ...link,
      to: checked(link.name, tree.resolve(link.node)),
    }));
    for (const { name, node, from } of hardLinks) {
      signal?.throwIfAborted();
      await makeFolder(parentOf(node.path));
      await naming(name, () => linkOrCopy({ name, node, from }));
      written++;
    }
    for (const { name, node, target, to } of links) {
      signal?.throwIfAborted();
      await makeFolder(parentOf(node.path));
      await naming(
        name,
        () =>
          platform === "win32"
            ? copyTarget(name, node, to)
            : files.symlink(target, absolute(node.path)),
      );
      written++;
    }
    if (written === 0) {
      const below = strip === 0 ? "" : ` below ${strip} leading folders`;
      throw new ArchiveError(null, `it holds no files${below}, expected at least one`);
    }
    return { files: written, bytes: unpacked };
  }

  /** A disk without hard links gets a second file. */
  async function linkOrCopy({ name, node, from }: HeldHardLink): Promise<void> {
    const paths = [absolute(from.path), absolute(node.path)] as const;
    try {
      await files.link(...paths);
    } catch (thrown) {
      const unable = thrown instanceof FileError && ["denied", "other"].includes(thrown.code);
      if (!unable) throw thrown;
      count(name, from.size);
      await files.copy(...paths);
    }
  }

  /** Windows gives the right to make links to few users. */
  async function copyTarget(name: string, node: TreeNode, to: TreeNode | null): Promise<void> {
    if (to?.kind !== "file") {
      const found = to === null ? "nothing of this archive" : "a folder";
      const said = JSON.stringify(node.target.join("/"));
      throw new ArchiveError(
        name,
        `is a link to ${said}, which is ${found}: on Windows it becomes a copy, expected a file`,
      );
    }
    count(name, to.size);
    await files.copy(absolute(to.path), absolute(node.path));
  }

  return {
    take,
    finish,
    async stop() {
      await writes.settle().catch(() => undefined); // take() or finish() has thrown it
    },
  };
}

/** Names the entry where the disk takes two names for one. */
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
