import type { FileBody } from "../../ports/files.ts";

// File contents of undo steps. One side of each change is in the project; only the other one's
// content is kept, so that nothing is kept twice.

/** Bytes that are in no file of the project now, and that undo or redo brings back. */
export interface KeptBytes {
  /** Bytes. */
  readonly size: number;
  /** Reads all of it. @throws {FileError} When the disk has lost the kept copy. */
  body(): Promise<FileBody>;
  /** Releases it; further calls do nothing. */
  release(): void;
}

/** A file at one time. */
export interface FileState {
  /** Equal for equal bytes, and else different. */
  readonly print: string;
  /** POSIX permission bits. */
  readonly mode: number;
  /** Its kept bytes, while they are not in the project. */
  readonly kept?: KeptBytes;
}

/** The change of one file by a step; `null` for a file that is missing. */
export interface FileChange {
  /** Relative to the project, for people. */
  readonly path: string;
  /** Relative to the project, links resolved. */
  readonly place: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** The changes of files by a step. */
export interface FileStep {
  /** At most one for each place. */
  readonly changes: readonly FileChange[];
  /** Folders that it made, relative to the project. */
  readonly folders: readonly string[];
}

/** A step that touched no file. */
export const NO_FILES: FileStep = { changes: [], folders: [] };

/** Whether two times of a file are one. */
export function isSameFile(a: FileState | null, b: FileState | null): boolean {
  return a === null || b === null ? a === b : a.print === b.print;
}

/** Returns the contents kept for a step. */
function keptOf({ changes }: FileStep): readonly KeptBytes[] {
  return changes.flatMap(({ before, after }) =>
    [before?.kept, after?.kept].filter((kept) => kept !== undefined)
  );
}

/** Returns the number of bytes kept for a step. */
export function keptBytes(step: FileStep): number {
  return keptOf(step).reduce((sum, { size }) => sum + size, 0);
}

/** Releases everything kept for a step that will not be undone or redone. */
export function release(step: FileStep): void {
  for (const kept of keptOf(step)) kept.release();
}

/**
 * Joins several steps into one.
 *
 * @param steps Consecutive, none of them undone.
 * @returns The joined step, and the contents that it makes obsolete.
 */
export function joinFiles(
  steps: readonly FileStep[],
): { readonly step: FileStep; readonly spare: readonly KeptBytes[] } {
  const net = new Map<string, FileChange>();
  const spare: (KeptBytes | undefined)[] = [];
  for (const change of steps.flatMap(({ changes }) => changes)) {
    const first = net.get(change.place);
    if (first !== undefined) spare.push(change.before?.kept);
    net.set(change.place, first === undefined ? change : { ...first, after: change.after });
  }
  const changes: FileChange[] = [];
  for (const change of net.values()) {
    if (isSameFile(change.before, change.after)) spare.push(change.before?.kept);
    else changes.push(change);
  }
  const folders = [...new Set(steps.flatMap((step) => step.folders))];
  return { step: { changes, folders }, spare: spare.filter((kept) => kept !== undefined) };
}
