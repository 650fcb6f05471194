import type { AssetRef } from "./assets.ts";
import { addButton, addMenu, label, LINE_HEIGHT, roomFor } from "./buttons.ts";
import { HARBOR } from "./levels.ts";
import { at, box, SceneBuilder } from "./scene-builder.ts";

/** The scene before the game: a title, the best score, how to steer, a boat that shows itself. */
export async function menuScene(ref: AssetRef): Promise<Uint8Array> {
  const scene = new SceneBuilder("Menu");
  const parts = { scene, ref };
  await scene.add("3d", "Menu Camera", {
    traits: { Transform: { y: 3, z: 7.5, rx: -20 }, Camera: { fov: 50 } },
  });
  await scene.add("3d", "Sun", {
    traits: {
      Transform: { x: 12, y: 16, z: 8, rx: -50, ry: 35 },
      Light: { intensity: 2.2, color: "#ffd9b0", castShadow: true },
    },
  });
  await scene.add("3d", "Water", {
    traits: {
      Transform: { sx: 160, sz: 160 },
      Renderable3D: { mesh: "plane", material: ref("materials/water.material.json") },
    },
  });
  await scene.add("3d", "Turntable", { traits: { Transform: {}, Rotate: { y: 20 } } });
  await scene.add("3d", "Show Boat", {
    parent: "Turntable",
    traits: {
      Transform: { x: 1.5 },
      Renderable3D: {
        mesh: "model",
        model: ref("models/runner.glb"),
        material: ref("materials/hull-red.material.json"),
      },
      Animator: { clip: ref("animations/bob.anim.json") },
    },
  });
  await scene.add("ui", "Menu", {
    traits: { UIElement: { padding: 32, gap: 16, align: "center", justify: "end" } },
  });
  await scene.add("ui", "Title", {
    parent: "Menu",
    traits: {
      UIElement: {
        position: "absolute",
        pinY: "top",
        top: 40,
        padding: 20,
        background: "#b3262ee0",
      },
      Text: label(ref, "Harbor Run", 64),
    },
  });
  await scene.add("ui", "Menu Buttons", { parent: "Menu", traits: { UIElement: roomFor(2, 0) } });
  await addButton(parts, {
    parent: "Menu Buttons",
    name: "Play",
    action: "play",
    keys: "Enter,Space,Gamepad0",
    does: { effect: "openScene", text: HARBOR },
  });
  await addButton(parts, {
    parent: "Menu Buttons",
    name: "How to steer",
    action: "help",
    keys: "KeyH,Gamepad3",
    does: {},
  });
  await scene.add("ui", "Best", {
    parent: "Menu",
    traits: {
      UIElement: {},
      Text: label(ref, "Best 0"),
      SavedValue: { name: "best", source: "Best.SavedValue.value", on: "best" },
      Binding: { source: "Best.SavedValue.value", format: "Best {0}" },
    },
  });
  await scene.add("ui", "Version", {
    parent: "Menu",
    traits: {
      UIElement: { position: "absolute", pinX: "right", pinY: "bottom", right: 16, bottom: 16 },
      Text: label(ref, "v1", 16),
    },
  });
  const help = {
    words: "Arrows, WASD, a stick or\na gamepad steer.\n" +
      "Shift boosts, Space blows the horn.\n" +
      "Pass the gates below the cones,\ntake coins, mind the patrols.",
    size: 16,
    margin: 8,
  };
  await addMenu(parts, {
    name: "Help",
    title: "How to steer",
    on: "help",
    buttons: 1,
    words: help.words.split("\n").length * help.size * LINE_HEIGHT + 2 * help.margin,
  });
  await scene.add("ui", "Help Text", {
    parent: "Help Panel",
    traits: {
      UIElement: { margin: help.margin },
      Text: label(ref, help.words, help.size),
    },
  });
  await addButton(parts, {
    parent: "Help Panel",
    name: "Back",
    action: "back",
    keys: "Escape,Gamepad1",
    does: {
      effect: "set",
      target: await scene.guid("Help Menu"),
      field: "UIElement.visible",
      value: 0,
    },
  });
  await buildBackdrop(scene, ref);
  return scene.toFile();
}

/** Adds the boat's crew and cargo, and the scenery behind it. */
async function buildBackdrop(scene: SceneBuilder, ref: AssetRef): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  const cabin = box(material("planks"), [1, 0.7, 1.2]);
  await scene.add("3d", "Cabin", {
    parent: "Show Boat",
    traits: { ...at([0, 1.1, 0.4], cabin.size), Renderable3D: cabin.Renderable3D },
  });
  await scene.add("3d", "Funnel", {
    parent: "Show Boat",
    traits: {
      ...at([0, 1.8, 0.7], { sx: 0.3, sy: 0.8, sz: 0.3 }),
      Renderable3D: { mesh: "cylinder", material: material("hull-grey") },
    },
  });
  await scene.add("3d", "Sky", {
    traits: {
      Sky: { environment: ref("environments/dusk.env.json"), fogStart: 40, fogEnd: 120 },
    },
  });
  await scene.add("3d", "Ambient", {
    traits: { Light: { kind: "ambient", intensity: 0.6, color: "#9fc4e0" } },
  });
  const tower = box(material("stone"), [3, 14, 3]);
  await scene.add("3d", "Tower", {
    traits: {
      ...at([-14, 7, -24], tower.size),
      Renderable3D: { mesh: "cylinder", material: material("stone") },
    },
  });
  await scene.add("3d", "Lantern", {
    traits: {
      ...at([-14, 15, -24], { sx: 2, sy: 2, sz: 2 }),
      Renderable3D: { mesh: "sphere", material: material("beacon") },
    },
  });
  for (
    const [i, [x, z, radius]] of ([[16, -26, 8], [-30, -36, 10], [4, -44, 9]] as const).entries()
  ) {
    await scene.add("3d", `Island ${i + 1}`, {
      traits: {
        ...at([x, 0, z], { sx: radius * 2, sy: 1.4, sz: radius * 2 }),
        Renderable3D: { mesh: "cylinder", material: material("sand") },
      },
    });
    await scene.add("3d", `Fir ${i + 1}`, {
      traits: {
        ...at([x + 1, 3.4, z], { sx: 3, sy: 5.5, sz: 3 }),
        Renderable3D: { mesh: "cone", material: material("leaf") },
      },
    });
  }
}
