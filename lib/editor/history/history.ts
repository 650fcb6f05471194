import { withoutInvisible } from "../../core/invisible.ts";
import { type Change, inverse } from "../../game/scene/mod.ts";
import { type FileStep, joinFiles, keptBytes, NO_FILES, release } from "../files/file-changes.ts";
import type { Actor, HistoryState, HistoryStep } from "../ports/mod.ts";
import { authored } from "./authored.ts";

/** Maximum undo steps. */
export const MAX_HISTORY_STEPS = 500;
/** Maximum bytes of files kept for all steps together. */
export const MAX_HISTORY_BYTES: number = 1024 * 1024 * 1024;

/** A mark that no state has: the open scene has never been saved. */
export const NEVER_SAVED = -1;

/** A step: its changes to the open scene and to project files. */
export interface RecordedStep {
  readonly step: HistoryStep;
  readonly changes: readonly Change[];
  readonly files: FileStep;
  /** The state of the scene that it led to; `null` when it did not touch the scene. */
  readonly mark: number | null;
}

/** Description of a step that is to be recorded. */
export interface StepNote {
  readonly label: string;
  readonly source: Actor;
}

/** Options of a history. */
export interface HistoryOptions {
  /** {@linkcode MAX_HISTORY_BYTES} when absent. */
  readonly maxBytes?: number;
  /** Called when the oldest steps were dropped because all together kept too much. */
  readonly onForget?: (steps: number) => void;
}

/** Steps of undo and redo in one order, and which state of the scene the saved file is at. */
export class History {
  readonly #options: HistoryOptions;
  #undo: RecordedStep[] = [];
  #redo: RecordedStep[] = [];
  /**
   * The steps that could be redone until one was pushed: they can be again when that step is taken
   * back and the one below it is the newest once more.
   */
  #displaced: {
    readonly by: number;
    readonly below: number | null;
    readonly redo: RecordedStep[];
  } | null = null;
  #nextId = 1;
  /** The state of the scene below the oldest step that touched it. */
  #bottom = 0;
  #savedAt = 0;
  #bytes = 0;

  /** Creates an empty history with a saved scene. */
  constructor(options: HistoryOptions = {}) {
    this.#options = options;
  }

  /** Whether the scene's state differs from the saved one. */
  get unsaved(): boolean {
    return this.mark() !== this.#savedAt;
  }

  /** Bytes of files kept for all steps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The state now is the saved one. @param at The {@linkcode mark} that was written. */
  markSaved(at: number): void {
    this.#savedAt = at;
  }

  /** Names the state of the scene now. */
  mark(): number {
    return this.#undo.findLast(({ mark }) => mark !== null)?.mark ?? this.#bottom;
  }

  /** The steps as everybody may see them. */
  state(): HistoryState {
    return {
      undo: this.#undo.map(({ step }) => step),
      redo: this.#redo.map(({ step }) => step),
    };
  }

  /**
   * Records a step. Undone steps can no longer be redone, unless this step is taken back. @returns
   * Its id.
   */
  push(
    { label: said, source, t }: StepNote & Pick<HistoryStep, "t">,
    changes: readonly Change[],
    files: FileStep = NO_FILES,
  ): number {
    const id = this.#nextId++;
    if (this.#redo.length > 0) {
      this.#forgetDisplaced();
      this.#displaced = { by: id, below: this.#newest(), redo: this.#redo };
      this.#redo = [];
    }
    const isFilesOnly = changes.length === 0 && files.changes.length > 0;
    const label = withoutInvisible(said); // shown to people
    this.#undo.push({
      step: { id, label, ...authored(source), t },
      changes,
      files,
      mark: isFilesOnly ? null : id,
    });
    this.#bytes += keptBytes(files);
    if (this.#undo.length > MAX_HISTORY_STEPS) this.#dropOldest();
    this.#trim("undo");
    return id;
  }

  /** Returns the step that undo or redo would take; `null` if there is none. */
  next(way: "undo" | "redo"): RecordedStep | null {
    return (way === "undo" ? this.#undo : this.#redo).at(-1) ?? null;
  }

  /** Returns the scene changes that undo or redo would apply; empty without a step. */
  changesOf(way: "undo" | "redo"): readonly Change[] {
    const changes = this.next(way)?.changes ?? [];
    return way === "undo" ? backwards(changes) : changes;
  }

  /**
   * Moves the newest step to redo.
   *
   * @param files The contents kept for it once its files are restored.
   * @returns Whether there was one.
   */
  undo(files?: FileStep): boolean {
    const recorded = this.#undo.pop();
    if (recorded === undefined) return false;
    this.#redo.push(this.#with(recorded, files));
    this.#trim("redo");
    return true;
  }

  /** Takes the step that was undone last. @param files As for {@linkcode undo}. */
  redo(files?: FileStep): boolean {
    const recorded = this.#redo.pop();
    if (recorded === undefined) return false;
    this.#undo.push(this.#with(recorded, files));
    this.#trim("undo");
    return true;
  }

  /** Replaces the files kept for the next step, which has been taken back and forth. */
  refresh(way: "undo" | "redo", files: FileStep): void {
    const steps = way === "undo" ? this.#undo : this.#redo;
    const next = steps.pop();
    if (next !== undefined) steps.push(this.#with(next, files));
  }

  /** Joins the steps after one. @returns The joined step's id; `null` if there are none. */
  join(after: number | null, label: string): number | null {
    const joined = this.#undo.splice(this.#after(after));
    const last = joined.at(-1);
    if (last === undefined) return null;
    this.#forgetDisplaced();
    const { step: files, spare } = joinFiles(joined.map((one) => one.files));
    for (const kept of spare) {
      this.#bytes -= kept.size;
      kept.release();
    }
    this.#undo.push({
      step: { ...last.step, label: withoutInvisible(label) },
      changes: joined.flatMap(({ changes }) => changes),
      files,
      // The scene's own last state: a file saved in between is still known to match it.
      mark: joined.findLast(({ mark }) => mark !== null)?.mark ?? null,
    });
    return last.step.id;
  }

  /** The steps after one, the newest last. */
  after(id: number | null): readonly RecordedStep[] {
    return this.#undo.slice(this.#after(id));
  }

  /**
   * Drops the steps after one, and restores what could be redone before them.
   *
   * @returns The changes that take them back in the scene.
   */
  takeBack(after: number | null): readonly Change[] {
    const dropped = this.#undo.splice(this.#after(after));
    for (const step of dropped) this.#forget(step);
    const displaced = this.#displaced;
    const isBack = displaced !== null && displaced.below === this.#newest() &&
      dropped.some(({ step }) => step.id === displaced.by);
    if (isBack && this.#redo.length === 0) {
      this.#redo = displaced.redo;
      this.#displaced = null;
    }
    return backwards(dropped.flatMap(({ changes }) => changes));
  }

  /**
   * Drops the scene changes of all steps, because another scene was opened; file changes remain.
   * Ids continue.
   *
   * @param options.saved Whether the scene has a file.
   * @returns The number of dropped scene steps.
   */
  clear(options: { readonly saved: boolean }): number {
    const dropped = [...this.#undo, ...this.#redo].filter(({ changes }) => changes.length > 0);
    const filesOnly = (steps: readonly RecordedStep[]) =>
      steps.filter(({ files }) => files.changes.length > 0)
        .map((step): RecordedStep => ({ ...step, changes: [], mark: null }));
    this.#forgetDisplaced();
    this.#undo = filesOnly(this.#undo);
    this.#redo = filesOnly(this.#redo);
    this.#bottom = this.#nextId++;
    this.#savedAt = options.saved ? this.#bottom : NEVER_SAVED;
    return dropped.length;
  }

  #with(recorded: RecordedStep, files: FileStep = recorded.files): RecordedStep {
    this.#bytes += keptBytes(files) - keptBytes(recorded.files);
    return { ...recorded, files };
  }

  #forget({ files }: RecordedStep): void {
    this.#bytes -= keptBytes(files);
    release(files);
  }

  #newest(): number | null {
    return this.#undo.at(-1)?.step.id ?? null;
  }

  #forgetDisplaced(): void {
    for (const step of this.#displaced?.redo ?? []) this.#forget(step);
    this.#displaced = null;
  }

  /** Drops the oldest undo steps first, then the last redo steps; keeps the step at hand. */
  #trim(hand: "undo" | "redo"): void {
    const { maxBytes = MAX_HISTORY_BYTES, onForget } = this.#options;
    if (this.#bytes > maxBytes) this.#forgetDisplaced();
    let forgotten = 0;
    for (; this.#bytes > maxBytes; forgotten++) {
      if (this.#undo.length > (hand === "undo" ? 1 : 0)) this.#dropOldest();
      else if (this.#redo.length > (hand === "redo" ? 1 : 0)) this.#dropLastRedo();
      else break;
    }
    if (forgotten > 0) onForget?.(forgotten);
  }

  #dropLastRedo(): void {
    const last = this.#redo.shift();
    if (last !== undefined) this.#forget(last);
  }

  #dropOldest(): void {
    const oldest = this.#undo.shift();
    if (oldest === undefined) return;
    this.#forget(oldest);
    this.#bottom = oldest.mark ?? this.#bottom;
  }

  #after(id: number | null): number {
    if (id === null) return 0;
    const next = this.#undo.findIndex(({ step }) => step.id > id);
    return next < 0 ? this.#undo.length : next;
  }
}

function backwards(changes: readonly Change[]): readonly Change[] {
  return changes.toReversed().map(inverse);
}
