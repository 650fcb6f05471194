import type { World } from "./scene-builder.ts";

/** Pixels a metre on the map. */
const SCALE = 1.2;

/** Adds the 2D layer: the map, the compass, sprites that fly in from outside. */
export async function buildOverlay({ scene, ref, level }: World): Promise<void> {
  const sprite = (
    name: string,
    more: Readonly<Record<string, string | number | boolean>> = {},
  ) => ({
    image: ref(`sprites/${name}.png`),
    ...more,
  });
  const shows = async (target: string) => ({
    MapMarker: { target: await scene.guid(target), scale: SCALE },
  });
  await scene.add("2d", "Map", {
    traits: { Transform: { x: 112, y: 172 }, Sprite: sprite("map-frame") },
  });
  await scene.add("2d", "Map Runner", {
    parent: "Map",
    traits: {
      Transform: { y: 12, z: 3 },
      Sprite: sprite("map-boat"),
      ...await shows("Runner"),
    },
  });
  for (const [i, { at: [x, y] }] of level.patrols.entries()) {
    await scene.add("2d", `Map Patrol ${i + 1}`, {
      parent: "Map",
      traits: {
        Transform: { x: x * SCALE, y: y * SCALE, z: 1 },
        Sprite: sprite("map-patrol"),
        ...await shows(`Patrol ${i + 1}`),
      },
    });
  }
  for (const [i, [x, y]] of level.gates.entries()) {
    await scene.add("2d", `Map Gate ${i + 1}`, {
      parent: "Map",
      traits: {
        Transform: { x: x * SCALE, y: y * SCALE, z: 2 },
        Sprite: sprite("map-buoy", { width: 14, height: 14, visible: i === 0 }),
        Binding: { source: `Gate ${i + 1}.Checkpoint.next` },
      },
    });
  }
  await scene.add("2d", "Compass", {
    traits: { Transform: { x: 240, y: 124 }, Sprite: sprite("compass", { color: "#ffffffc0" }) },
  });
  await scene.add("2d", "Needle", {
    parent: "Compass",
    traits: {
      Transform: { z: 1 },
      Sprite: sprite("needle"),
      MapMarker: { target: await scene.guid("Runner"), scale: 0 },
    },
  });
  await scene.add("2d", "North", {
    parent: "Compass",
    traits: {
      Transform: { y: -30 },
      Text: { text: "N", font: ref("fonts/dots.font.json"), align: "center", size: 12 },
    },
  });
  await scene.add("2d", "Map Lighthouse", {
    parent: "Map",
    traits: {
      Transform: { x: 34 * SCALE, y: -34 * SCALE },
      Sprite: sprite("compass", { width: 10, height: 10 }),
    },
  });
  if (!level.isBusy) return;
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
