import { forEachParallel } from "../../core/parallel.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { attempt } from "../../core/attempt.ts";
import type { FileHost } from "./file-host.ts";
import {
  type FileChange,
  type FileState,
  type FileStep,
  isSameFile,
  type KeptBytes,
} from "../files/file-changes.ts";
import { putFile, removeEmpty } from "./file-places.ts";
import { MAX_HISTORY_BYTES } from "./history.ts";
import type { KeptFiles } from "../files/kept-files.ts";
import { resolvedIn, unwritable } from "../files/project-files.ts";

const READS_AT_ONCE = 16;

/** Names files, relative to the project, before they are changed: undo brings them back. */
export type TouchFiles = (paths: readonly string[]) => Promise<Result<null, Problem>>;

/** The files that one piece of work has touched. */
export class FileDraft {
  readonly #core: FileHost;
  readonly #kept: KeptFiles;
  readonly #touched = new Map<string, Omit<FileChange, "after"> & { readonly location: string }>();
  readonly #folders = new Set<string>();
  readonly #known = new Set<string>();
  readonly #parents = new Map<string, Result<string, Problem>>();

  constructor(core: FileHost, kept: KeptFiles) {
    this.#core = core;
    this.#kept = kept;
  }

  /** Remembers files as they are now, before they are changed. */
  async touch(paths: readonly string[]): Promise<Result<null, Problem>> {
    const { files, root } = this.#core;
    const realRoot = await attempt(() => files.realPath(root));
    if (!realRoot.ok || realRoot.value === null) {
      return err(unwritable(root, "the project's folder is not there"));
    }
    for (const path of paths) {
      const found = await this.#locationOf(path);
      if (!found.ok) return found;
      const location = found.value;
      const place = location.slice(realRoot.value.length + 1);
      if (this.#touched.has(place)) continue;
      const kept = await attempt(async () => {
        await this.#missingFolders(realRoot.value ?? "", place);
        const size = (await files.stat(location))?.size ?? 0;
        return size > MAX_HISTORY_BYTES ? "too-large" : await this.#kept.keep(location);
      });
      if (!kept.ok) return err(unwritable(path, kept.error.message));
      if (kept.value === "too-large") return tooLarge(path);
      this.#touched.set(place, { path, place, location, before: kept.value });
    }
    return ok(null);
  }

  /** The files that are different now. */
  async finish(): Promise<FileStep> {
    const changes: FileChange[] = [];
    const spare: (KeptBytes | undefined)[] = [];
    const afters = new Map<string, FileState | null>();
    await forEachParallel([...this.#touched.values()], READS_AT_ONCE, async (touched) => {
      afters.set(touched.place, await this.#kept.look(touched.location));
    });
    for (const { path, place, before } of this.#touched.values()) {
      const after = afters.get(place) ?? null;
      if (isSameFile(before, after)) spare.push(before?.kept);
      else changes.push({ path, place, before, after });
    }
    for (const kept of spare) kept?.release();
    const { files, root } = this.#core;
    const folders: string[] = [];
    for (const folder of this.#folders) {
      if (await files.stat(`${root}/${folder}`) !== null) folders.push(folder);
    }
    return { changes, folders };
  }

  /** Restores everything. The console names files that cannot be restored. */
  async revert(): Promise<void> {
    const { files, console } = this.#core;
    for (const { path, location, before } of [...this.#touched.values()].toReversed()) {
      const back = await attempt(async () => {
        if (!isSameFile(before, await this.#kept.look(location))) {
          await putFile(files, location, before);
        }
      });
      if (!back.ok) console.write("error", `Cannot restore "${path}": ${back.error.message}`);
      before?.kept?.release();
    }
    await removeEmpty(this.#core, [...this.#folders]);
  }

  /** An import makes hundreds of files in few folders: each is resolved once. */
  async #locationOf(path: string): Promise<Result<string, Problem>> {
    const { files, root } = this.#core;
    const end = path.lastIndexOf("/");
    if (end < 0) return await resolvedIn(files, root, path);
    const folder = path.slice(0, end);
    const parent = this.#parents.get(folder) ?? await resolvedIn(files, root, folder);
    this.#parents.set(folder, parent);
    if (!parent.ok) return parent;
    const location = `${parent.value}${path.slice(end)}`;
    const there = await attempt(() => files.stat(location));
    if (there.ok && there.value === null) return ok(location);
    return await resolvedIn(files, root, path);
  }

  async #missingFolders(realRoot: string, place: string): Promise<void> {
    for (let end = place.lastIndexOf("/"); end > 0; end = place.lastIndexOf("/", end - 1)) {
      const folder = place.slice(0, end);
      if (this.#known.has(folder)) return;
      this.#known.add(folder);
      if (await this.#core.files.stat(`${realRoot}/${folder}`) !== null) return;
      this.#folders.add(folder);
    }
  }
}

function tooLarge(path: string): Result<never, Problem> {
  return refuse(
    413,
    "too-large-to-undo",
    `Cannot change "${path}": it has more than ${MAX_HISTORY_BYTES} bytes, which undo cannot keep`,
    "Change or remove the file itself, outside of the editor",
  );
}
