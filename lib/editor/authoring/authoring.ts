import { encodeUtf8 } from "../../core/bytes.ts";
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { assetText } from "../asset-text.ts";
import { ASSET_TYPES, readFileName } from "../asset-types.ts";
import { attempt } from "../attempt.ts";
import type { EditorCore } from "../editor-core.ts";
import { freshGuid } from "../guid.ts";
import { parseJsonFile } from "../json-text.ts";
import type {
  Actor,
  Asset,
  AssetAuthoring,
  AssetName,
  AssetSchema,
  AssetType,
  AssetUse,
  ImportOutcome,
} from "../ports.ts";
import { unwritable } from "../scene-files.ts";
import { Turns } from "../turns.ts";
import { checkContent } from "./content.ts";
import { factsOf } from "./facts.ts";
import { importFile } from "./import-file.ts";
import { meshBounds } from "./mesh.ts";
import { checkAssetPath, checkFree } from "./place.ts";
import { ASSET_SCHEMAS, EMPTY_CONTENT, schemaOf } from "./schemas.ts";
import { AssetStore } from "./store.ts";
import { unusedAssets, usesOf } from "./uses.ts";

/** The largest content of an authored asset that is read or written, in bytes. */
export const MAX_CONTENT_BYTES: number = 16 * 1024 * 1024;
/** Users that a refusal names. */
const TOLD_USES = 5;

/** What may be exchanged. */
export interface AuthoringOptions {
  /** Makes the guids of what is created; random ones when absent. */
  readonly newGuid?: () => string;
}

/** Makes the part of the embedded editor that makes and changes assets. */
export function createAuthoring(
  core: EditorCore,
  { newGuid = freshGuid }: AuthoringOptions = {},
): AssetAuthoring {
  return new Authoring(core, newGuid);
}

type Request<Name extends "create" | "write" | "writeMeta" | "move" | "remove" | "importFile"> =
  Parameters<AssetAuthoring[Name]>[0];

class Authoring implements AssetAuthoring {
  readonly #core: EditorCore;
  readonly #store: AssetStore;
  readonly #newGuid: () => string;
  /** One change of files after another: what one has checked no other may make untrue. */
  readonly #turns = new Turns();

  constructor(core: EditorCore, newGuid: () => string) {
    this.#core = core;
    this.#store = new AssetStore(core.files, core.root);
    this.#newGuid = newGuid;
  }

  schemas(): readonly AssetSchema[] {
    return ASSET_SCHEMAS;
  }

  async read(name: AssetName): ReturnType<AssetAuthoring["read"]> {
    const found = this.#find(name);
    if (!found.ok) return found;
    const asset = found.value;
    const location = await this.#store.locationOf(asset.path);
    if (!location.ok) return location;
    const meta = await this.#store.meta(asset.path);
    const read = asset.path.endsWith(".json") ? await this.#content(asset) : ok(null);
    if (!read.ok) return read;
    const content = read.value;
    const detail = this.#core.scan.details.get(asset.guid);
    const facts = await attempt(() =>
      factsOf(this.#core.files, { asset, location: location.value, meta, content, detail })
    );
    return facts.ok
      ? ok({ asset, meta, content, facts: facts.value })
      : err(unwritable(asset.path, facts.error.message));
  }

  create(request: Request<"create">): Promise<Result<Asset, Problem>> {
    return this.#turns.take(async () => {
      const { path, source } = request;
      const free = this.#freePath(path);
      if (!free.ok) return free;
      const schema = schemaFor(path);
      if (!schema.ok) return schema;
      const { type } = schema.value;
      const content = request.content ?? EMPTY_CONTENT[type];
      if (content === undefined) {
        return refuse(
          422,
          "content-needed",
          `Cannot create "${path}" empty: a ${type} needs its content`,
          `It looks like ${JSON.stringify(schema.value.example)}`,
        );
      }
      const checked = this.#checked(path, type, content);
      if (!checked.ok) return checked;
      const meta = { guid: this.#newGuid(), ...derivedMeta(type, checked.value) };
      const made = await this.#store.create(path, encodeUtf8(assetText(checked.value)), meta);
      return made.ok ? await this.#changed(path, { type: "asset-create", source }) : made;
    });
  }

  write(request: Request<"write">): Promise<Result<Asset, Problem>> {
    return this.#turns.take(async () => {
      const found = this.#find(request.name);
      if (!found.ok) return found;
      const { path, type, guid } = found.value;
      const schema = schemaFor(path);
      if (!schema.ok) return schema;
      let content = request.content;
      if (request.merge === true) {
        const old = await this.#content(found.value);
        if (!old.ok) return old;
        content = merged(isJsonObject(old.value) ? old.value : {}, request.content);
      }
      const checked = this.#checked(path, schema.value.type, content);
      if (!checked.ok) return checked;
      const written = await this.#store.write(path, encodeUtf8(assetText(checked.value)));
      if (!written.ok) return written;
      const derived = derivedMeta(type, checked.value);
      if (Object.keys(derived).length > 0) {
        const old = await this.#store.meta(path);
        const sidecar = await this.#store.writeMeta(path, { ...old, guid, ...derived });
        if (!sidecar.ok) return sidecar;
      }
      return await this.#changed(path, { type: "asset-write", source: request.source });
    });
  }

  writeMeta({ name, meta, source }: Request<"writeMeta">): Promise<Result<JsonObject, Problem>> {
    return this.#turns.take(async () => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const { path, guid } = found.value;
      const bad = badMeta(meta, guid);
      if (bad !== null) {
        return refuse(422, "bad-meta", `Cannot set settings of "${path}": ${bad}`, "Correct it");
      }
      const next = { ...merged(await this.#store.meta(path), meta), guid };
      const written = await this.#store.writeMeta(path, next);
      if (!written.ok) return written;
      const changed = await this.#changed(path, { type: "asset-meta", source });
      return changed.ok ? ok(next) : changed;
    });
  }

  move({ name, to, source }: Request<"move">): Promise<Result<Asset, Problem>> {
    return this.#turns.take(async () => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const { path: from, guid } = found.value;
      const fileName = from.slice(from.lastIndexOf("/") + 1);
      const path = to.endsWith("/") ? `${to}${fileName}` : to;
      const free = this.#freePath(path, from);
      if (!free.ok) return free;
      const bound = this.#bound(found.value, "move");
      if (bound !== null) return bound;
      const [oldType, newType] = [fileType(from), fileType(path)];
      if (oldType !== newType) {
        return refuse(
          422,
          "asset-type",
          `Cannot move "${from}" to "${path}": its name would no longer say that it is ` +
            `a ${oldType ?? "file"}`,
          `Keep the ending ${fileName.slice(fileName.indexOf("."))}`,
        );
      }
      const meta = { ...await this.#store.meta(from), guid };
      const moved = await this.#store.move(from, path, meta);
      if (!moved.ok) return moved;
      await this.#core.rescanFiles([from, path]);
      return await this.#changed(path, { type: "asset-move", source, more: { from } });
    });
  }

  remove({ name, force, source }: Request<"remove">): Promise<Result<Asset, Problem>> {
    return this.#turns.take(async () => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const asset = found.value;
      const bound = this.#bound(asset, "remove");
      if (bound !== null) return bound;
      const uses = force === true ? [] : await usesOf(this.#core, asset);
      if (uses.length > 0) return inUse(asset, uses);
      const removed = await this.#store.remove(asset.path);
      if (!removed.ok) return removed;
      await this.#core.rescanFiles([asset.path]);
      this.#core.journals.noteEditor("asset-remove", source, {
        path: asset.path,
        guid: asset.guid,
      });
      return ok(asset);
    });
  }

  async uses(name: AssetName): Promise<Result<readonly AssetUse[], Problem>> {
    const found = this.#find(name);
    return found.ok ? ok(await usesOf(this.#core, found.value)) : found;
  }

  unused(): Promise<readonly Asset[]> {
    return unusedAssets(this.#core);
  }

  importFile(request: Request<"importFile">): Promise<Result<ImportOutcome, Problem>> {
    return this.#turns.take(() => importFile(this.#core, request, this.#newGuid));
  }

  #find(name: AssetName): Result<Asset, Problem> {
    const { assets } = this.#core.scan;
    const found = assets.find(({ path, guid }) => path === name || guid === name);
    if (found !== undefined) return ok(found);
    const near = nearestNames(name, assets.map(({ path }) => path));
    return refuse(
      404,
      "no-such-asset",
      `There is no asset ${JSON.stringify(name.slice(0, 120))} in the project`,
      near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "list_assets lists paths and guids",
    );
  }

  /** @param own The path that the asset has now, which is no obstacle. */
  #freePath(path: string, own?: string): Result<string, Problem> {
    const checked = checkAssetPath(path);
    if (!checked.ok) return checked;
    return checkFree(path, this.#core.scan.assets.filter((asset) => asset.path !== own));
  }

  /** Why an asset has to stay where it is. */
  #bound({ path }: Asset, verb: string): Result<never, Problem> | null {
    if (path === this.#core.scenePath) {
      return refuse(
        409,
        "scene-open",
        `Cannot ${verb} "${path}": it is the open scene`,
        "Open another scene first",
      );
    }
    if (verb !== "move" || !path.endsWith(".gltf")) return null;
    return refuse(
      422,
      "has-parts",
      `Cannot move "${path}": its buffers lie beside it and would not be found`,
      "Import it again where it belongs",
    );
  }

  async #content({ path }: Asset): Promise<Result<JsonValue, Problem>> {
    const location = await this.#store.locationOf(path);
    if (!location.ok) return location;
    const bytes = await attempt(() => this.#core.files.read(location.value, MAX_CONTENT_BYTES));
    if (!bytes.ok) return err(unwritable(path, bytes.error.message));
    if (bytes.value === null) return err(unwritable(path, "it is no longer there"));
    const parsed = parseJsonFile(path, bytes.value);
    if (!parsed.ok) {
      const { message, next = "Correct the file" } = parsed.error;
      return refuse(422, "asset-invalid", message, next);
    }
    const value = parsed.value;
    return isRecord(value) && isJsonObject(value) ? ok(value) : ok(null);
  }

  #checked(path: string, type: AssetType, content: JsonObject): Result<JsonObject, Problem> {
    const { traits, scan } = this.#core;
    const checked = checkContent(type, content, { traits, assets: scan.assets });
    if (checked.ok) return checked;
    return refuse(
      422,
      "asset-invalid",
      `Cannot write "${path}": ${checked.error.join("; ")}`,
      `get_asset_schema type=${type} shows what it holds`,
    );
  }

  /** Looks at a changed asset again and notes who changed it. */
  async #changed(
    path: string,
    { type, source, more = {} }: {
      readonly type: string;
      readonly source: Actor;
      readonly more?: JsonObject;
    },
  ): Promise<Result<Asset, Problem>> {
    await this.#core.rescanFiles([path]);
    const asset = this.#core.scan.assets.find((one) => one.path === path);
    if (asset === undefined) return err(unwritable(path, "it is no longer there"));
    this.#core.journals.noteEditor(type, source, { path, guid: asset.guid, ...more });
    return ok(asset);
  }
}

function fileType(path: string): AssetType | undefined {
  return readFileName(path.slice(path.lastIndexOf("/") + 1)).type;
}

/** The schema of what a path's ending names. */
function schemaFor(path: string): Result<AssetSchema, Problem> {
  const type = fileType(path);
  const schema = type === undefined ? undefined : schemaOf(type);
  if (schema !== undefined && path.endsWith(schema.extension)) return ok(schema);
  const ways: Readonly<Partial<Record<AssetType, string>>> = {
    scene: "svc_scene_edit and save_scene write scenes",
    prefab: "create_prefab writes prefabs",
  };
  const endings = ASSET_SCHEMAS.map(({ extension }) => extension).join(", ");
  return refuse(
    422,
    "asset-type",
    `Cannot write "${path}": expected a name that ends in one of ${endings}`,
    (type === undefined ? undefined : ways[type]) ?? "import_file brings other files in",
  );
}

/** What a sidecar keeps of the content, so that layout need not read it. */
function derivedMeta(type: AssetType, content: JsonObject): JsonObject {
  if (type === "mesh") {
    const bounds = meshBounds(content);
    return bounds === null ? {} : { bounds: { min: bounds.min, max: bounds.max } };
  }
  if (type !== "sprite") return {};
  const { x = 0, y = 0, w = 1, h = 1 } = content;
  return { rect: { x, y, w, h } };
}

/** Members laid over others; `null` takes one away (RFC 7396, one level). */
function merged(old: JsonObject, change: JsonObject): JsonObject {
  const all = Object.entries({ ...old, ...change }).filter(([name, value]) =>
    !(value === null && Object.hasOwn(change, name))
  );
  return Object.fromEntries(all);
}

function badMeta(meta: JsonObject, guid: string): string | null {
  if (meta["guid"] !== undefined && meta["guid"] !== guid) return "its guid stays what it is";
  const type = meta["type"];
  const known = type === undefined || type === null || ASSET_TYPES.some((one) => one === type);
  return known
    ? null
    : `found the type ${JSON.stringify(type)}, expected ${ASSET_TYPES.join(", ")}`;
}

function inUse({ path }: Asset, uses: readonly AssetUse[]): Result<never, Problem> {
  const told = uses.slice(0, TOLD_USES).map((use) => `${use.path} (${use.where})`).join(", ");
  const more = uses.length > TOLD_USES ? ` and ${uses.length - TOLD_USES} more` : "";
  return refuse(
    409,
    "in-use",
    `Cannot remove "${path}": it is used by ${told}${more}`,
    "Change its users first, or force=1 leaves them without it",
  );
}
