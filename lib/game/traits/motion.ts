import type { TraitSchema } from "../types/mod.ts";
import { asset, choice, component, integer, number, off, on } from "./field.ts";

/**
 * The target of a rotation track, whose keys are quaternions x, y, z, w; not a field of the trait.
 */
export const ROTATION_FIELD = "Transform.rotation";

/** Traits that move things and make them sound. */
export const MOTION_TRAITS: readonly TraitSchema[] = [
  component("RigidBody", "Takes part in the physics.", {
    kind: choice(["dynamic", "fixed", "kinematic"], "Moved by forces, by nothing, by the game."),
    mass: number(1, "Its mass.", { unit: "kg", min: 0 }),
    gravityScale: number(1, "How much gravity pulls it."),
    linearDamping: number(0, "How fast it slows down.", { unit: "1/s", min: 0 }),
    angularDamping: number(0, "How fast it stops turning.", { unit: "1/s", min: 0 }),
    lockRotation: off("Whether it stays upright."),
  }),
  component("Collider", "The shape that others bump into.", {
    shape: choice(["box", "sphere", "capsule", "cylinder", "mesh"], "Its shape."),
    width: number(1, "Size along x, before the scale; the diameter of round shapes.", {
      unit: "m",
      min: 0,
    }),
    height: number(1, "Size along y, before the scale.", { unit: "m", min: 0 }),
    depth: number(1, "Size along z, before the scale.", { unit: "m", min: 0 }),
    friction: number(0.5, "How much it holds.", { min: 0 }),
    restitution: number(0, "How much it bounces.", { min: 0, max: 1 }),
    sensor: off("Whether others pass through it and are only noticed."),
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
    speed: number(1, "How fast it plays.", { min: 0, max: 100 }),
    loop: on("Whether it begins again at the end."),
    playing: on("Whether it plays."),
  }),
  component("AudioSource", "Plays a sound.", {
    clip: asset(["audio"], "The sound."),
    volume: number(1, "How loud.", { min: 0, max: 1 }),
    pitch: number(1, "How fast.", { min: 0.1, max: 10 }),
    loop: off("Whether it begins again at the end."),
    autoplay: off("Whether it plays from the start."),
    spatial: on("Whether it is heard from where it is."),
    priority: integer(0, "Of too many sounds the highest are heard."),
  }),
];
