import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { checkPath } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { type AssetScan, everyAsset, scanAssets } from "../../editor/assets/mod.ts";
import { openProjectFile } from "../../editor/files/mod.ts";
import { DEFAULT_VIEWPORT, GAME_FILE, serializeGameFile } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";
import { readProjectConfig } from "../config/read-config.ts";

/** The largest asset that is drawn, in bytes. */
const MAX_ASSET_BYTES = 256 * 1024 * 1024;
/** The folders of a project that a page that draws may read. */
const SHOWN = /^(?:assets|scenes)\//;
/** Names that only a person's programs know: no page reads them. */
const HIDDEN = /(?:^|\/)\./;

/** The bytes of a file of the content. */
export type ContentBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** A file of the content, before it is read. */
export interface ContentFile {
  /** Its content type. */
  readonly type: string;
  /** Changes with the file. */
  readonly stamp: string;
  /**
   * Opens its bytes, from memory or as they are sent. @returns 404 `no-such-file` if it has
   * disappeared.
   */
  open(): Promise<Result<ContentBody, Problem>>;
}

/** A project as pages that draw it read it: its assets, and a `game.json` that names all of them. */
export interface ProjectContent {
  /** Finds a file by its path. @returns 404 `no-such-file`, 403 for a link out of the project. */
  find(path: string): Promise<Result<ContentFile, Problem>>;
  /** Returns a stamp of the project's assets, which changes when any of them changes. */
  stamp(): Promise<string>;
}

/** The content of the project in a folder. @param root Absolute. */
export function createContent(files: Files, root: string): ProjectContent {
  return new FolderContent(files, root);
}

class FolderContent implements ProjectContent {
  readonly #files: Files;
  readonly #root: string;
  #scan: AssetScan | undefined;

  constructor(files: Files, root: string) {
    this.#files = files;
    this.#root = root;
  }

  async find(path: string): Promise<Result<ContentFile, Problem>> {
    const [files, root] = [this.#files, this.#root];
    if (path === GAME_FILE) {
      const scan = await this.#scanned();
      const open = async () => ok(await this.#game(scan));
      return ok({ type: "application/json", stamp: await stampOf(scan), open });
    }
    if (!checkPath(path).ok || !SHOWN.test(path) || HIDDEN.test(path)) return noFile(path);
    const found = await openProjectFile(files, root, { path, maxBytes: MAX_ASSET_BYTES });
    if (!found.ok) return found;
    if (found.value === null) return noFile(path);
    const { size, mtimeMs, open } = found.value;
    return ok({
      type: typeOf(path),
      stamp: `${size}-${mtimeMs}`,
      async open() {
        const body = await attempt(open);
        return body.ok && body.value !== null ? ok(body.value) : noFile(path);
      },
    });
  }

  async stamp(): Promise<string> {
    return await stampOf(await this.#scanned());
  }

  async #scanned(): Promise<AssetScan> {
    this.#scan = await scanAssets(this.#files, this.#root, this.#scan);
    return this.#scan;
  }

  /** All of the project's assets: the references of a scene are unknown before it is drawn. */
  async #game(scan: AssetScan): Promise<Uint8Array<ArrayBuffer>> {
    const [files, root] = [this.#files, this.#root];
    const config = await readProjectConfig(files, root);
    const { name, startScene, viewport = DEFAULT_VIEWPORT } = config.ok
      ? config.value
      : { name: "Captures", startScene: "assets/scenes/main.scene.json", viewport: undefined };
    // A page opens no game that lists a path which a phone could not have.
    const beside = [...scan.found].filter(([path, { asset }]) =>
      asset === null && checkPath(path).ok
    )
      .map(([path]) => path);
    return serializeGameFile({
      name,
      startScene,
      viewport: { width: viewport.width, height: viewport.height },
      engineApi: 1,
      ota: null,
      assets: await everyAsset({ files, root, scan }),
      ...(beside.length > 0 && { beside: beside.sort() }),
    });
  }
}

async function stampOf({ found }: AssetScan): Promise<string> {
  const stamps = [...found].map(([path, { stamp }]) => `${path} ${stamp}`);
  return await sha256Hex(encodeUtf8(stamps.join("\n")));
}

function noFile(path: string): Result<never, Problem> {
  const detail = `There is no ${JSON.stringify(path.slice(0, 200))} for a page that draws`;
  return refuse(404, "no-such-file", detail, "It reads assets and scenes of the project");
}

/**
 * Returns the content type of a file: only pictures have one. Nothing of a project may run on the
 * service's origin.
 */
function typeOf(path: string): string {
  const suffix = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  switch (suffix) {
    case "png":
    case "webp":
    case "gif":
      return `image/${suffix}`;
    case "jpg":
    case "jpeg":
      return "image/jpeg";
    default:
      return "application/octet-stream";
  }
}
