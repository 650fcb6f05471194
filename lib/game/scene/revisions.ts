import { eachOf, type Work } from "../../core/cooperative.ts";
import { type Change, subjectOf } from "./change.ts";

/** Revisions whose changes are known. */
const REMEMBERED_REVISIONS = 2_000;

/** Changes of a revision. */
export interface Revision {
  readonly ids: readonly number[];
  /** Added and removed entities. */
  readonly inserted: readonly number[];
  readonly removed: readonly number[];
}

/** A revision, and whether an entity was added other than as its parent's last child, or moved. */
type CountedRevision = Revision & { readonly isReordered: boolean };

/** Returns the revision that changes make; yields to other work. */
export function* revisionOf(changes: readonly Change[]): Work<Revision> {
  const ids = new Set<number>();
  const inserted: number[] = [];
  const removed: number[] = [];
  yield* eachOf(changes, (change) => {
    const { id } = subjectOf(change);
    ids.add(id);
    if (change.kind === "insert") inserted.push(id);
    else if (change.kind === "remove") removed.push(id);
  });
  return { ids: [...ids], inserted, removed };
}

/** The newest revisions of a document, with what each changed. */
export class RevisionLog {
  #rev: number;
  /** The newest last. */
  readonly #known: CountedRevision[] = [];

  /** @param rev The first revision, whose changes are not known. */
  constructor(rev: number) {
    this.#rev = rev;
  }

  /** The newest revision. */
  get rev(): number {
    return this.#rev;
  }

  /** Counts a revision; ignores one without changes, and returns whether it was counted. */
  count(revision: Revision, isReordered: boolean): boolean {
    if (revision.ids.length === 0) return false;
    this.#rev++;
    this.#known.push({ ...revision, isReordered });
    if (this.#known.length > REMEMBERED_REVISIONS) this.#known.shift();
    return true;
  }

  /**
   * Returns the ids changed after a revision, and whether all changes since are known (otherwise
   * all may have changed).
   *
   * @param until The last revision that counts.
   */
  changedSince(
    rev: number,
    until: number,
  ): { readonly known: boolean; readonly ids: readonly number[] } {
    const revisions = this.#since(rev)?.slice(0, Math.max(0, until - rev));
    if (revisions === undefined) return { known: false, ids: [] };
    return { known: true, ids: [...new Set(revisions.flatMap(({ ids }) => ids))] };
  }

  /**
   * Returns whether the entities are still in the order of a revision, except for removed ones and
   * new ones added as their parent's last child.
   */
  keptOrderSince(rev: number): boolean {
    const revisions = this.#since(rev);
    if (revisions === null) return false;
    const removed = new Set<number>();
    for (const revision of revisions) {
      for (const id of revision.removed) removed.add(id);
      // An entity that was removed and added again has another position.
      if (revision.isReordered || revision.inserted.some((id) => removed.has(id))) return false;
    }
    return true;
  }

  /** Returns the revisions after one, oldest first; `null` if some are no longer known. */
  #since(rev: number): readonly CountedRevision[] | null {
    const revisions = this.#rev - rev;
    if (revisions < 0 || revisions > this.#known.length) return null;
    return revisions === 0 ? [] : this.#known.slice(-revisions);
  }
}
