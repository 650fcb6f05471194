import type { GameContext, System } from "./system.ts";

/** Runs the physics, and tells who touches whom: `@contact` and `@sensor` with two guids. */
export class Contacts implements System {
  step(game: GameContext): void {
    for (const { a, b, began, sensor } of game.physics.step()) {
      game.event(sensor ? "@sensor" : "@contact", { a: a.guid, b: b.guid, began });
    }
  }
}
