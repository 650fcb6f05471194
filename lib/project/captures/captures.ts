import type { Jobs, JobSnapshot, JobStart, JobWork } from "../../core/jobs.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Comparison, RenderTask } from "../../editor/ports/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files, SyncStat } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import type { Host } from "../../ports/host.ts";
import type { Processes } from "../../ports/processes.ts";
import type { ProjectContent } from "../content/mod.ts";
import { type Capture, CaptureFiles, type KeptPicture } from "./capture-files.ts";
import type { DrawnPicture, RenderAnswer } from "./answer.ts";
import { Drawers } from "./drawers.ts";
import { MAX_PIXELS } from "../../core/png.ts";
import { type RenderPage, RenderPages } from "./render-page.ts";
import { sceneOf, type SceneSnapshot } from "./snapshot.ts";

/** Captures that are drawn or waited for at once (CAP-5). */
const MAX_WAITING = 32;
/** The longest side of a picture, in pixels: graphics cards draw no longer one. */
const MAX_SIDE = 8_192;
/** The longest side of a picture that a model is shown, in pixels: more is scaled down unseen (CAP-8). */
const INLINE_SIDE = 1_568;

/** A picture that was drawn and kept. */
export interface Captured {
  /** The file that keeps it. */
  readonly capture: Capture;
  /** Parts that could not be drawn, a sentence each. */
  readonly warnings: readonly string[];
  /** The same picture in a smaller form for a model; only if it was requested. */
  readonly inline?: InlinePicture;
}

/** A picture that a model can be shown: more pixels are scaled down unseen. */
export interface InlinePicture {
  /** A PNG file, at most 1,568 pixels on a side. */
  readonly bytes: Uint8Array;
  /** Its pixels per pixel of the capture, along a side; 1 for an equal size. */
  readonly scale: number;
}

/** Options of a capture. */
export interface CaptureOptions {
  /** Cancels the wait. */
  readonly signal: AbortSignal;
  /** Called with the current stage, in a few words. */
  readonly tell?: ((stage: string) => void) | undefined;
  /** Part of the file's name: `scene`. */
  readonly what: string;
  /** Asks for a picture that a model can be shown. */
  readonly inline?: boolean | undefined;
}

/**
 * The captures of a project, a bounded number in parallel (503 `too-many-captures`): drawn by a
 * page with the views of the built game, stored as PNG files.
 */
export interface Captures {
  /**
   * Checks that something can draw, for a call that changes the game for its pictures. @returns
   * 503.
   */
  ready(): Promise<Result<null, Problem>>;
  /** Draws the current scene. @returns 503 if nothing can draw, 422 `not-drawn`. */
  draw(snapshot: SceneSnapshot, options: CaptureOptions): Promise<Result<Captured, Problem>>;
  /** Compares two captures. @returns 404 `no-such-capture`, 422 `other-size`. */
  compare(
    request: { readonly before: string; readonly after: string; readonly threshold: number },
    options: CaptureOptions,
  ): Promise<Result<Captured & { readonly comparison: Comparison }, Problem>>;
  /** Joins captures side by side in one picture. */
  strip(
    request: { readonly captures: readonly Capture[]; readonly columns: number },
    options: CaptureOptions,
  ): Promise<Result<Captured, Problem>>;
  /**
   * Draws many as a job `capture`, or attaches to a job that draws the same (CAP-9).
   *
   * @param key Identifies the drawn pictures. @returns 409 `capture-running` while another job
   * draws.
   */
  start(key: string, work: JobWork, options?: JobStart): Result<JobSnapshot, Problem>;
  /**
   * Checks the path for a picture, before it is taken.
   *
   * @param path As in {@linkcode keep}. @returns 403 `outside-project`, 422 `bad-save-path`.
   */
  checkPlace(path: string): Promise<Result<null, Problem>>;
  /**
   * Stores a picture from elsewhere.
   *
   * @param what `watched` is one of many by which a person watches a device: the last 20 stay.
   * @param path Relative to the project, ends in `.png`, is replaced; a new capture when absent.
   * @returns 403 `outside-project`, 422 `bad-save-path`, `unwritable`.
   */
  keep(
    what: "device" | "watched",
    picture: DrawnPicture,
    path?: string,
  ): Promise<Result<Capture | KeptPicture, Problem>>;
  /** The page that draws, as routes serve it. */
  readonly page: RenderPage;
}

/** The captures as the service has them. */
export interface CaptureHost extends Captures {
  /** Sets the origin of the page that draws: `http://127.0.0.1:4747`; read at the first capture. */
  servedAt(origin: () => Promise<Result<string, Problem>>): void;
  /** Ends the browser, and all waits. */
  close(): Promise<void>;
}

/** Dependencies of captures. */
export interface CapturesOptions {
  /** The file system with the project's files. */
  readonly files: Files;
  /** The machine, with the paths of its browsers. */
  readonly host: Host;
  /** Runs the browser. */
  readonly processes: Processes;
  /** Looks for it. */
  readonly syncStat: SyncStat;
  /** Bounds how long a picture may take. */
  readonly clock: Pick<Clock, "sleep">;
  /** The scripts of the page that draws. */
  readonly gameRuntime?: GameRuntime | undefined;
  /** The jobs of long captures. */
  readonly jobs: Pick<Jobs, "start" | "list">;
  /** The project's folder, absolute. */
  readonly root: string;
  /** Content of the project that the page may read. */
  readonly content: ProjectContent;
}

/** The captures of one project. */
export function createCaptures(options: CapturesOptions): CaptureHost {
  return new ProjectCaptures(options);
}

class ProjectCaptures implements CaptureHost {
  readonly page: RenderPages;
  readonly #jobs: CapturesOptions["jobs"];
  readonly #files: CaptureFiles;
  readonly #drawers: Drawers;
  #waiting = 0;

  constructor(options: CapturesOptions) {
    const { files, root, jobs } = options;
    this.#jobs = jobs;
    this.#files = new CaptureFiles(files, root);
    this.#drawers = new Drawers(options);
    const { queue, pages } = this.#drawers;
    this.page = new RenderPages({ ...options, queue, pages, kept: this.#files });
  }

  servedAt(origin: () => Promise<Result<string, Problem>>): void {
    this.#drawers.servedAt(origin);
  }

  async close(): Promise<void> {
    await this.#drawers.close();
  }

  async ready(): Promise<Result<null, Problem>> {
    const ready = await this.page.ready();
    return ready.ok ? await this.#drawers.ready() : ready;
  }

  draw(snapshot: SceneSnapshot, options: CaptureOptions): Promise<Result<Captured, Problem>> {
    return this.#admitted(() => this.#draw(snapshot, options));
  }

  compare(
    request: Parameters<Captures["compare"]>[0],
    options: CaptureOptions,
  ): ReturnType<Captures["compare"]> {
    return this.#admitted(() => this.#compare(request, options));
  }

  strip(
    request: Parameters<Captures["strip"]>[0],
    options: CaptureOptions,
  ): Promise<Result<Captured, Problem>> {
    return this.#admitted(() => this.#strip(request, options));
  }

  /** Does work that holds a scene, or pictures, in memory. */
  async #admitted<T>(work: () => Promise<Result<T, Problem>>): Promise<Result<T, Problem>> {
    if (this.#waiting >= MAX_WAITING) return tooMany();
    this.#waiting++;
    try {
      return await work();
    } finally {
      this.#waiting--;
    }
  }

  async #draw(
    snapshot: SceneSnapshot,
    options: CaptureOptions,
  ): Promise<Result<Captured, Problem>> {
    const { screen, region, tick, sequence } = snapshot;
    const { width, height } = region === undefined ? screen : { width: region.w, height: region.h };
    if (
      screen.width * screen.height > MAX_PIXELS || Math.max(screen.width, screen.height) > MAX_SIDE
    ) {
      return tooLarge(screen.width, screen.height);
    }
    const drawn = await this.#ask({
      kind: "draw",
      round: await this.page.stamp(),
      ...sceneOf(snapshot),
      tick,
      ...(sequence !== undefined && { sequence }),
      screen: { width: screen.width, height: screen.height },
      ...(region !== undefined && { region }),
      ...(options.inline === true && { inline: INLINE_SIDE }),
    }, options);
    if (!drawn.ok) return drawn;
    const [picture] = drawn.value.pictures;
    if (picture?.width !== width || picture.height !== height) {
      const found = picture === undefined ? "none" : `${picture.width} × ${picture.height}`;
      return err(notAsAsked(found, `${width} × ${height}`));
    }
    return await this.#keep(drawn.value, options);
  }

  async #compare(
    { before, after, threshold }: Parameters<Captures["compare"]>[0],
    options: CaptureOptions,
  ): ReturnType<Captures["compare"]> {
    const [first, second] = [await this.#files.find(before), await this.#files.find(after)];
    if (!first.ok) return first;
    if (!second.ok) return second;
    const [a, b] = [first.value, second.value];
    if (a.width !== b.width || a.height !== b.height) {
      return refuse(
        422,
        "other-size",
        `${a.path} is ${a.width} × ${a.height} pixels, ${b.path} ${b.width} × ${b.height}: ` +
          "expected two of one size",
        "Capture both with the same width and height",
      );
    }
    const drawn = await this.#ask({
      kind: "compare",
      before: a.name,
      after: b.name,
      threshold,
      ...(options.inline === true && { inline: INLINE_SIDE }),
    }, options);
    if (!drawn.ok) return drawn;
    const { comparison } = drawn.value.report;
    if (comparison === undefined) return err(notAsAsked("no comparison", "one"));
    const kept = await this.#keep(drawn.value, options);
    return kept.ok ? ok({ ...kept.value, comparison }) : kept;
  }

  async #strip(
    { captures, columns }: Parameters<Captures["strip"]>[0],
    options: CaptureOptions,
  ): Promise<Result<Captured, Problem>> {
    const drawn = await this.#ask({
      kind: "strip",
      pictures: captures.map(({ name }) => name),
      columns,
      longest: INLINE_SIDE,
    }, options);
    if (!drawn.ok) return drawn;
    const kept = await this.#keep(drawn.value, options);
    const bytes = drawn.value.pictures[0]?.bytes;
    return kept.ok && options.inline === true && bytes !== undefined
      ? ok({ ...kept.value, inline: { bytes, scale: 1 } })
      : kept;
  }

  checkPlace(path: string): Promise<Result<null, Problem>> {
    return this.#files.checkPlace(path);
  }

  keep(
    what: "device" | "watched",
    picture: DrawnPicture,
    path?: string,
  ): Promise<Result<Capture | KeptPicture, Problem>> {
    return path === undefined ? this.#files.keep(what, picture) : this.#files.keepAt(path, picture);
  }

  start(key: string, work: JobWork, options?: JobStart): Result<JobSnapshot, Problem> {
    const other = this.#jobs.list().find(({ kind, state }) =>
      kind === "capture" && state === "running"
    );
    if (other === undefined || other.key === key) {
      return ok(this.#jobs.start("capture", key, work, options));
    }
    return refuse(
      409,
      "capture-running",
      `Cannot draw ${key}: job ${other.id} (${other.key}) draws the game now`,
      `Wait for it (job_get id=${other.id}), or stop it (job_cancel id=${other.id})`,
    );
  }

  async #ask(
    task: RenderTask,
    { signal, tell = () => {} }: CaptureOptions,
  ): Promise<Result<RenderAnswer, Problem>> {
    const ready = await this.page.ready();
    return ready.ok ? await this.#drawers.ask(task, { signal, tell }) : ready;
  }

  async #keep(
    { pictures, report }: RenderAnswer,
    { what }: CaptureOptions,
  ): Promise<Result<Captured, Problem>> {
    const [picture, inline] = pictures;
    if (picture === undefined) return err(notAsAsked("no picture", "one"));
    const capture = await this.#files.keep(what, picture);
    if (!capture.ok) return capture;
    return ok({
      capture: capture.value,
      warnings: report.warnings ?? [],
      ...(inline !== undefined && {
        inline: { bytes: inline.bytes, scale: inline.width / picture.width },
      }),
    });
  }
}

function notAsAsked(found: string, expected: string): Problem {
  const detail = `The page that draws gave another picture: found ${found}, expected ${expected}`;
  return problem(422, "not-drawn", detail, "Call it again");
}

function tooLarge(width: number, height: number): Result<never, Problem> {
  const detail =
    `Cannot draw ${width} × ${height} pixels: expected at most ${MAX_SIDE} on a side, and ` +
    `${MAX_PIXELS} in all`;
  return refuse(422, "too-many-pixels", detail, "Ask for fewer: width=1280, height=720");
}

function tooMany(): Result<never, Problem> {
  const detail = `${MAX_WAITING} captures are drawn or waited for already`;
  return refuse(503, "too-many-captures", detail, "Wait for some of them, then call it again");
}
