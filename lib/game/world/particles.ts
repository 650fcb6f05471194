import { numberOr, textOr } from "../traits/value.ts";
import type { ParticleKind } from "./game-assets.ts";
import type { LiveEntity, LiveFields } from "./live-world.ts";
import { PerEntity } from "./per-entity.ts";
import { type GameContext, STEP, type System } from "./system.ts";

interface Emission {
  readonly entity: LiveEntity;
  readonly fields: LiveFields;
  /** Particles due, less than one. */
  rest: number;
  alive: number;
  /** The steps with births, oldest first. */
  readonly births: { readonly age: number; readonly count: number }[];
}

/** Default for an emitter without a kind. */
const PLAIN: ParticleKind = { lifetime: 1, limit: 1000 };

/** Counts the particles alive: `ParticleEmitter.alive`, a number that only a playing world has. */
export class Particles implements System {
  readonly #emissions = new PerEntity("ParticleEmitter", (entity, fields): Emission => {
    return { entity, fields, rest: 0, alive: 0, births: [] };
  });

  step({ world, assets, age }: GameContext): void {
    for (const own of this.#emissions.of(world)) {
      const { entity, fields, births } = own;
      const kind = assets.particles.get(textOr(fields["particle"])) ?? PLAIN;
      const oldest = age - kind.lifetime / STEP;
      while ((births[0]?.age ?? Infinity) <= oldest) own.alive -= births.shift()?.count ?? 0;
      own.rest += fields["playing"] === false ? 0 : numberOr(fields["rate"], 10) * STEP;
      const due = Math.floor(own.rest);
      own.rest -= due;
      const count = Math.max(0, Math.min(due, kind.limit - own.alive));
      if (count > 0) births.push({ age, count });
      own.alive += count;
      if (fields["alive"] !== own.alive) {
        world.set(entity, ["ParticleEmitter", "alive"], own.alive);
      }
    }
  }
}
