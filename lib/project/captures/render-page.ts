import { encodeUtf8 } from "../../core/bytes.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { checkPath } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type AssetScan, everyAsset, scanAssets } from "../../editor/assets/mod.ts";
import { readProjectFile } from "../../editor/files/mod.ts";
import { DEFAULT_VIEWPORT, GAME_FILE, serializeGameFile } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import { readRuntime, type RuntimeFiles } from "../building/runtime-files.ts";
import { readProjectConfig } from "../config/read-config.ts";
import type { CaptureFiles } from "./capture-files.ts";
import { MAX_ANSWER_BYTES, readAnswer } from "./answer.ts";
import type { DrawingPages } from "./drawing-pages.ts";
import { drawn, type NumberedTask, type RenderQueue } from "./queue.ts";

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
  /** All of it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
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
  /** The page is there until the signal. */
  attend(key: string, signal: AbortSignal): void;
  /** The next task of the page; `null` where there was none until the signal. */
  next(key: string, signal: AbortSignal): Promise<NumberedTask | null>;
  /** Takes what it drew. @returns 404 `no-such-task`, 400 `bad-render-answer`. */
  answer(key: string, drawn: PageAnswer): Result<null, Problem>;
  /** A file of the project: its `game.json`, an asset. @returns 404 `no-such-file`, 403. */
  content(path: string): Promise<Result<PageFile, Problem>>;
  /** A capture. @returns 404 `no-such-capture`. */
  capture(name: string): Promise<Result<PageFile, Problem>>;
}

/** What a page drew. */
export interface PageAnswer {
  /** Of the task. */
  readonly id: string;
  /** As the page posted it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

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

  attend(key: string, signal: AbortSignal): void {
    this.#parts.pages.attend(key, signal);
  }

  async html(): Promise<Result<PageFile, Problem>> {
    const runtime = await this.ready();
    return runtime.ok
      ? ok({ type: "text/html; charset=utf-8", bytes: encodeUtf8(htmlOf(runtime.value.entry)) })
      : runtime;
  }

  async script(name: string): Promise<Result<PageFile, Problem>> {
    const runtime = await this.ready();
    if (!runtime.ok) return runtime;
    const bytes = runtime.value.files.get(name);
    return bytes === undefined ? noFile(name) : ok({ type: typeOf(name), bytes });
  }

  next(key: string, signal: AbortSignal): Promise<NumberedTask | null> {
    return this.#parts.pages.next(key, signal);
  }

  answer(key: string, { id, bytes }: PageAnswer): Result<null, Problem> {
    const { queue } = this.#parts;
    if (!queue.isDrawing(key, id)) {
      const detail = `Nobody waits for the capture ${JSON.stringify(id.slice(0, 40))}`;
      return refuse(404, "no-such-task", detail, "Ask for the next task");
    }
    const read = readAnswer(bytes);
    queue.answer(id, drawn(read));
    return read.ok ? ok(null) : read;
  }

  async content(path: string): Promise<Result<PageFile, Problem>> {
    const { files, root } = this.#parts;
    if (path === GAME_FILE) return await this.#game();
    if (!checkPath(path).ok || !SHOWN.test(path) || HIDDEN.test(path)) return noFile(path);
    const read = await readProjectFile(files, root, { path, maxBytes: MAX_ASSET_BYTES });
    if (!read.ok) return err(read.error);
    return read.value === null ? noFile(path) : ok({ type: typeOf(path), bytes: read.value });
  }

  async capture(name: string): Promise<Result<PageFile, Problem>> {
    const found = await this.#parts.kept.find(name);
    return found.ok ? ok({ type: "image/png", bytes: found.value.bytes }) : found;
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
    const bytes = serializeGameFile({
      name,
      startScene,
      viewport: { width: viewport.width, height: viewport.height },
      engineApi: 1,
      ota: null,
      assets: await everyAsset(files, root),
    });
    return ok({ type: "application/json", bytes });
  }
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
