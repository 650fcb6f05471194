import type { JsonObject } from "../../core/json.ts";
import type { AssetSchema, AssetType, FieldSchema } from "../ports/mod.ts";
import { asset, choiceField, color, integer, number, off, on } from "../../game/traits/mod.ts";

/** A guid for examples: it belongs to no asset. */
const SOME = "00000000-0000-4000-8000-000000000000";

const texture = (doc: string): FieldSchema => asset(["texture"], doc);

/** The schemas of authored assets, by type. A member that a file leaves out has the field's default. */
export const ASSET_SCHEMAS: readonly AssetSchema[] = [
  {
    type: "material",
    extension: ".material.json",
    doc: "A material (metallic-roughness, as in glTF 2.0).",
    fields: {
      color: color("#ffffff", "Multiplies the texture; the last two digits are the opacity."),
      texture: texture("Its colours."),
      metallic: number(0, "Metalness.", { min: 0, max: 1 }),
      roughness: number(1, "Roughness.", { min: 0, max: 1 }),
      metallicRoughnessTexture: texture("Metalness in blue, roughness in green."),
      normalTexture: texture("Bumps."),
      normalScale: number(1, "Strength of the normal map."),
      occlusionTexture: texture("Ambient occlusion, in red."),
      occlusionStrength: number(1, "Strength of the occlusion.", { min: 0, max: 1 }),
      emissive: color("#000000", "Emitted colour."),
      emissiveTexture: texture("Texture of the emitted colour."),
      emissiveStrength: number(1, "Strength of the emission.", { min: 0 }),
      alphaMode: choiceField(["opaque", "mask", "blend"], "Alpha mode."),
      alphaCutoff: number(0.5, "Minimum opacity (mask).", { min: 0, max: 1 }),
      doubleSided: off("Whether both sides are drawn."),
      unlit: off("Whether it ignores light."),
    },
    example: { schema: 1, color: "#b5651d", roughness: 0.8 },
  },
  {
    type: "particle",
    extension: ".particle.json",
    doc: "The particles of a ParticleEmitter.",
    fields: {
      image: asset(["sprite", "texture"], "Image of a particle; a square when empty."),
      color: color("#ffffff", "Its initial colour."),
      endColor: color("#ffffff00", "Its final colour."),
      size: number(0.1, "Its initial size.", { unit: "m", min: 0 }),
      endSize: number(0.1, "Its final size.", { unit: "m", min: 0 }),
      lifetime: number(1, "Lifetime of a particle.", { unit: "s", min: 0.01, max: 600 }),
      speed: number(1, "Initial speed.", { unit: "m/s", min: 0 }),
      spread: number(0, "Spread around the direction.", { unit: "deg", min: 0, max: 180 }),
      gravity: number(0, "Downward acceleration; negative rises.", { unit: "m/s²" }),
      limit: integer(1000, "Maximum alive at once.", { min: 0, max: 100000 }),
    },
    example: { schema: 1, color: "#ffe08a", lifetime: 0.4, speed: 1.5, spread: 25 },
  },
  {
    type: "environment",
    extension: ".env.json",
    doc: "Background and ambient light of a scene.",
    fields: {
      sky: color("#87b5d9", "Above."),
      horizon: color("#d9e4ec", "Around."),
      ground: color("#5b5b52", "Below."),
      intensity: number(1, "Brightness.", { min: 0 }),
      image: asset(["environment", "texture"], "A panorama, instead of the colours."),
    },
    example: { schema: 1, sky: "#87b5d9", horizon: "#d9e4ec", ground: "#5b5b52", intensity: 1 },
  },
  {
    type: "sprite",
    extension: ".sprite.json",
    doc: "A part of a texture.",
    fields: {
      image: texture("The texture."),
      x: integer(0, "Left edge.", { unit: "px", min: 0 }),
      y: integer(0, "Top edge.", { unit: "px", min: 0 }),
      w: integer(1, "Width.", { unit: "px", min: 1 }),
      h: integer(1, "Height.", { unit: "px", min: 1 }),
      pixelArt: on("Whether it is enlarged without filtering."),
    },
    example: { schema: 1, image: SOME, x: 0, y: 0, w: 32, h: 32 },
  },
  {
    type: "animation",
    extension: ".anim.json",
    doc: "Fields that change in time. `target` is a path of names below the Animator, its own " +
      "entity when absent; `t` is in seconds; `ease` (linear, step, in, out, inOut, cubic) leads " +
      "to the next key, cubic by the `outTangent` of this one and the `inTangent` of the next, per " +
      "second; `Transform.rotation` takes quaternions [x, y, z, w]; `loop` is on when absent.",
    fields: null,
    example: {
      schema: 1,
      length: 1,
      loop: true,
      tracks: [{
        target: "Hull/Flag",
        field: "Transform.ry",
        keys: [{ t: 0, value: 0 }, { t: 1, value: 90, ease: "inOut" }],
      }],
    },
  },
  {
    type: "animset",
    extension: ".animset.json",
    doc: "Animations by the names that a game plays them by.",
    fields: null,
    example: { schema: 1, clips: { idle: SOME } },
  },
  {
    type: "timeline",
    extension: ".timeline.json",
    doc: "Events over time. A track has one type: animation and audio items name a clip, signal " +
      "items a signal, activation items enable the target.",
    fields: null,
    example: {
      schema: 1,
      length: 4,
      tracks: [
        { type: "animation", target: "Boat", items: [{ t: 0, duration: 2, clip: SOME }] },
        { type: "signal", items: [{ t: 3.5, signal: "arrived" }] },
      ],
    },
  },
  {
    type: "font",
    extension: ".font.json",
    doc: "Glyphs of one size in a texture, with their advances in pixels.",
    fields: null,
    example: {
      schema: 1,
      size: 8,
      lineHeight: 10,
      fallback: 6,
      advances: { A: 6, i: 3 },
    },
  },
  {
    type: "mesh",
    extension: ".mesh.json",
    doc: "Vertices in metres and triangles; or, as created by an import, one mesh of a model.",
    fields: null,
    example: {
      schema: 1,
      positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
      triangles: [[0, 1, 2]],
    },
  },
];

/** Default content of a new asset; absent for types that require content. */
export const EMPTY_CONTENT: Readonly<Partial<Record<AssetType, JsonObject>>> = {
  material: { schema: 1 },
  particle: { schema: 1 },
  environment: { schema: 1 },
  animation: { schema: 1, length: 1, loop: true, tracks: [] },
  animset: { schema: 1, clips: {} },
  timeline: { schema: 1, length: 1, tracks: [] },
};

/** The schema of a type that can be written; `undefined` for the others. */
export function schemaOf(type: AssetType): AssetSchema | undefined {
  return ASSET_SCHEMAS.find((schema) => schema.type === type);
}
