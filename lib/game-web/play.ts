import { loadYoga } from "yoga-layout/load";
import { messageOf } from "../core/result.ts";
import { RunningGame } from "../game/play/mod.ts";
import { EntityDocument } from "../game/scene/mod.ts";
import { createBrowserHost } from "./browser-host.ts";
import { openContent, type OpenedGame, type View } from "./content/mod.ts";
import { findNotice, type Notice } from "./notice.ts";
import { Player } from "./player.ts";
import { createStage } from "./stage.ts";

// The page of a built game: what its script runs.

declare global {
  interface Window {
    /** The game that plays, for tests, captures and whoever looks at the console. */
    slipwayGame?: Player;
  }
}

const notice = findNotice(document);
try {
  await play(notice);
} catch (thrown) {
  stop(`The game cannot be started: ${messageOf(thrown)}`);
}

async function play(notice: Notice): Promise<void> {
  const opened = await openContent(new URL("./", document.baseURI).href, (url) => fetch(url));
  if (!opened.ok) return stop(`${opened.error.detail}. ${opened.error.hint}`);
  const player = await startedPlayer(opened.value, notice);
  if (player === null) return;
  player.start();
  globalThis.window.slipwayGame = player;
  notice.hide();
}

async function startedPlayer({ game, content }: OpenedGame, notice: Notice) {
  const scene = await content.readScene(game.startScene);
  if (!scene.ok) {
    stop(`${scene.error.detail}. ${scene.error.hint}`);
    return null;
  }
  const stage = createStage(document.body, game.viewport);
  const host = createBrowserHost(game.name, {
    document: new EntityDocument(scene.value.entities, undefined, content),
    scenePath: game.startScene,
    viewport: stage.screen(),
  });
  const [running, yoga] = await Promise.all([
    RunningGame.start(host, content, () => undefined),
    loadYoga(),
  ]);
  const views: readonly View[] = [];
  return new Player({ running, content, stage, yoga, views, onEnd: (why) => notice.say(why) });
}

function stop(why: string): void {
  console.error(why);
  notice.say(why);
}
