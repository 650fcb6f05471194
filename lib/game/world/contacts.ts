import type { Actions } from "./actions.ts";
import type { GameContext, System } from "./system.ts";

/**
 * Runs the physics, and tells who touches whom: `@contact` and `@sensor` with two guids (RING-10).
 * When it begins, the `ScriptAction` of either entity that waits for it answers.
 */
export class Contacts implements System {
  readonly #actions: Pick<Actions, "touch">;

  constructor(actions: Pick<Actions, "touch">) {
    this.#actions = actions;
  }

  step(game: GameContext): void {
    for (const { a, b, began, sensor } of game.physics.step()) {
      const event = sensor ? "@sensor" : "@contact";
      game.event(event, { a: a.guid, b: b.guid, began });
      if (began) this.#actions.touch(event, [a, b]);
    }
  }
}
