import { test } from "node:test";
import assert from "node:assert/strict";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { layoutUi, textSize } from "../../lib/game/layout/mod.ts";
import { HitTest, RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import type { Rect, Viewport } from "../../lib/game/types/mod.ts";
import type { LiveEntity } from "../../lib/game/world/mod.ts";
import { LEVELS, MENU } from "../../scripts/sample/levels.ts";
import { clock, openSampleGame } from "./harbor-bot.ts";

// What a finger finds of Harbor Run's UI layer on the screens of phones, tablets and desks.

/** CSS pixels that a finger takes (WCAG 2.5.5). */
const FINGER = 44;
const MADE_FOR = { width: 1280, height: 720 };
/** Of screens that are touched, in CSS pixels. */
const SCREENS: readonly Viewport[] = [
  { width: 640, height: 360 },
  { width: 780, height: 360 },
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 1280, height: 720 },
];

/** How a screen shows the game: its size in the game's pixels, and CSS pixels for one of those. */
function shownOn(
  { width, height }: Viewport,
): { readonly viewport: Viewport; readonly scale: number } {
  const scale = Math.min(width / MADE_FOR.width, height / MADE_FOR.height);
  return {
    viewport: { width: Math.round(width / scale), height: Math.round(height / scale) },
    scale,
  };
}

/** Looks at a scene of the sample with one of its menus open, or none. */
async function withScene(
  path: string,
  look: (scene: {
    readonly elements: readonly LiveEntity[];
    readonly open: (menu: string | null) => void;
    readonly say: (name: string, text: string) => void;
    readonly widthOf: (words: string) => number;
    readonly rectsOn: (viewport: Viewport) => ReadonlyMap<number, Rect | null>;
  }) => void,
): Promise<void> {
  const content = await openSampleGame();
  const host = await SceneHost.open(content, path, { clock, viewport: MADE_FOR });
  if (!host.ok) throw new Error(host.error.detail);
  const running = await RunningGame.start(host.value, content);
  const { yoga, game: { world, assets: { details } } } = running;
  const elements = world.withTrait("UIElement");
  const menus = elements.filter(({ name, parentId }) =>
    parentId === null && name.endsWith(" Menu")
  );
  look({
    elements,
    open: (menu) => {
      for (const one of menus) world.set(one, ["UIElement", "visible"], one.name === menu);
    },
    say: (name, text) => {
      const entity = world.named(name);
      assert.ok(entity);
      world.set(entity, ["Text", "text"], text);
    },
    widthOf: (name) => {
      const entity = world.named(name);
      return entity === undefined ? NaN : textSize(entity, details, Infinity)?.width ?? NaN;
    },
    rectsOn: (viewport) => runAtOnce(layoutUi(elements, { yoga, viewport, details })),
  });
  running.end();
}

const MENUS: readonly (readonly [path: string, menu: string | null])[] = [
  [MENU, null],
  [MENU, "Help Menu"],
  ...LEVELS.flatMap(({ path }) =>
    [null, "Pause Menu", "Win Menu", "Lose Menu"].map((menu) => [path, menu] as const)
  ),
];

for (const [path, menu] of MENUS) {
  test(`what answers in ${path}, ${menu ?? "no menu"}, is large enough for a finger`, () =>
    withScene(path, ({ elements, open, rectsOn }) => {
      open(menu);
      for (const screen of SCREENS) {
        const { viewport, scale } = shownOn(screen);
        const rects = rectsOn(viewport);
        const test = new HitTest(new Map(elements.map((one) => [one.id, one])), rects, viewport);
        let answering = 0;
        for (const { id, name, traits } of elements) {
          const rect = rects.get(id) ?? null;
          if (rect === null || (traits["Button"] ?? traits["Stick"]) === undefined) continue;
          const what = `${name} at ${screen.width}x${screen.height}: ${JSON.stringify(rect)}`;
          const [x, y] = [rect.x + rect.w / 2, rect.y + rect.h / 2];
          if (test.at(x, y).answering?.id !== id) continue; // it lies below the menu
          answering++;
          assert.ok(Math.min(rect.w, rect.h) * scale >= FINGER, what);
          const reach = FINGER / 2 / scale - 0.01;
          for (const [dx, dy] of [[-1, -1], [1, -1], [-1, 1], [1, 1]] as const) {
            assert.equal(test.at(x + dx * reach, y + dy * reach).answering?.id, id, what);
          }
        }
        assert.ok(answering > 0, "something answers");
      }
    }));

  if (menu === null) continue;
  test(`the panel of ${menu} of ${path} holds what is in it`, () =>
    withScene(path, ({ elements, open, rectsOn }) => {
      open(menu);
      const panel = elements.find(({ name }) => name === menu.replace("Menu", "Panel"));
      for (const screen of SCREENS) {
        const rects = rectsOn(shownOn(screen).viewport);
        const panelRect = rects.get(panel?.id ?? 0);
        assert.ok(panelRect);
        for (const { id, name, parentId } of elements) {
          const rect = rects.get(id) ?? null;
          if (parentId !== panel?.id || rect === null) continue;
          assert.ok(
            rect.y + rect.h <= panelRect.y + panelRect.h + 0.5,
            `${name}: ${JSON.stringify(rect)}`,
          );
        }
      }
    }));
}

for (const { path } of LEVELS) {
  test(`the clock of ${path} stands in the middle, whatever it and its neighbors say`, () =>
    withScene(path, ({ elements, say, rectsOn, widthOf }) => {
      const id = elements.find(({ name }) => name === "Clock")?.id ?? 0;
      const places = [["1:30", "0"], ["1:11", "12"], ["0:07", "99999"]] as const;
      for (const screen of SCREENS) {
        const { viewport } = shownOn(screen);
        for (const [time, coins] of places) {
          say("Clock", time);
          say("Coin Count", coins);
          const rect = rectsOn(viewport).get(id);
          assert.ok(rect);
          assert.equal(rect.x + rect.w / 2, viewport.width / 2);
          assert.equal(widthOf("Clock"), 110, time);
        }
      }
    }));
}
