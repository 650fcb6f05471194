import { test } from "node:test";
import assert from "node:assert/strict";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { GAME_FILE, serializeGameFile } from "../../lib/game/assets/mod.ts";
import { playBack, RunningGame, SceneHost, worldHash } from "../../lib/game/play/mod.ts";
import type { GameContent } from "../../lib/game/world/mod.ts";
import { createClock } from "../../adapters/node/clock.ts";
import { guid } from "../editor/scenes.ts";
import { openGame } from "./game-files.ts";

const FIRST = "first.scene.json";
const NEXT = "next.scene.json";
const VIEWPORT = { width: 800, height: 600 };

/** Two scenes with a counter of `KeyF` each; Enter goes on from the first. */
async function twoScenes(): Promise<GameContent> {
  const counter = (n: number) => ({
    guid: guid(n),
    name: "Counter",
    layer: "3d",
    traits: {
      Transform: {},
      InputAction: { action: "count", keys: "KeyF" },
      ScriptAction: { on: "count", effect: "add", field: "Transform.x", value: 1 },
    },
  });
  const door = {
    guid: guid(1),
    name: "Door",
    layer: "3d",
    traits: {
      InputAction: { action: "go", keys: "Enter" },
      ScriptAction: { on: "go", effect: "openScene", text: NEXT },
    },
  };
  const scenes = new Map([[FIRST, [door, counter(2)]], [NEXT, [counter(3)]]]);
  const files = [...scenes].map(([path, entities]) =>
    [path, encodeUtf8(JSON.stringify({ schema: 1, name: path, entities }))] as const
  );
  const game = serializeGameFile({
    name: "Two scenes",
    startScene: FIRST,
    viewport: VIEWPORT,
    engineApi: 1,
    ota: null,
    assets: files.map(([path, { length }], i) => ({
      guid: guid(90 + i),
      path,
      name: path,
      type: "scene",
      size: length,
    })),
  });
  return await openGame(new Map([[GAME_FILE, game], ...files]));
}

test("what a player does while a scene is opened is done in it, and played back so", async () => {
  const content = await twoScenes();
  const clock = createClock();
  let [asked, open] = [() => {}, () => {}];
  const isAsked = new Promise<void>((resolve) => asked = resolve);
  const isOpen = new Promise<void>((resolve) => open = resolve);
  const slow: GameContent = {
    ...content,
    async readScene(path) {
      if (path === NEXT) {
        asked();
        await isOpen;
      }
      return await content.readScene(path);
    },
  };
  const host = await SceneHost.open(slow, FIRST, { clock, viewport: VIEWPORT });
  assert.ok(host.ok);
  const running = await RunningGame.start(host.value, slow);
  const { signal } = new AbortController();
  await running.steps(3, signal);
  running.input.take({ kind: "key", code: "Enter", phase: "press" });
  const stepping = running.steps(5, signal);
  await isAsked;
  const answer = running.input.take({ kind: "key", code: "KeyF", phase: "press" });
  assert.deepEqual(answer.actions, [], "nobody is there yet who could answer");
  open();
  await stepping;
  const { world, tick } = running.game;
  assert.equal(world.byGuid(guid(3))?.traits["Transform"]?.["x"], 1);
  const round = running.recorder.upTo(tick);
  assert.deepEqual(round?.events.map(([at]) => at), [3, 4]);
  const hash = await worldHash(running.game);
  running.end();
  assert.ok(round !== null);
  const played = await playBack(round, content, { clock });
  assert.ok(played.ok);
  assert.equal(await worldHash(played.value.game), hash);
  played.value.end();
});
