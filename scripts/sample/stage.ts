import { at, box, type Place, type World } from "./scene-builder.ts";

/**
 * Adds the base of a level: its rules, camera and light, the water, its borders, the lighthouse.
 */
export async function buildStage({ scene, ref, level }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  const { laps, timeLimit, sky } = level;
  await scene.add("3d", "Rules", {
    traits: {
      GameSettings: {
        laps,
        timeLimit,
        lives: 1,
        secondValue: 5,
        music: ref("audio/harbor-loop.wav"),
      },
    },
  });
  await scene.add("3d", "Main Camera", {
    traits: {
      ...at([0, 7, 22], { rx: -18 }),
      Camera: { priority: 1, far: 220 },
      Follow: { target: await scene.guid("Runner"), distance: 15, damping: 0.9, turns: true },
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
      Sky: { environment: ref(sky.environment), fogStart: sky.fog[0], fogEnd: sky.fog[1] },
    },
  });
  await scene.add("3d", "Sun", {
    traits: {
      ...at([30, 40, 20], { rx: -50, ry: 35 }),
      Light: { ...sky.sun, castShadow: true },
    },
  });
  await scene.add("3d", "Ambient", { traits: { Light: { kind: "ambient", ...sky.ambient } } });
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
      Collider: { shape: "cylinder" },
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

const BREAKWATER: readonly (readonly [string, Place, Place])[] = [
  ["Wall North", [0, 0.5, -60], [124, 3, 4]],
  ["Wall East", [60, 0.5, 0], [4, 3, 116]],
  ["Wall South", [0, 0.5, 60], [124, 3, 4]],
];

/** Adds the western border of a level, and the obstacles in its water. */
export async function buildWaters({ scene, ref, level }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  await scene.add("3d", "Shore", {
    traits: { ...at([-60, 0, -20]), Collider: { width: 26, height: 2, depth: 92 } },
  });
  const west = box(material("stone"), [4, 3, 34]);
  await scene.add("3d", "Wall West", {
    traits: { ...at([-60, 0.5, 41], west.size), Renderable3D: west.Renderable3D, Collider: {} },
  });
  const piles = box(material("planks"), [1.6, 1, 47]);
  await scene.add("3d", "Piles", {
    parent: "Docks",
    traits: { ...at([0, -0.6, 18], piles.size), Renderable3D: piles.Renderable3D, Collider: {} },
  });
  for (const [i, [x, z, radius]] of level.islands.entries()) {
    await scene.add("3d", `Island ${i + 1}`, { traits: at([x, 0, z]) });
    const parent = `Island ${i + 1}`;
    await scene.add("3d", `Sand ${i + 1}`, {
      parent,
      traits: {
        ...at([0, 0, 0], { sx: radius * 2, sy: 1.4, sz: radius * 2 }),
        Renderable3D: { mesh: "cylinder", material: material("sand") },
        Collider: { shape: "cylinder" },
      },
    });
    for (const [j, [dx, dz]] of ([[-0.3, 0.2], [0.4, -0.3]] as const).entries()) {
      const size = 1 + (i + j) % 3 * 0.3;
      await scene.add("3d", `Fir ${i * 2 + j + 1}`, {
        parent,
        traits: {
          ...at([dx * radius, 0.7 + size * 1.8, dz * radius], {
            sx: size * 2,
            sy: size * 3.6,
            sz: size * 2,
          }),
          Renderable3D: { mesh: "cone", material: material("leaf") },
        },
      });
    }
  }
  for (const [i, [x, z, width]] of level.rocks.entries()) {
    await scene.add("3d", `Rock ${i + 1}`, {
      traits: {
        ...at([x, 0.2, z], { sx: width, sy: width * 0.8, sz: width }),
        Renderable3D: { mesh: "cone", material: material("stone") },
        Collider: { shape: "cylinder" },
        Hazard: {},
      },
    });
  }
}
