import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { GAME_FILE, serializeGameFile } from "../../lib/game/assets/mod.ts";
import type { Recording } from "../../lib/game/play/mod.ts";
import type { AssetType, InputEvent } from "../../lib/game/types/mod.ts";
import { type Random, seededRandom } from "../support/random.ts";
import type { GameFiles } from "./game-files.ts";

// Games that a seed draws: bodies, animations, spawners, timelines, particles, a UI with buttons and a
// stick, and somebody who plays it.

const SCENE = "assets/main.scene.json";
const VIEWPORT = { width: 800, height: 600 };
const KEYS = ["ArrowUp", "ArrowLeft", "Space", "KeyQ"];

/** A guid for each number. */
function guid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

// In the order of the files, behind the scene.
const SWAY = guid(900);
const SPIN = guid(901);
const MOVES = guid(902);
const STORY = guid(903);
const SMOKE = guid(904);
const CRATE = guid(905);

interface Part {
  readonly layer?: "3d" | "ui";
  readonly parent?: string;
  readonly traits: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The game of a seed. */
export function generatedGame(seed: number): GameFiles {
  const random = seededRandom(seed);
  const parts = partsOf(random);
  const files = new Map<string, { readonly type: AssetType; readonly content: unknown }>([
    [SCENE, {
      type: "scene",
      content: {
        schema: 1,
        name: "Main",
        entities: parts.map(({ layer = "3d", traits, parent }, i) => ({
          guid: guid(i + 1),
          name: `Entity ${i + 1}`,
          ...(parent !== undefined && { parent }),
          layer,
          traits,
        })),
      },
    }],
    ...assetsOf(random),
  ]);
  const bytes = new Map([...files].map(([path, { content }]) => [path, text(content)] as const));
  const game = serializeGameFile({
    name: `Game ${seed}`,
    startScene: SCENE,
    viewport: VIEWPORT,
    engineApi: 1,
    ota: null,
    assets: [...files].map(([path, { type }], i) => ({
      guid: guid(899 + i),
      path,
      name: path,
      type,
      size: bytes.get(path)?.length ?? 0,
    })),
  });
  return new Map([[GAME_FILE, game], ...bytes]);
}

/** Somebody plays it, without much sense. */
export function generatedRound(seed: number, ticks: number): Recording {
  const random = seededRandom(seed + 1_000_000);
  const events: [number, InputEvent][] = [];
  for (let tick = random.below(20); tick < ticks; tick += 1 + random.below(25)) {
    for (const event of gesture(random)) events.push([tick, event]);
  }
  return { scene: SCENE, viewport: VIEWPORT, saved: {}, events, ticks };
}

function gesture(random: Random): readonly InputEvent[] {
  const at = { x: random.below(VIEWPORT.width), y: random.below(VIEWPORT.height) };
  const id = random.below(3);
  const axis = () => (random.below(257) - 128) / 128;
  switch (random.below(8)) {
    case 0:
      return [{ kind: "tap", ...at }];
    case 1:
      return [{ kind: "pointer", phase: "down", ...at, id }];
    case 2:
      return [{ kind: "pointer", phase: "move", ...at, id }];
    case 3:
      return [{ kind: "pointer", phase: random.below(4) === 0 ? "cancel" : "up", ...at, id }];
    case 4: {
      const phase = pick(random, ["down", "up", "press"] as const);
      return [{ kind: "key", code: pick(random, KEYS), phase }];
    }
    case 5:
      return [{ kind: "wheel", ...at, dy: random.below(200) - 100 }];
    case 6:
      return [{ kind: "resize", width: 400 + random.below(800), height: 300 + random.below(600) }];
    default:
      return [{ kind: "gamepad", buttons: [random.below(3)], axes: [axis(), axis(), 0, axis()] }];
  }
}

function partsOf(random: Random): readonly Part[] {
  const far = (size: number) => Math.round((random.next() - 0.5) * size * 1000) / 1000;
  const parts: Part[] = [
    { traits: { GameSettings: { gravity: 5 + far(4) } } },
    { traits: { Transform: { sx: 60, sz: 60 }, Collider: { shape: "box" } } },
  ];
  const bodies = 20 + random.below(40);
  for (let i = 0; i < bodies; i++) {
    const shape = pick(random, ["box", "sphere", "capsule", "cylinder"]);
    parts.push({
      traits: {
        Transform: { x: far(20), y: 2 + random.below(20), z: far(20), rx: far(180), rz: far(180) },
        RigidBody: { mass: 0.5 + random.next(), angularDamping: random.next() },
        Collider: { shape },
      },
    });
  }
  const player = guid(3);
  for (const [i, on] of ["go", "left", "right", "fire"].entries()) {
    parts.push({
      traits: { InputAction: { action: on, keys: `${KEYS[i]},Gamepad${i},GamepadLeftStickUp` } },
    });
    parts.push({
      traits: {
        ScriptAction: { on, effect: "impulse", target: player, x: far(2), y: 0.4, held: true },
      },
    });
  }
  parts.push({ traits: { InputAction: { action: "spawn", keys: "WheelUp" } } });
  parts.push({
    traits: { Transform: { y: 9 }, ScriptAction: { on: "spawn", effect: "spawn", prefab: CRATE } },
  });
  for (let i = 0; i < 6; i++) {
    parts.push({
      traits: {
        Transform: { x: far(30), y: 6, z: far(30) },
        Animator: { animset: MOVES, clip: i % 2 === 0 ? SWAY : SPIN, speed: 0.5 + random.next() },
        ParticleEmitter: { particle: SMOKE, rate: 5 + random.below(40) },
      },
    });
  }
  parts.push({
    traits: {
      Transform: { y: 12 },
      Spawner: { prefab: CRATE, interval: 0.5 + random.next(), limit: 8, radius: 6 },
    },
  });
  parts.push({ traits: { Transform: {}, Timeline: { timeline: STORY, loop: true } } });
  parts.push({
    traits: { Transform: { x: far(5) }, Rotate: { y: far(90) }, Velocity: { z: 0.1 } },
  });
  return [...parts, ...screenOf(random, parts.length)];
}

/** Boxes in a row that wraps, some of them buttons, one a stick. */
function screenOf(random: Random, before: number): readonly Part[] {
  const root = guid(before + 1);
  const boxes: Part[] = [{
    layer: "ui",
    traits: { UIElement: { direction: "row", wrap: true, gap: random.below(12), padding: 7 } },
  }];
  for (let i = 0; i < 12; i++) {
    const size = { width: 60 + random.below(120), height: 40 + random.below(90) };
    const traits = i === 5
      ? { Stick: { left: "left", right: "right", up: "go", down: "fire", radius: 40 } }
      : { Button: { action: pick(random, ["go", "left", "fire", "spawn"]), held: i % 3 === 0 } };
    boxes.push({
      layer: "ui",
      parent: root,
      traits: { UIElement: { ...size, widthUnit: "px", heightUnit: "px" }, ...traits },
    });
  }
  boxes.push({
    layer: "ui",
    parent: root,
    traits: { UIElement: {}, Text: { text: "" }, Binding: { source: "Entity 3.Transform.y" } },
  });
  return boxes;
}

function assetsOf(random: Random): [string, { type: AssetType; content: unknown }][] {
  const clip = (field: string) => ({
    schema: 1,
    length: 1 + random.next() * 3,
    loop: true,
    tracks: [{
      field,
      keys: [0, 1, 2].map((t) => ({
        t: t / 2,
        value: random.next() * 90,
        ease: pick(random, ["linear", "in", "inOut", "step"]),
      })),
    }],
  });
  return [
    ["assets/sway.anim.json", { type: "animation", content: clip("Transform.x") }],
    ["assets/spin.anim.json", { type: "animation", content: clip("Transform.ry") }],
    ["assets/moves.animset.json", {
      type: "animset",
      content: { schema: 1, clips: { sway: SWAY, spin: SPIN } },
    }],
    ["assets/story.timeline.json", {
      type: "timeline",
      content: {
        schema: 1,
        length: 3,
        tracks: [
          { type: "signal", items: [{ t: 1, signal: "fire" }, { t: 2.5, signal: "spawn" }] },
          { type: "animation", items: [{ t: 0.5, duration: 2, clip: SWAY }] },
        ],
      },
    }],
    ["assets/smoke.particle.json", {
      type: "particle",
      content: { schema: 1, lifetime: 0.5 + random.next(), limit: 30 },
    }],
    ["assets/crate.prefab.json", {
      type: "prefab",
      content: {
        schema: 1,
        root: {
          name: "Crate",
          layer: "3d",
          traits: { Transform: { rz: 20 }, RigidBody: {}, Collider: { shape: "box" } },
        },
      },
    }],
  ];
}

/** One of them. */
function pick<T extends string>(random: Random, options: readonly T[]): T {
  const picked = options[random.below(options.length)];
  if (picked === undefined) throw new TypeError("Nothing to pick from");
  return picked;
}

function text(content: unknown): Uint8Array<ArrayBuffer> {
  return encodeUtf8(JSON.stringify(content));
}
