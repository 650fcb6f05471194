import type { TraitSchema } from "../types/mod.ts";
import {
  asset,
  choiceField,
  component,
  entity,
  integer,
  number,
  off,
  on,
  resource,
  tag,
  textField,
} from "./field.ts";

/** Traits of play that most small games share. */
export const GAMEPLAY_TRAITS: readonly TraitSchema[] = [
  component(
    "Script",
    "Names code of the game; it does not run in this editor, ScriptAction does.",
    {
      script: asset(["script"], "Its script."),
      enabled: on("Whether the game runs it."),
    },
  ),
  component("Health", "Hit points.", {
    hp: number(100, "Remaining hit points.", { min: 0 }),
    max: number(100, "Maximum hit points.", { min: 0 }),
    invulnerable: off("Whether it cannot be hurt."),
  }),
  component("Collectible", "Is picked up by the player.", {
    kind: choiceField(["coin", "gem", "fuel", "key"], "Its kind."),
    value: integer(1, "Its value.", { min: 0 }),
    respawn: number(0, "Time until it returns; 0 for never.", { unit: "s", min: 0 }),
  }),
  component("Spawner", "Spawns entities.", {
    prefab: asset(["prefab"], "The prefab to spawn."),
    interval: number(5, "Time between two spawns.", { unit: "s", min: 0.05 }),
    limit: integer(5, "Maximum alive at once.", { min: 0, max: 10000 }),
    radius: number(0, "Radius of the spawn area.", { unit: "m", min: 0 }),
  }),
  component("Checkpoint", "Respawn point after a failure.", {
    order: integer(0, "Its place in the course.", { min: 0 }),
    timeBonus: number(0, "Time won by reaching it.", { unit: "s", min: 0 }),
    next: off("Whether it is next; set by the game."),
  }),
  component("Patrol", "Walks between points.", {
    target: entity("The next point."),
    speed: number(2, "Speed.", { unit: "m/s", min: 0 }),
    wait: number(0, "Pause at the point.", { unit: "s", min: 0 }),
    faces: off("Whether its -z faces its direction."),
  }),
  component("Follow", "Follows another entity.", {
    target: entity("The followed entity."),
    distance: number(5, "Distance behind it.", { unit: "m", min: 0 }),
    damping: number(0.2, "Damping; 0 for none.", { min: 0, max: 1 }),
    turns: off("Whether it turns about y with its target: a camera that stays behind it."),
  }),
  component(
    "MapMarker",
    "Shows a 3D entity's position on the 2D layer, from above with -z up.",
    {
      target: entity("The shown entity."),
      scale: number(1, "Pixels per metre, from its parent's position.", { unit: "px/m" }),
      turns: on("Whether it points in the target's direction."),
    },
  ),
  component(
    "Binding",
    "Shows a value of the game in the text or width of its entity; true and false show and hide it.",
    {
      source: textField(
        "",
        "`<Trait>.<field>`, `<Entity>.<Trait>.<field>`, `<Entity>.speed`, or `Game.` and one of " +
          "score, coins, laps, time, hp, bonus.",
      ),
      format: textField("{0}", "The words around it."),
      factor: number(1, "Factor of a number."),
    },
  ),
  component("SavedValue", "A number that outlives the game.", {
    name: textField("", "Its name, common to all scenes: `best`."),
    source: textField("", "Its source, as in a Binding: `Game.score`."),
    on: textField("@win", "Action that saves it; every step when empty."),
    keep: choiceField(["highest", "lowest", "last", "sum"], "How the old and new numbers combine."),
    value: number(0, "The saved number; in a scene file, the initial one."),
  }),
  component("Timer", "Dispatches an action after a time.", {
    action: textField("", "The name that is dispatched."),
    seconds: number(1, "Its duration.", { unit: "s", min: 0 }),
    running: on("Whether it counts; off once it has dispatched."),
    repeat: off("Whether it repeats."),
  }),
  tag("Player", "The player's entity."),
  tag("Enemy", "Hurts the player."),
  tag("Obstacle", "Is in the way."),
  tag("Hazard", "Hurts on touch."),
  resource("GameSettings", "The rules of a round.", {
    lives: integer(3, "Lives at the start.", { min: 0, max: 99 }),
    laps: integer(1, "Rounds of the checkpoints to win.", { min: 1, max: 999 }),
    timeLimit: number(120, "Length of a round; 0 is endless.", { unit: "s", min: 0 }),
    gravity: number(9.81, "Gravity.", { unit: "m/s²" }),
    difficulty: choiceField(["normal", "easy", "hard"], "Difficulty."),
    music: asset(["audio"], "Music of a round."),
    secondValue: integer(0, "Value of each full second left at a win.", { min: 0 }),
    paused: off("Whether the world is paused. UI entities keep acting and sounding."),
  }),
];
