import type { AssetRef } from "./assets.ts";
import { MENU } from "./levels.ts";
import type { Parts, Traits, World } from "./scene-builder.ts";

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

const CENTERED = { align: "center", justify: "center" };

/** The UI layer of a level: what is always seen, and the menu behind the pause button. */
export async function buildHud(world: World): Promise<void> {
  const { scene, ref, level } = world;
  await scene.add("ui", "HUD", {
    traits: { UIElement: { padding: 16, gap: 8 } },
  });
  await buildTopBar(world);
  await scene.add("ui", "Objective", {
    parent: "HUD",
    traits: {
      UIElement: { alignSelf: "center" },
      Text: label(ref, level.objective, 32),
      Timer: { action: "objective-read", seconds: 6 },
      ScriptAction: { on: "objective-read", effect: "set", field: "UIElement.visible" },
    },
  });
  await scene.add("ui", "Score", {
    parent: "HUD",
    traits: {
      UIElement: { alignSelf: "center" },
      Text: label(ref, "0 points", 24),
      Binding: { source: "Game.score", format: "{0} points" },
    },
  });
  await buildBottomBar(world);
  if (level.isBusy) {
    // Slides in from below when something is to be said.
    await scene.add("ui", "Toast", {
      parent: "HUD",
      traits: {
        UIElement: {
          position: "absolute",
          pinX: "left",
          pinY: "bottom",
          left: 440,
          bottom: -88,
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
  }
  await buildPauseMenu(world);
  await buildStick(world);
}

async function buildTopBar({ scene, ref, level }: World): Promise<void> {
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
    traits: { UIElement: {}, Text: label(ref, "0"), Binding: { source: "Game.coins" } },
  });
  const minutes = `${Math.floor(level.timeLimit / 60)}:${
    String(level.timeLimit % 60).padStart(2, "0")
  }`;
  await scene.add("ui", "Clock", {
    parent: "Top Bar",
    traits: { UIElement: {}, Text: label(ref, minutes, 40), Binding: { source: "Game.time" } },
  });
  await scene.add("ui", "Lives", {
    parent: "Top Bar",
    traits: {
      UIElement: { direction: "row", align: "center", gap: 16, padding: 8, background: PANEL },
    },
  });
  await scene.add("ui", "Heart", {
    parent: "Lives",
    traits: { UIElement: {}, Sprite: { image: ref("sprites/heart.png") } },
  });
  for (
    const [name, text, source, format] of [
      ["Hull", "3", "Runner.Health.hp", "{0}"],
      ["Laps", `Lap 0/${level.laps}`, "Game.laps", `Lap {0}/${level.laps}`],
    ] as const
  ) {
    await scene.add("ui", name, {
      parent: "Lives",
      traits: { UIElement: {}, Text: label(ref, text), Binding: { source, format } },
    });
  }
  await scene.add("ui", "Pause", {
    parent: "Top Bar",
    traits: {
      UIElement: { ...sized(48, 48), ...CENTERED, background: PANEL },
      Button: { action: "pause" },
      InputAction: { action: "pause", keys: "Escape,KeyP,Gamepad9" },
      ScriptAction: {
        on: "pause",
        effect: "set",
        target: await scene.guid("Rules"),
        field: "GameSettings.paused",
        value: 1,
      },
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
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "right",
        pinY: "bottom",
        right: 16,
        bottom: 16,
        direction: "row",
        align: "end",
        gap: 16,
      },
    },
  });
  await scene.add("ui", "Speed", {
    parent: "Bottom Bar",
    traits: { UIElement: { ...sized(200, 24), direction: "row", background: PANEL, padding: 4 } },
  });
  await scene.add("ui", "Speed Fill", {
    parent: "Speed",
    traits: {
      UIElement: { width: 1, widthUnit: "percent", background: ACCENT },
      Binding: { source: "Runner.speed", factor: 6 },
    },
  });
  for (const name of ["Boost", "Horn Key"]) {
    await scene.add("ui", name, {
      parent: "Bottom Bar",
      traits: {
        UIElement: { ...sized(112, 64), ...CENTERED, background: ACCENT },
        Button: { action: name === "Boost" ? "boost" : "horn" },
      },
    });
    await scene.add("ui", `${name} Label`, {
      parent: name,
      traits: { UIElement: {}, Text: label(ref, name === "Boost" ? "Boost" : "Horn") },
    });
  }
}

/** The stick for thumbs: it gives what the arrow keys give. */
async function buildStick({ scene, ref }: World): Promise<void> {
  const pinned = { position: "absolute", pinX: "left" };
  await scene.add("ui", "Stick", {
    parent: "HUD",
    traits: {
      UIElement: {
        ...pinned,
        pinY: "bottom",
        left: 24,
        bottom: 24,
        ...sized(128, 128),
        opacity: 0.7,
      },
      Sprite: { image: ref("sprites/stick-base.png") },
      Stick: {
        left: "port",
        right: "starboard",
        up: "ahead",
        down: "astern",
        knob: await scene.guid("Knob"),
      },
    },
  });
  await scene.add("ui", "Knob", {
    parent: "Stick",
    traits: {
      UIElement: { ...pinned, pinY: "top", left: 36, top: 36, ...sized(56, 56) },
      Sprite: { image: ref("sprites/stick-knob.png") },
    },
  });
}

async function buildPauseMenu(world: World): Promise<void> {
  const { scene } = world;
  await addMenu(world, { name: "Pause", title: "Paused", on: "pause" });
  await addButton(world, {
    parent: "Pause Panel",
    name: "Resume",
    action: "resume",
    keys: "Enter,Escape,Gamepad0",
    does: {
      effect: "set",
      target: await scene.guid("Rules"),
      field: "GameSettings.paused",
      value: 0,
    },
  });
  await addButton(world, {
    parent: "Pause Panel",
    name: "Restart",
    action: "restart",
    keys: "KeyR",
    does: { effect: "openScene" },
  });
  await addButton(world, {
    parent: "Pause Panel",
    name: "Quit",
    action: "quit",
    keys: "KeyQ",
    does: { effect: "openScene", text: MENU },
  });
  await scene.add("ui", "Pause Menu Off", {
    parent: "Pause Panel",
    traits: {
      ScriptAction: {
        on: "resume",
        effect: "set",
        target: await scene.guid("Pause Menu"),
        field: "UIElement.visible",
      },
    },
  });
}

/** A menu over the whole screen that an action opens: a panel with a title, for what comes below it. */
export async function addMenu(
  { scene, ref }: Parts,
  { name, title, on }: { readonly name: string; readonly title: string; readonly on: string },
): Promise<void> {
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
        width: 360,
        widthUnit: "px",
        padding: 24,
        gap: 12,
        align: "center",
        background: "#0b2233e8",
      },
    },
  });
  await scene.add("ui", `${name} Title`, {
    parent: `${name} Panel`,
    traits: { UIElement: {}, Text: label(ref, title, 32) },
  });
}

/** A button that does one thing, also by keys, with a label. */
export async function addButton({ scene, ref }: Parts, { parent, name, action, keys, does, text }: {
  readonly parent: string;
  readonly name: string;
  readonly action: string;
  readonly keys: string;
  readonly does: Traits[string];
  /** Its name where it says nothing else. */
  readonly text?: string;
}): Promise<void> {
  await scene.add("ui", name, {
    parent,
    traits: {
      UIElement: { ...sized(280, 56), ...CENTERED, background: ACCENT },
      Button: { action },
      InputAction: { action, keys },
      ScriptAction: { on: action, ...does },
    },
  });
  await scene.add("ui", `${name} Label`, {
    parent: name,
    traits: { UIElement: {}, Text: label(ref, text ?? name) },
  });
}
