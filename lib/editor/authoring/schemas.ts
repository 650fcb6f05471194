import type { JsonObject } from "../../core/json.ts";
import type { AssetSchema, AssetType, FieldSchema } from "../ports/mod.ts";
import { asset, choice, color, integer, number, off, on } from "../../game/traits/mod.ts";

/** A guid for examples: it is no asset's. */
const SOME = "00000000-0000-4000-8000-000000000000";

const texture = (doc: string): FieldSchema => asset(["texture"], doc);

/** The schemas of authored assets, by type. A member that a file leaves out has the field's default. */
export const ASSET_SCHEMAS: readonly AssetSchema[] = [
  {
    type: "material",
    extension: ".material.json",
    doc: "A surface (metallic and rough, as in glTF 2.0).",
    fields: {
      color: color("#ffffff", "Multiplies the texture; the last two digits are how solid it is."),
      texture: texture("Its colours."),
      metallic: number(0, "How much of a metal it is.", { min: 0, max: 1 }),
      roughness: number(1, "How dull it is.", { min: 0, max: 1 }),
      metallicRoughnessTexture: texture("Metallic in blue, roughness in green."),
      normalTexture: texture("Bumps."),
      normalScale: number(1, "How strong the bumps are."),
      occlusionTexture: texture("Where little light comes to, in red."),
      occlusionStrength: number(1, "How dark that is.", { min: 0, max: 1 }),
      emissive: color("#000000", "Its own light."),
      emissiveTexture: texture("Where it shines by itself."),
      emissiveStrength: number(1, "How strongly it shines.", { min: 0 }),
      alphaMode: choice(["opaque", "mask", "blend"], "What becomes of parts that are not solid."),
      alphaCutoff: number(0.5, "Less solid than this is left out (mask).", { min: 0, max: 1 }),
      doubleSided: off("Whether it is seen from behind."),
      unlit: off("Whether light does nothing to it."),
    },
    example: { schema: 1, color: "#b5651d", roughness: 0.8 },
  },
  {
    type: "particle",
    extension: ".particle.json",
    doc: "What a ParticleEmitter emits.",
    fields: {
      image: asset(["sprite", "texture"], "What one looks like; a square when empty."),
      color: color("#ffffff", "Its colour at first."),
      endColor: color("#ffffff00", "Its colour at last."),
      size: number(0.1, "Its size at first.", { unit: "m", min: 0 }),
      endSize: number(0.1, "Its size at last.", { unit: "m", min: 0 }),
      lifetime: number(1, "How long one lives.", { unit: "s", min: 0.01, max: 600 }),
      speed: number(1, "How fast it starts.", { unit: "m/s", min: 0 }),
      spread: number(0, "How far it starts off the direction.", { unit: "deg", min: 0, max: 180 }),
      gravity: number(0, "How fast it falls; rises when negative.", { unit: "m/s²" }),
      limit: integer(1000, "How many may live at once.", { min: 0, max: 100000 }),
    },
    example: { schema: 1, color: "#ffe08a", lifetime: 0.4, speed: 1.5, spread: 25 },
  },
  {
    type: "environment",
    extension: ".env.json",
    doc: "What surrounds a scene and lights it from all sides.",
    fields: {
      sky: color("#87b5d9", "Above."),
      horizon: color("#d9e4ec", "Around."),
      ground: color("#5b5b52", "Below."),
      intensity: number(1, "How bright it is.", { min: 0 }),
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
      pixelArt: on("Whether it is enlarged without smoothing."),
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
    doc:
      "What happens when. A track is of one type: animation and audio items name a clip, signal " +
      "items a signal, activation items say whether the target is there.",
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
    doc: "Letters of one size in a texture: how far each moves the pen, in pixels.",
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
    doc:
      "Corners and triangles over them, in metres; or, as an import makes it, one mesh of a model.",
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
