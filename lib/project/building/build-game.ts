import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { compareCodeUnits } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { sizeText } from "../../core/sizes.ts";
import { type ReachedAssets, reachedAssets } from "../../editor/assets/mod.ts";
import { readProjectFile } from "../../editor/files/mod.ts";
import { DEFAULT_VIEWPORT, GAME_FILE, serializeGameFile } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import type { ProjectConfig } from "../config/config.ts";
import { makeIcons } from "../icons/icons.ts";
import {
  indexHtml,
  OFFLINE_FILE,
  offlineScript,
  PAGE_CSS,
  TOO_OLD_FILE,
  TOO_OLD_SCRIPT,
  webManifest,
} from "./game-page.ts";
import { gameModels } from "./game-models.ts";
import { readRuntime } from "./runtime-files.ts";

/** The folder of the runtime in a built game. */
const RUNTIME_FOLDER = "runtime";
/** The largest file of a game, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** Unused assets that the log names. */
const MAX_NAMED = 20;
/** The level that apps begin with, unless a project names another. */
const FIRST_ENGINE_API = 1;

/** Settings of a game's build. */
export type GameConfig = Pick<
  ProjectConfig,
  "name" | "startScene" | "icon" | "ota" | "viewport" | "devices"
>;

/** The dependencies of building a game. */
export interface GameBuild {
  readonly files: Files;
  readonly gameRuntime?: GameRuntime | undefined;
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: GameConfig;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A game that can be written: everything that it needs was found. */
export interface ReadyGame {
  /** Bytes by path, for what is made; files of the project lie at the paths that they have there. */
  readonly made: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Relative to the project, and to the built game as well. */
  readonly copied: readonly string[];
}

/**
 * Finds all that a built game is made of: its runtime, the scenes and assets that can be reached from
 * its start scene, and its page. Writes nothing.
 *
 * @returns 503 `no-game-runtime`, and what {@linkcode reachedAssets} and {@linkcode makeIcons} refuse.
 */
export async function readyGame(build: GameBuild): Promise<Result<ReadyGame, Problem>> {
  const { files, gameRuntime, root, config } = build;
  const found = await attempt(() => reachedAssets(files, root, config.startScene));
  if (!found.ok) {
    return refuse(422, "unreadable", found.error.message, "See that its files can be read");
  }
  if (!found.value.ok) return found.value;
  const reached = found.value.value;
  const { name, startScene, viewport = DEFAULT_VIEWPORT, ota, devices } = config;
  const updates = ota?.enabled === true ? ota : null;
  const needs = { updates: updates !== null, bodies: reached.hasBodies };
  const runtime = await readRuntime(files, gameRuntime, needs);
  if (!runtime.ok) return runtime;
  const bridge = devices === undefined ? null : await readRuntime(files, gameRuntime, "bridge");
  if (bridge?.ok === false) return bridge;
  const icons = await makeIcons(build);
  if (!icons.ok) return icons;
  tell(build, reached);
  if (!icons.value.some(({ uses }) => uses.includes("apple"))) {
    build.log(`warning: ${config.icon} has no size: a phone's home screen takes a PNG as icon`);
  }
  const models = await gameModels(build, reached);
  if (!models.ok) return models;
  const made = new Map(models.value.made);
  // Not in a build that players get (DEV-47): a paired editor runs scripts in it.
  for (const [file, bytes] of bridge?.value.files ?? []) {
    made.set(`${RUNTIME_FOLDER}/${file}`, bytes);
  }
  if (devices !== undefined) {
    build.log(
      `warning: this build has the device bridge to ${devices.bridge}: give it to no player, ` +
        "or take devices out of project.config.json",
    );
  }
  for (const [file, bytes] of runtime.value.files) made.set(`${RUNTIME_FOLDER}/${file}`, bytes);
  made.set(
    "index.html",
    encodeUtf8(indexHtml(config, {
      entry: `${RUNTIME_FOLDER}/${runtime.value.entry}`,
      game: `${RUNTIME_FOLDER}/${runtime.value.game}`,
      ...(bridge !== null && { bridge: `${RUNTIME_FOLDER}/${bridge.value.entry}` }),
      icons: icons.value,
    })),
  );
  made.set("page.css", encodeUtf8(PAGE_CSS));
  made.set(TOO_OLD_FILE, encodeUtf8(TOO_OLD_SCRIPT));
  made.set("manifest.webmanifest", encodeUtf8(webManifest(config, icons.value)));
  for (const { path, bytes } of icons.value) made.set(path, bytes);
  made.set(
    GAME_FILE,
    serializeGameFile({
      name,
      startScene,
      viewport: { width: viewport.width, height: viewport.height },
      engineApi: ota?.engineApi ?? FIRST_ENGINE_API,
      ota: updates === null ? null : {
        baseUrl: updates.baseUrl,
        publicKey: updates.publicKey,
        bundleName: updates.bundleName,
        ...(updates.app !== undefined && { app: updates.app }),
        ...(updates.channel !== undefined && { channel: updates.channel }),
      },
      assets: models.value.assets,
      ...(reached.beside.length > 0 && { beside: reached.beside }),
    }),
  );
  return ok({ made, copied: [...reached.assets.map(({ path }) => path), ...reached.beside] });
}

function tell(
  { log, config }: GameBuild,
  { assets, pictures, unused, warnings }: ReachedAssets,
): void {
  const bytes = assets.reduce((sum, { size }) => sum + size, 0);
  const scenes = assets.filter(({ type }) => type === "scene").length;
  log(
    `game: ${scenes} scene${scenes === 1 ? "" : "s"} and ${assets.length - scenes} assets from ` +
      `${config.startScene}, ${sizeText(bytes)}`,
  );
  for (const warning of warnings) log(`warning: ${warning}`);
  for (const [scene, { isLeftOut, text }] of pictures) {
    const what = isLeftOut ? "some of it is not drawn" : "phones may end the game";
    log(`warning: ${scene}: ${what}: ${text}; make them smaller, or show fewer`);
  }
  const left = unused.filter(({ path }) => path !== config.icon);
  if (left.length === 0) return;
  const named = left.slice(0, MAX_NAMED).map(({ path }) => path).join(", ");
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  log(`left out, as nothing of the game names it: ${named}${more}`);
}

/**
 * Writes a game into an empty folder. The same project gives the same bytes.
 *
 * @param folder Absolute.
 * @returns 422 `build-failed` that names the file which could not be read or written.
 */
export async function writeGame(
  { files, root, signal }: GameBuild,
  { made, copied }: ReadyGame,
  folder: string,
): Promise<Result<null, Problem>> {
  const hashes: string[] = [];
  const write = async (
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Result<null, Problem>> => {
    hashes.push(`${path} ${await sha256Hex(bytes)}`);
    const place = `${folder}/${path}`;
    const written = await attempt(async () => {
      await files.makeDirectory(place.slice(0, place.lastIndexOf("/")));
      await files.write(place, bytes);
    });
    return written.ok ? ok(null) : notBuilt(path, written.error.message);
  };
  const inOrder = [...new Set([...made.keys(), ...copied])].sort(compareCodeUnits);
  for (const path of inOrder) {
    if (signal?.aborted === true) return notBuilt(path, "the build was stopped");
    const own = made.get(path);
    const read = own === undefined
      ? await readProjectFile(files, root, { path, maxBytes: MAX_FILE_BYTES, signal })
      : ok(own);
    if (!read.ok) return err(read.error);
    if (read.value === null) return notBuilt(path, "it is not there");
    const written = await write(path, read.value);
    if (!written.ok) return written;
  }
  const version = await sha256Hex(encodeUtf8(hashes.join("\n")));
  return await write(OFFLINE_FILE, encodeUtf8(offlineScript(inOrder, version.slice(0, 16))));
}

function notBuilt(path: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "build-failed",
    `Cannot build the game: ${path}: ${found}`,
    "See that the project's files can be read and its out folder written, and build again",
  );
}
