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
  }),
  component("Patrol", "Walks between points.", {
    target: entity("The next point."),
    speed: number(2, "How fast.", { unit: "m/s", min: 0 }),
    wait: number(0, "How long it stands there.", { unit: "s", min: 0 }),
  }),
  component("Follow", "Keeps to another entity.", {
    target: entity("Whom it follows."),
    distance: number(5, "How far behind.", { unit: "m", min: 0 }),
    damping: number(0.2, "How softly; 0 is at once.", { min: 0, max: 1 }),
  }),
  component("Binding", "Shows a value of the game in the text or width of its entity.", {
    source: text(
      "",
      "`<Trait>.<field>`, `<Entity>.<Trait>.<field>`, `<Entity>.speed`, or `Game.` and one of " +
        "score, coins, laps, time, hp, bonus.",
    ),
    format: text("{0}", "The words around it."),
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
  }),
];
