import type { Actions } from "./actions.ts";
import type { GameContext, System } from "./system.ts";

/**
 * Runs the physics and reports contacts: `@contact` and `@sensor` with two guids (RING-10). At the
 * start of a contact, the matching `ScriptAction` of either entity runs.
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
