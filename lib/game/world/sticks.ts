import { numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import type { GameContext, System } from "./system.ts";

/** Position of a stick, -1 to 1 each; right and down are positive. */
export interface Push {
  readonly x: number;
  readonly y: number;
}

/** The dead zone: a smaller push does not count, as sticks do not rest exactly in their middle. */
const DEAD_ZONE = 0.2;

/** The strength of a push in one direction, 0 to 1; 0 within the dead zone. */
export function strengthOf(push: number): number {
  return push < DEAD_ZONE ? 0 : Math.min(1, (push - DEAD_ZONE) / (1 - DEAD_ZONE));
}

/** Shows how far the sticks of the screen are pushed (`Stick`): in their fields, and by their knobs. */
export class Sticks implements System {
  readonly #pushes = new Map<number, Push>();

  /** Pushes a stick; 0, 0 releases it. */
  push(id: number, push: Push): void {
    this.#pushes.set(id, push);
  }

  step({ world }: GameContext): void {
    for (const [id, { x, y }] of this.#pushes) {
      const stick = world.get(id);
      if (stick === undefined) continue;
      moveKnob(world, stick, { x, y });
      world.set(stick, ["Stick", "x"], x);
      world.set(stick, ["Stick", "y"], y);
    }
    this.#pushes.clear();
  }
}

/** Moves the knob by integer pixels from where the last push has put it. */
function moveKnob(world: LiveWorld, stick: LiveEntity, { x, y }: Push): void {
  const fields = stick.traits["Stick"];
  const knob = world.byGuid(textIn(fields, "knob"));
  const box = knob?.traits["UIElement"];
  if (knob === undefined || box === undefined) return;
  const radius = numberIn(fields, "radius");
  const pixels = (push: number) => Math.round(push * radius);
  const right = pixels(x) - pixels(numberIn(fields, "x"));
  const down = pixels(y) - pixels(numberIn(fields, "y"));
  const [sideX, byX] = textIn(box, "pinX") === "right" ? ["right", -right] : ["left", right];
  const [sideY, byY] = textIn(box, "pinY") === "bottom" ? ["bottom", -down] : ["top", down];
  world.set(knob, ["UIElement", sideX], numberIn(box, sideX) + byX);
  world.set(knob, ["UIElement", sideY], numberIn(box, sideY) + byY);
}
