import { isRecord } from "../../core/json.ts";
import type { Layer, TraitValues, Vec3 } from "../../editor/ports/mod.ts";
import { contentJson } from "../wire/content.ts";
import { listOf, memberOf, textOrEmpty } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { act, edit, said, select, selectAsset } from "./actions.ts";
import { entityShowing } from "./asset-kinds.ts";
import { folderPrefix } from "./asset-list.ts";
import { assetsStamp, type ProjectAsset } from "./assets.ts";
import { say } from "./notices.ts";
import { bottom } from "./page.ts";
import { askFor, askUser } from "./questions.ts";
import { openScene } from "./scenes.ts";

// Actions of the user on an asset.

/** A use of an asset. */
export interface PageAssetUse {
  /** The scene, prefab, asset or settings that name it. */
  readonly path: string;
  /** Path within it: `Crate/Renderable3D.material`. */
  readonly where: string;
}

/** Users that a question names. */
const MOST_NAMED = 6;

/** Returns the users of an asset. */
export async function fetchUses(path: string): Promise<readonly PageAssetUse[]> {
  const answer = await fetchProducer("asset-uses", { asset: path });
  if (!answer.ok) return [];
  return listOf(
    memberOf(answer.value, "uses"),
    (one) =>
      isRecord(one) ? { path: textOrEmpty(one["path"]), where: textOrEmpty(one["where"]) } : null,
  );
}

/** Handles a double click: opens a scene, shows a clip in the timeline, places a visible asset. */
export async function openAsset(asset: ProjectAsset): Promise<void> {
  switch (asset.type) {
    case "scene":
      return await openScene(asset.path);
    case "animation":
    case "timeline":
      selectAsset(asset.path);
      bottom.value = "timeline";
      return;
    default:
      return await placeAsset(asset);
  }
}

/** The place for an asset in the scene. */
export interface AssetPlace {
  /** The parent of the new entity; `null` for the top. */
  readonly parentId?: number | null;
  /**
   * Returns its position for its layer, and for its traits unless it is a prefab; `null` for the
   * default.
   */
  readonly at?: (layer: Layer, traits?: TraitValues) => Vec3 | null;
  /** The visible layer, where a UI box can also show an image. */
  readonly layer?: Layer;
}

/** Puts an asset into the scene as an entity, and selects that; one step of undo. */
export async function placeAsset(asset: ProjectAsset, place: AssetPlace = {}): Promise<void> {
  const { path, name, type } = asset;
  const { parentId = null, at = () => null } = place;
  if (type === "prefab") {
    const position = at(layerOfPrefab(await contentJson(path, assetsStamp.value)));
    const done = said(
      await callService("instantiate_prefab", {
        prefab: path,
        ...(parentId !== null && { parentId }),
        ...(position !== null && { position }),
      }),
    );
    return done.ok ? selectMade(done.value) : undefined;
  }
  const shown = entityShowing(asset, place.layer);
  if (shown === null) {
    return say("info", `“${name.slice(0, 80)}” is ${type}: no entity can show it alone`);
  }
  const { layer, traits } = shown;
  const made = { layer, traits: placedTraits(traits, at(layer, traits)) };
  selectMade(await edit([{ op: "create", name, parentId, ...made }]));
}

/** Gives an entity another material, and selects it; one step of undo. */
export async function paint(id: number, { guid }: ProjectAsset): Promise<void> {
  const fields = { material: guid };
  if (await edit([{ op: "set", id, trait: "Renderable3D", fields }]) !== null) select([id]);
}

function layerOfPrefab(content: unknown): Layer {
  const layer = memberOf(memberOf(content, "root"), "layer");
  return layer === "2d" || layer === "ui" ? layer : "3d";
}

/** Adds a position to traits: the left and top offsets of a UI box. */
function placedTraits(traits: TraitValues, at: Vec3 | null): TraitValues {
  if (at === null) return traits;
  const [x, y, z] = at;
  const { Transform, UIElement } = traits;
  return {
    ...traits,
    ...(Transform !== undefined && { Transform: { ...Transform, x, y, z } }),
    ...(UIElement !== undefined && { UIElement: { ...UIElement, left: x, top: y } }),
  };
}

/** Asks for another path and moves an asset there; references stay valid. */
export async function moveAsset({ path }: ProjectAsset): Promise<void> {
  const to = await askFor({
    title: "Rename or move",
    text: "References to the asset stay valid.",
    label: "Path, or a folder that ends in /",
    value: path,
    done: "Move",
  });
  if (to === null || to === path) return;
  const moved = said(await callService("move_asset", { asset: path, to }));
  if (!moved.ok) return;
  for (const warning of listOf(moved.value["warnings"], textOrEmpty)) say("info", warning);
  selectAsset(textOrEmpty(moved.value["path"]) || null);
}

/** Deletes an asset, after listing its users. */
export async function deleteAsset({ path, name }: ProjectAsset): Promise<void> {
  const uses = await fetchUses(path);
  const places = [...new Set(uses.map((use) => `${use.path} (${use.where})`))];
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : "";
  const answer = await askUser({
    title: `Delete ${name.slice(0, 80)}?`,
    text: places.length === 0
      ? "Nothing uses it. Undo restores it."
      : `It is used by ${
        places.slice(0, MOST_NAMED).join(", ")
      }${more}: they will be without it. ` +
        "Undo restores it.",
    answers: [{ name: "delete", title: "Delete", kind: "danger" }],
  });
  if (answer === null) return;
  await act("delete_asset", { asset: path, ...(places.length > 0 && { force: true }) });
}

/** Asks the user for a path, creates an empty asset of a type there, and selects it. */
export async function createAsset(
  { type, extension, folder }: {
    readonly type: string;
    readonly extension: string;
    readonly folder: string;
  },
): Promise<void> {
  const path = await askFor({
    title: `New ${type}`,
    text: "It begins with the defaults, and is changed in the inspector.",
    label: "Path in the project",
    value: `${folder}new${extension}`,
    done: "Create",
  });
  if (path === null) return;
  const made = said(await callService("create_asset", { path }));
  if (made.ok) selectAsset(path);
}

/** Changes import settings of an asset; one step of undo. */
export function setMeta(asset: string, meta: object): Promise<boolean> {
  return act("set_asset_meta", { asset, meta });
}

/** Changes members of an authored asset; one step of undo. */
export function writeMembers(asset: string, content: object): Promise<boolean> {
  return act("write_asset", { asset, content, merge: true });
}

/** Returns the folder in which assets of a type usually are, ending in `/`. */
export function usualFolder(assets: readonly ProjectAsset[], type: string): string {
  const one = assets.find((asset) => asset.type === type);
  return one === undefined ? `assets/${type}s/` : folderPrefix(one.path);
}

function selectMade(done: Readonly<Record<string, unknown>> | null): void {
  const { created, ids, id } = done ?? {};
  const [first] = Array.isArray(created) ? created : Array.isArray(ids) ? ids : [id];
  const made = isRecord(first) ? first["id"] : first;
  if (typeof made === "number") select([made]);
}
