import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  type AssetDetail,
  GAME_FILE,
  type GameAsset,
  type GameFile,
  MAX_GAME_BYTES,
  parseFont,
  parseGameFile,
} from "../../game/assets/mod.ts";
import { MAX_ENTITIES, MAX_SCENE_BYTES, parseScene } from "../../game/scene/mod.ts";
import { TraitRegistry } from "../../game/traits/mod.ts";
import { addressOf, urlOf } from "./address.ts";
import { loadBytes, type PageFetch } from "./fetch-bytes.ts";
import { PictureMemory } from "./picture-memory.ts";
import type { WebContent } from "./web-content.ts";

const MAX_FONT_BYTES = 1024 * 1024;

/** A built game, as its page opens it. */
export interface OpenedGame {
  readonly game: GameFile;
  readonly content: WebContent;
}

/**
 * Opens a built game: reads its `game.json` and everything that the layout needs before the first
 * frame.
 *
 * @param base The folder of its page, as a URL that ends in `/`: every file is below it, so that a
 * game works wherever it is served.
 * @returns Why it cannot be played.
 */
export async function openContent(
  base: string,
  fetch: PageFetch,
): Promise<Result<OpenedGame, Problem>> {
  const file = await loadBytes(fetch, new URL(GAME_FILE, base).href, MAX_GAME_BYTES);
  if (!file.ok) return file;
  const parsed = parseGameFile(file.value);
  if (!parsed.ok) {
    const { message, next = "Build the game again" } = parsed.error;
    return refuse(422, parsed.error.code, message, next);
  }
  const game = parsed.value;
  const details = new Map<string, AssetDetail>();
  const loading = game.assets.map(async (asset) => {
    const detail = await detailOf(asset, base, fetch);
    if (detail !== null) details.set(asset.guid, detail);
  });
  await Promise.all(loading);
  return ok({ game, content: contentOf(game, details, base, fetch) });
}

function contentOf(
  { assets, beside = [] }: GameFile,
  details: ReadonlyMap<string, AssetDetail>,
  base: string,
  fetch: PageFetch,
): WebContent {
  const byGuid = new Map(assets.map((asset) => [asset.guid, asset]));
  const scenes = new Map(
    assets.filter(({ type }) => type === "scene").map((asset) => [asset.path, asset]),
  );
  const paths = new Set([...assets.map(({ path }) => path), ...beside]);
  const rules = { traits: new TraitRegistry(), maxEntities: MAX_ENTITIES };
  return {
    ...rules,
    assets,
    pictures: new PictureMemory(),
    details,
    asset: (guid) => byGuid.get(guid),
    addressOf: (name, from) => addressOf(name, from.path, { paths, base }),
    settingsOf: (guid) => byGuid.get(guid)?.settings ?? {},
    async readAsset({ path }, maxBytes) {
      const read = await loadBytes(fetch, urlOf(path, base), maxBytes);
      return read.ok ? read.value : null;
    },
    soundLength: ({ guid }) => Promise.resolve(byGuid.get(guid)?.seconds ?? null),
    async readScene(path) {
      if (!scenes.has(path)) {
        return refuse(404, "no-such-scene", `The game has no scene "${path}"`, "Build it again");
      }
      const read = await loadBytes(fetch, urlOf(path, base), MAX_SCENE_BYTES);
      if (!read.ok) return read;
      const scene = parseScene(path, read.value, rules);
      if (scene.ok) return scene;
      return refuse(422, scene.error.code, scene.error.message, "Build the game again");
    },
  };
}

async function detailOf(
  { type, path, pixels, bounds }: GameAsset,
  base: string,
  fetch: PageFetch,
): Promise<AssetDetail | null> {
  if (type === "font" && path.endsWith(".json")) {
    const read = await loadBytes(fetch, urlOf(path, base), MAX_FONT_BYTES);
    const font = read.ok ? parseFont(path, read.value) : null;
    return font?.ok === true ? { font: font.value } : null;
  }
  if (pixels === undefined && bounds === undefined) return null;
  return { ...(pixels !== undefined && { pixels }), ...(bounds !== undefined && { bounds }) };
}
