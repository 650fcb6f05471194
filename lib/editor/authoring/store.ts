import { encodeUtf8 } from "../../core/bytes.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { assetText } from "../files/asset-text.ts";
import { MAX_SIDECAR_BYTES, SIDECAR } from "../assets/assets.ts";
import { attempt } from "../../core/attempt.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { locationFor, readProjectFile, resolvedIn, unwritable } from "../files/project-files.ts";
import { exists } from "./place.ts";
import { CONFIG } from "./uses.ts";

/** The largest file of settings that is read, in bytes. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/** The files of assets, with their sidecars. Paths are relative to the project, and checked. */
export class AssetStore {
  readonly #files: Files;
  readonly #root: string;

  /** The assets of the project in a folder. */
  constructor(files: Files, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /**
   * Returns the location of an existing or new asset: creates missing folders and resolves links.
   */
  locationOf(path: string): Promise<Result<string, Problem>> {
    return locationFor(this.#files, this.#root, path);
  }

  /** Returns the members of an asset's sidecar; empty if it is missing or damaged. */
  async meta(path: string): Promise<JsonObject> {
    const sidecar = `${path}${SIDECAR}`;
    const bytes = await readProjectFile(this.#files, this.#root, {
      path: sidecar,
      maxBytes: MAX_SIDECAR_BYTES,
    });
    if (!bytes.ok || bytes.value === null) return {};
    const parsed = parseJsonFile(sidecar, bytes.value);
    return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  }

  /** Writes a new asset and its sidecar: both, or neither. */
  async create(
    path: string,
    bytes: Uint8Array,
    meta: JsonObject,
  ): Promise<Result<null, Problem>> {
    const location = await this.locationOf(path);
    if (!location.ok) return location;
    const at = location.value;
    const made = await attempt(() => this.#files.write(at, bytes, { createNew: true }));
    if (!made.ok) {
      return made.error.code === "exists"
        ? exists(path)
        : err(unwritable(path, made.error.message));
    }
    const sidecar = await this.writeMeta(path, meta);
    if (!sidecar.ok) await attempt(() => this.#files.remove(at));
    return sidecar;
  }

  /** Replaces the content of an asset. */
  async write(path: string, bytes: Uint8Array): Promise<Result<null, Problem>> {
    const location = await this.locationOf(path);
    if (!location.ok) return location;
    const written = await attempt(() => this.#files.writeAtomic(location.value, bytes));
    return written.ok ? ok(null) : err(unwritable(path, written.error.message));
  }

  /** Replaces the sidecar of an asset. */
  writeMeta(path: string, meta: JsonObject): Promise<Result<null, Problem>> {
    return this.write(`${path}${SIDECAR}`, encodeUtf8(assetText(meta)));
  }

  /**
   * Moves an asset to another path and writes its guid into a sidecar there, even if it had none.
   *
   * @param meta Content of the sidecar.
   */
  async move(from: string, to: string, meta: JsonObject): Promise<Result<null, Problem>> {
    const [old, next] = [await this.locationOf(from), await this.locationOf(to)];
    if (!old.ok) return old;
    if (!next.ok) return next;
    const free = await attempt(() => this.#files.stat(next.value));
    if (!free.ok) return err(unwritable(to, free.error.message));
    if (free.value !== null && old.value.toLowerCase() !== next.value.toLowerCase()) {
      return exists(to);
    }
    const moved = await attempt(() => this.#files.rename(old.value, next.value));
    if (!moved.ok) return err(unwritable(to, moved.error.message));
    const sidecar = await this.writeMeta(to, meta);
    if (!sidecar.ok) {
      await attempt(() => this.#files.rename(next.value, old.value));
      return sidecar;
    }
    const left = await resolvedIn(this.#files, this.#root, `${from}${SIDECAR}`);
    if (left.ok) await attempt(() => this.#files.remove(left.value));
    return ok(null);
  }

  /** Has the project start with another scene. */
  async startWith(path: string): Promise<Result<null, Problem>> {
    const bytes = await readProjectFile(this.#files, this.#root, {
      path: CONFIG,
      maxBytes: MAX_CONFIG_BYTES,
    });
    const parsed = bytes.ok && bytes.value !== null ? parseJsonFile(CONFIG, bytes.value) : null;
    if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) {
      return err(unwritable(CONFIG, "it cannot be read"));
    }
    const next = { ...parsed.value, startScene: path };
    return await this.write(CONFIG, encodeUtf8(`${JSON.stringify(next, null, 2)}\n`));
  }

  /** Removes an asset and its sidecar. */
  async remove(path: string): Promise<Result<null, Problem>> {
    const location = await this.locationOf(path);
    if (!location.ok) return location;
    const sidecar = await resolvedIn(this.#files, this.#root, `${path}${SIDECAR}`);
    if (!sidecar.ok) return sidecar;
    const removed = await attempt(async () => {
      await this.#files.remove(location.value);
      await this.#files.remove(sidecar.value);
    });
    return removed.ok ? ok(null) : err(unwritable(path, removed.error.message));
  }
}
