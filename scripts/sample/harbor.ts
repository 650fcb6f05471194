import type { AssetRef } from "./assets.ts";
import { buildHud } from "./hud.ts";
import { buildOverlay } from "./overlay.ts";
import { SceneBuilder, type Traits, type World } from "./scene-builder.ts";

/** The scene of the game: three times around the harbour, coins in, patrols out of the way. */
export async function harborScene(ref: AssetRef): Promise<Uint8Array> {
  const scene = new SceneBuilder("Harbor Run");
  const world = { scene, ref };
  await buildStage(world);
  await buildDocks(world);
  await buildBoats(world);
  await buildCourse(world);
  await buildOverlay(world);
  await buildHud(world);
  return scene.toFile();
}

type Spot = readonly [number, number, number];

const at = ([x, y, z]: Spot, more: Traits[string] = {}): Traits => ({
  Transform: { x, y, z, ...more },
});

function box(material: string, size: Spot): { Renderable3D: Traits[string]; size: Traits[string] } {
  const [sx, sy, sz] = size;
  return { Renderable3D: { material }, size: { sx, sy, sz } };
}

async function buildStage({ scene, ref }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  await scene.add("3d", "Rules", {
    traits: {
      GameSettings: { laps: 3, timeLimit: 90, music: ref("audio/harbor-loop.wav") },
    },
  });
  await scene.add("3d", "Main Camera", {
    traits: {
      ...at([0, 14, 26], { rx: -28 }),
      Camera: { priority: 1, far: 220 },
      Follow: { target: await scene.guid("Runner"), distance: 26 },
    },
  });
  await scene.add("3d", "Map Camera", {
    traits: {
      ...at([0, 80, 0], { rx: -90 }),
      Camera: { active: false, projection: "orthographic", size: 120 },
    },
  });
  await scene.add("3d", "Sky", {
    traits: {
      Sky: { environment: ref("environments/dusk.env.json"), fogStart: 90, fogEnd: 210 },
    },
  });
  await scene.add("3d", "Sun", {
    traits: {
      ...at([30, 40, 20], { rx: -50, ry: 35 }),
      Light: { intensity: 2.2, color: "#ffd9b0", castShadow: true },
    },
  });
  await scene.add("3d", "Ambient", {
    traits: { Light: { kind: "ambient", intensity: 0.5, color: "#9fc4e0" } },
  });
  await scene.add("3d", "Water", {
    traits: {
      ...at([0, 0, 0], { sx: 160, sz: 160 }),
      Renderable3D: { mesh: "plane", material: material("water"), castShadow: false },
    },
  });
  await scene.add("3d", "Beach", {
    traits: {
      ...at([-58, 0.2, -20], { sx: 24, sz: 90, rz: -2 }),
      Renderable3D: { mesh: "plane", material: material("sand") },
    },
  });
  for (const [name, spot, size] of BREAKWATER) {
    const { Renderable3D, size: scale } = box(material("stone"), size);
    await scene.add("3d", name, {
      traits: { ...at(spot, scale), Renderable3D, Collider: {}, Obstacle: {} },
    });
  }
  await scene.add("3d", "Lighthouse", { traits: at([34, 0, -34]) });
  await scene.add("3d", "Tower", {
    parent: "Lighthouse",
    traits: {
      ...at([0, 6, 0], { sx: 4, sy: 12, sz: 4 }),
      Renderable3D: { mesh: "cylinder", material: material("stone") },
    },
  });
  await scene.add("3d", "Lantern", {
    parent: "Lighthouse",
    traits: {
      ...at([0, 13, 0], { sx: 2, sy: 2, sz: 2 }),
      Renderable3D: { mesh: "sphere", material: material("lamp") },
    },
  });
  await scene.add("3d", "Beam", {
    parent: "Lighthouse",
    traits: {
      ...at([0, 13, 0]),
      Light: { kind: "spot", intensity: 8, range: 120, angle: 18 },
      Rotate: { y: 24 },
    },
  });
}

const BREAKWATER: readonly (readonly [string, Spot, Spot])[] = [
  ["Wall North", [0, 0.5, -60], [90, 3, 4]],
  ["Wall East", [60, 0.5, 0], [4, 3, 90]],
  ["Wall South", [20, 0.5, 60], [70, 3, 4]],
];

async function buildDocks({ scene, ref }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  await scene.add("3d", "Docks", { traits: at([-24, 0.8, -6]) });
  for (let i = 1; i <= 4; i++) {
    await scene.add("3d", `Pier ${i}`, {
      parent: "Docks",
      traits: {
        ...at([0, 0, (i - 1) * 12]),
        Renderable3D: {
          mesh: "model",
          model: ref("models/pier.mesh.json"),
          material: material("planks"),
        },
        Collider: { width: 2, height: 0.3, depth: 12 },
      },
    });
  }
  for (let i = 1; i <= 10; i++) {
    const spot: Spot = [i % 2 - 0.5, 0.5 + (i > 7 ? 1 : 0), (i % 7) * 5 - 4];
    await scene.add("3d", `Crate ${i}`, {
      parent: "Docks",
      traits: {
        ...at(spot, { ry: i * 17 % 90 }),
        Renderable3D: { material: material("crate") },
        RigidBody: { mass: 20 },
        Collider: {},
      },
    });
  }
  for (let i = 1; i <= 6; i++) {
    await scene.add("3d", `Barrel ${i}`, {
      parent: "Docks",
      traits: {
        ...at([i % 2 ? 0.7 : -0.7, 0.5, i * 5 - 9], { sx: 0.8, sz: 0.8 }),
        Renderable3D: { mesh: "cylinder", material: material("barrel") },
      },
    });
  }
  for (let i = 1; i <= 4; i++) {
    await scene.add("3d", `Lamp ${i}`, {
      parent: "Docks",
      traits: {
        ...at([1.2, 2.5, (i - 1) * 12]),
        Light: { kind: "point", color: "#ffd27a", intensity: 3, range: 8 },
      },
    });
  }
  for (const [i, z] of [-24, 0, 24].entries()) {
    const { Renderable3D, size } = box(material("planks"), [8, 6, 12]);
    await scene.add("3d", `Shed ${i + 1}`, {
      traits: { ...at([-40, 3, z], size), Renderable3D },
    });
  }
  for (let i = 1; i <= 4; i++) {
    await scene.add("3d", `Gull ${i}`, {
      parent: "Docks",
      traits: {
        ...at([i % 2 * 3, 5 + i, i * 6], { sx: 0.9, sy: 0.1, sz: 0.3 }),
        Renderable3D: { material: material("lamp") },
        Rotate: { y: 30 + i * 10 },
      },
    });
  }
  await scene.add("3d", "Crane", { traits: at([-32, 0, 18], { ry: 30 }) });
  const mast = box(material("hull-red"), [1, 10, 1]);
  await scene.add("3d", "Crane Mast", {
    parent: "Crane",
    traits: { ...at([0, 5, 0], mast.size), Renderable3D: mast.Renderable3D },
  });
  const arm = box(material("hull-red"), [10, 0.8, 0.8]);
  await scene.add("3d", "Crane Arm", {
    parent: "Crane",
    traits: { ...at([4, 10, 0], arm.size), Renderable3D: arm.Renderable3D },
  });
}

async function buildBoats({ scene, ref }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  await scene.add("3d", "Runner", {
    traits: {
      ...at([0, 0.1, 8]),
      Renderable3D: {
        mesh: "model",
        model: ref("models/runner.glb"),
        material: material("hull-red"),
      },
      // It swims: the animation bobs it, and no wave turns it over.
      RigidBody: { mass: 450, gravityScale: 0, linearDamping: 0.8, lockRotation: true },
      Collider: { width: 1.75, height: 0.75, depth: 4 },
      Health: { hp: 3, max: 3 },
      Animator: {
        animset: ref("animations/boat.animset.json"),
        clip: ref("animations/bob.anim.json"),
      },
      Script: { script: ref("scripts/boat.js") },
      Player: {},
    },
  });
  const runner = await scene.guid("Runner");
  // One impulse a step gives 6 m/s², until the water holds it at 7.5 m/s.
  const steer = (action: string, keys: string, push: Traits[string]): Traits => ({
    InputAction: { action, keys },
    ScriptAction: { on: action, effect: "impulse", target: runner, ...push, held: true },
  });
  const cabin = box(material("planks"), [1, 0.7, 1.2]);
  await scene.add("3d", "Cabin", {
    parent: "Runner",
    traits: {
      ...at([0, 1.1, 0.4], cabin.size),
      Renderable3D: cabin.Renderable3D,
      ...steer("ahead", "ArrowUp,KeyW", { z: -45 }),
    },
  });
  await scene.add("3d", "Funnel", {
    parent: "Runner",
    traits: {
      ...at([0, 1.8, 0.7], { sx: 0.3, sy: 0.8, sz: 0.3 }),
      Renderable3D: { mesh: "cylinder", material: material("hull-grey") },
      ...steer("astern", "ArrowDown,KeyS", { z: 45 }),
    },
  });
  await scene.add("3d", "Smoke", {
    parent: "Funnel",
    traits: {
      ...at([0, 0.6, 0]),
      ParticleEmitter: { particle: ref("particles/smoke.particle.json"), rate: 6 },
      ...steer("port", "ArrowLeft,KeyA", { x: -45 }),
    },
  });
  await scene.add("3d", "Wake", {
    parent: "Runner",
    traits: {
      ...at([0, 0, 2.2]),
      ParticleEmitter: { particle: ref("particles/wake.particle.json"), rate: 40 },
      ...steer("starboard", "ArrowRight,KeyD", { x: 45 }),
    },
  });
  await scene.add("3d", "Horn", {
    parent: "Runner",
    traits: {
      ...at([0, 1.4, 0]),
      AudioSource: { clip: ref("audio/horn.wav"), volume: 0.8 },
      InputAction: { action: "horn", keys: "Space" },
      ScriptAction: { on: "horn", effect: "emit", text: "horn" },
    },
  });
  for (const [i, [x, z]] of ([[-16, -24], [18, -20], [36, 12], [4, 40]] as const).entries()) {
    const name = `Patrol ${i + 1}`;
    await scene.add("3d", name, {
      traits: {
        ...at([x, 0.1, z], { ry: i * 70 }),
        Renderable3D: {
          mesh: "model",
          model: ref("models/patrol.glb"),
          material: material("hull-grey"),
        },
        Collider: { width: 2, depth: 5 },
        Patrol: { target: await scene.guid(`Post ${i * 2 + 1}`), speed: 3 + i },
        Script: { script: ref("scripts/patrol.js") },
        Enemy: {},
      },
    });
    for (const [j, dx] of [-9, 9].entries()) {
      await scene.add("3d", `Post ${i * 2 + j + 1}`, { traits: at([x + dx, 0, z]) });
    }
  }
  await scene.add("3d", "Patrol Spawner", {
    traits: {
      ...at([52, 0, -50]),
      Spawner: { prefab: ref("prefabs/patrol.prefab.json"), interval: 20, limit: 2 },
    },
  });
}

async function buildCourse({ scene, ref }: World): Promise<void> {
  const gold = ref("materials/gold.material.json");
  await scene.add("3d", "Course", { traits: at([0, 0, 0]) });
  for (let i = 1; i <= 12; i++) {
    await scene.add("3d", `Coin ${i}`, {
      parent: "Course",
      traits: {
        ...at([RING[i % 12] ?? 0, 1, RING[(i + 3) % 12] ?? 0], { rx: 90, sy: 0.15 }),
        Renderable3D: { mesh: "cylinder", material: gold },
        Collectible: { value: 10 },
        Rotate: { y: 90 },
      },
    });
  }
  for (const [i, [x, z]] of ([[44, -44], [-14, 34]] as const).entries()) {
    await scene.add("3d", `Fuel ${i + 1}`, {
      parent: "Course",
      traits: {
        ...at([x, 0.6, z], { sx: 0.8, sy: 1.2, sz: 0.8 }),
        Renderable3D: { material: ref("materials/hull-red.material.json") },
        Collectible: { kind: "fuel", value: 25, respawn: 30 },
      },
    });
  }
  for (const [i, [x, z]] of ([[30, -30], [50, 20], [-30, -44]] as const).entries()) {
    await scene.add("3d", `Gem ${i + 1}`, {
      parent: "Course",
      traits: {
        ...at([x, 1, z], { sx: 0.7, sy: 1.1, sz: 0.7 }),
        Renderable3D: { mesh: "cone", material: ref("materials/lamp.material.json") },
        Collectible: { kind: "gem", value: 100 },
      },
    });
  }
  await scene.add("3d", "Coin Spawner", {
    parent: "Course",
    traits: {
      ...at([0, 1, 0]),
      Spawner: { prefab: ref("prefabs/coin.prefab.json"), interval: 8, limit: 3, radius: 18 },
    },
  });
  for (let i = 1; i <= 6; i++) {
    const spot: Spot = [(RING[i * 2 % 12] ?? 0) * 1.4, 0, (RING[(i * 2 + 3) % 12] ?? 0) * 1.4];
    await scene.add("3d", `Buoy ${i}`, {
      parent: "Course",
      traits: {
        ...at(spot),
        Renderable3D: { mesh: "model", model: ref("models/buoy.glb") },
        Obstacle: {},
      },
    });
  }
  for (const [i, [x, z]] of ([[0, 4], [26, -10], [0, -30], [-16, 4]] as const).entries()) {
    await scene.add("3d", `Gate ${i + 1}`, {
      parent: "Course",
      traits: {
        ...at([x, 1, z]),
        Collider: { width: 8, height: 3, sensor: true },
        Checkpoint: { order: i, timeBonus: i === 0 ? 0 : 10 },
      },
    });
  }
  await scene.add("3d", "Start Line", {
    parent: "Course",
    // A ribbon that is rolled up until the countdown ends.
    traits: { ...at([0, 2, 4], { sx: 0, sy: 0.4, sz: 0.1 }), Renderable3D: { material: gold } },
  });
}

/** A circle of radius 20 in twelve steps, in whole metres. */
const RING = [20, 17, 10, 0, -10, -17, -20, -17, -10, 0, 10, 17];
