import type { AssetRef } from "./assets.ts";
import type { SceneBuilder, Traits, World } from "./scene-builder.ts";

const PANEL = "#0b2233c0";
const ACCENT = "#c9a24b";

/** Text of the UI in the font of the game. */
export function label(ref: AssetRef, text: string, size = 24): Traits[string] {
  return { text, font: ref("fonts/dots.font.json"), size };
}

/** A box of fixed size. */
function sized(width: number, height: number): Traits[string] {
  return { width, widthUnit: "px", height, heightUnit: "px" };
}

/** The UI layer of the game: what is always seen, and the menu behind the pause button. */
export async function buildHud({ scene, ref }: World): Promise<void> {
  await scene.add("ui", "HUD", {
    traits: { UIElement: { padding: 16, justify: "space-between" } },
  });
  await buildTopBar({ scene, ref });
  await scene.add("ui", "Objective", {
    parent: "HUD",
    traits: {
      UIElement: { alignSelf: "center" },
      Text: label(ref, "Three laps. Mind the patrols!", 32),
    },
  });
  await scene.add("ui", "Combo", {
    parent: "HUD",
    traits: {
      UIElement: { alignSelf: "center" },
      Text: label(ref, "", 40),
      Binding: { source: "GameSettings.combo", format: "x{0}" },
    },
  });
  await buildBottomBar({ scene, ref });
  // Slides in from below when something is to be said.
  await scene.add("ui", "Toast", {
    parent: "HUD",
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "left",
        pinY: "top",
        left: 440,
        top: 760,
        ...sized(400, 48),
        background: PANEL,
      },
    },
  });
  await scene.add("ui", "Toast Text", {
    parent: "Toast",
    traits: { UIElement: { margin: 8 }, Text: label(ref, "Gate missed") },
  });
  await scene.add("ui", "Hint Anchor", { parent: "HUD", traits: { UIElement: sized(0, 0) } });
  await buildPauseMenu({ scene, ref });
}

async function buildTopBar({ scene, ref }: World): Promise<void> {
  await scene.add("ui", "Top Bar", {
    parent: "HUD",
    traits: { UIElement: { direction: "row", justify: "space-between", align: "center" } },
  });
  await scene.add("ui", "Coins", {
    parent: "Top Bar",
    traits: {
      UIElement: {
        direction: "row",
        align: "center",
        gap: 8,
        padding: 8,
        minWidth: 120,
        background: PANEL,
      },
    },
  });
  await scene.add("ui", "Coin Icon", {
    parent: "Coins",
    traits: { UIElement: {}, Sprite: { image: ref("sprites/coin.png") } },
  });
  await scene.add("ui", "Coin Count", {
    parent: "Coins",
    traits: { UIElement: {}, Text: label(ref, "0"), Binding: { source: "GameSettings.coins" } },
  });
  await scene.add("ui", "Clock", {
    parent: "Top Bar",
    traits: { UIElement: {}, Text: label(ref, "1:30", 40), Binding: { source: "Rules.time" } },
  });
  await scene.add("ui", "Lives", {
    parent: "Top Bar",
    traits: { UIElement: { direction: "row", gap: 4, padding: 8, background: PANEL } },
  });
  for (let i = 1; i <= 3; i++) {
    await scene.add("ui", `Heart ${i}`, {
      parent: "Lives",
      traits: { UIElement: {}, Sprite: { image: ref("sprites/heart.png") } },
    });
  }
  await scene.add("ui", "Pause", {
    parent: "Top Bar",
    traits: {
      UIElement: { ...sized(48, 48), align: "center", justify: "center", background: PANEL },
      Button: { action: "pause" },
    },
  });
  await scene.add("ui", "Pause Icon", {
    parent: "Pause",
    traits: { UIElement: {}, Sprite: { image: ref("sprites/pause.png") } },
  });
}

async function buildBottomBar({ scene, ref }: World): Promise<void> {
  await scene.add("ui", "Bottom Bar", {
    parent: "HUD",
    traits: { UIElement: { direction: "row", justify: "center", align: "end", gap: 24 } },
  });
  await scene.add("ui", "Speed", {
    parent: "Bottom Bar",
    traits: { UIElement: { ...sized(240, 24), background: PANEL, padding: 4 } },
  });
  await scene.add("ui", "Speed Fill", {
    parent: "Speed",
    traits: {
      UIElement: { grow: 1, width: 40, widthUnit: "percent", background: ACCENT },
      Binding: { source: "Runner.speed" },
    },
  });
  for (const name of ["Boost", "Horn Key"]) {
    await scene.add("ui", name, {
      parent: "Bottom Bar",
      traits: {
        UIElement: { ...sized(96, 48), align: "center", justify: "center", background: ACCENT },
        Button: { action: name === "Boost" ? "boost" : "horn" },
      },
    });
    await scene.add("ui", `${name} Label`, {
      parent: name,
      traits: { UIElement: {}, Text: label(ref, name === "Boost" ? "Boost" : "Horn") },
    });
  }
}

async function buildPauseMenu({ scene, ref }: World): Promise<void> {
  await scene.add("ui", "Pause Menu", {
    traits: {
      UIElement: { visible: false, justify: "center", align: "center", background: "#00000080" },
    },
  });
  await scene.add("ui", "Pause Panel", {
    parent: "Pause Menu",
    traits: {
      UIElement: {
        width: 360,
        widthUnit: "px",
        padding: 24,
        gap: 12,
        align: "center",
        background: PANEL,
      },
    },
  });
  await scene.add("ui", "Pause Title", {
    parent: "Pause Panel",
    traits: { UIElement: {}, Text: label(ref, "Paused", 40) },
  });
  await addButtons({ scene, ref, parent: "Pause Panel", names: ["Resume", "Restart", "Quit"] });
}

/** Buttons below each other, each with a label of its name. */
export async function addButtons({ scene, ref, parent, names }: {
  readonly scene: SceneBuilder;
  readonly ref: AssetRef;
  readonly parent: string;
  readonly names: readonly string[];
}): Promise<void> {
  for (const name of names) {
    await scene.add("ui", name, {
      parent,
      traits: {
        UIElement: { ...sized(280, 56), align: "center", justify: "center", background: ACCENT },
        Button: { action: name.toLowerCase() },
      },
    });
    await scene.add("ui", `${name} Label`, {
      parent: name,
      traits: { UIElement: {}, Text: label(ref, name) },
    });
  }
}
