import { parseJson } from "../../core/json-text.ts";
import { decodeUtf8 } from "../../core/bytes.ts";
import { oneAtATurn } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import { guidsIn } from "../../core/guid.ts";
import type { Asset, AssetUse, Entity } from "../ports/mod.ts";
import { readProjectFile } from "../files/project-files.ts";

/** The largest file that is looked through for references, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const READS_AT_ONCE = 16;
/** The file that names a project's start scene. */
export const CONFIG = "project.config.json";
/** Users that a warning names. */
const MAX_LISTED = 5;

/** Maximum depth searched in a file: no readable asset nests deeper. */
const MAX_DEPTH = 500;

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
  for (const where of placesInEntities(document.entities(), fits(scenePath))) {
    uses.push({ path: scenePath, where });
  }
  await forEachText(project, (path, text) => {
    if (path === asset.path || !names.some((name) => text.includes(name))) return;
    const places = isCode(path) ? linesWith(text, names) : placesIn(text, fits(path));
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
  const named = new Set<string>();
  for (const { traits } of project.seen.document.entities()) {
    for (const fields of Object.values(traits)) {
      for (const value of Object.values(fields)) if (typeof value === "string") named.add(value);
    }
  }
  const pathsNamed: string[] = [];
  await forEachText(project, (path, text) => {
    for (const guid of guidsIn(text)) named.add(guid);
    if (path === CONFIG || isCode(path)) pathsNamed.push(text);
  });
  return project.core.scan.assets.filter(({ guid, path, type }) =>
    type !== "scene" && !named.has(guid) && !pathsNamed.some((text) => text.includes(path))
  );
}

/**
 * Reads every file that may reference assets, except that of the open scene, whose document is
 * newer.
 */
async function forEachText(
  { core, seen: { scenePath } }: SeenProject,
  look: (path: string, text: string) => void,
): Promise<void> {
  const paths = core.scan.assets
    .map(({ path }) => path)
    .filter((path) => (path.endsWith(".json") || isCode(path)) && path !== scenePath);
  const inTurn = oneAtATurn(() => core.clock.monotonic());
  await forEachParallel([CONFIG, ...paths], READS_AT_ONCE, async (path) => {
    const read = await readProjectFile(core.files, core.root, { path, maxBytes: MAX_BYTES });
    await inTurn(() => {
      const text = read.ok && read.value !== null ? decodeUtf8(read.value) : null;
      if (text !== null) look(path, text);
    });
  });
}

function isCode(path: string): boolean {
  return /\.(?:js|ts)$/.test(path);
}

function* placesInEntities(
  entities: readonly Entity[],
  fits: (value: string) => boolean,
): Iterable<string> {
  for (const { name, traits } of entities) {
    for (const [trait, fields] of Object.entries(traits)) {
      for (const [field, value] of Object.entries(fields)) {
        if (typeof value === "string" && fits(value)) yield `${name}/${trait}.${field}`;
      }
    }
  }
}

function linesWith(text: string, names: readonly string[]): readonly string[] {
  return text.split("\n").flatMap((line, index) =>
    names.some((name) => line.includes(name)) ? [`line ${index + 1}`] : []
  );
}

function placesIn(text: string, fits: (value: string) => boolean): readonly string[] {
  const found: string[] = [];
  walk(parseJson(text), "", (value, where) => {
    if (fits(value)) found.push(where);
  });
  return found;
}

/** Visits every text; places read like `tracks[0].clip`, and in an entity `Crate/Renderable3D.model`. */
function walk(
  value: unknown,
  where: string,
  visit: (text: string, where: string) => void,
  depth = 0,
): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") visit(value, where);
  else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => walk(item, `${where}[${index}]`, visit, depth + 1));
  } else if (isRecord(value)) {
    const { name, traits } = value;
    if (typeof name === "string" && isRecord(traits)) {
      for (const [trait, fields] of Object.entries(traits)) {
        walk(fields, `${name}/${trait}`, visit, depth + 1);
      }
      walk(value["children"], `${where}.children`, visit, depth + 1);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      walk(member, where === "" ? key : `${where}.${key}`, visit, depth + 1);
    }
  }
}
