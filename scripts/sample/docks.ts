import { at, box, type Place, type World } from "./scene-builder.ts";

/** Adds the docks in the west: piers, and in a busy harbour their cargo. */
export async function buildDocks({ scene, ref, level }: World): Promise<void> {
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
  if (!level.isBusy) return;
  for (let i = 1; i <= 10; i++) {
    // The last three stand on the first three.
    const below = i > 7 ? i - 7 : i;
    const spot: Place = [below % 2 - 0.5, i > 7 ? 1.65 : 0.65, (below % 7) * 5 - 4];
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
      traits: { ...at([-52, 3, z], size), Renderable3D },
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
