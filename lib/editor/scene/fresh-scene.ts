import { encodeUtf8 } from "../../core/bytes.ts";
import { freshGuid } from "../../core/guid.ts";
import type { TraitRegistry } from "../../game/traits/mod.ts";
import { parseScene, type Scene } from "../../game/scene/mod.ts";

/** Sees the origin from a little above. */
const CAMERA = { x: 0, y: 2, z: 8, rx: -12 };
const SUN = { rx: -50, ry: 30 };
/** A dull surface gives back a part of π: in this light a white one that faces it is nearly white. */
export const SUNLIGHT = 3;

/** The scene that a project without any begins with: a camera, and a light that shines on what it sees. */
export function freshScene(name: string, traits: TraitRegistry): Scene {
  const entities = [
    { name: "Camera", traits: { Transform: CAMERA, Camera: {} } },
    {
      name: "Sun",
      traits: { Transform: SUN, Light: { kind: "directional", intensity: SUNLIGHT } },
    },
  ].map((entity) => ({ guid: freshGuid(), layer: "3d", ...entity }));
  const file = { schema: 1, name, entities };
  const scene = parseScene(name, encodeUtf8(JSON.stringify(file)), { traits });
  if (!scene.ok) throw new TypeError(scene.error.message);
  return scene.value;
}
