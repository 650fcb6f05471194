import { type Change, inverse } from "./document.ts";
import type { HistoryState, HistoryStep } from "./ports.ts";

/** Steps of undo that are kept. */
export const MAX_HISTORY_STEPS = 500;

interface RecordedStep {
  readonly step: HistoryStep;
  readonly changes: readonly Change[];
}

/** Steps of undo and redo, and which of them the saved file is at. */
export class History {
  #undo: RecordedStep[] = [];
  #redo: RecordedStep[] = [];
  #nextId = 1;
  /** The id of the newest step that was dropped: what stands below the oldest one. */
  #bottom = 0;
  #savedAt = 0;

  /** Whether undo and redo have left the state that was saved. */
  get unsaved(): boolean {
    return this.#top() !== this.#savedAt;
  }

  /** The state now is the saved one. @param at The {@linkcode mark} that was written. */
  markSaved(at: number): void {
    this.#savedAt = at;
  }

  /** Names the state now. */
  mark(): number {
    return this.#top();
  }

  /** The steps as everybody may see them. */
  state(): HistoryState {
    return {
      undo: this.#undo.map(({ step }) => step),
      redo: this.#redo.map(({ step }) => step),
    };
  }

  /** Records a step. What was undone can no longer be redone. @returns Its id. */
  push(step: Omit<HistoryStep, "id">, changes: readonly Change[]): number {
    const id = this.#nextId++;
    this.#redo = [];
    this.#undo.push({ step: { ...step, id }, changes });
    if (this.#undo.length > MAX_HISTORY_STEPS) this.#bottom = this.#undo.shift()?.step.id ?? 0;
    return id;
  }

  /** Takes the newest step to undo. @returns It, and what undoes it; `null` when there is none. */
  undo(): { readonly step: HistoryStep; readonly changes: readonly Change[] } | null {
    const recorded = this.#undo.pop();
    if (recorded === undefined) return null;
    this.#redo.push(recorded);
    return { step: recorded.step, changes: backwards(recorded.changes) };
  }

  /** Takes the step that was undone last. */
  redo(): { readonly step: HistoryStep; readonly changes: readonly Change[] } | null {
    const recorded = this.#redo.pop();
    if (recorded === undefined) return null;
    this.#undo.push(recorded);
    return recorded;
  }

  /** Makes the steps after one a single step. @returns Its id; `null` when there are none. */
  join(after: number | null, label: string): number | null {
    const from = this.#after(after);
    const joined = this.#undo.splice(from);
    const last = joined.at(-1);
    if (last === undefined) return null;
    // The last one's id: a file saved meanwhile is still known to be at this state.
    this.#undo.push({
      step: { ...last.step, label },
      changes: joined.flatMap(({ changes }) => changes),
    });
    return last.step.id;
  }

  /** Forgets the steps after one. @returns What takes them back. */
  takeBack(after: number | null): readonly Change[] {
    const dropped = this.#undo.splice(this.#after(after));
    return backwards(dropped.flatMap(({ changes }) => changes));
  }

  /** Forgets everything: another scene is open. Ids go on. @param options.saved Whether it has a file. */
  clear(options: { readonly saved: boolean }): void {
    this.#undo = [];
    this.#redo = [];
    this.#bottom = this.#nextId++;
    this.#savedAt = options.saved ? this.#bottom : -1;
  }

  #top(): number {
    return this.#undo.at(-1)?.step.id ?? this.#bottom;
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
