import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { Once } from "../../core/once.ts";
import type { OpenedFile } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import { readRuntime, type RuntimeFiles } from "../building/runtime-files.ts";
import type { ProjectContent } from "../content/mod.ts";
import type { CaptureFiles } from "./capture-files.ts";
import { MAX_ANSWER_BYTES, readRenderAnswer } from "./answer.ts";
import type { DrawingPages } from "./drawing-pages.ts";
import type { QueuedTask, RenderQueue } from "./queue.ts";

/** A file for the page that draws. */
export interface PageFile {
  /** Its content type. */
  readonly type: string;
  /** Its bytes: at hand, or read as they are sent. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Their number, for a file that does not change. */
  readonly size?: number;
}

/**
 * Serves a page that draws captures. Its ticket is valid once; afterwards a key identifies the page. Its
 * own files are not secret.
 */
export interface RenderPage {
  /** The largest answer, in bytes. */
  readonly maxAnswerBytes: number;
  /** The page. */
  html(): Promise<Result<PageFile, Problem>>;
  /** A script of it. @returns 404 `no-such-file`. */
  script(name: string): Promise<Result<PageFile, Problem>>;
  /** Creates a ticket for a window: while it is open, captures are drawn there. */
  admitWindow(): string;
  /** Lets a page draw. @returns The key of its requests, or 403 `wrong-ticket`. */
  join(ticket: string): Result<string, Problem>;
  /** Whether a request with that key is a page's. */
  isKey(key: string): boolean;
  /**
   * Registers a page until the signal.
   *
   * @returns A signal that it stops drawing; 503 `too-many-streams` for a page with too many
   * connections.
   */
  attend(key: string, signal: AbortSignal): Result<AbortSignal, Problem>;
  /** Returns the next task of the page; `null` if there is none before the signal. */
  next(key: string, signal: AbortSignal): Promise<QueuedTask | null>;
  /**
   * Starts the page's answer to a task that it has, once.
   *
   * @returns A function that takes it, or `null` for one that did not arrive: 400
   * `bad-render-answer`; or 404 `no-such-task`.
   */
  beginAnswer(key: string, id: string): Result<TakeAnswer, Problem>;
  /** A file of the project: its `game.json`, an asset. @returns 404 `no-such-file`, 403. */
  content(path: string): Promise<Result<PageFile, Problem>>;
  /** A capture. @returns 404 `no-such-capture`. */
  capture(name: string): Promise<Result<PageFile, Problem>>;
  /** A picture that was saved at a path of the project. @returns 404 `no-such-picture`, 403. */
  saved(path: string): Promise<Result<PageFile, Problem>>;
}

/** Takes a page's answer as posted. */
export type TakeAnswer = (bytes: Uint8Array<ArrayBuffer> | null) => Result<null, Problem>;

/** Dependencies of the pages that draw. */
export interface RenderPageParts {
  readonly files: Files;
  readonly gameRuntime?: GameRuntime | undefined;
  /** Content of the project that it may read. */
  readonly content: ProjectContent;
  readonly queue: RenderQueue;
  readonly pages: DrawingPages;
  readonly kept: CaptureFiles;
}

/** The drawing page, and the project's files that it may read. */
export class RenderPages implements RenderPage {
  readonly maxAnswerBytes: number = MAX_ANSWER_BYTES;
  readonly #parts: RenderPageParts;
  readonly #runtime: Once<Result<RuntimeFiles, Problem>> = new Once(
    () => readRuntime(this.#parts.files, this.#parts.gameRuntime, "render"),
    ({ ok }) => ok,
  );

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
    const detail = "The drawing page has reported its presence over several connections";
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
    const type = name.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    return body === undefined ? noFile(name) : ok({ type, body });
  }

  next(key: string, signal: AbortSignal): Promise<QueuedTask | null> {
    return this.#parts.pages.next(key, signal);
  }

  beginAnswer(key: string, id: string): Result<TakeAnswer, Problem> {
    const { queue } = this.#parts;
    if (!queue.beginAnswer(key, id)) {
      const detail = `Nobody waits for the capture ${JSON.stringify(id.slice(0, 40))}`;
      return refuse(404, "no-such-task", detail, "Ask for the next task");
    }
    return ok((bytes) => {
      const read = bytes === null ? null : readRenderAnswer(bytes);
      if (read?.ok === true) queue.answer(id, read);
      else {queue.answer(
          id,
          err(read?.error.detail ?? "The page's pictures did not arrive completely"),
        );}
      return read?.ok === false ? read : ok(null);
    });
  }

  async content(path: string): Promise<Result<PageFile, Problem>> {
    const found = await this.#parts.content.find(path);
    if (!found.ok) return found;
    const body = await found.value.open();
    return body.ok ? ok({ type: found.value.type, body: body.value }) : body;
  }

  async capture(name: string): Promise<Result<PageFile, Problem>> {
    const found = await this.#parts.kept.find(name);
    if (!found.ok) return found;
    const { file } = found.value;
    const body = await bodyOf(file);
    return body === null ? noFile(name) : ok({ type: "image/png", body, size: file.size });
  }

  async saved(path: string): Promise<Result<PageFile, Problem>> {
    const found = await this.#parts.kept.findAt(path);
    if (!found.ok) return found;
    const body = await bodyOf(found.value);
    return body === null ? noFile(path) : ok({ type: "image/png", body });
  }

  /** The scripts of the page, read once. */
  ready(): Promise<Result<RuntimeFiles, Problem>> {
    return this.#runtime.get();
  }

  /** {@linkcode ProjectContent.stamp}. */
  stamp(): Promise<string> {
    return this.#parts.content.stamp();
  }
}

/** Opens a file; `null` if it has disappeared. */
async function bodyOf(file: OpenedFile | null): Promise<PageFile["body"] | null> {
  const opened = await attempt(async () => file && await file.open());
  return opened.ok ? opened.value : null;
}

function noFile(path: string): Result<never, Problem> {
  const detail = `There is no ${JSON.stringify(path.slice(0, 200))} for the page that draws`;
  return refuse(404, "no-such-file", detail, "Open the page again");
}

/** The page may load only what this service serves. */
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
