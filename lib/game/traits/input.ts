import type { TraitSchema } from "../types/mod.ts";
import { asset, choiceField, component, entity, number, off, on, textField } from "./field.ts";

/** Traits that react to input and time without code. */
export const INPUT_TRAITS: readonly TraitSchema[] = [
  component("InputAction", "Binds keys to an action; not while its UI is hidden.", {
    action: textField("", "The name that is dispatched."),
    keys: textField(
      "",
      "`KeyboardEvent.code`s with commas: `ArrowUp,KeyW`; also `WheelUp`, `Gamepad0` to " +
        "`Gamepad16`, `GamepadLeftStickUp`, …",
    ),
  }),
  component("ScriptAction", "Has an effect when an action is dispatched.", {
    on: textField(
      "",
      "The action that it waits for; `@contact`, `@sensor`: that it touches something; `@start`, " +
        "`@collect`, `@hurt`, `@respawn`, `@checkpoint`, `@lap`, `@win`, `@lose`: the round.",
    ),
    effect: choiceField(
      [
        "impulse",
        "velocity",
        "turn",
        "set",
        "toggle",
        "add",
        "emit",
        "spawn",
        "destroy",
        "playClip",
        "openScene",
        "playSound",
        "stopSound",
      ],
      "The effect.",
    ),
    target: entity("Target; its own entity when empty."),
    field: textField("", "`<Trait>.<field>` that is set, toggled or added to."),
    value: number(0, "Value to set or add."),
    text: textField(
      "",
      "The text to set, event to emit, clip to play or scene to open; no scene: this one again.",
    ),
    prefab: asset(["prefab"], "Prefab to spawn."),
    x: number(0, "Of the impulse (kg·m/s), velocity (m/s) or turn (deg; deg/s if held), along x."),
    y: number(0, "Of the impulse, velocity or turn, along y."),
    z: number(0, "Of the impulse, velocity or turn, along z."),
    local: off("Whether x, y and z are the target's own axes."),
    held: off("Whether it repeats in every step while held; a stick scales it."),
    cooldown: number(0, "Time before it acts again.", { unit: "s", min: 0 }),
  }),
  component("Timeline", "Plays a timeline on its entity and descendants.", {
    timeline: asset(["timeline"], "The timeline."),
    playing: on("Whether it plays."),
    loop: off("Whether it loops."),
  }),
];
