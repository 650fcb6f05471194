import type { Rapier } from "../../lib/game/world/rapier.ts";

type World = InstanceType<Rapier["World"]>;
type Body = ReturnType<World["createRigidBody"]>;
/** A recorded call, to be repeated in another world. */
type Call = (world: World) => void;

/** The calls that move a body. */
const MOVES = [
  "applyImpulse",
  "setLinvel",
  "setTranslation",
  "setRotation",
  "setBodyType",
  "setNextKinematicTranslation",
  "setNextKinematicRotation",
] as const;

/** All recorded calls to a Rapier world, step by step, which Rapier alone repeats. */
export interface NotedCalls {
  /** The gravity that it was made with. */
  readonly gravity: { readonly x: number; readonly y: number; readonly z: number };
  /** The calls before each step. */
  readonly steps: readonly (readonly Call[])[];
  /** Returns the current places of its bodies as text. */
  places(): readonly string[];
}

/** Wraps Rapier so that the next world records its calls. */
export function notedRapier(rapier: Rapier): {
  readonly rapier: Rapier;
  readonly noted: () => NotedCalls;
} {
  let made: NotedCalls | null = null;
  class NotedWorld extends rapier.World {
    #calls: Call[] = [];
    readonly #steps: Call[][] = [];

    constructor(gravity: NotedCalls["gravity"]) {
      super(gravity);
      made = { gravity, steps: this.#steps, places: () => placesIn(this) };
      const { physicsPipeline } = this;
      const step = physicsPipeline.step.bind(physicsPipeline);
      physicsPipeline.step = (...args) => {
        this.#steps.push(this.#calls);
        this.#calls = [];
        step(...args);
      };
    }

    override createRigidBody(...args: Parameters<World["createRigidBody"]>): Body {
      this.#note((world) => void world.createRigidBody(...args));
      const body = super.createRigidBody(...args);
      for (const name of MOVES) this.#noteMoves(body, name);
      return body;
    }

    override createCollider(...[desc, parent]: Parameters<World["createCollider"]>) {
      const handle = parent?.handle ?? NaN;
      this.#note((world) => void world.createCollider(desc, world.getRigidBody(handle)));
      return super.createCollider(desc, parent);
    }

    override removeRigidBody(body: Body): void {
      const { handle } = body;
      this.#note((world) => world.removeRigidBody(world.getRigidBody(handle)));
      super.removeRigidBody(body);
    }

    #note(call: Call): void {
      this.#calls.push(call);
    }

    #noteMoves(body: Body, name: (typeof MOVES)[number]): void {
      const { handle } = body;
      Object.defineProperty(body, name, {
        value: (...args: readonly unknown[]) => {
          const given = structuredClone(args);
          this.#note((world) =>
            void Reflect.apply(
              world.getRigidBody(handle)[name],
              world.getRigidBody(handle),
              given,
            )
          );
          return Reflect.apply(rapier.RigidBody.prototype[name], body, args);
        },
      });
    }
  }
  return {
    rapier: { ...rapier, World: NotedWorld },
    noted() {
      if (made === null) throw new Error("No world was made: the scene has no bodies");
      return made;
    },
  };
}

/** Returns the places of a world's bodies as text. */
export function placesIn(world: World): readonly string[] {
  const places: string[] = [];
  world.forEachRigidBody((body) => {
    const { x, y, z } = body.translation();
    places.push(`${x} ${y} ${z}`);
  });
  return places;
}
