import type { TraitSchema } from "../types/mod.ts";
import {
  asset,
  choice,
  component,
  entity,
  integer,
  number,
  off,
  on,
  resource,
  tag,
  text,
} from "./field.ts";

/** Traits of play that most small games share. */
export const GAMEPLAY_TRAITS: readonly TraitSchema[] = [
  component(
    "Script",
    "Names code of the game; it does not run in this editor, ScriptAction does.",
    {
      script: asset(["script"], "The code."),
      enabled: on("Whether the game runs it."),
    },
  ),
  component("Health", "Can be hurt.", {
    hp: number(100, "What is left.", { min: 0 }),
    max: number(100, "The most it can have.", { min: 0 }),
    invulnerable: off("Whether it cannot be hurt."),
  }),
  component("Collectible", "Is picked up by the player.", {
    kind: choice(["coin", "gem", "fuel", "key"], "What it is."),
    value: integer(1, "What it is worth.", { min: 0 }),
    respawn: number(0, "When it comes back; 0 is never.", { unit: "s", min: 0 }),
  }),
  component("Spawner", "Brings new entities into the world.", {
    prefab: asset(["prefab"], "What it brings."),
    interval: number(5, "Time between two.", { unit: "s", min: 0.05 }),
    limit: integer(5, "How many may live at once.", { min: 0, max: 10000 }),
    radius: number(0, "How far from itself they appear.", { unit: "m", min: 0 }),
  }),
  component("Checkpoint", "Where the player goes on after a failure.", {
    order: integer(0, "Its place in the course.", { min: 0 }),
    timeBonus: number(0, "Time won by reaching it.", { unit: "s", min: 0 }),
    next: off("Whether it is the one to reach now; the playing game says so."),
  }),
  component("Patrol", "Walks between points.", {
    target: entity("The next point."),
    speed: number(2, "How fast.", { unit: "m/s", min: 0 }),
    wait: number(0, "How long it stands there.", { unit: "s", min: 0 }),
    faces: off("Whether it looks where it goes, with its own -z."),
  }),
  component("Follow", "Keeps to another entity.", {
    target: entity("Whom it follows."),
    distance: number(5, "How far behind.", { unit: "m", min: 0 }),
    damping: number(0.2, "How softly; 0 is at once.", { min: 0, max: 1 }),
    turns: off("Whether it turns about y with its target: a camera that stays behind it."),
  }),
  component(
    "MapMarker",
    "Shows on the 2D layer where an entity of the 3D layer is, seen from above with -z up.",
    {
      target: entity("Whom it shows."),
      scale: number(1, "Pixels a metre, from its parent's position.", { unit: "px/m" }),
      turns: on("Whether it points where the target looks."),
    },
  ),
  component(
    "Binding",
    "Shows a value of the game in the text or width of its entity; true and false show and hide it.",
    {
      source: text(
        "",
        "`<Trait>.<field>`, `<Entity>.<Trait>.<field>`, `<Entity>.speed`, or `Game.` and one of " +
          "score, coins, laps, time, hp, bonus.",
      ),
      format: text("{0}", "The words around it."),
      factor: number(1, "What a number is multiplied by first."),
    },
  ),
  component("SavedValue", "A number that is still known when the game is started again.", {
    name: text("", "What it is kept as, the same in every scene: `best`."),
    source: text("", "What is kept, as in a Binding: `Game.score`."),
    on: text("@win", "The action that it is kept on; in every step when empty."),
    keep: choice(["highest", "lowest", "last", "sum"], "What becomes of the old and the new one."),
    value: number(0, "What is kept now; in a scene file, what the first player begins with."),
  }),
  component("Timer", "Dispatches an action after a time.", {
    action: text("", "The name that is dispatched."),
    seconds: number(1, "How long it takes.", { unit: "s", min: 0 }),
    running: on("Whether it counts; off once it has dispatched."),
    repeat: off("Whether it begins again."),
  }),
  tag("Player", "The one that the person plays."),
  tag("Enemy", "Hurts the player."),
  tag("Obstacle", "Is in the way."),
  tag("Hazard", "Hurts whoever touches it."),
  resource("GameSettings", "The rules of a round.", {
    lives: integer(3, "Lives at the start.", { min: 0, max: 99 }),
    laps: integer(1, "Rounds of the checkpoints to win.", { min: 1, max: 999 }),
    timeLimit: number(120, "Length of a round; 0 is endless.", { unit: "s", min: 0 }),
    gravity: number(9.81, "Pull of the ground.", { unit: "m/s²" }),
    difficulty: choice(["normal", "easy", "hard"], "How fast things get worse."),
    music: asset(["audio"], "What is heard during a round."),
    secondValue: integer(0, "What each full second is worth that is left at a win.", { min: 0 }),
    paused: off("Whether the world stands. Entities of the UI layer go on to act and to sound."),
  }),
];
