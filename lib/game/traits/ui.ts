import type { TraitSchema } from "../types/mod.ts";
import { choice, color, component, entity, number, off, on, text } from "./field.ts";

const LENGTH_UNITS = ["auto", "px", "percent"] as const;

/** Traits of the UI layer: a flexbox tree laid over the viewport. */
export const UI_TRAITS: readonly TraitSchema[] = [
  component(
    "UIElement",
    "A box of the flexbox tree. A UI entity without a UI parent fills the viewport unless it says " +
      "otherwise.",
    {
      visible: on("Whether it and all below take part; like `display: none` when off."),
      position: choice(["relative", "absolute"], "In the flow, or placed by `pinX` and `pinY`."),
      direction: choice(
        ["column", "row", "column-reverse", "row-reverse"],
        "How its children follow each other.",
      ),
      wrap: off("Whether its children go on in a new line."),
      justify: choice(
        ["start", "center", "end", "space-between", "space-around", "space-evenly"],
        "Its children along `direction`.",
      ),
      align: choice(
        ["stretch", "start", "center", "end", "baseline"],
        "Its children across `direction`.",
      ),
      alignSelf: choice(
        ["auto", "stretch", "start", "center", "end", "baseline"],
        "Itself across its parent's direction.",
      ),
      grow: number(0, "Its share of free space.", { min: 0 }),
      shrink: number(0, "Its share of missing space.", { min: 0 }),
      width: number(0, "Its width, in `widthUnit`.", { min: 0 }),
      widthUnit: choice(LENGTH_UNITS, "`auto` ignores `width`."),
      height: number(0, "Its height, in `heightUnit`.", { min: 0 }),
      heightUnit: choice(LENGTH_UNITS, "`auto` ignores `height`."),
      minWidth: number(0, "At least so wide.", { unit: "px", min: 0 }),
      minHeight: number(0, "At least so high.", { unit: "px", min: 0 }),
      maxWidth: number(0, "At most so wide; 0 for no bound.", { unit: "px", min: 0 }),
      pinX: choice(["none", "left", "right", "both"], "The sides that `left` and `right` hold."),
      pinY: choice(["none", "top", "bottom", "both"], "The sides that `top` and `bottom` hold."),
      left: number(0, "Distance from the left.", { unit: "px" }),
      right: number(0, "Distance from the right.", { unit: "px" }),
      top: number(0, "Distance from the top.", { unit: "px" }),
      bottom: number(0, "Distance from the bottom.", { unit: "px" }),
      padding: number(0, "Space inside, on all sides.", { unit: "px", min: 0 }),
      margin: number(0, "Space outside, on all sides.", { unit: "px" }),
      gap: number(0, "Space between its children.", { unit: "px", min: 0 }),
      background: color("#00000000", "What fills it."),
      opacity: number(1, "How much of it covers what is below.", { min: 0, max: 1 }),
    },
  ),
  component("Button", "Answers a tap or a click.", {
    action: text("", "The name that is dispatched when it is pressed."),
    held: off("Whether its action begins at the press and goes on until the release."),
    enabled: on("Whether it answers."),
    pressedScale: number(0.96, "Its size while pressed.", { min: 0, max: 2 }),
  }),
  component("Stick", "A thumb stick: gives actions while a pointer that went down on it drags.", {
    left: text("", "The action of its push to the left, as strong as it is far."),
    right: text("", "To the right."),
    up: text("", "Up."),
    down: text("", "Down."),
    radius: number(48, "Distance from its middle that is a whole push.", { unit: "px", min: 1 }),
    knob: entity("The UIElement that goes along, pinned."),
    enabled: on("Whether it answers."),
    x: number(0, "How far it is pushed: the game says so.", { min: -1, max: 1 }),
    y: number(0, "Down is more than 0.", { min: -1, max: 1 }),
  }),
];
