import type { AssetRef } from "./assets.ts";
import type { Parts, Traits } from "./scene-builder.ts";

// Text, boxes, buttons and menus of the UI layer: touch targets are large enough for a finger.

export const ACCENT = "#c9a24b";

/** A multiple of a text's size. */
export const LINE_HEIGHT = 1.25;

/** Text of the UI in the font of the game. */
export function label(ref: AssetRef, text: string, size = 24): Traits[string] {
  return { text, font: ref("fonts/dots.font.json"), size };
}

/** A box of fixed size. */
export function sized(width: number, height: number): Traits[string] {
  return { width, widthUnit: "px", height, heightUnit: "px" };
}

export const CENTERED = { align: "center", justify: "center" };

/**
 * Size of a touch target, 44 CSS pixels, in pixels of the game: a phone of 640×360 shows the
 * 1280×720 of its design at half that size; held upright, it shows 1280×2276 at less than a third.
 */
export const FINGER = { across: 88, upright: 157 };
/** Height of an upright phone inside the screen's padding. */
const UPRIGHT_HEIGHT = 2200;
/** Space between a button's edge, which a finger may touch, and its visible face. */
export const FACE_MARGIN = 8;

/** The height of a box with buttons below each other that share it, and `rest` pixels of something else. */
export function roomFor(buttons: number, rest: number): Traits[string] {
  return {
    height: Math.ceil((rest + buttons * FINGER.upright) / UPRIGHT_HEIGHT * 100),
    heightUnit: "percent",
    minHeight: rest + buttons * FINGER.across,
  };
}

/** Returns the label of a button on its visible face; the button also responds around it. */
export function face(ref: AssetRef, text: string): Traits {
  return {
    UIElement: { grow: 1, margin: FACE_MARGIN, ...CENTERED, background: ACCENT },
    Text: label(ref, text),
  };
}

/** Adds a full-screen menu that an action opens: a panel with a title, and room for its content. */
export async function addMenu(
  { scene, ref }: Parts,
  { name, title, on, buttons, words = 0 }: {
    readonly name: string;
    readonly title: string;
    readonly on: string;
    /** Number of buttons below the title. */
    readonly buttons: number;
    /** Height of the text between title and buttons, in pixels. */
    readonly words?: number;
  },
): Promise<void> {
  const [padding, titleSize] = [24, 32];
  const rest = 2 * padding + titleSize * LINE_HEIGHT + words;
  await scene.add("ui", `${name} Menu`, {
    traits: {
      UIElement: { visible: false, ...CENTERED, background: "#00000080" },
      ScriptAction: { on, effect: "set", field: "UIElement.visible", value: 1 },
    },
  });
  await scene.add("ui", `${name} Panel`, {
    parent: `${name} Menu`,
    traits: {
      UIElement: {
        width: 520,
        widthUnit: "px",
        ...roomFor(buttons, rest),
        padding,
        align: "center",
        background: "#0b2233e8",
      },
    },
  });
  await scene.add("ui", `${name} Title`, {
    parent: `${name} Panel`,
    traits: { UIElement: {}, Text: label(ref, title, titleSize) },
  });
}

/** Adds a button with one action, optional keys and a label; those of a box share its height. */
export async function addButton({ scene, ref }: Parts, { parent, name, action, keys, does, text }: {
  readonly parent: string;
  readonly name: string;
  readonly action: string;
  readonly keys: string;
  readonly does: Traits[string];
  /** Label, if different from its name. */
  readonly text?: string;
}): Promise<void> {
  await scene.add("ui", name, {
    parent,
    traits: {
      UIElement: { width: 296, widthUnit: "px", grow: 1, minHeight: FINGER.across },
      Button: { action },
      InputAction: { action, keys },
      ScriptAction: { on: action, ...does },
    },
  });
  await scene.add("ui", `${name} Label`, { parent: name, traits: face(ref, text ?? name) });
}
