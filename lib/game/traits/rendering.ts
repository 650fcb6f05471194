import type { FieldSchema, TraitSchema } from "../types/mod.ts";
import {
  asset,
  choiceField,
  color,
  component,
  entities,
  integer,
  number,
  off,
  on,
  textField,
} from "./field.ts";

/** The meshes that need no asset; all fit a cube of one metre but the capsule, which is 2 m tall. */
const PRIMITIVES = [
  "box",
  "sphere",
  "plane",
  "quad",
  "cylinder",
  "cone",
  "capsule",
  "model",
] as const;

/** The most morph targets that an entity follows; a face as phones track it has 52. */
export const MAX_MORPHS = 64;

/**
 * Default intensity of a light. A matte surface reflects 1/π of the light, so at this intensity a
 * white surface facing it is nearly white, as at intensity 1 in engines without the factor π.
 */
export const LIGHT_INTENSITY = 3;

const MORPH_FIELDS: Readonly<Record<string, FieldSchema>> = Object.fromEntries(
  Array.from(
    { length: MAX_MORPHS },
    (_none, index) => [`w${index}`, number(0, `Weight of target ${index}.`)],
  ),
);

/** Traits that place an entity and draw it, on the 3D and 2D layers. */
export const RENDERING_TRAITS: readonly TraitSchema[] = [
  component(
    "Transform",
    "Transform relative to the parent. Metres on the 3D layer (y up), pixels on the 2D " +
      "layer (y down). Rotations are applied X then Y then Z, about the entity's own axes.",
    {
      x: number(0, "Position along x.", { unit: "m|px" }),
      y: number(0, "Position along y.", { unit: "m|px" }),
      z: number(0, "Position along z; on the 2D layer the drawing order.", { unit: "m|px" }),
      rx: number(0, "Rotation about x.", { unit: "deg" }),
      ry: number(0, "Rotation about y.", { unit: "deg" }),
      rz: number(0, "Rotation about z; clockwise on the 2D layer.", { unit: "deg" }),
      sx: number(1, "Scale along x."),
      sy: number(1, "Scale along y."),
      sz: number(1, "Scale along z."),
    },
  ),
  component("Renderable3D", "A mesh drawn on the 3D layer.", {
    mesh: choiceField(PRIMITIVES, "A primitive of unit size, or `model` for the asset in `model`."),
    model: asset(["model", "mesh"], "The asset if `mesh` is `model`."),
    material: asset(["material"], "Its surface; plain white when empty."),
    visible: on("Whether it is drawn."),
    castShadow: on("Whether it casts a shadow."),
    receiveShadow: on("Whether it receives shadows."),
  }),
  component(
    "Skin",
    "Bends the mesh of its entity by joints. A joint's matrix is its place in the world times its " +
      "inverse bind matrix; the Transform of the entity itself counts for its box alone.",
    {
      joints: entities("The joints, in the order of the inverse bind matrices of the mesh."),
      bind: integer(0, "Which of the `binds` of the mesh.", { min: 0 }),
    },
  ),
  component("Morph", "Weights of the morph targets of its mesh.", MORPH_FIELDS),
  component(
    "Camera",
    "Looks along its own -z. On the 2D layer its position is the middle of the viewport.",
    {
      active: on("Whether it may draw its layer."),
      priority: integer(0, "Of several active cameras, the highest draws, then the first."),
      projection: choiceField(["perspective", "orthographic"], "How the 3D layer is projected."),
      fov: number(60, "Vertical field of view (perspective).", { unit: "deg", min: 1, max: 179 }),
      size: number(10, "Height of the view (orthographic).", { unit: "m", min: 0.001 }),
      near: number(0.1, "Near plane.", { unit: "m", min: 0.0001 }),
      far: number(1000, "Far plane.", { unit: "m", min: 0.001 }),
      zoom: number(1, "Magnification (2D layer).", { min: 0.001, max: 1000 }),
    },
  ),
  component("Light", "Lights the 3D layer.", {
    kind: choiceField(["directional", "point", "spot", "ambient"], "Kind of light."),
    color: color("#ffffff", "Its colour."),
    intensity: number(LIGHT_INTENSITY, "Its strength.", { min: 0 }),
    range: number(10, "Range of a point or spot light.", { unit: "m", min: 0 }),
    angle: number(45, "Opening of a spot light.", { unit: "deg", min: 0, max: 180 }),
    castShadow: off("Whether it casts shadows."),
  }),
  component("Sky", "Background and environment of the 3D layer.", {
    environment: asset(["environment"], "The environment; a plain colour when empty."),
    color: color("#87b5d9", "The colour behind everything."),
    fogStart: number(0, "Start of fog; 0, as `fogEnd`, for no fog.", { unit: "m", min: 0 }),
    fogEnd: number(0, "Distance of full fog.", { unit: "m", min: 0 }),
  }),
  component("Sprite", "An image drawn on the 2D or UI layer.", {
    image: asset(["sprite", "texture"], "The image."),
    width: number(0, "Width; 0 is the image's own.", { unit: "px", min: 0 }),
    height: number(0, "Height; 0 is the image's own.", { unit: "px", min: 0 }),
    pivotX: number(0.5, "The point at the entity's position: 0 left, 1 right."),
    pivotY: number(0.5, "The point at the entity's position: 0 top, 1 bottom."),
    color: color("#ffffff", "Multiplies the image's colours."),
    visible: on("Whether it is drawn (2D layer)."),
  }),
  component("Text", "Text drawn on the 2D or UI layer.", {
    text: textField("", "The text; `\\n` starts a new line."),
    font: asset(["font"], "The font; the built-in one when empty."),
    size: number(16, "Height of a line before line spacing.", { unit: "px", min: 0, max: 1000 }),
    color: color("#ffffff", "Colour of the letters."),
    align: choiceField(["left", "center", "right"], "Alignment; on the 2D layer, of the pivot."),
    maxWidth: number(0, "Lines break here (2D layer); 0 is never.", { unit: "px", min: 0 }),
    visible: on("Whether it is drawn (2D layer)."),
  }),
  component("ParticleEmitter", "Emits particles.", {
    particle: asset(["particle"], "The emitted particle."),
    rate: number(10, "Particles per second.", { unit: "1/s", min: 0, max: 100000 }),
    playing: on("Whether it emits."),
  }),
];
