import { RunningGame, SceneHost } from "../game/play/mod.ts";
import { openSavedValues } from "../game/world/mod.ts";
import { openContent, type OpenedGame } from "./content/mod.ts";
import { PAGE_CLOCK } from "./page-clock.ts";
import { createPicture } from "./picture/mod.ts";
import { Player } from "./player.ts";
import { createSound } from "./sound/mod.ts";
import { createStage } from "./stage.ts";
import { createSurface } from "./surface/mod.ts";
import type { Notice } from "./updates.ts";

// The game of a built game's page, loaded by `start.ts`. Opened with `?paused`, the game is paused
// at its first frame until `slipwayGame.paused = false`, or until steps are requested.

declare global {
  /** The running game, for tests, captures and the developer console. */
  var slipwayGame: Player | undefined;
}

/** Accessed on each call: with storage disabled, the mere name throws. */
const STORAGE = {
  getItem: (key: string) => localStorage.getItem(key),
  setItem: (key: string, text: string) => localStorage.setItem(key, text),
};
/** Writes the game's messages to the console of its page. */
const CONSOLE = { write: (level: "warn" | "error", text: string) => console[level](text) };

/**
 * Plays the game of this page. @returns Whether its first frame was shown; if not, the notice gives
 * the reason.
 */
export async function play(notice: Notice): Promise<boolean> {
  const stop = (why: string) => {
    console.error(why);
    notice.say(why);
  };
  const opened = await openContent(new URL("./", document.baseURI).href, (url) => fetch(url));
  if (!opened.ok) {
    stop(`${opened.error.detail}. ${opened.error.hint}`);
    return false;
  }
  const player = await playerOf(opened.value, stop);
  if (player === null) return false;
  player.paused = new URLSearchParams(location.search).has("paused");
  await player.start();
  globalThis.slipwayGame = player;
  notice.hide();
  return true;
}

async function playerOf(
  { game, content }: OpenedGame,
  stop: (why: string) => void,
): Promise<Player | null> {
  const stage = createStage(document.body, game.viewport);
  const { width, height } = stage.screen();
  const host = await SceneHost.open(content, game.startScene, {
    clock: PAGE_CLOCK,
    viewport: { width, height },
    saved: openSavedValues(
      STORAGE,
      `saved values of ${game.name}`,
      (text) => CONSOLE.write("warn", text),
    ),
    console: CONSOLE,
  });
  if (!host.ok) {
    stop(`${host.error.detail}. ${host.error.hint}`);
    return null;
  }
  const running = await RunningGame.start(host.value, content);
  const picture = createPicture(stage.picture, content);
  const surface = createSurface(stage.surface, content);
  return new Player({
    running,
    content,
    stage,
    picture,
    surface,
    views: [createSound(content)],
    onEnd: stop,
  });
}
