import type { LiveWorld } from "./live-world.ts";

/**
 * Returns the actions of a control in the current world: the entities that define them may change
 * while it is held.
 */
export type Gives = (world: LiveWorld) => readonly string[];

interface Held {
  readonly gives: Gives;
  /** Above 0, at most 1: how far a stick is pushed; 1 for controls that are only up or down. */
  readonly strength: number;
  readonly isReleased: boolean;
}

const NONE_HELD: ReadonlyMap<string, number> = new Map();

/**
 * The player's held controls: keys, buttons on the screen and of gamepads, sticks. They outlive
 * scenes.
 */
export class Controls {
  readonly #held = new Map<string, Held>();
  /** Whether any of them is released. */
  #isReleasing = false;

  /** Presses a control, or changes its strength. @returns Whether it was up. */
  hold(control: string, gives: Gives, strength: number): boolean {
    const isNew = !this.#held.has(control);
    this.#held.set(control, { gives, strength, isReleased: false });
    return isNew;
  }

  /** Releases a control after one more step, so that every press is noticed. */
  release(control: string): void {
    const held = this.#held.get(control);
    if (held === undefined) return;
    this.#held.set(control, { ...held, isReleased: true });
    this.#isReleasing = true;
  }

  /** Returns the held actions with their strength: the maximum if several controls give one. */
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

  /** After a step: controls released during it are up. */
  settle(): void {
    if (!this.#isReleasing) return;
    this.#isReleasing = false;
    for (const [control, { isReleased }] of this.#held) {
      if (isReleased) this.#held.delete(control);
    }
  }
}
