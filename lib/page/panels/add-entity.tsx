import { useState } from "preact/hooks";
import type { EditOp } from "../../editor/ports/mod.ts";
import { edit, select } from "../model/actions.ts";
import { isStopped, selected } from "../model/editor.ts";
import { Chooser } from "../parts/combo.tsx";
import { IconButton, type IconName } from "../parts/icon.tsx";

type Made = Pick<Extract<EditOp, { readonly op: "create" }>, "layer" | "traits">;

const KINDS: readonly (Made & { readonly name: string; readonly icon: IconName })[] = [
  { name: "Empty", icon: "model", traits: { Transform: {} } },
  ...["box", "sphere", "plane", "cylinder", "cone", "capsule"].map((mesh) => ({
    name: mesh[0]?.toUpperCase() + mesh.slice(1),
    icon: "box" as const,
    traits: { Transform: {}, Renderable3D: { mesh } },
  })),
  { name: "Light", icon: "light", traits: { Transform: { y: 5, rx: -45 }, Light: {} } },
  { name: "Sky", icon: "light", traits: { Sky: {} } },
  { name: "Camera", icon: "camera", traits: { Transform: { y: 2, z: 8 }, Camera: {} } },
  { name: "Sound", icon: "audio", traits: { Transform: {}, AudioSource: {} } },
  { name: "Particles", icon: "light", traits: { Transform: {}, ParticleEmitter: {} } },
  { name: "Sprite", icon: "view2d", layer: "2d", traits: { Transform: {}, Sprite: {} } },
  { name: "Text", icon: "text", layer: "ui", traits: { UIElement: {}, Text: { text: "Text" } } },
  { name: "UI element", icon: "grid", layer: "ui", traits: { UIElement: {} } },
  {
    name: "Button",
    icon: "grid",
    layer: "ui",
    traits: { UIElement: { width: 160, height: 48 }, Button: {} },
  },
];

/** Adds an entity: below the selected one of its layer, else at the top. */
export function AddEntity() {
  const [isOpen, setOpen] = useState(false);
  const add = async (name: string) => {
    const kind = KINDS.find((one) => one.name === name);
    if (kind === undefined) return;
    const { layer = "3d", traits } = kind;
    const [near] = selected.value;
    const parentId = near?.layer === layer ? near.id : null; // on another layer it would not be drawn
    const done = await edit([{
      op: "create",
      name,
      parentId,
      layer,
      ...(traits && { traits }),
    }]);
    const created = Array.isArray(done?.["created"]) ? done["created"] : [];
    const id = Number(Object(created[0]).id);
    if (Number.isInteger(id)) select([id]);
  };
  return (
    <span class="anchor">
      <IconButton
        icon="add"
        label="Add an entity"
        kind="quiet"
        disabled={!isStopped.value}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <Chooser
          label="Kind of entity"
          choices={KINDS.map(({ name, icon, layer = "3d" }) => ({
            value: name,
            title: name,
            icon,
            note: layer,
          }))}
          onChoose={(name) => void add(name)}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}
