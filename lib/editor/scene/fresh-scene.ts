import { encodeUtf8 } from "../../core/bytes.ts";
import { freshGuid } from "../../core/guid.ts";
import type { TraitRegistry } from "../../game/traits/mod.ts";
import { parseScene, type Scene } from "../../game/scene/mod.ts";

/** Looks at the origin from slightly above. */
const CAMERA = { x: 0, y: 2, z: 8, rx: -12 };
const SUN = { rx: -50, ry: 30 };
/** Chosen so that a white surface facing the sun is white, and unlit surfaces are not black. */
const STRENGTH = { sun: 2.5, around: 0.6 };

/**
 * Returns the first scene of a project without any: a camera, and a sun and a sky that light its
 * view.
 */
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
