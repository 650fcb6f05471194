import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { ASSET_FOLDER, SCENE_FOLDER, SIDECAR } from "../assets/assets.ts";
import { attempt } from "../../core/attempt.ts";
import type { FileHost } from "./file-host.ts";
import type { StepNote } from "./history.ts";
import {
  type FileChange,
  type FileState,
  type FileStep,
  isSameFile,
  release,
} from "../files/file-changes.ts";
import { FileDraft, type TouchFiles } from "./file-draft.ts";
import { makeFolders, putFile, removeEmpty } from "./file-places.ts";
import { KeptFiles } from "../files/kept-files.ts";
import type { TravelOptions } from "../ports/mod.ts";
import { resolvedIn, unwritable } from "../files/project-files.ts";

/** Others have changed a file since the step. */
const CHANGED = "changed-on-disk";

/** The outcome of a change of files, and its step of undo: `null` when no file is different. */
export interface FileOutcome<T> {
  /** The value that the work gave back. */
  readonly value: T;
  /** The step of undo. */
  readonly undo: number | null;
}

/** A file of a step, and its state after undo or redo. */
interface Placed {
  readonly change: FileChange;
  readonly location: string;
  /** Its current state, kept. */
  readonly current: FileState | null;
  readonly target: FileState | null;
}

/**
 * Changes of the project's files as steps of the common history. The caller holds the turn of
 * `EditorCore.changes`: files that a step has read must not change until it ends.
 */
export class FileSteps {
  readonly #core: FileHost;
  readonly #files: Files;
  readonly #kept: KeptFiles;

  constructor(core: FileHost) {
    this.#core = core;
    this.#files = core.files;
    this.#kept = new KeptFiles(core.files);
  }

  /**
   * Runs work that changes files as one step; restores all touched files if the work is refused or
   * throws.
   *
   * @param work Touches every file before it changes it.
   */
  async change<T>(
    step: StepNote,
    work: (touch: TouchFiles) => Promise<Result<T, Problem>>,
  ): Promise<Result<FileOutcome<T>, Problem>> {
    const done = await this.draft(work);
    if (!done.ok) return done;
    const { value, files } = done.value;
    const { history, clock } = this.#core;
    const undo = files.changes.length === 0
      ? null
      : history.push({ ...step, t: clock.now() }, [], files);
    return ok({ value, undo });
  }

  /** {@linkcode change} that leaves it to the caller to record the step. */
  async draft<T>(
    work: (touch: TouchFiles) => Promise<Result<T, Problem>>,
  ): Promise<Result<{ readonly value: T; readonly files: FileStep }, Problem>> {
    const draft = new FileDraft(this.#core, this.#kept);
    let finished = false;
    try {
      const done = await work((paths) => draft.touch(paths));
      if (!done.ok) return done;
      const files = await attempt(() => draft.finish());
      if (!files.ok) return err(unwritable("a changed file", files.error.message));
      finished = true;
      return ok({ value: done.value, files: files.value });
    } finally {
      if (!finished) await draft.revert();
    }
  }

  /**
   * Restores the files of a step to their state before or after it: all or none, each complete at
   * every moment.
   *
   * @param options.leave Skips files that others have changed; the step is then without them.
   * @returns The step to keep instead; 409 `changed-on-disk` if others have changed one
   * of its files, 409 `scene-open`, 422 `unwritable`.
   */
  async swap(
    step: FileStep,
    way: "undo" | "redo",
    { leave = false }: TravelOptions = {},
  ): Promise<Result<FileStep, Problem>> {
    const [from, to] = way === "undo" ? ["after", "before"] as const : ["before", "after"] as const;
    const placed: Placed[] = [];
    const left: FileChange[] = [];
    const drop = () => placed.forEach(({ current }) => current?.kept?.release());
    for (const change of step.changes) {
      const found = await this.#placed(change, change[from]);
      if (!found.ok && leave && found.error.code === CHANGED) {
        left.push(change);
        continue;
      }
      if (!found.ok) {
        drop();
        return found;
      }
      placed.push({ change, target: change[to], ...found.value });
    }
    const written = await this.#writeAll(placed);
    if (!written.ok) {
      drop();
      return written;
    }
    if (way === "undo") await removeEmpty(this.#core, step.folders);
    else await makeFolders(this.#core, step.folders);
    for (const { target } of placed) target?.kept?.release();
    release({ changes: left, folders: [] });
    await this.#core.rescanFiles(assetsAmong(step.changes.map(({ path }) => path)));
    const changes = placed.map(({ change, current, target }): FileChange => ({
      ...change,
      [from]: current,
      [to]: target === null ? null : { print: target.print, mode: target.mode },
    }));
    return ok({ changes, folders: step.folders });
  }

  /** Releases everything that is kept on disk. */
  close(): Promise<void> {
    return this.#kept.close();
  }

  async #placed(
    { path, place }: FileChange,
    expected: FileState | null,
  ): Promise<Result<Pick<Placed, "location" | "current">, Problem>> {
    const { scenePath, root } = this.#core;
    if (path === scenePath) {
      return refuse(409, "scene-open", `"${path}" is the open scene`, "Open another scene first");
    }
    const location = await resolvedIn(this.#files, root, place);
    if (!location.ok) return location;
    const current = await attempt(() => this.#kept.keep(location.value));
    if (current.ok && isSameFile(current.value, expected)) {
      return ok({ location: location.value, current: current.value });
    }
    if (current.ok) current.value?.kept?.release();
    else if (current.error.code !== "is-a-directory") {
      return err(unwritable(path, current.error.message));
    }
    return err(changedSince(path, expected, current.ok ? current.value : undefined));
  }

  /** Deletes last, so that a crash can leave extra files but never lose one. */
  async #writeAll(placed: readonly Placed[]): Promise<Result<null, Problem>> {
    const rank = ({ change, target }: Placed) => {
      const isSidecar = change.path.endsWith(SIDECAR);
      return target === null ? (isSidecar ? 3 : 2) : isSidecar ? 0 : 1;
    };
    const done: Placed[] = [];
    for (const one of placed.toSorted((a, b) => rank(a) - rank(b))) {
      done.push(one);
      const put = await attempt(() => putFile(this.#files, one.location, one.target));
      if (put.ok) continue;
      for (const { location, current } of done.toReversed()) {
        await attempt(() => putFile(this.#files, location, current));
      }
      return err(unwritable(one.change.path, put.error.message));
    }
    return ok(null);
  }
}

/** Returns the assets among a step's paths; a sidecar counts as its asset. */
function assetsAmong(paths: readonly string[]): readonly string[] {
  const assets = paths
    .filter(isAssetFile)
    .map((path) => path.endsWith(SIDECAR) ? path.slice(0, -SIDECAR.length) : path);
  return [...new Set(assets)];
}

/** Returns whether a project file is an asset or its sidecar, by its path. */
export function isAssetFile(path: string): boolean {
  return [ASSET_FOLDER, SCENE_FOLDER].some((folder) => path.startsWith(`${folder}/`));
}

function changedSince(
  path: string,
  expected: FileState | null,
  found: FileState | null | undefined,
): Problem {
  const what = found === undefined
    ? "there is a folder now"
    : found === null
    ? "it is gone"
    : expected === null
    ? "somebody has written it since"
    : "somebody else has changed it since";
  return problem(
    409,
    CHANGED,
    `"${path}" has changed since this step: ${what}`,
    "Restore the file, or take the step without it (leave=1); nothing was changed",
  );
}
