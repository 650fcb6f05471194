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
      visible: on("Whether it and its descendants exist; like `display: none` when off."),
      position: choice(["relative", "absolute"], "In the flow, or placed by `pinX` and `pinY`."),
      direction: choice(
        ["column", "row", "column-reverse", "row-reverse"],
        "Direction of its children.",
      ),
      wrap: off("Whether its children wrap to a new line."),
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
      minWidth: number(0, "Minimum width.", { unit: "px", min: 0 }),
      minHeight: number(0, "Minimum height.", { unit: "px", min: 0 }),
      maxWidth: number(0, "Maximum width; 0 for none.", { unit: "px", min: 0 }),
      pinX: choice(["none", "left", "right", "both"], "Sides pinned by `left` and `right`."),
      pinY: choice(["none", "top", "bottom", "both"], "Sides pinned by `top` and `bottom`."),
      left: number(0, "Distance from the left.", { unit: "px" }),
      right: number(0, "Distance from the right.", { unit: "px" }),
      top: number(0, "Distance from the top.", { unit: "px" }),
      bottom: number(0, "Distance from the bottom.", { unit: "px" }),
      padding: number(0, "Space inside, on all sides.", { unit: "px", min: 0 }),
      margin: number(0, "Space outside, on all sides.", { unit: "px" }),
      gap: number(0, "Space between its children.", { unit: "px", min: 0 }),
      background: color("#00000000", "Fill colour."),
      opacity: number(1, "Opacity.", { min: 0, max: 1 }),
    },
  ),
  component("Button", "Reacts to a tap or a click.", {
    action: text("", "The name that is dispatched when it is pressed."),
    held: off("Whether its action lasts from press to release."),
    enabled: on("Whether it answers."),
    pressedScale: number(0.96, "Its size while pressed.", { min: 0, max: 2 }),
  }),
  component("Stick", "A thumb stick: a pointer pressed on it gives actions while dragging.", {
    left: text("", "The action of a push to the left; its strength is the distance."),
    right: text("", "To the right."),
    up: text("", "Up."),
    down: text("", "Down."),
    radius: number(48, "Distance from its centre of a full push.", { unit: "px", min: 1 }),
    knob: entity("The pinned UIElement that moves with it."),
    enabled: on("Whether it answers."),
    x: number(0, "Horizontal push; set by the game.", { min: -1, max: 1 }),
    y: number(0, "Vertical push; down is positive.", { min: -1, max: 1 }),
  }),
];
