import type { TraitSchema } from "../types/mod.ts";
import { choiceField, color, component, entity, number, off, on, textField } from "./field.ts";

const LENGTH_UNITS = ["auto", "px", "percent"] as const;

/** Traits of the UI layer: a flexbox tree laid over the viewport. */
export const UI_TRAITS: readonly TraitSchema[] = [
  component(
    "UIElement",
    "A box of the flexbox tree. A UI entity without a UI parent fills the viewport unless it says " +
      "otherwise.",
    {
      visible: on("Whether it and its descendants exist; like `display: none` when off."),
      position: choiceField(
        ["relative", "absolute"],
        "In the flow, or placed by `pinX` and `pinY`.",
      ),
      direction: choiceField(
        ["column", "row", "column-reverse", "row-reverse"],
        "Direction of its children.",
      ),
      wrap: off("Whether its children wrap to a new line."),
      justify: choiceField(
        ["start", "center", "end", "space-between", "space-around", "space-evenly"],
        "Its children along `direction`.",
      ),
      align: choiceField(
        ["stretch", "start", "center", "end", "baseline"],
        "Its children across `direction`.",
      ),
      alignSelf: choiceField(
        ["auto", "stretch", "start", "center", "end", "baseline"],
        "Itself across its parent's direction.",
      ),
      grow: number(0, "Its share of free space.", { min: 0 }),
      shrink: number(0, "Its share of missing space.", { min: 0 }),
      width: number(0, "Its width, in `widthUnit`.", { min: 0 }),
      widthUnit: choiceField(LENGTH_UNITS, "`auto` ignores `width`."),
      height: number(0, "Its height, in `heightUnit`.", { min: 0 }),
      heightUnit: choiceField(LENGTH_UNITS, "`auto` ignores `height`."),
      minWidth: number(0, "Minimum width.", { unit: "px", min: 0 }),
      minHeight: number(0, "Minimum height.", { unit: "px", min: 0 }),
      maxWidth: number(0, "Maximum width; 0 for none.", { unit: "px", min: 0 }),
      pinX: choiceField(["none", "left", "right", "both"], "Sides pinned by `left` and `right`."),
      pinY: choiceField(["none", "top", "bottom", "both"], "Sides pinned by `top` and `bottom`."),
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
    action: textField("", "The name that is dispatched when it is pressed."),
    held: off("Whether its action lasts from press to release."),
    enabled: on("Whether it answers."),
    pressedScale: number(0.96, "Its size while pressed.", { min: 0, max: 2 }),
  }),
  component("Stick", "A thumb stick: a pointer pressed on it gives actions while dragging.", {
    left: textField("", "The action of a push to the left; its strength is the distance."),
    right: textField("", "To the right."),
    up: textField("", "Up."),
    down: textField("", "Down."),
    radius: number(48, "Distance from its centre of a full push.", { unit: "px", min: 1 }),
    knob: entity("The pinned UIElement that moves with it."),
    enabled: on("Whether it answers."),
    x: number(0, "Horizontal push; set by the game.", { min: -1, max: 1 }),
    y: number(0, "Vertical push; down is positive.", { min: -1, max: 1 }),
  }),
];
