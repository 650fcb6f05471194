import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbeddedEditor } from "../../lib/editor/mod.ts";
import { loadRapier, type Rapier } from "../../lib/game/world/rapier.ts";
import { type Contender, median, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import { seededRandom } from "./random.ts";
import type { Finding, Found } from "./report.ts";

const ROUNDS = 2;
const BODIES = 500;
const STEPS = 10_000;
const QUICK = { bodies: 10, steps: 20 };
const SCENE = "assets/scenes/bodies.scene.json";
const STEP_SECONDS = 1 / 60;
const GRAVITY = 9.81;
/** Metres from the middle of the room to its walls. */
const ROOM = 12;
const ACROSS = 9;

/** A body, as both sides create it. */
interface Body {
  readonly at: readonly [x: number, y: number, z: number];
  /** Metres: width, height, depth. */
  readonly size: readonly [number, number, number];
  readonly fixed: boolean;
}

/** Behaviour of the bodies. */
interface World {
  readonly name: string;
  readonly shape: "box" | "sphere";
  readonly friction: number;
  readonly restitution: number;
}

const WORLDS: readonly World[] = [
  { name: "boxes that come to rest", shape: "box", friction: 0.5, restitution: 0 },
  { name: "balls that bounce on", shape: "sphere", friction: 0, restitution: 1 },
];

/** Compares steps of a complete game with steps of the physics engine alone. */
export async function measurePhysics(context: BenchContext): Promise<Found> {
  const { bodies, steps } = context.quick ? QUICK : { bodies: BODIES, steps: STEPS };
  const rapier = await loadRapier();
  const findings: Finding[] = [];
  const rows: (readonly (string | number)[])[] = [];
  for (const [index, world] of WORLDS.entries()) {
    const folder = join(context.folder, String(index));
    const made = makeBodies(bodies);
    const compared = await compare(context, { rapier, folder, world, bodies: made, steps });
    findings.push(compared.finding);
    rows.push([world.name, ...compared.counts]);
  }
  return {
    about:
      `${steps} steps of a game with ${bodies} bodies, six of them the walls of a room, against as many steps of ` +
      "Rapier with the same bodies and nothing else. A step of the game also runs all other systems, " +
      "takes what moved into the traits, and notes contacts. Both end with every body in the same " +
      "place.",
    findings,
    counts: { head: ["bodies", "game, µs a step", "Rapier, µs a step", "awake at the end"], rows },
  };
}

interface Comparison {
  readonly rapier: Rapier;
  readonly folder: string;
  readonly world: World;
  readonly bodies: readonly Body[];
  readonly steps: number;
}

async function compare(
  { runtime, quick, onRound }: BenchContext,
  comparison: Comparison,
): Promise<{ readonly finding: Finding; readonly counts: readonly (string | number)[] }> {
  const { world, bodies, steps } = comparison;
  const game = await openGame(runtime, comparison);
  const bare = new BareWorld(comparison);
  try {
    const [ours = [], theirs = []] = await timeRounds([game, bare], {
      rounds: quick ? 2 : ROUNDS,
      now: () => runtime.clock.monotonic(),
      onRound,
    });
    const [there, here] = [bare.places(), await game.places()];
    const away = there.findIndex((place, i) => place !== here[i]);
    if (away >= 0) {
      throw new Error(
        `Body ${away} is at ${here[away]}, expected ${there[away]}: not the same steps`,
      );
    }
    const perStep = (times: readonly number[]) => (median(times) * 1_000 / steps).toFixed(0);
    return {
      finding: {
        ours: `${steps} steps, ${bodies.length} bodies: ${world.name}`,
        against: "the same steps of Rapier alone",
        of: "time",
        ratio: ratioOf(ours, theirs),
      },
      counts: [perStep(ours), perStep(theirs), bare.awake()],
    };
  } finally {
    bare.free();
    await game.close();
  }
}

interface PlayedGame extends Contender {
  /** Returns the places of the bodies as text. */
  places(): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function openGame(
  { files, clock }: BenchContext["runtime"],
  { folder, world, bodies, steps }: Comparison,
): Promise<PlayedGame> {
  mkdirSync(join(folder, "assets", "scenes"), { recursive: true });
  const entities = bodies.map((body, n) => entityOf(body, { world, n }));
  writeFileSync(join(folder, SCENE), JSON.stringify({ schema: 1, name: "Bodies", entities }));
  const opened = await openEmbeddedEditor({
    files,
    clock,
    root: folder,
    project: "Bodies",
    scenePath: SCENE,
  });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { play } = opened.value;
  const step = async (ticks: number) => {
    const done = await play.step(ticks, { source: "agent" });
    if (!done.ok) throw new Error(done.error.detail);
  };
  return {
    async prepare() {
      await play.stop("agent");
      await step(1); // starts the game
    },
    run: () => step(steps),
    async places() {
      const { entities } = await opened.value.sceneState();
      return entities.map(({ traits: { Transform: at } }) =>
        `${at?.["x"]} ${at?.["y"]} ${at?.["z"]}`
      );
    },
    close: () => opened.value.close(),
  };
}

function entityOf(
  { at: [x, y, z], size: [width, height, depth], fixed }: Body,
  { world, n }: { readonly world: World; readonly n: number },
): object {
  const { shape, friction, restitution } = world;
  return {
    guid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    name: `Body ${n}`,
    layer: "3d",
    traits: {
      Transform: { x, y, z },
      Collider: { shape: fixed ? "box" : shape, width, height, depth, friction, restitution },
      ...(!fixed && { RigidBody: {} }),
    },
  };
}

/** Creates a room of six walls, with boxes that rest on each other at no exact place. */
function makeBodies(count: number): readonly Body[] {
  const random = seededRandom(count);
  const far = ROOM + 0.5;
  const wide = 2 * ROOM + 2;
  const bodies: Body[] = [
    { at: [0, -far, 0], size: [wide, 1, wide], fixed: true },
    { at: [0, far, 0], size: [wide, 1, wide], fixed: true },
    { at: [-far, 0, 0], size: [1, wide, wide], fixed: true },
    { at: [far, 0, 0], size: [1, wide, wide], fixed: true },
    { at: [0, 0, -far], size: [wide, wide, 1], fixed: true },
    { at: [0, 0, far], size: [wide, wide, 1], fixed: true },
  ];
  const spread = () => random.next() - 0.5;
  for (let n = 0; bodies.length < count; n++) {
    const [column, row, floor] = [n % ACROSS, Math.floor(n / ACROSS) % ACROSS, n / ACROSS ** 2];
    bodies.push({
      at: [
        (column - (ACROSS - 1) / 2) * 2 + spread() * 0.8,
        Math.floor(floor) * 2 - ROOM + 2 + spread() * 0.8,
        (row - (ACROSS - 1) / 2) * 2 + spread() * 0.8,
      ],
      size: [1, 1, 1],
      fixed: false,
    });
  }
  return bodies;
}

/** The same bodies in Rapier alone. */
class BareWorld implements Contender {
  readonly #comparison: Comparison;
  #world: InstanceType<Rapier["World"]>;

  constructor(comparison: Comparison) {
    this.#comparison = comparison;
    this.#world = this.#make();
  }

  readonly prepare = (): void => {
    this.#world.free();
    this.#world = this.#make();
    this.#world.step(); // as the game has made one when it is started
  };

  readonly run = (): void => {
    for (let i = 0; i < this.#comparison.steps; i++) this.#world.step();
  };

  /** Returns the places of the bodies as text, in order of creation. */
  places(): readonly string[] {
    const places: string[] = [];
    this.#world.forEachRigidBody((body) => {
      const { x, y, z } = body.translation();
      places.push(`${x} ${y} ${z}`);
    });
    return places;
  }

  /** Returns how many of the movable bodies are awake. */
  awake(): number {
    let awake = 0;
    this.#world.forEachRigidBody((body) => {
      if (body.isDynamic() && !body.isSleeping()) awake++;
    });
    return awake;
  }

  free(): void {
    this.#world.free();
  }

  #make(): InstanceType<Rapier["World"]> {
    const { rapier, world: { shape, friction, restitution }, bodies } = this.#comparison;
    const { ColliderDesc, RigidBodyDesc } = rapier;
    const world = new rapier.World({ x: 0, y: -GRAVITY, z: 0 });
    world.timestep = STEP_SECONDS;
    for (const { at: [x, y, z], size: [width, height, depth], fixed } of bodies) {
      const desc = fixed ? RigidBodyDesc.fixed() : RigidBodyDesc.dynamic();
      const body = world.createRigidBody(desc.setTranslation(x, y, z));
      const form = fixed || shape === "box"
        ? ColliderDesc.cuboid(width / 2, height / 2, depth / 2)
        : ColliderDesc.ball(width / 2);
      world.createCollider(
        form.setFriction(friction).setRestitution(restitution).setMass(1),
        body,
      );
    }
    return world;
  }
}
