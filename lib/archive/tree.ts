import { err, ok, type Result } from "../core/result.ts";
import type { Platform } from "../ports/host.ts";
import { nameKey } from "./entry-path.ts";

/** An entry in its place. */
export interface TreeNode {
  /** `/`-separated, below the folder that is filled. */
  readonly path: string;
  readonly kind: "file" | "directory" | "symlink";
  /** Bytes of a file. */
  size: number;
  /** Of a symbolic link: the segments of its target. */
  readonly target: readonly string[];
}

/** Links that are followed one after the other, as Linux bounds them. */
const MAX_LINKS = 40;

/**
 * The places of an archive's entries. Checks every claim before the disk is touched: each name
 * belongs to one entry, no entry is below a file or a link, and no link leads outside, not even
 * through other links.
 */
export class ArchiveTree {
  readonly #platform: Platform;
  readonly #nodes = new Map<string, TreeNode>();
  readonly #maxNodes: number;

  /**
   * @param maxNodes Inclusive: files, links and folders, including those that only contain others.
   */
  constructor(platform: Platform, maxNodes: number) {
    this.#platform = platform;
    this.#maxNodes = maxNodes;
  }

  /** Claims a place. @returns In words why it is refused, as the end of a sentence about the entry. */
  claim(
    segments: readonly string[],
    kind: TreeNode["kind"],
    target: readonly string[] = [],
  ): Result<TreeNode, string> {
    let key = "";
    for (let depth = 1; depth < segments.length; depth++) {
      key += `/${nameKey(segments[depth - 1] ?? "", this.#platform)}`;
      const folder = this.#put(key, {
        path: segments.slice(0, depth).join("/"),
        kind: "directory",
        size: 0,
        target: [],
      });
      if (!folder.ok) return folder;
    }
    key += `/${nameKey(segments[segments.length - 1] ?? "", this.#platform)}`;
    return this.#put(key, { path: segments.join("/"), kind, size: 0, target });
  }

  /** The entry at a path, spelled as its file system would take it. */
  at(segments: readonly string[]): TreeNode | undefined {
    return this.#nodes.get(this.#keyOf(segments));
  }

  /**
   * Follows a link, and every link on the way.
   *
   * @returns The target, `null` if it is missing; or in words why the link is refused.
   */
  resolve(link: TreeNode): Result<TreeNode | null, string> {
    const at = link.path.split("/").slice(0, -1);
    const ahead = [...link.target].reverse();
    const said = JSON.stringify(link.target.join("/"));
    for (let links = 0; ahead.length > 0;) {
      const segment = ahead.pop() ?? "";
      if (segment === "..") {
        if (at.length === 0) {
          return err(`is a link to ${said}, which leads out, expected one that stays inside`);
        }
        // A disk may treat two names as one: `..` is allowed only after a known folder.
        if (this.at(at)?.kind !== "directory") {
          return err(
            `is a link to ${said}, which steps back from what is not a folder, expected one of the archive`,
          );
        }
        at.pop();
        continue;
      }
      at.push(segment);
      const node = this.at(at);
      if (node?.kind !== "symlink") continue;
      if (++links > MAX_LINKS) {
        return err(`is a link to ${said}, which leads in a circle, expected a file or a folder`);
      }
      at.pop();
      ahead.push(...[...node.target].reverse());
    }
    return ok(at.length === 0 ? null : this.at(at) ?? null);
  }

  #put(key: string, node: TreeNode): Result<TreeNode, string> {
    const there = this.#nodes.get(key);
    if (there === undefined) {
      if (this.#nodes.size >= this.#maxNodes) {
        return err(
          `is one too many, expected at most ${this.#maxNodes} files and folders`,
        );
      }
      this.#nodes.set(key, node);
      return ok(node);
    }
    if (there.path !== node.path) {
      return err(
        `would be the same as ${
          JSON.stringify(there.path)
        } on this platform's disks, expected another name`,
      );
    }
    if (there.kind === "directory" && node.kind === "directory") return ok(there);
    const folder = there.kind === "directory" || node.kind === "directory";
    return err(
      there.kind === "symlink" && node.kind === "directory"
        ? `lies below the link ${JSON.stringify(there.path)}, expected a folder there`
        : folder
        ? `makes ${JSON.stringify(there.path)} a file and a folder, expected one of both`
        : "is in the archive twice, expected once",
    );
  }

  #keyOf(segments: readonly string[]): string {
    return segments.map((segment) => `/${nameKey(segment, this.#platform)}`).join("");
  }
}
