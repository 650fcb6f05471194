import { encodeUtf8 } from "../../core/bytes.ts";
import { freshGuid } from "../../core/guid.ts";
import type { TraitRegistry } from "../../game/traits/mod.ts";
import { parseScene, type Scene } from "../../game/scene/mod.ts";

/** Sees the origin from a little above. */
const CAMERA = { x: 0, y: 2, z: 8, rx: -12 };
const SUN = { rx: -50, ry: 30 };
/** Together a white surface that faces the sun is white, and what it does not reach is not black. */
const STRENGTH = { sun: 2.5, around: 0.6 };

/** The scene that a project without any begins with: a camera, and a sun and a sky that light what it sees. */
export function freshScene(name: string, traits: TraitRegistry): Scene {
  const entities = [
    { name: "Camera", traits: { Transform: CAMERA, Camera: {} } },
    { name: "Sun", traits: { Transform: SUN, Light: { intensity: STRENGTH.sun } } },
    {
      name: "Sky",
      traits: { Sky: {}, Light: { kind: "ambient", intensity: STRENGTH.around } },
    },
  ].map((entity) => ({ guid: freshGuid(), layer: "3d", ...entity }));
  const file = { schema: 1, name, entities };
  const scene = parseScene(name, encodeUtf8(JSON.stringify(file)), { traits });
  if (!scene.ok) throw new TypeError(scene.error.message);
  return scene.value;
}
