import { decodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import { attempt } from "../attempt.ts";
import type { EditorCore } from "../editor-core.ts";
import type { Asset, AssetUse, Entity } from "../ports.ts";

/** The largest file that is looked through for references, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const READS_AT_ONCE = 16;
/** The file that says which scene a project starts with. */
const CONFIG = "project.config.json";

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Everything that names an asset: the open scene as it is now, files of all kinds, the settings. */
export async function usesOf(core: EditorCore, asset: Asset): Promise<readonly AssetUse[]> {
  const uses: AssetUse[] = [];
  for (const where of placesInEntities(core.document.entities(), asset.guid)) {
    uses.push({ path: core.scenePath, where });
  }
  await forEachText(core, (path, text) => {
    if (path === asset.path || !(text.includes(asset.guid) || text.includes(asset.path))) return;
    for (const where of placesInText(path, text, asset)) uses.push({ path, where });
  });
  return uses.toSorted((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** The assets that nothing names. Scenes are where a game begins: they are never among them. */
export async function unusedAssets(core: EditorCore): Promise<readonly Asset[]> {
  const named = new Set<string>();
  for (const { traits } of core.document.entities()) {
    for (const fields of Object.values(traits)) {
      for (const value of Object.values(fields)) if (typeof value === "string") named.add(value);
    }
  }
  const pathsNamed: string[] = [];
  await forEachText(core, (path, text) => {
    for (const [guid] of text.matchAll(GUID)) named.add(guid);
    if (path === CONFIG || isCode(path)) pathsNamed.push(text);
  });
  return core.scan.assets.filter(({ guid, path, type }) =>
    type !== "scene" && !named.has(guid) && !pathsNamed.some((text) => text.includes(path))
  );
}

/** Reads every file that may name assets, but that of the open scene: the document says it better. */
async function forEachText(
  core: EditorCore,
  look: (path: string, text: string) => void,
): Promise<void> {
  const paths = core.scan.assets
    .map(({ path }) => path)
    .filter((path) => (path.endsWith(".json") || isCode(path)) && path !== core.scenePath);
  await forEachParallel([CONFIG, ...paths], READS_AT_ONCE, async (path) => {
    const read = await attempt(() => core.files.read(`${core.root}/${path}`, MAX_BYTES));
    const text = read.ok && read.value !== null ? decodeUtf8(read.value) : null;
    if (text !== null) look(path, text);
  });
}

function isCode(path: string): boolean {
  return /\.(?:js|ts)$/.test(path);
}

function* placesInEntities(entities: readonly Entity[], guid: string): Iterable<string> {
  for (const { name, traits } of entities) {
    for (const [trait, fields] of Object.entries(traits)) {
      for (const [field, value] of Object.entries(fields)) {
        if (value === guid) yield `${name}/${trait}.${field}`;
      }
    }
  }
}

function placesInText(
  path: string,
  text: string,
  { guid, path: wanted }: Asset,
): readonly string[] {
  if (isCode(path)) {
    return text.split("\n").flatMap((line, index) =>
      line.includes(guid) || line.includes(wanted) ? [`line ${index + 1}`] : []
    );
  }
  const found: string[] = [];
  walk(parsed(text), "", (value, where) => {
    if (value === guid || (path === CONFIG && value === wanted)) found.push(where);
  });
  return found;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null; // a damaged file names nothing that could be told
  }
}

/** Visits every text; places read like `tracks[0].clip`, and in an entity `Crate/Renderable3D.model`. */
function walk(value: unknown, where: string, visit: (text: string, where: string) => void): void {
  if (typeof value === "string") visit(value, where);
  else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => walk(item, `${where}[${index}]`, visit));
  } else if (isRecord(value)) {
    const { name, traits } = value;
    if (typeof name === "string" && isRecord(traits)) {
      for (const [trait, fields] of Object.entries(traits)) walk(fields, `${name}/${trait}`, visit);
      walk(value["children"], `${where}.children`, visit);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      walk(member, where === "" ? key : `${where}.${key}`, visit);
    }
  }
}
