import type { TraitSchema } from "../types/mod.ts";
import { asset, choiceField, component, integer, number, off, on } from "./field.ts";

/**
 * The target of a rotation track, whose keys are quaternions x, y, z, w; not a field of the trait.
 */
export const ROTATION_FIELD = "Transform.rotation";

/** Traits that move things and make them sound. */
export const MOTION_TRAITS: readonly TraitSchema[] = [
  component("RigidBody", "Takes part in the physics.", {
    kind: choiceField(
      ["dynamic", "fixed", "kinematic"],
      "Moved by forces, not at all, or by the game.",
    ),
    mass: number(1, "Its mass.", { unit: "kg", min: 0 }),
    gravityScale: number(1, "Factor of gravity."),
    linearDamping: number(0, "How fast it slows down.", { unit: "1/s", min: 0 }),
    angularDamping: number(0, "How fast it stops turning.", { unit: "1/s", min: 0 }),
    lockRotation: off("Whether it stays upright."),
  }),
  component("Collider", "Shape for collisions.", {
    shape: choiceField(["box", "sphere", "capsule", "cylinder", "mesh"], "Its shape."),
    width: number(1, "Size along x, before the scale; the diameter of round shapes.", {
      unit: "m",
      min: 0,
    }),
    height: number(1, "Size along y, before the scale.", { unit: "m", min: 0 }),
    depth: number(1, "Size along z, before the scale.", { unit: "m", min: 0 }),
    friction: number(0.5, "Friction.", { min: 0 }),
    restitution: number(0, "Bounciness.", { min: 0, max: 1 }),
    sensor: off("Whether it only detects others, without blocking."),
  }),
  component("Velocity", "Moves its entity steadily.", {
    x: number(0, "Speed along x.", { unit: "m/s|px/s" }),
    y: number(0, "Speed along y.", { unit: "m/s|px/s" }),
    z: number(0, "Speed along z.", { unit: "m/s|px/s" }),
  }),
  component("Rotate", "Turns its entity steadily.", {
    x: number(0, "Speed about x.", { unit: "deg/s" }),
    y: number(0, "Speed about y.", { unit: "deg/s" }),
    z: number(0, "Speed about z.", { unit: "deg/s" }),
  }),
  component("Animator", "Plays animations.", {
    animset: asset(["animset"], "The clips to choose from."),
    clip: asset(["animation"], "The clip that plays at the start."),
    speed: number(1, "Playback speed.", { min: 0, max: 100 }),
    loop: on("Whether it begins again at the end."),
    playing: on("Whether it plays."),
  }),
  component("AudioSource", "Plays a sound.", {
    clip: asset(["audio"], "The sound."),
    volume: number(1, "Volume.", { min: 0, max: 1 }),
    pitch: number(1, "Playback speed.", { min: 0.1, max: 10 }),
    loop: off("Whether it begins again at the end."),
    autoplay: off("Whether it plays from the start."),
    spatial: on("Whether it sounds from its position."),
    priority: integer(0, "Of too many sounds, the highest play."),
  }),
];
