import { messageOf } from "../core/result.ts";
import { RunningGame, SceneHost } from "../game/play/mod.ts";
import { openSavedValues } from "../game/world/mod.ts";
import { openContent, type OpenedGame } from "./content/mod.ts";
import { findNotice, type Notice } from "./notice.ts";
import { keepOffline } from "./offline.ts";
import { PAGE_CLOCK } from "./page-clock.ts";
import { createPicture } from "./picture/mod.ts";
import { Player } from "./player.ts";
import { createSound } from "./sound/mod.ts";
import { createStage } from "./stage.ts";
import { createSurface } from "./surface/mod.ts";

// The page of a built game: what its script runs. Opened with `?paused` the game stands at its first
// frame until somebody says `slipwayGame.paused = false`, or asks it for steps.

declare global {
  /** The game that plays, for tests, captures and whoever looks at the console. */
  var slipwayGame: Player | undefined;
}

/** Asked each time: a page that may store nothing throws at its mere name. */
const STORAGE = {
  getItem: (key: string) => localStorage.getItem(key),
  setItem: (key: string, text: string) => localStorage.setItem(key, text),
};
/** What a game has to say is for whoever looks at the console of its page. */
const CONSOLE = { write: (level: "warn" | "error", text: string) => console[level](text) };

const notice = findNotice(document);
try {
  await play(notice);
} catch (thrown) {
  stop(`The game cannot be started: ${messageOf(thrown)}`);
}

async function play(notice: Notice): Promise<void> {
  const opened = await openContent(new URL("./", document.baseURI).href, (url) => fetch(url));
  if (!opened.ok) return stop(`${opened.error.detail}. ${opened.error.hint}`);
  const { game: { ota, engineApi } } = opened.value;
  const updates = ota === null
    ? null
    : (await import("./updates.ts")).appUpdates(ota, engineApi, notice);
  if (updates !== null && !await updates.mayLoad()) return;
  const player = await playerOf(opened.value);
  if (player === null) return;
  player.paused = new URLSearchParams(location.search).has("paused");
  await player.start();
  globalThis.slipwayGame = player;
  notice.hide();
  if (globalThis.Capacitor === undefined) return await keepOffline();
  await updates?.confirm();
}

async function playerOf({ game, content }: OpenedGame): Promise<Player | null> {
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

function stop(why: string): void {
  console.error(why);
  notice.say(why);
}
