import type { World } from "./scene-builder.ts";

/** The 2D layer: the map, the compass, the stick for thumbs, what flies in from outside. */
export async function buildOverlay({ scene, ref }: World): Promise<void> {
  const sprite = (
    name: string,
    more: Readonly<Record<string, string | number | boolean>> = {},
  ) => ({
    image: ref(`sprites/${name}.png`),
    ...more,
  });
  await scene.add("2d", "Map", {
    traits: { Transform: { x: 1180, y: 600 }, Sprite: sprite("map-frame") },
  });
  await scene.add("2d", "Map Runner", {
    parent: "Map",
    traits: { Transform: { y: 8, z: 2 }, Sprite: sprite("map-boat") },
  });
  for (const [i, [x, y]] of ([[-16, -24], [18, -20], [36, 12], [4, 40]] as const).entries()) {
    await scene.add("2d", `Map Patrol ${i + 1}`, {
      parent: "Map",
      traits: { Transform: { x, y, z: 1, rz: i * 70 }, Sprite: sprite("map-patrol") },
    });
  }
  for (const [i, [x, y]] of ([[28, 0], [-28, 0], [0, -28]] as const).entries()) {
    await scene.add("2d", `Map Buoy ${i + 1}`, {
      parent: "Map",
      traits: { Transform: { x, y }, Sprite: sprite("map-buoy") },
    });
  }
  await scene.add("2d", "Compass", {
    traits: { Transform: { x: 1060, y: 648 }, Sprite: sprite("compass", { color: "#ffffffc0" }) },
  });
  await scene.add("2d", "Needle", {
    parent: "Compass",
    traits: { Transform: { rz: 30, z: 1 }, Sprite: sprite("needle") },
  });
  await scene.add("2d", "North", {
    parent: "Compass",
    traits: {
      Transform: { y: -30 },
      Text: { text: "N", font: ref("fonts/dots.font.json"), align: "center", size: 12 },
    },
  });
  await scene.add("2d", "Stick", {
    traits: { Transform: { x: 120, y: 590 }, Sprite: sprite("stick-base", { color: "#ffffff80" }) },
  });
  await scene.add("2d", "Knob", {
    parent: "Stick",
    traits: { Transform: { z: 1 }, Sprite: sprite("stick-knob") },
  });
  // Waits above the picture for the finish.
  await scene.add("2d", "Finish Banner", {
    traits: {
      Transform: { x: 640, y: -160 },
      Sprite: sprite("banner", { width: 512, height: 128 }),
    },
  });
  // A crew member's mark that has drifted out to the right.
  await scene.add("2d", "Lost Marker", {
    traits: { Transform: { x: 1400, y: 300 }, Sprite: sprite("map-buoy") },
  });
}
