import type { FieldSchema, Layer, TraitValues } from "../../editor/ports/mod.ts";

// What is special about the types of assets, for people.

const SETTINGS: Readonly<Record<string, Readonly<Record<string, FieldSchema>>>> = {
  texture: {
    filter: {
      type: "enum",
      options: ["linear", "nearest"],
      default: "linear",
      doc: "How it looks enlarged: smooth, or in blocks (pixel art).",
    },
    wrap: {
      type: "enum",
      options: ["repeat", "clamp", "mirror"],
      default: "repeat",
      doc: "Wrapping beyond its edges.",
    },
  },
  audio: {
    loop: { type: "boolean", default: false, doc: "Whether it loops." },
  },
};

/** The import settings (sidecar) of a type that do something, as fields. */
export function importSettingsOf(type: string): Readonly<Record<string, FieldSchema>> {
  return SETTINGS[type] ?? {};
}

/** An entity that shows an asset. */
interface Showing {
  readonly layer: Layer;
  readonly traits: TraitValues;
}

/** A UI box at the position that its `left` and `top` give. */
const PINNED = { position: "absolute", pinX: "left", pinY: "top" };

/**
 * The entity that shows an asset in a scene; `null` for types that no entity shows by itself.
 *
 * @param seen The layer that is looked at: an image is a box of the UI there, and a sprite elsewhere.
 */
export function entityShowing({ type, guid }: {
  readonly type: string;
  readonly guid: string;
}, seen: Layer = "2d"): Showing | null {
  const Transform = {};
  switch (type) {
    case "model":
    case "mesh":
      return { layer: "3d", traits: { Transform, Renderable3D: { mesh: "model", model: guid } } };
    case "material":
      return { layer: "3d", traits: { Transform, Renderable3D: { mesh: "box", material: guid } } };
    case "texture":
    case "sprite":
      return seen === "ui"
        ? { layer: "ui", traits: { UIElement: PINNED, Sprite: { image: guid } } }
        : { layer: "2d", traits: { Transform, Sprite: { image: guid } } };
    case "particle":
      return { layer: "3d", traits: { Transform, ParticleEmitter: { particle: guid } } };
    case "audio":
      return { layer: "3d", traits: { Transform, AudioSource: { clip: guid } } };
    case "environment":
      return { layer: "3d", traits: { Sky: { environment: guid } } };
    case "timeline":
      return { layer: "3d", traits: { Transform, Timeline: { timeline: guid } } };
    default:
      return null;
  }
}
