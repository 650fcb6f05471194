import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { checkPath } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type AssetScan, everyAsset, scanAssets } from "../../editor/assets/mod.ts";
import { type OpenedFile, openProjectFile } from "../../editor/files/mod.ts";
import { DEFAULT_VIEWPORT, GAME_FILE, serializeGameFile } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import { readRuntime, type RuntimeFiles } from "../building/runtime-files.ts";
import { readProjectConfig } from "../config/read-config.ts";
import type { CaptureFiles } from "./capture-files.ts";
import { MAX_ANSWER_BYTES, readAnswer } from "./answer.ts";
import type { DrawingPages } from "./drawing-pages.ts";
import type { NumberedTask, RenderQueue } from "./queue.ts";

/** The largest asset that is drawn, in bytes. */
const MAX_ASSET_BYTES = 256 * 1024 * 1024;
/** The folders of a project that a page that draws may read. */
const SHOWN = /^(?:assets|scenes)\//;
/** Names that only a person's programs know: no page reads them. */
const HIDDEN = /(?:^|\/)\./;

/** A file for the page that draws. */
export interface PageFile {
  /** Its content type. */
  readonly type: string;
  /** Its bytes: at hand, or read as they are sent. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** How many they are, where a file does not change. */
  readonly size?: number;
}

/**
 * What a page that draws captures is served. It comes with a ticket that is good once, and is known
 * by a key from then on; its own files are no secret.
 */
export interface RenderPage {
  /** The largest answer, in bytes. */
  readonly maxAnswerBytes: number;
  /** The page. */
  html(): Promise<Result<PageFile, Problem>>;
  /** A script of it. @returns 404 `no-such-file`. */
  script(name: string): Promise<Result<PageFile, Problem>>;
  /** A ticket for a window that somebody opens: captures are drawn there while it is open. */
  admitWindow(): string;
  /** Lets a page draw. @returns The key of its requests, or 403 `wrong-ticket`. */
  join(ticket: string): Result<string, Problem>;
  /** Whether a request with that key is a page's. */
  isKey(key: string): boolean;
  /**
   * The page is there until the signal.
   *
   * @returns A signal that it draws no more; 503 `too-many-streams` for a page that says it too often.
   */
  attend(key: string, signal: AbortSignal): Result<AbortSignal, Problem>;
  /** The next task of the page; `null` where there was none until the signal. */
  next(key: string, signal: AbortSignal): Promise<NumberedTask | null>;
  /**
   * The page begins to send what it drew, of a task that it has, once.
   *
   * @returns Takes it, or `null` for what did not arrive: 400 `bad-render-answer`; or 404 `no-such-task`.
   */
  beginAnswer(key: string, id: string): Result<TakeAnswer, Problem>;
  /** A file of the project: its `game.json`, an asset. @returns 404 `no-such-file`, 403. */
  content(path: string): Promise<Result<PageFile, Problem>>;
  /** A capture. @returns 404 `no-such-capture`. */
  capture(name: string): Promise<Result<PageFile, Problem>>;
}

/** Takes what a page drew, as it posted it. */
export type TakeAnswer = (bytes: Uint8Array<ArrayBuffer> | null) => Result<null, Problem>;

/** What the pages that draw are made of. */
export interface RenderPageParts {
  readonly files: Files;
  readonly gameRuntime?: GameRuntime | undefined;
  /** The project's folder, absolute. */
  readonly root: string;
  readonly queue: RenderQueue;
  readonly pages: DrawingPages;
  readonly kept: CaptureFiles;
}

/** The page that draws, and what it may read of the project. */
export class RenderPages implements RenderPage {
  readonly maxAnswerBytes: number = MAX_ANSWER_BYTES;
  readonly #parts: RenderPageParts;
  #runtime: Promise<Result<RuntimeFiles, Problem>> | null = null;
  #scan: AssetScan | undefined;

  constructor(parts: RenderPageParts) {
    this.#parts = parts;
  }

  admitWindow(): string {
    return this.#parts.pages.admitWindow();
  }

  join(ticket: string): Result<string, Problem> {
    return this.#parts.pages.join(ticket);
  }

  isKey(key: string): boolean {
    return this.#parts.pages.isKey(key);
  }

  attend(key: string, signal: AbortSignal): Result<AbortSignal, Problem> {
    const gone = this.#parts.pages.attend(key, signal);
    if (gone !== null) return ok(gone);
    const detail = "The page that draws says over several connections that it is open";
    return refuse(503, "too-many-streams", detail, "Close them, or reload the page");
  }

  async html(): Promise<Result<PageFile, Problem>> {
    const runtime = await this.ready();
    return runtime.ok
      ? ok({ type: "text/html; charset=utf-8", body: encodeUtf8(htmlOf(runtime.value.entry)) })
      : runtime;
  }

  async script(name: string): Promise<Result<PageFile, Problem>> {
    const runtime = await this.ready();
    if (!runtime.ok) return runtime;
    const body = runtime.value.files.get(name);
    return body === undefined ? noFile(name) : ok({ type: typeOf(name), body });
  }

  next(key: string, signal: AbortSignal): Promise<NumberedTask | null> {
    return this.#parts.pages.next(key, signal);
  }

  beginAnswer(key: string, id: string): Result<TakeAnswer, Problem> {
    const { queue } = this.#parts;
    if (!queue.beginAnswer(key, id)) {
      const detail = `Nobody waits for the capture ${JSON.stringify(id.slice(0, 40))}`;
      return refuse(404, "no-such-task", detail, "Ask for the next task");
    }
    return ok((bytes) => {
      const read = bytes === null ? null : readAnswer(bytes);
      if (read?.ok === true) queue.answer(id, read);
      else queue.answer(id, err(read?.error.detail ?? "What the page drew did not arrive whole"));
      return read?.ok === false ? read : ok(null);
    });
  }

  async content(path: string): Promise<Result<PageFile, Problem>> {
    const { files, root } = this.#parts;
    if (path === GAME_FILE) return await this.#game();
    if (!checkPath(path).ok || !SHOWN.test(path) || HIDDEN.test(path)) return noFile(path);
    const opened = await openProjectFile(files, root, { path, maxBytes: MAX_ASSET_BYTES });
    if (!opened.ok) return opened;
    const body = await bodyOf(opened.value);
    return body === null ? noFile(path) : ok({ type: typeOf(path), body });
  }

  async capture(name: string): Promise<Result<PageFile, Problem>> {
    const found = await this.#parts.kept.find(name);
    if (!found.ok) return found;
    const { file } = found.value;
    const body = await bodyOf(file);
    return body === null ? noFile(name) : ok({ type: "image/png", body, size: file.size });
  }

  /** The scripts of the page, read once. */
  async ready(): Promise<Result<RuntimeFiles, Problem>> {
    const { files, gameRuntime } = this.#parts;
    this.#runtime ??= readRuntime(files, gameRuntime, "render");
    const runtime = await this.#runtime;
    if (!runtime.ok) this.#runtime = null;
    return runtime;
  }

  /** What the assets of the project are now: another text after any of them has changed. */
  async stamp(): Promise<string> {
    const { files, root } = this.#parts;
    this.#scan = await scanAssets(files, root, this.#scan);
    const stamps = [...this.#scan.found].map(([path, { stamp }]) => `${path} ${stamp}`);
    return await sha256Hex(encodeUtf8(stamps.join("\n")));
  }

  /** All of the project's assets: what a scene names is not known before it is drawn. */
  async #game(): Promise<Result<PageFile, Problem>> {
    const { files, root } = this.#parts;
    const config = await readProjectConfig(files, root);
    const { name, startScene, viewport = DEFAULT_VIEWPORT } = config.ok
      ? config.value
      : { name: "Captures", startScene: "assets/scenes/main.scene.json", viewport: undefined };
    const body = serializeGameFile({
      name,
      startScene,
      viewport: { width: viewport.width, height: viewport.height },
      engineApi: 1,
      ota: null,
      assets: await everyAsset(files, root),
    });
    return ok({ type: "application/json", body });
  }
}

/** Opens a file; `null` where it has gone meanwhile. */
async function bodyOf(file: OpenedFile | null): Promise<PageFile["body"] | null> {
  const opened = await attempt(async () => file && await file.open());
  return opened.ok ? opened.value : null;
}

function noFile(path: string): Result<never, Problem> {
  const detail = `There is no ${
    JSON.stringify(path.slice(0, 200))
  } for the page that draws captures`;
  return refuse(404, "no-such-file", detail, "It reads assets and scenes of the project");
}

function typeOf(path: string): string {
  const suffix = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  switch (suffix) {
    case "png":
    case "webp":
    case "gif":
      return `image/${suffix}`;
    case "js":
      return "text/javascript";
    case "wasm":
      return "application/wasm";
    case "jpg":
    case "jpeg":
      return "image/jpeg";
    default:
      return "application/octet-stream";
  }
}

/** The page loads what this service serves, and nothing else. */
function htmlOf(entry: string): string {
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "img-src 'self' blob: data:",
    "connect-src 'self' blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="referrer" content="no-referrer">
    <title>Captures</title>
    <script type="module" src="./runtime/${entry}"></script>
  </head>
  <body></body>
</html>
`;
}
