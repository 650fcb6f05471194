import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import { reachedAssets } from "../../lib/editor/assets/mod.ts";
import { DEFAULT_VIEWPORT, GAME_FILE, serializeGameFile } from "../../lib/game/assets/mod.ts";
import { openContent, type WebContent } from "../../lib/game-web/content/mod.ts";

/** A built game without its page: bytes by path. */
export type GameFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** The game of a project's folder, as far as its world goes. */
export async function gameFiles(root: string, startScene: string): Promise<GameFiles> {
  const reached = await reachedAssets(createFiles(), root, startScene);
  if (!reached.ok) throw new Error(reached.error.detail);
  const { assets, beside } = reached.value;
  const paths = [...assets.map(({ path }) => path), ...beside];
  return new Map([
    [
      GAME_FILE,
      serializeGameFile({
        name: "Test",
        startScene,
        viewport: DEFAULT_VIEWPORT,
        engineApi: 1,
        ota: null,
        assets,
        beside,
      }),
    ],
    ...paths.map((path) => [path, new Uint8Array(readFileSync(join(root, path)))] as const),
  ]);
}

/** Opens a game as its page does, with nothing between it and its files. */
export async function openGame(files: GameFiles): Promise<WebContent> {
  const base = "http://game.invalid/";
  const opened = await openContent(base, (url) => {
    const bytes = files.get(decodeURIComponent(new URL(url).pathname.slice(1)));
    return Promise.resolve(
      new Response(bytes ?? null, { status: bytes === undefined ? 404 : 200 }),
    );
  });
  if (!opened.ok) throw new Error(opened.error.detail);
  return opened.value.content;
}
