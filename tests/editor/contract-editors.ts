import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { stillClock } from "./project-folder.ts";
import { guid } from "./scenes.ts";

const SCENE_PATH = "assets/scenes/main.scene.json";

/** Something on each layer, two things that overlap, one that falls, one with a child. */
const SCENE = {
  schema: 1,
  name: "Main",
  entities: [
    { name: "Camera", layer: "3d", traits: { Transform: { z: 10 }, Camera: {} } },
    {
      name: "Crate",
      layer: "3d",
      traits: {
        Transform: { y: 2 },
        Renderable3D: { mesh: "box" },
        RigidBody: {},
        Collider: {},
      },
    },
    { name: "Lid", parent: guid(2), layer: "3d", traits: { Transform: { y: 0.5 } } },
    {
      name: "Crate behind",
      layer: "3d",
      traits: { Transform: { z: -2, y: 2 }, Renderable3D: { mesh: "sphere" } },
    },
    { name: "Title", layer: "ui", traits: { UIElement: {}, Text: { text: "Hello" } } },
  ].map((entity, index) => ({ guid: guid(index + 1), ...entity })),
};

/** Opens the embedded editor on a project of its own. */
export async function openEmbedded(): Promise<EmbeddedEditor> {
  const root = mkdtempSync(join(tmpdir(), "slipway-contract-"));
  const target = join(root, SCENE_PATH);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, JSON.stringify(SCENE));
  const opened = await openEmbeddedEditor({
    files: createFiles(),
    clock: stillClock,
    root,
    project: "Contract",
    scenePath: SCENE_PATH,
  });
  if (!opened.ok) throw new Error(opened.error.detail);
  return opened.value;
}

/** Ends an editor of {@linkcode openEmbedded}, and removes its project. */
export async function closeEmbedded(editor: EmbeddedEditor): Promise<void> {
  await editor.close();
  rmSync(editor.identity().root, { recursive: true, force: true });
}
