import { addButton, addMenu, label, LINE_HEIGHT } from "./buttons.ts";
import { HARBOR, MENU } from "./levels.ts";
import type { World } from "./scene-builder.ts";

const SCORE_SIZE = 24;

/** Adds the picture and sound of a won or lost level, and its saved values. */
export async function buildRoundEnd(world: World): Promise<void> {
  const { scene, ref, level } = world;
  const rules = await scene.guid("Rules");
  const pause = await scene.guid("Pause");
  for (
    const [name, on, title, clip, holds] of [
      ["Win", "@win", level.cleared, "win", { buttons: 1, words: 2 * SCORE_SIZE * LINE_HEIGHT }],
      ["Lose", "@lose", "Out of the race", "lose", { buttons: 2 }],
    ] as const
  ) {
    await addMenu(world, { name, title, on, ...holds });
    // The world is paused from here on, and the pause button would resume it.
    await scene.add("ui", `${name} Stop`, {
      parent: `${name} Panel`,
      traits: {
        AudioSource: { clip: ref(`audio/${clip}.wav`), spatial: false, volume: 0.6 },
        ScriptAction: { on, effect: "set", target: rules, field: "GameSettings.paused", value: 1 },
      },
    });
    await scene.add("ui", `${name} Pause Off`, {
      parent: `${name} Panel`,
      traits: { ScriptAction: { on, effect: "destroy", target: pause } },
    });
    await scene.add("ui", `${name} Sound`, {
      parent: `${name} Panel`,
      traits: {
        ScriptAction: { on, effect: "playSound", target: await scene.guid(`${name} Stop`) },
      },
    });
  }
  await scene.add("ui", "Run", {
    parent: "Win Panel",
    traits: {
      UIElement: {},
      Text: label(ref, "0 points", SCORE_SIZE),
      // The first level restarts the sum.
      SavedValue: {
        name: "run",
        source: "Game.score",
        keep: level.path === HARBOR ? "last" : "sum",
      },
      Binding: { source: "Run.SavedValue.value", format: "{0} points" },
    },
  });
  await scene.add("ui", "Best", {
    parent: "Win Panel",
    traits: {
      UIElement: {},
      Text: label(ref, "Best 0", SCORE_SIZE),
      SavedValue: { name: "best", source: "Run.SavedValue.value" },
      Binding: { source: "Best.SavedValue.value", format: "Best {0}" },
    },
  });
  await addButton(world, {
    parent: "Win Panel",
    name: "Next",
    text: level.next.label,
    action: "next",
    keys: "Enter,Gamepad0",
    does: { effect: "openScene", text: level.next.path },
  });
  await addButton(world, {
    parent: "Lose Panel",
    name: "Again",
    text: "Try again",
    action: "again",
    keys: "Enter,Gamepad0",
    does: { effect: "openScene" },
  });
  await addButton(world, {
    parent: "Lose Panel",
    name: "Leave",
    text: "To the title",
    action: "leave",
    keys: "Escape,Gamepad1",
    does: { effect: "openScene", text: MENU },
  });
}
