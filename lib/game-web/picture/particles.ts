import { Matrix4, type Scene, type Texture } from "three";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import { type LiveEntity, type LiveWorld, STEP } from "../../game/world/mod.ts";
import type { SeenMoment, WebContent } from "../content/mod.ts";
import { Loaded, type LoadNotes } from "./loaded.ts";
import { loadParticle, type ParticleLook } from "./particle-file.ts";
import { placeInto } from "./places.ts";
import { Swarm } from "./swarm.ts";
import type { Textures } from "./textures.ts";

interface Emitter {
  readonly particle: string;
  readonly swarm: Swarm;
}

const place = new Matrix4();

/** The particles of the 3D layer: the world gives their number and origin. */
export class SeenParticles {
  readonly #scene: Scene;
  readonly #looks: Loaded<ParticleLook>;
  readonly #byGuid = new Map<string, Emitter>();
  #world: LiveWorld | null = null;
  #sequence: string | undefined;
  #tick = 0;

  constructor(
    scene: Scene,
    { content, textures }: { readonly content: WebContent; readonly textures: Textures },
    notes: LoadNotes,
  ) {
    this.#scene = scene;
    this.#looks = new Loaded((guid) => loadParticle(content, textures, guid), notes);
  }

  /** @returns Whether all of it is there. */
  update({ world, tick, sequence }: SeenMoment["game"]): boolean {
    const isNext = sequence !== undefined && sequence === this.#sequence && tick >= this.#tick;
    const continues = world === this.#world || isNext;
    if (!continues) this.clear();
    const seconds = continues ? (tick - this.#tick) * STEP : 0;
    this.#world = world;
    this.#sequence = sequence;
    this.#tick = tick;
    let isWhole = true;
    for (const entity of world.withTrait("ParticleEmitter")) {
      if (entity.layer !== "3d") continue;
      const fields = entity.traits["ParticleEmitter"];
      const particle = textIn(fields, "particle");
      const look = particle === "" ? null : this.#looks.get(particle);
      if (look === undefined) isWhole = false;
      if (look === undefined || look === null) continue;
      const known = this.#byGuid.get(entity.guid);
      const isNew = known?.particle !== particle;
      const swarm = known === undefined || isNew
        ? this.#begin(entity, particle, look)
        : known.swarm;
      if (isNew || seconds > 0) {
        placeInto(place, world, entity);
        swarm.advance(isNew ? look.lifetime : seconds, numberIn(fields, "alive"), place);
      }
    }
    for (const guid of this.#byGuid.keys()) {
      if (world.byGuid(guid) === undefined) this.#end(guid);
    }
    return isWhole;
  }

  /** Loads the look of an emitter's particles. */
  prepare(particle: string): void {
    if (particle !== "") this.#looks.get(particle);
  }

  /** Turns them to a camera. */
  face(camera: Matrix4): void {
    for (const { swarm } of this.#byGuid.values()) swarm.face(camera);
  }

  /** Returns the textures of particles. */
  textures(): readonly Texture[] {
    return this.#looks.values().flatMap(({ image }) => image ?? []);
  }

  clear(): void {
    for (const guid of this.#byGuid.keys()) this.#end(guid);
  }

  #begin({ id, guid }: LiveEntity, particle: string, look: ParticleLook): Swarm {
    this.#end(guid);
    const swarm = new Swarm(look, id);
    this.#byGuid.set(guid, { particle, swarm });
    this.#scene.add(swarm.mesh);
    return swarm;
  }

  #end(guid: string): void {
    this.#byGuid.get(guid)?.swarm.dispose();
    this.#byGuid.delete(guid);
  }
}
