import type { Slot } from "./live-entity.ts";

/** Rooms at the beginning. */
const FEWEST = 64;

/**
 * The revision of each entity's last change. Stored as adjacent numbers: in every frame, the
 * renderer of ten thousand entities asks for the few that have changed.
 */
export class Revisions {
  /** In order of addition, so that carriers precede what they carry; `null` once removed. */
  #slots: (Slot | null)[] = [];
  #revs = new Float64Array(FEWEST);
  /** Index of its carrier; -1 for none. */
  #carriers = new Int32Array(FEWEST);
  /** Reused for each answer. */
  #isChanged = new Uint8Array(FEWEST);
  #gone = 0;

  add(slot: Slot, rev: number): void {
    if (this.#slots.length === this.#revs.length) this.#makeRoom();
    slot.index = this.#slots.push(slot) - 1;
    this.#revs[slot.index] = rev;
    this.#carriers[slot.index] = slot.carrier?.index ?? -1;
  }

  remove({ index }: Slot): void {
    this.#slots[index] = null;
    this.#gone++;
  }

  /** Notes that an entity has changed. */
  note({ index }: Slot, rev: number): void {
    this.#revs[index] = rev;
  }

  /**
   * Returns the entities that have changed after a revision, and everything that they carry,
   * carriers first.
   */
  since(rev: number): readonly Slot[] {
    const found: Slot[] = [];
    for (let index = 0; index < this.#slots.length; index++) {
      const carrier = this.#carriers[index] ?? -1;
      const isCarried = carrier >= 0 && this.#isChanged[carrier] === 1;
      const isChanged = isCarried || (this.#revs[index] ?? 0) > rev;
      this.#isChanged[index] = isChanged ? 1 : 0;
      const slot = this.#slots[index];
      if (isChanged && slot) found.push(slot);
    }
    return found;
  }

  /** Reuses the indices of removed entities if there are many; otherwise doubles the capacity. */
  #makeRoom(): void {
    const before = this.#revs;
    const rooms = this.#gone * 2 > before.length ? before.length : before.length * 2;
    const stay = this.#slots.filter((slot) => slot !== null);
    this.#slots = [];
    this.#gone = 0;
    this.#revs = new Float64Array(rooms);
    this.#carriers = new Int32Array(rooms);
    this.#isChanged = new Uint8Array(rooms);
    for (const slot of stay) this.add(slot, before[slot.index] ?? 0);
  }
}
