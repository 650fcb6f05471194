import {
  type CooperativeOptions,
  oneAtATurn,
  runCooperatively,
  type Work,
} from "../../core/cooperative.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import { ASSET_FOLDER } from "../assets/assets.ts";
import type { Asset, AssetUse } from "../ports/mod.ts";
import { readProjectFile } from "../files/project-files.ts";
import {
  createPathSearch,
  guidsOfFile,
  linesWith,
  mentions,
  placesIn,
  visitFields,
} from "./places.ts";

/** The largest file that is looked through for references, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const READS_AT_ONCE = 16;
/** The file that names a project's start scene. */
export const CONFIG = "project.config.json";
/** Users that a warning names. */
const MAX_LISTED = 5;

/** The project, and its open scene as the reader sees it. */
export interface SeenProject {
  readonly core: EditorCore;
  readonly seen: SeenScene;
}

/** Returns everything that references an asset: the open scene, files of all kinds, the settings. */
export function usesOf(project: SeenProject, asset: Asset): Promise<readonly AssetUse[]> {
  return namesOf(project, asset, [asset.guid, asset.path]);
}

/** Users that name an asset by its path, and lose it when it is moved. */
export function usesOfPath(project: SeenProject, asset: Asset): Promise<readonly AssetUse[]> {
  return namesOf(project, asset, [asset.path]);
}

/** Whether an asset is used as the scene that the project starts with. */
export function isStartScene({ path, where }: AssetUse): boolean {
  return path === CONFIG && where === "startScene";
}

/** Returns warnings about users that still name the old path of a moved asset. */
export function leftBehind(from: string, users: readonly AssetUse[]): readonly string[] {
  const left = users.filter((use) => !isStartScene(use));
  const more = left.length > MAX_LISTED ? [`and ${left.length - MAX_LISTED} more`] : [];
  const listed = left.slice(0, MAX_LISTED).map(({ path, where }) =>
    `${path} (${where}) still names "${from}"`
  );
  return [...listed, ...more];
}

/** @param names The identifiers to search for: the asset's guid, its path, or both. */
async function namesOf(
  project: SeenProject,
  asset: Asset,
  names: readonly string[],
): Promise<readonly AssetUse[]> {
  const { document, scenePath } = project.seen;
  const uses: AssetUse[] = [];
  const fits = (path: string) => (value: string): boolean =>
    names.includes(value) && (value === asset.guid || mayNamePath(path, asset));
  const inScene = fits(scenePath);
  await runCooperatively(
    visitFields(document.entities(), (text, where) => {
      if (inScene(text)) uses.push({ path: scenePath, where });
    }),
    sharing(project),
  );
  await forEachFile(project, function* (path, bytes) {
    if (path === asset.path || !(yield* mentions(bytes, names))) return;
    const places = yield* isCode(path) ? linesWith(bytes, names) : placesIn(bytes, fits(path));
    for (const where of places) uses.push({ path, where });
  });
  return uses.toSorted((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** Assets are named by guid; by path the scene that a project starts with, or a ScriptAction opens. */
function mayNamePath(path: string, { type }: Asset): boolean {
  return path === CONFIG || type === "scene";
}

/**
 * Returns the assets that nothing references. Scenes are never included, because a game may start
 * with them.
 */
export async function unusedAssets(project: SeenProject): Promise<readonly Asset[]> {
  const { core, seen } = project;
  const named = new Set<string>();
  const addText = (text: string) => void named.add(text);
  await runCooperatively(visitFields(seen.document.entities(), addText), sharing(project));
  const pathsIn = createPathSearch(`${ASSET_FOLDER}/`, core.scan.assets.map(({ path }) => path));
  await forEachFile(project, function* (path, bytes) {
    for (const guid of yield* guidsOfFile(bytes)) named.add(guid);
    if (path !== CONFIG && !isCode(path)) return;
    for (const asset of yield* pathsIn(bytes)) named.add(asset);
  });
  return core.scan.assets.filter(({ guid, path, type }) =>
    type !== "scene" && !named.has(guid) && !named.has(path)
  );
}

/**
 * Reads every file that may reference assets, except that of the open scene, whose document is
 * newer.
 */
async function forEachFile(
  project: SeenProject,
  look: (path: string, bytes: Uint8Array) => Work<void>,
): Promise<void> {
  const { core, seen: { scenePath } } = project;
  const paths = core.scan.assets
    .map(({ path }) => path)
    .filter((path) => (path.endsWith(".json") || isCode(path)) && path !== scenePath);
  const inTurn = oneAtATurn(sharing(project).now);
  await forEachParallel([CONFIG, ...paths], READS_AT_ONCE, async (path) => {
    const read = await readProjectFile(core.files, core.root, { path, maxBytes: MAX_BYTES });
    const bytes = read.ok ? read.value : null;
    if (bytes !== null) {
      await inTurn(() => runCooperatively(look(path, bytes), sharing(project)));
    }
  });
}

function sharing({ core }: SeenProject): CooperativeOptions {
  return { now: () => core.clock.monotonic() };
}

function isCode(path: string): boolean {
  return /\.(?:js|ts)$/.test(path);
}
