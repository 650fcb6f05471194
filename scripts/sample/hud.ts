import {
  ACCENT,
  addButton,
  addMenu,
  CENTERED,
  face,
  FACE_MARGIN,
  FINGER,
  label,
  roomFor,
  sized,
} from "./buttons.ts";
import { MENU } from "./levels.ts";
import type { World } from "./scene-builder.ts";

const PANEL = "#0b2233c0";
/** Width and height of the pause button's face. */
const PAUSE_SIZE = 48;

/** Adds the UI layer of a level: the permanent display, and the menu behind the pause button. */
export async function buildHud(world: World): Promise<void> {
  const { scene, ref, level } = world;
  await scene.add("ui", "HUD", {
    traits: { UIElement: { padding: 16, gap: 8 } },
  });
  await buildTopBar(world);
  await buildPause(world);
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
    // Slides in from below with a message.
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
    traits: { UIElement: { direction: "row", align: "center" } },
  });
  const minutes = `${Math.floor(level.timeLimit / 60)}:${
    String(level.timeLimit % 60).padStart(2, "0")
  }`;
  // Spans the bar, so that it is centred whatever the others show.
  await scene.add("ui", "Clock", {
    parent: "Top Bar",
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "both",
        pinY: "both",
        ...CENTERED,
      },
      Text: label(ref, minutes, 40),
      Binding: { source: "Game.time" },
    },
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
  await scene.add("ui", "Lives", {
    parent: "Top Bar",
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "right",
        right: PAUSE_SIZE + 16,
        pinY: "top",
        direction: "row",
        align: "center",
        gap: 16,
        padding: 8,
        background: PANEL,
      },
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
}

/** The button in the corner: all of the corner answers. */
async function buildPause({ scene, ref }: World): Promise<void> {
  await scene.add("ui", "Pause", {
    parent: "HUD",
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "right",
        pinY: "top",
        width: FINGER.upright,
        widthUnit: "px",
        ...roomFor(1, 0),
        padding: 16,
        align: "end",
      },
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
    traits: {
      UIElement: {
        ...sized(PAUSE_SIZE, PAUSE_SIZE),
        padding: 12,
        background: PANEL,
      },
      Sprite: { image: ref("sprites/pause.png") },
    },
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
        padding: FACE_MARGIN,
        direction: "row",
        ...roomFor(1, 2 * FACE_MARGIN),
      },
    },
  });
  await scene.add("ui", "Speed", {
    parent: "Bottom Bar",
    traits: {
      UIElement: {
        ...sized(200, 24),
        alignSelf: "end",
        margin: FACE_MARGIN,
        direction: "row",
        background: PANEL,
        padding: 4,
      },
    },
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
        UIElement: { width: FINGER.upright, widthUnit: "px" },
        Button: { action: name === "Boost" ? "boost" : "horn" },
      },
    });
    await scene.add("ui", `${name} Label`, {
      parent: name,
      traits: face(ref, name === "Boost" ? "Boost" : "Horn"),
    });
  }
}

/**
 * Adds the thumb stick, which gives the actions of the arrow keys wherever in its corner a thumb
 * lands.
 */
async function buildStick({ scene, ref }: World): Promise<void> {
  const [field, base, knob] = [240, 128, 56];
  const corner = { position: "absolute", pinX: "left" };
  await scene.add("ui", "Stick", {
    parent: "HUD",
    traits: {
      UIElement: {
        ...corner,
        pinY: "bottom",
        ...sized(field, field),
        padding: (field - base) / 2,
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
  const middle = (field - knob) / 2;
  await scene.add("ui", "Knob", {
    parent: "Stick",
    traits: {
      UIElement: { ...corner, pinY: "top", left: middle, top: middle, ...sized(knob, knob) },
      Sprite: { image: ref("sprites/stick-knob.png") },
    },
  });
}

async function buildPauseMenu(world: World): Promise<void> {
  const { scene } = world;
  await addMenu(world, { name: "Pause", title: "Paused", on: "pause", buttons: 3 });
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
