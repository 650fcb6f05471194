import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { runCooperatively } from "../../core/cooperative.ts";
import { atResolved } from "../../core/inside.ts";
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { assetText } from "../files/asset-text.ts";
import { SIDECAR } from "../assets/assets.ts";
import { attempt } from "../../core/attempt.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import { freshGuid } from "../../core/guid.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import type {
  Actor,
  Asset,
  AssetAuthoring,
  AssetName,
  AssetSchema,
  AssetType,
  AssetUse,
  ChangedAsset,
  ImportOutcome,
  MovedAsset,
} from "../ports/mod.ts";
import type { TouchFiles } from "../history/file-draft.ts";
import { readProjectFile, unwritable } from "../files/project-files.ts";
import { badMeta, derivedMeta, fileType, inUse, merged, schemaFor } from "./checks.ts";
import { checkContent } from "./content.ts";
import { readFacts } from "./facts.ts";
import { importFile } from "./import-file.ts";
import { checkAssetPath, checkFree } from "./place.ts";
import { ASSET_SCHEMAS, EMPTY_CONTENT } from "./schemas.ts";
import { AssetStore } from "./store.ts";
import {
  CONFIG,
  isStartScene,
  leftBehind,
  type SeenProject,
  unusedAssets,
  usesOf,
  usesOfPath,
} from "./uses.ts";

/** The largest content of an authored asset that is read or written, in bytes. */
const MAX_CONTENT_BYTES: number = 16 * 1024 * 1024;
/** Largest non-JSON file whose text is returned, in bytes. */
const MAX_TEXT_BYTES: number = 1024 * 1024;

type Request<Name extends "create" | "write" | "writeMeta" | "move" | "remove" | "importFile"> =
  Parameters<AssetAuthoring[Name]>[0];

/** Makes and changes the assets of the embedded editor. */
export class EmbeddedAuthoring implements AssetAuthoring {
  readonly #core: EditorCore;
  readonly #store: AssetStore;

  constructor(core: EditorCore) {
    this.#core = core;
    this.#store = new AssetStore(core.files, core.root);
  }

  #seen(scene: SeenScene = this.#core): SeenProject {
    return { core: this.#core, seen: scene };
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
    const read = asset.path.endsWith(".json")
      ? await this.#content(asset)
      : await this.#text(asset);
    if (!read.ok) return read;
    const content = read.value;
    const detail = this.#core.scan.details.get(asset.guid);
    const facts = await attempt(() =>
      readFacts(atResolved(this.#core.files), {
        asset,
        location: location.value,
        meta,
        content,
        detail,
      })
    );
    return facts.ok
      ? ok({ asset, meta, content, facts: facts.value })
      : err(unwritable(asset.path, facts.error.message));
  }

  create(request: Request<"create">): Promise<Result<ChangedAsset, Problem>> {
    const { path, source } = request;
    return this.#step(
      { label: `Create "${path}"`, source, type: "asset-create" },
      async (touch) => {
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
        const meta = { guid: freshGuid(), ...derivedMeta(type, checked.value) };
        const touched = await touch(withSidecar(path));
        if (!touched.ok) return touched;
        const made = await this.#store.create(path, encodeUtf8(assetText(checked.value)), meta);
        return made.ok ? await this.#now(path) : made;
      },
    );
  }

  write(request: Request<"write">): Promise<Result<ChangedAsset, Problem>> {
    const { name, source } = request;
    const step = { label: `Write ${this.#called(name)}`, source, type: "asset-write" };
    return this.#step(step, async (touch) => {
      const found = this.#find(name);
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
      const touched = await touch(withSidecar(path));
      if (!touched.ok) return touched;
      const written = await this.#store.write(path, encodeUtf8(assetText(checked.value)));
      if (!written.ok) return written;
      const derived = derivedMeta(type, checked.value);
      if (Object.keys(derived).length > 0) {
        const old = await this.#store.meta(path);
        const sidecar = await this.#store.writeMeta(path, { ...old, guid, ...derived });
        if (!sidecar.ok) return sidecar;
      }
      return await this.#now(path);
    });
  }

  async writeMeta(
    { name, meta, source }: Request<"writeMeta">,
  ): ReturnType<AssetAuthoring["writeMeta"]> {
    const step = { label: `Set settings of ${this.#called(name)}`, source, type: "asset-meta" };
    let next: JsonObject = {};
    const done = await this.#step(step, async (touch) => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const { path, guid } = found.value;
      const bad = badMeta(meta, guid);
      if (bad !== null) {
        return refuse(422, "bad-meta", `Cannot set settings of "${path}": ${bad}`, "Correct it");
      }
      next = { ...merged(await this.#store.meta(path), meta), guid };
      const touched = await touch([`${path}${SIDECAR}`]);
      if (!touched.ok) return touched;
      const written = await this.#store.writeMeta(path, next);
      return written.ok ? await this.#now(path) : written;
    });
    return done.ok ? ok({ meta: next, undo: done.value.undo }) : done;
  }

  async move({ name, to, source }: Request<"move">): Promise<Result<MovedAsset, Problem>> {
    const step = { label: `Move ${this.#called(name)}`, source, type: "asset-move" };
    let warnings: readonly string[] = [];
    const done = await this.#step(step, async (touch, more) => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const { path: from, guid } = found.value;
      const fileName = from.slice(from.lastIndexOf("/") + 1);
      const path = to.endsWith("/") ? `${to}${fileName}` : to;
      const free = this.#freePath(path, from);
      if (!free.ok) return free;
      if (path === from) return ok(found.value); // no change, nothing to write
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
      const users = await usesOfPath(this.#seen(), found.value);
      const isStart = users.some(isStartScene);
      const config = isStart ? [CONFIG] : [];
      const touched = await touch([...withSidecar(from), ...withSidecar(path), ...config]);
      if (!touched.ok) return touched;
      const moved = await this.#store.move(from, path, meta);
      if (!moved.ok) return moved;
      // A project whose start scene is missing could not be opened again.
      const started = isStart ? await this.#store.startWith(path) : ok(null);
      if (!started.ok) return started;
      warnings = leftBehind(from, users);
      more({ from });
      await this.#core.rescanFiles([from, path]);
      return await this.#now(path);
    });
    return done.ok ? ok({ ...done.value, warnings }) : done;
  }

  remove({ name, force, source }: Request<"remove">): Promise<Result<ChangedAsset, Problem>> {
    const step = { label: `Delete ${this.#called(name)}`, source, type: "asset-remove" };
    return this.#step(step, async (touch) => {
      const found = this.#find(name);
      if (!found.ok) return found;
      const asset = found.value;
      const bound = this.#bound(asset, "remove");
      if (bound !== null) return bound;
      const uses = force === true ? [] : await usesOf(this.#seen(), asset);
      if (uses.length > 0) return inUse(asset, uses);
      const touched = await touch(withSidecar(asset.path));
      if (!touched.ok) return touched;
      const removed = await this.#store.remove(asset.path);
      if (!removed.ok) return removed;
      await this.#core.rescanFiles([asset.path]);
      return ok(asset);
    });
  }

  /** @param scene The open scene as the reader sees it. */
  async uses(
    name: AssetName,
    scene: () => SeenScene = () => this.#core,
  ): Promise<Result<readonly AssetUse[], Problem>> {
    await this.#core.rescanIfChanged();
    const found = this.#find(name);
    return found.ok ? ok(await usesOf(this.#seen(scene()), found.value)) : found;
  }

  /** @param scene The open scene as the reader sees it. */
  async unused(scene: () => SeenScene = () => this.#core): Promise<readonly Asset[]> {
    await this.#core.rescanIfChanged();
    return await unusedAssets(this.#seen(scene()));
  }

  importFile(request: Request<"importFile">): Promise<Result<ImportOutcome, Problem>> {
    const { fileSteps, journals, changes } = this.#core;
    const { file, source } = request;
    return changes.take(async () => {
      await this.#core.rescanIfChanged();
      const fileName = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
      const done = await fileSteps.change(
        { label: `Import "${fileName}"`, source },
        (touch) => importFile(this.#core, request, touch),
      );
      if (!done.ok) return done;
      const { value: { path, ...outcome }, undo } = done.value;
      const created = outcome.created.length;
      journals.noteEditor("asset-import", source, { file, created, path, undo });
      return ok({ ...outcome, undo });
    });
  }

  /** Runs a change of one asset as one undo step, and records its author. */
  #step(
    { label, source, type }: {
      readonly label: string;
      readonly source: Actor;
      readonly type: string;
    },
    work: (touch: TouchFiles, more: (about: JsonObject) => void) => Promise<Result<Asset, Problem>>,
  ): Promise<Result<ChangedAsset, Problem>> {
    const { fileSteps, journals, changes } = this.#core;
    return changes.take(async () => {
      await this.#core.rescanIfChanged();
      let about: JsonObject = {};
      const done = await fileSteps.change(
        { label, source },
        (touch) => work(touch, (more) => about = more),
      );
      if (!done.ok) return done;
      const { value: asset, undo } = done.value;
      const { path, guid } = asset;
      const step = undo === null ? {} : { undo };
      journals.noteEditor(type, source, { path, guid, ...about, ...step });
      return ok({ ...asset, undo });
    });
  }

  /** The name of an asset in the label of a step. */
  #called(name: AssetName): string {
    const found = this.#core.scan.assets.find(({ path, guid }) => path === name || guid === name);
    return JSON.stringify((found?.path ?? name).slice(0, 200));
  }

  #find(name: AssetName): Result<Asset, Problem> {
    const { assets } = this.#core.scan;
    const found = assets.find(({ path, guid }) => path === name || guid === name);
    if (found !== undefined) return ok(found);
    return refuse(
      404,
      "no-such-asset",
      `There is no asset ${JSON.stringify(name.slice(0, 120))} in the project`,
      didYouMean(name, assets.map(({ path }) => path), "list_assets lists paths and guids"),
    );
  }

  /** @param own The path that the asset has now, which is not an obstacle. */
  #freePath(path: string, own?: string): Result<string, Problem> {
    const checked = checkAssetPath(path);
    if (!checked.ok) return checked;
    return checkFree(path, this.#core.scan.assets.filter((asset) => asset.path !== own));
  }

  /** Returns why an asset cannot be moved or removed. */
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
      `Cannot move "${path}": its buffers are next to it and would not be found`,
      "Import it again into the other folder",
    );
  }

  async #content({ path }: Asset): Promise<Result<JsonValue, Problem>> {
    const { files, root, clock } = this.#core;
    const bytes = await readProjectFile(files, root, { path, maxBytes: MAX_CONTENT_BYTES });
    if (!bytes.ok) return bytes;
    if (bytes.value === null) return err(unwritable(path, "it is no longer there"));
    const parsed = await runCooperatively(jsonFileParsing(path, bytes.value), {
      now: () => clock.monotonic(),
    });
    if (!parsed.ok) {
      const { message, next = "Correct the file" } = parsed.error;
      return refuse(422, "asset-invalid", message, next);
    }
    const value = parsed.value;
    return isRecord(value) && isJsonObject(value) ? ok(value) : ok(null);
  }

  /** The text of a file that holds some; `null` of another, or of a long one. */
  async #text({ path, size }: Asset): Promise<Result<string | null, Problem>> {
    if (size > MAX_TEXT_BYTES) return ok(null);
    const { files, root } = this.#core;
    const bytes = await readProjectFile(files, root, { path, maxBytes: MAX_TEXT_BYTES });
    if (!bytes.ok) return bytes;
    if (bytes.value === null) return err(unwritable(path, "it is no longer there"));
    const text = decodeUtf8(bytes.value);
    return ok(text === null || text.includes("\0") ? null : text);
  }

  #checked(path: string, type: AssetType, content: JsonObject): Result<JsonObject, Problem> {
    const { traits, scan } = this.#core;
    const checked = checkContent(type, content, { traits, assets: scan.assets });
    if (checked.ok) return checked;
    return refuse(
      422,
      "asset-invalid",
      `Cannot write "${path}": ${checked.error.join("; ")}`,
      `get_asset_schema type=${type} documents its content`,
    );
  }

  /** A changed asset as it is now. */
  async #now(path: string): Promise<Result<Asset, Problem>> {
    await this.#core.rescanFiles([path]);
    const asset = this.#core.scan.assets.find((one) => one.path === path);
    return asset === undefined ? err(unwritable(path, "it is no longer there")) : ok(asset);
  }
}

function withSidecar(path: string): readonly string[] {
  return [path, `${path}${SIDECAR}`];
}
