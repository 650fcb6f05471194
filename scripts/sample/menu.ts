import type { AssetRef } from "./assets.ts";
import { addButtons, label } from "./hud.ts";
import { SceneBuilder } from "./scene-builder.ts";

/** The scene before the game: a title, three buttons, a boat that goes in circles. */
export async function menuScene(ref: AssetRef): Promise<Uint8Array> {
  const scene = new SceneBuilder("Menu");
  await scene.add("3d", "Menu Camera", {
    traits: { Transform: { y: 3, z: 9, rx: -15 }, Camera: { fov: 50 } },
  });
  await scene.add("3d", "Sun", {
    traits: { Transform: { rx: -50, ry: 35 }, Light: { intensity: 2 } },
  });
  await scene.add("3d", "Water", {
    traits: {
      Transform: { sx: 60, sz: 60 },
      Renderable3D: { mesh: "plane", material: ref("materials/water.material.json") },
    },
  });
  await scene.add("3d", "Turntable", { traits: { Transform: {}, Rotate: { y: 20 } } });
  await scene.add("3d", "Show Boat", {
    parent: "Turntable",
    traits: {
      Transform: { x: 1.5 },
      Renderable3D: { mesh: "model", model: ref("models/runner.glb") },
      Animator: { clip: ref("animations/bob.anim.json") },
    },
  });
  await scene.add("2d", "Ribbon", {
    traits: {
      Transform: { x: 640, y: 120 },
      Sprite: { image: ref("sprites/banner.png"), width: 640, height: 160 },
    },
  });
  await scene.add("ui", "Menu", {
    traits: { UIElement: { padding: 32, gap: 16, align: "center", justify: "center" } },
  });
  await scene.add("ui", "Title", {
    parent: "Menu",
    traits: { UIElement: {}, Text: label(ref, "Harbor Run", 64) },
  });
  await addButtons({ scene, ref, parent: "Menu", names: ["Play", "Options", "Credits"] });
  await scene.add("ui", "Version", {
    parent: "Menu",
    traits: {
      UIElement: { position: "absolute", pinX: "right", pinY: "bottom", right: 16, bottom: 16 },
      Text: label(ref, "v1", 16),
    },
  });
  return scene.toFile();
}
