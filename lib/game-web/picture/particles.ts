import { Matrix4, type Scene, type Texture } from "three";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import { type LiveWorld, STEP } from "../../game/world/mod.ts";
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

/** The particles of the 3D layer: the world says how many there are, and where they come from. */
export class SeenParticles {
  readonly #scene: Scene;
  readonly #looks: Loaded<ParticleLook>;
  readonly #byId = new Map<number, Emitter>();
  #world: LiveWorld | null = null;
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
  update({ world, tick }: SeenMoment["game"]): boolean {
    if (world !== this.#world) this.clear();
    const seconds = world === this.#world ? (tick - this.#tick) * STEP : 0;
    this.#world = world;
    this.#tick = tick;
    let isWhole = true;
    for (const entity of world.having("ParticleEmitter")) {
      if (entity.layer !== "3d") continue;
      const fields = entity.traits["ParticleEmitter"];
      const particle = textIn(fields, "particle");
      const look = particle === "" ? null : this.#looks.get(particle);
      if (look === undefined) isWhole = false;
      if (look === undefined || look === null) continue;
      const known = this.#byId.get(entity.id);
      const isNew = known?.particle !== particle;
      const swarm = known === undefined || isNew
        ? this.#begin(entity.id, particle, look)
        : known.swarm;
      if (isNew || seconds > 0) {
        placeInto(place, world, entity);
        swarm.advance(isNew ? look.lifetime : seconds, numberIn(fields, "alive"), place);
      }
    }
    for (const id of this.#byId.keys()) if (world.get(id) === undefined) this.#end(id);
    return isWhole;
  }

  /** Loads what an emitter will emit. */
  prepare(particle: string): void {
    if (particle !== "") this.#looks.get(particle);
  }

  /** Turns them to a camera. */
  face(camera: Matrix4): void {
    for (const { swarm } of this.#byId.values()) swarm.face(camera);
  }

  /** What they are drawn with. */
  textures(): readonly Texture[] {
    return this.#looks.values().flatMap(({ image }) => image ?? []);
  }

  clear(): void {
    for (const id of this.#byId.keys()) this.#end(id);
  }

  #begin(id: number, particle: string, look: ParticleLook): Swarm {
    this.#end(id);
    const swarm = new Swarm(look, id);
    this.#byId.set(id, { particle, swarm });
    this.#scene.add(swarm.mesh);
    return swarm;
  }

  #end(id: number): void {
    this.#byId.get(id)?.swarm.dispose();
    this.#byId.delete(id);
  }
}
