import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { runCooperatively, turnsBetween } from "../../core/cooperative.ts";
import { guidFromName, guidsOf } from "../../core/guid.ts";
import { atResolved } from "../../core/inside.ts";
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import { jsonParsing } from "../../core/json-pieces.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { type GameAsset, namedPath } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";
import { readProjectFile, resolvedIn } from "../files/project-files.ts";
import type { Asset } from "../ports/mod.ts";
import { ASSET_FOLDER, type AssetScan, MAX_SIDECAR_BYTES, scanAssets, SIDECAR } from "./assets.ts";
import { type PictureTrouble, pictureTrouble, scenePictures } from "./scene-pictures.ts";
import { soundLength } from "./sound-length.ts";

/** Largest file that is searched for references, in bytes. */
const MAX_NAMING_BYTES = 64 * 1024 * 1024;
/** Sidecar members that only the editor uses, or that other members already contain. */
const NOT_FOR_GAMES = ["guid", "type", "name", "bounds", "model", "source", "license", "author"];
/** A longer value of a sidecar is a record of an import, and no setting. */
const MAX_SETTING = 200;

/** Everything that a game may need, from its first scene on. */
export interface ReachedAssets {
  /** Scenes included, ordered by path. */
  readonly assets: readonly GameAsset[];
  /** Files that are not assets and that a model is made of, relative to the project. */
  readonly beside: readonly string[];
  /** For models that nothing draws entirely: the indices of the drawn meshes, by guid. */
  readonly drawnMeshes: ReadonlyMap<string, ReadonlySet<number>>;
  /** Whether a scene or a prefab of them has a Collider. */
  readonly hasBodies: boolean;
  /** Problems with the pictures of a scene, by its path. */
  readonly pictures: ReadonlyMap<string, PictureTrouble>;
  /** Assets that nothing reachable references. */
  readonly unused: readonly Asset[];
  /** A sentence for each thing that is wrong with the assets of the project. */
  readonly warnings: readonly string[];
}

/**
 * Follows references from a scene: assets by guid, opened scenes by path. Scripts are not followed,
 * because games do not run them.
 *
 * @param root The project's folder, absolute.
 * @returns 404 `scene-not-found`, 422 `scene-broken`, or a failure to read a project file.
 */
export async function reachedAssets(
  files: Files,
  root: string,
  startScene: string,
): Promise<Result<ReachedAssets, Problem>> {
  const scan = await scanAssets(files, root);
  const start = await startOf(files, root, { scan, startScene });
  if (!start.ok) return start;
  const project = { files, root, scan };
  const byGuid = new Map(scan.assets.map((asset) => [asset.guid, asset]));
  const scenes = scan.assets.filter(({ type }) => type === "scene");
  const reached = new Map([[start.value.guid, start.value]]);
  const beside = new Set<string>();
  const waiting = [start.value];
  const drawnMeshes = new Map<string, Set<number>>();
  const named = new Set<string>();
  const namedBy = new Map<string, readonly string[]>();
  let hasBodies = false;
  const turn = turnsBetween(() => performance.now());
  const reach = (asset: Asset | undefined) => {
    if (asset === undefined || asset.type === "script" || reached.has(asset.guid)) return;
    reached.set(asset.guid, asset);
    waiting.push(asset);
  };
  for (let asset = waiting.pop(); asset !== undefined; asset = waiting.pop()) {
    const text = await namingText(project, asset);
    if (!text.ok) return text;
    const value = await valueOf(asset, text.value);
    if (asset.type === "scene" && !isScene(value)) return brokenScene(asset);
    hasBodies ||= text.value.includes('"Collider"');
    const drawn = asset.type === "mesh" ? meshOfModel(value) : null;
    if (drawn !== null) {
      drawnMeshes.set(drawn.model, (drawnMeshes.get(drawn.model) ?? new Set()).add(drawn.mesh));
    }
    const guids = [...await guidsOf(text.value, turn)];
    namedBy.set(asset.guid, guids);
    for (const guid of guids) {
      reach(byGuid.get(guid));
      if (guid !== drawn?.model) named.add(guid);
    }
    for (const scene of scenes) {
      await turn();
      if (text.value.includes(JSON.stringify(scene.path))) reach(scene);
    }
    for (const path of filesOfModel(asset, value)) beside.add(path);
  }
  for (const guid of named) drawnMeshes.delete(guid);
  const pictures = new Map<string, PictureTrouble>();
  for (const { guid, path, type } of reached.values()) {
    if (type !== "scene") continue;
    const trouble = pictureTrouble(scenePictures(namedBy.get(guid) ?? [], {
      assets: byGuid,
      namedBy: (guid) => namedBy.get(guid) ?? [],
    }));
    if (trouble !== null) pictures.set(path, trouble);
  }
  const assets = await Promise.all([...reached.values()].map((asset) => gameAsset(project, asset)));
  return ok({
    assets: assets.toSorted((a, b) => a.path < b.path ? -1 : 1),
    beside: [...beside].sort(),
    drawnMeshes,
    hasBodies,
    pictures,
    unused: scan.assets.filter(({ guid, type }) => type !== "script" && !reached.has(guid)),
    warnings: scan.warnings,
  });
}

/**
 * Returns every asset of a project as games see it, with its stamp, ordered by path: for showing
 * more than one game of the project.
 */
export async function everyAsset(project: ScannedProject): Promise<readonly GameAsset[]> {
  const { assets, found } = project.scan;
  return await Promise.all(assets.map(async (asset) => {
    const stamp = found.get(asset.path)?.stamp;
    return { ...await gameAsset(project, asset), ...(stamp !== undefined && { stamp }) };
  }));
}

/** A project's folder with its scan. */
interface ScannedProject {
  readonly files: Files;
  readonly root: string;
  readonly scan: AssetScan;
}

/** The scene that a game starts in, which may lie anywhere in the project. */
async function startOf(
  files: Files,
  root: string,
  { scan, startScene }: { readonly scan: AssetScan; readonly startScene: string },
): Promise<Result<Asset, Problem>> {
  const listed = scan.assets.find(({ path, type }) => path === startScene && type === "scene");
  if (listed !== undefined) return ok(listed);
  const location = await resolvedIn(files, root, startScene);
  if (!location.ok) return location;
  const stat = await files.stat(location.value);
  if (stat?.kind === "file") {
    const name = startScene.slice(startScene.lastIndexOf("/") + 1).replace(/\.scene\.json$/, "");
    const guid = await guidFromName("asset", startScene);
    return ok({ guid, path: startScene, name, type: "scene", size: stat.size });
  }
  return refuse(
    404,
    "scene-not-found",
    `Cannot build the game: its start scene "${startScene}" is not there`,
    "Save the scene, or name another one in startScene",
  );
}

/** Returns the parsed content of an asset that is read for more than names; else `undefined`. */
async function valueOf({ path, type }: Asset, text: string): Promise<unknown> {
  const isRead = type === "scene" || type === "mesh" || isGltf(path);
  if (!isRead) return undefined;
  return await runCooperatively(jsonParsing(encodeUtf8(text)), { now: () => performance.now() });
}

function isGltf(path: string): boolean {
  return path.toLowerCase().endsWith(".gltf");
}

/** Whether a game can begin to read it. */
function isScene(scene: unknown): boolean {
  return isRecord(scene) && Array.isArray(scene["entities"]);
}

function brokenScene({ path }: Asset): Result<never, Problem> {
  return refuse(
    422,
    "scene-broken",
    `Cannot build the game: the scene "${path}" is not a JSON object with entities`,
    "Correct the file, or save the scene again",
  );
}

/** The text of an asset that may name others; empty for a picture, a sound, or a packed model. */
async function namingText(
  { files, root }: ScannedProject,
  { path }: Asset,
): Promise<Result<string, Problem>> {
  if (!/\.(?:json|gltf)$/i.test(path)) return ok("");
  const read = await readProjectFile(files, root, { path, maxBytes: MAX_NAMING_BYTES });
  return read.ok ? ok(decodeUtf8(read.value ?? new Uint8Array()) ?? "") : read;
}

/** Returns the model and index of a mesh asset; `null` if it is not one. */
function meshOfModel(
  content: unknown,
): { readonly model: string; readonly mesh: number } | null {
  const [model, mesh] = isRecord(content) ? [content["model"], content["mesh"]] : [];
  return typeof model === "string" && typeof mesh === "number" ? { model, mesh } : null;
}

/** The buffers and pictures that a `.gltf` names by relative addresses. */
function* filesOfModel({ path }: Asset, model: unknown): Iterable<string> {
  if (!isGltf(path) || !isRecord(model)) return;
  for (const listed of [model["buffers"], model["images"]]) {
    for (const part of Array.isArray(listed) ? listed : []) {
      const uri: unknown = isRecord(part) ? part["uri"] : undefined;
      const named = typeof uri === "string" ? namedPath(path, uri) : null;
      // A build ships only referenced files of the asset folder.
      if (named?.startsWith(`${ASSET_FOLDER}/`)) yield named;
    }
  }
}

async function gameAsset(
  { files, root, scan }: ScannedProject,
  asset: Asset,
): Promise<GameAsset> {
  const detail = scan.details.get(asset.guid);
  const location = asset.type === "audio" ? await resolvedIn(files, root, asset.path) : null;
  const seconds = location?.ok === true
    ? await soundLength(atResolved(files), location.value)
    : null;
  const settings = await settingsOf({ files, root, scan }, asset);
  return {
    ...asset,
    ...(detail?.pixels !== undefined && { pixels: detail.pixels }),
    ...(detail?.bounds !== undefined && { bounds: detail.bounds }),
    ...(seconds !== null && { seconds }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Returns the settings that an asset's sidecar has for the game. */
async function settingsOf({ files, root }: ScannedProject, { path }: Asset): Promise<JsonObject> {
  const read = await readProjectFile(files, root, {
    path: `${path}${SIDECAR}`,
    maxBytes: MAX_SIDECAR_BYTES,
  });
  const meta = read.ok ? parseJson(read.value) : undefined;
  const settings: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(isRecord(meta) ? meta : {})) {
    if (!NOT_FOR_GAMES.includes(name) && isSetting(value)) settings[name] = value;
  }
  return settings;
}

function isSetting(value: unknown): value is JsonValue {
  // The game's page refuses deeper nesting, and Node cannot serialize it.
  return isJsonObject({ value }) && JSON.stringify(value).length <= MAX_SETTING;
}
