import { isOn, numberIn, textIn } from "../traits/value.ts";
import { type GameContext, STEP, type System } from "./system.ts";

interface Emission {
  /** Particles due, less than one. */
  rest: number;
  alive: number;
  /** The steps in which some were born, oldest first. */
  births: { readonly age: number; readonly count: number }[];
}

/** Counts the particles alive: `ParticleEmitter.alive`, a number that only a playing world has. */
export class Particles implements System {
  readonly #emissions = new Map<number, Emission>();

  step({ world, assets, age }: GameContext): void {
    for (const entity of world.having("ParticleEmitter")) {
      const fields = entity.traits["ParticleEmitter"];
      const kind = assets.particles.get(textIn(fields, "particle")) ?? { lifetime: 1, limit: 1000 };
      const own = this.#emissions.get(entity.id) ?? { rest: 0, alive: 0, births: [] };
      this.#emissions.set(entity.id, own);
      const oldest = age - kind.lifetime / STEP;
      while ((own.births[0]?.age ?? Infinity) <= oldest) {
        own.alive -= own.births.shift()?.count ?? 0;
      }
      own.rest += isOn(fields, "playing") ? numberIn(fields, "rate", 10) * STEP : 0;
      const due = Math.floor(own.rest);
      own.rest -= due;
      const count = Math.max(0, Math.min(due, kind.limit - own.alive));
      if (count > 0) own.births.push({ age, count });
      own.alive += count;
      world.set(entity, ["ParticleEmitter", "alive"], own.alive);
    }
  }
}
