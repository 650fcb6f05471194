import { isRecord } from "../core/json.ts";
import { messageOf } from "../core/result.ts";
import { findNotice } from "./notice.ts";
import { keepOffline } from "./offline.ts";
import type { AppUpdates, Notice } from "./updates.ts";

// Runs before a game: the notice, the update check, the check of the engine. Restricted to ES2020
// and to lib/ota-client/engine.d.ts, so that a phone which cannot run this version takes the next
// one (HOUSE-4).

/** The part of a game's script that is used here. */
interface GameScript {
  /** @returns Whether its first frame was shown; if not, the notice gives the reason. */
  play(notice: Notice): Promise<boolean>;
}

/** Starts the game of this page once its updates allow it, or shows why it does not start. */
export function startGame(loadScript: () => Promise<GameScript>): void {
  const box = document.getElementById("notice");
  box?.setAttribute("data-started", ""); // tells too-old.js that the page's script has run
  const tooOld = box?.getAttribute("data-too-old") ?? "";
  void start(findNotice(document), tooOld, loadScript);
}

async function start(
  notice: Notice,
  tooOld: string,
  loadScript: () => Promise<GameScript>,
): Promise<void> {
  let updates: AppUpdates | null = null;
  let isRead = false;
  try {
    updates = await openUpdates(notice);
    if (updates !== null && !await updates.mayLoad()) return;
    const { play } = await loadScript();
    isRead = true;
    if (!await play(notice)) return updates?.rescue();
  } catch (thrown) {
    console.error(thrown);
    const isTooOld = !isRead && thrown instanceof SyntaxError || isBelowGame();
    notice.say(isTooOld ? tooOld : `The game cannot be started: ${messageOf(thrown)}`);
    return updates?.rescue();
  }
  if (updates !== null) await updates.confirm();
  else if (globalThis.Capacitor === undefined) await keepOffline();
}

/** Opens the updates of an app; `null` in a browser, and if the game has none. */
async function openUpdates(notice: Notice): Promise<AppUpdates | null> {
  const game = await readGame();
  if (!isRecord(game) || !isRecord(game["ota"])) return null;
  return (await import("./updates.ts")).appUpdates(game["ota"], game["engineApi"], notice);
}

/** Reads `game.json`; `null` if it is unreadable, which the game reports. */
async function readGame(): Promise<unknown> {
  try {
    const answer = await fetch(new URL("game.json", document.baseURI).href);
    return await answer.json();
  } catch {
    return null;
  }
}

/** Returns whether this engine lacks features of Safari 15 and Chrome 94 or shortly before. */
function isBelowGame(): boolean {
  const error: object = Reflect.construct(Error, ["", { cause: 0 }]);
  return !("cause" in error) || typeof WebGL2RenderingContext === "undefined";
}
