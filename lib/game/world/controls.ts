import type { LiveWorld } from "./live-world.ts";

/** The actions that a control gives as the world is now: what names them may change while it is held. */
export type Gives = (world: LiveWorld) => readonly string[];

interface Held {
  readonly gives: Gives;
  /** More than 0, at most 1: how far a stick is pushed; 1 for what is only down or up. */
  readonly strength: number;
  readonly isReleased: boolean;
}

const NONE_HELD: ReadonlyMap<string, number> = new Map();

/** What the player holds: keys, buttons on the screen and of gamepads, sticks. Scenes come and go below. */
export class Controls {
  readonly #held = new Map<string, Held>();
  /** Whether any of them is released. */
  #isReleasing = false;

  /** A control goes down, or is pushed otherwise. @returns Whether it was up. */
  hold(control: string, gives: Gives, strength: number): boolean {
    const isNew = !this.#held.has(control);
    this.#held.set(control, { gives, strength, isReleased: false });
    return isNew;
  }

  /** A control goes up, after one more step, so that none is too short to be noticed. */
  release(control: string): void {
    const held = this.#held.get(control);
    if (held === undefined) return;
    this.#held.set(control, { ...held, isReleased: true });
    this.#isReleasing = true;
  }

  /** The actions that are held, and how strongly: the strongest counts where several give one. */
  actions(world: LiveWorld): ReadonlyMap<string, number> {
    if (this.#held.size === 0) return NONE_HELD;
    const actions = new Map<string, number>();
    for (const { gives, strength } of this.#held.values()) {
      for (const action of gives(world)) {
        actions.set(action, Math.max(strength, actions.get(action) ?? 0));
      }
    }
    return actions;
  }

  /** After a step: what was released in it is up. */
  settle(): void {
    if (!this.#isReleasing) return;
    this.#isReleasing = false;
    for (const [control, { isReleased }] of this.#held) {
      if (isReleased) this.#held.delete(control);
    }
  }
}
