import type { Spot } from "./levels.ts";
import { at, type World } from "./scene-builder.ts";

/** Adds the coins and gates of the course. */
export async function buildCourse({ scene, ref, level }: World): Promise<void> {
  const gold = ref("materials/gold.material.json");
  await scene.add("3d", "Course", { traits: at([0, 0, 0]) });
  for (const [i, [x, z]] of coins(level.gates).entries()) {
    await scene.add("3d", `Coin ${i + 1}`, {
      parent: "Course",
      traits: {
        ...at([x, 1, z], { rx: 90, sy: 0.15 }),
        Renderable3D: { mesh: "cylinder", material: gold },
        Collectible: { value: 10 },
        Rotate: { z: 120 },
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
  for (const [i, [x, z]] of ([[28, -46], [50, 20], [-30, -44]] as const).entries()) {
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
  for (let i = 1; i <= (level.isBusy ? 6 : 0); i++) {
    const [x = 0, z = 0] = [RING[i * 2 % 12], RING[(i * 2 + 3) % 12]];
    await scene.add("3d", `Buoy ${i}`, {
      parent: "Course",
      traits: {
        ...at([x * 1.4, 0, z * 1.4]),
        Renderable3D: { mesh: "model", model: ref("models/buoy.glb") },
        Obstacle: {},
      },
    });
  }
  for (const [i, [x, z]] of level.gates.entries()) {
    await scene.add("3d", `Gate ${i + 1}`, {
      parent: "Course",
      traits: {
        ...at([x, 1, z], { ry: i === 0 ? 0 : headingOf(level.gates, i) }),
        Collider: { width: 8, height: 3, sensor: true },
        Checkpoint: { order: i },
      },
    });
  }
  await scene.add("3d", "Start Line", {
    parent: "Course",
    // A ribbon that stays rolled up until the countdown ends.
    traits: { ...at([0, 2, 4], { sx: 0, sy: 0.4, sz: 0.1 }), Renderable3D: { material: gold } },
  });
}

/** Adds the gates: two posts each, and a cone over the next one. */
export async function buildGates({ scene, ref, level }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  for (let i = 1; i <= level.gates.length; i++) {
    for (const [side, x] of [["Left", -4.4], ["Right", 4.4]] as const) {
      await scene.add("3d", `Gate ${i} ${side}`, {
        parent: `Gate ${i}`,
        traits: {
          ...at([x, 0.5, 0], { sx: 0.5, sy: 3.5, sz: 0.5 }),
          Renderable3D: { mesh: "cylinder", material: material("hull-red") },
        },
      });
    }
    await scene.add("3d", `Gate ${i} Pointer`, {
      parent: `Gate ${i}`,
      traits: {
        ...at([0, 5.5, 0], { rx: 180, sx: 2.4, sy: 3, sz: 2.4 }),
        Renderable3D: { mesh: "cone", material: material("beacon"), visible: i === 1 },
        Rotate: { y: 60 },
        Binding: { source: `Gate ${i}.Checkpoint.next` },
      },
    });
  }
}

/** Places three coins on the way from each gate to the next, for at most twelve gates. */
function coins(gates: readonly Spot[]): readonly Spot[] {
  const each = gates.flatMap(([x, z], i) => {
    const [tx, tz] = gates[(i + 1) % gates.length] ?? [x, z];
    return [0.3, 0.5, 0.7].map((share): Spot => [
      Math.round(x + (tx - x) * share),
      Math.round(z + (tz - z) * share),
    ]);
  });
  return each.slice(0, 12);
}

/** Returns the integer degrees about y that turn a gate across the way to the next one. */
function headingOf(gates: readonly Spot[], i: number): number {
  const [x, z] = gates[i] ?? [0, 0];
  const [from, to] = [gates[i - 1] ?? [x, z], gates[(i + 1) % gates.length] ?? [x, z]];
  return Math.round(Math.atan2(to[0] - from[0], to[1] - from[1]) * 180 / Math.PI);
}

/** A circle of radius 20 in twelve steps, in whole metres. */
const RING = [20, 17, 10, 0, -10, -17, -20, -17, -10, 0, 10, 17];
