import { loadYoga, type Yoga } from "yoga-layout/load";
import type { Failure } from "../core/result.ts";
import { ok, type Result } from "../core/result.ts";
import type { Entity, Rect, Viewport } from "../game/types/mod.ts";
import { STEP } from "../game/world/mod.ts";
import { openContent, type SeenGame, type SeenMoment, type WebContent } from "./content/mod.ts";
import { EditedWorld } from "./edited-world.ts";
import { FollowedGame } from "./followed-game.ts";
import { drawnFrom, looksSame, type Shown, type ViewMode } from "./shown.ts";
import { projectionFrom, type ViewCamera } from "./view-camera.ts";
import { ViewMeasures } from "./view-measures.ts";
import {
  fillingPlace,
  fittingPlace,
  type FlatLook,
  lookedAtPlace,
  rectInBox,
  type ViewPlace,
} from "./view-place.ts";

/** Options of a view. */
interface SceneViewOptions {
  /** The folder of the content, as a URL that ends in `/`: `/api/content/`. */
  readonly base: string;
  /** Is filled: it is positioned, and has a size of its own. */
  readonly canvasHost: HTMLElement;
  /** Pixels that the game is made for: the editor's `viewport`. */
  readonly made: Viewport;
}

/**
 * Opens a view of a project's scenes and games for an editor's page, drawn by the views of a built
 * game.
 *
 * @throws {Error} A sentence if the content cannot be opened.
 */
export async function openSceneView(options: SceneViewOptions): Promise<SceneView> {
  const [content, yoga] = await Promise.all([contentOf(options.base), loadYoga()]);
  return new SceneView(options, content, yoga);
}

/**
 * A view of an edited scene, or of a followed game. All pixels are CSS pixels of the host, from its
 * top left corner. It draws only when something has changed.
 */
export class SceneView {
  /** Called after each frame, to reposition overlays. */
  onFrame: (() => void) | null = null;
  /** Called once the host has another size, before the next frame. */
  onResize: (() => void) | null = null;
  readonly #base: string;
  readonly #yoga: Yoga;
  readonly #box: HTMLElement;
  readonly #ended = new AbortController();
  readonly #sizes: ResizeObserver;
  /**
   * Measured only after a change, because measuring in each frame would force a layout of the page.
   */
  #size: Viewport;
  #content: WebContent;
  #shown: Shown;
  #edited = new EditedWorld([]);
  #rev = -1;
  readonly #followed = new FollowedGame();
  #made: Viewport;
  #mode: ViewMode = "3d";
  #camera: ViewCamera | null = null;
  #flatLook: FlatLook | null = null;
  #place: ViewPlace;
  /** Whether a frame is requested. */
  #isDue = false;
  /** Whether everything visible has loaded since the last change. */
  #isWhole = false;
  #hasGround = false;
  /** Positions, sizes and entities in what is shown now. */
  readonly measures: ViewMeasures = new ViewMeasures(() => ({
    game: this.#game,
    details: this.#content.details,
    views: this.#shown.views,
    mode: this.#mode,
    camera: this.#camera,
    place: this.#place,
    size: this.#size,
    viewport: this.#viewport,
  }));

  /** Use {@linkcode openSceneView}. */
  constructor({ base, canvasHost, made }: SceneViewOptions, content: WebContent, yoga: Yoga) {
    this.#size = sizeOf(canvasHost);
    this.#base = base;
    this.#made = made;
    this.#content = content;
    this.#yoga = yoga;
    this.#box = document.createElement("div");
    Object.assign(this.#box.style, { position: "absolute", inset: "0", overflow: "hidden" });
    canvasHost.prepend(this.#box);
    this.#shown = drawnFrom(content, yoga);
    this.#box.append(...this.#shown.canvases);
    this.#place = this.#placeNow();
    this.#sizes = new ResizeObserver(() => {
      this.#size = sizeOf(canvasHost);
      this.onResize?.();
      this.#change();
    });
    this.#sizes.observe(canvasHost);
  }

  /** The revision of the scene that is shown; -1 before the first. */
  get rev(): number {
    return this.#rev;
  }

  /** The shown layers. */
  get mode(): ViewMode {
    return this.#mode;
  }
  set mode(mode: ViewMode) {
    this.#mode = mode;
    this.#change();
  }

  /** The camera of the 3D layer; `null` for the scene's own. */
  get camera(): ViewCamera | null {
    return this.#camera;
  }
  set camera(camera: ViewCamera | null) {
    this.#camera = camera;
    this.#change();
  }

  /** The view of the 2D or UI layer while it is shown alone; `null` for its whole screen. */
  get flatLook(): FlatLook | null {
    return this.#flatLook;
  }
  set flatLook(look: FlatLook | null) {
    this.#flatLook = look;
    this.#change();
  }

  /** Whether a metre grid is shown while the 3D layer is shown alone. */
  get ground(): boolean {
    return this.#hasGround;
  }
  set ground(ground: boolean) {
    this.#hasGround = ground;
    this.#change();
  }

  /** Size of the host, in CSS pixels. */
  get size(): Viewport {
    return this.#size;
  }

  /**
   * Rectangle of the game's screen in the host, in its pixels; the whole host while the 3D layer is
   * shown alone.
   */
  get screenRect(): Rect {
    const { width: w, height: h } = this.#place.screen;
    return rectInBox(this.#place, { x: 0, y: 0, w, h });
  }

  /** Pixels that the 2D and UI layers are laid out in, unless a game is followed. */
  set made(made: Viewport) {
    this.#made = made;
    this.#change();
  }

  /** Shows an edited scene, and stops following. @param rev Its revision. */
  show(entities: readonly Entity[], rev: number): void {
    this.#unfollow();
    this.#edited = new EditedWorld(entities);
    this.#rev = rev;
    this.#change();
  }

  /** Takes over an edit of that scene, as a change of kind `scene` tells it. */
  update(entities: readonly Entity[], removed: readonly number[], rev: number): void {
    if (rev <= this.#rev) return; // it was told before the whole scene was
    this.#edited.update(entities, removed);
    this.#rev = rev;
    if (!this.isFollowing) this.#change();
  }

  /** Shows other values of entities of the edited scene, without an edit or a revision. */
  preview(entities: readonly Entity[]): void {
    this.#edited.update(entities, []);
    if (!this.isFollowing) this.#change();
  }

  /**
   * Plays a copy of the editor's game from its current state, and shows it.
   *
   * @param round Answer of `GET /api/whole/round`.
   * @returns `invalid-round` for anything else.
   */
  async follow(round: unknown): Promise<Result<null, Failure<"invalid-round">>> {
    const started = await this.#followed.start(round, this.#content, this.#ended.signal);
    if (!started.ok) return started;
    if (started.value === null) return ok(null);
    this.#shown.sound?.dispose();
    this.#shown.sound = this.#followed.createSound(this.#content);
    await this.advanceTo(started.value);
    return ok(null);
  }

  /** Whether a game is shown. */
  get isFollowing(): boolean {
    return this.#followed.running !== null;
  }

  /** Whether the followed game was replaced: call `follow` again. */
  get isLost(): boolean {
    return this.#followed.isLost;
  }

  /** Forwards a change of kind `input`; ignored when no game is followed. */
  take(input: unknown): void {
    this.#followed.take(input);
  }

  /**
   * Advances the followed game to a step, as a change of kind `play` reports it.
   *
   * @param options.paused Whether the game is paused there, which mutes its sounds.
   * @returns The step that was reached; 0 when no game is followed.
   */
  async advanceTo(tick: number, { paused = false } = {}): Promise<number> {
    const made = await this.#followed.advanceTo(tick, paused);
    if (made?.isCurrent) this.#change();
    return made?.tick ?? 0;
  }

  /** Returns the hash of the followed game's world; `null` when none is followed. */
  async hash(): Promise<string | null> {
    return await this.#followed.hash();
  }

  /**
   * Reloads changed assets. The previous picture stays until everything visible has loaded.
   *
   * @throws {Error} When they cannot be read.
   */
  async reload(): Promise<void> {
    const content = await contentOf(this.#base);
    if (this.#ended.signal.aborted) return;
    this.#content = content;
    if (looksSame(this.#shown.content, content)) return;
    const next = drawnFrom(content, this.#yoga);
    this.#showOn(next, 0);
    await next.views.whenLoaded();
    if (this.#content !== content || this.#ended.signal.aborted) return next.dispose(); // a later one is under way
    const before = this.#shown;
    next.sound = before.sound && this.#followed.createSound(content);
    this.#shown = next;
    this.#box.append(...next.canvases);
    this.#draw();
    before.dispose();
    this.#change();
  }

  /** Resolves once everything visible has loaded and been drawn. */
  async whenLoaded(): Promise<void> {
    this.#draw();
    await this.#shown.views.whenLoaded();
    this.#draw();
  }

  /** Takes it out of the page. */
  dispose(): void {
    this.#ended.abort();
    this.#sizes.disconnect();
    this.#unfollow();
    this.#shown.dispose();
    this.#box.remove();
  }

  get #game(): SeenGame {
    return this.#followed.running?.game ?? this.#edited.game;
  }

  /** Pixels of the game's screen. */
  get #viewport(): Viewport {
    return this.#followed.running?.input.viewport ?? this.#made;
  }

  #placeNow(): ViewPlace {
    if (this.#mode === "3d") return fillingPlace(this.size, devicePixelRatio);
    return this.#flatLook === null || this.#mode === "game"
      ? fittingPlace(this.size, this.#viewport, devicePixelRatio)
      : lookedAtPlace(this.size, this.#viewport, this.#flatLook, devicePixelRatio);
  }

  /** Something is different: a frame shows it. */
  #change(): void {
    this.#isWhole = false;
    this.#place = this.#placeNow();
    this.#ask();
  }

  #ask(): void {
    if (this.#isDue || this.#ended.signal.aborted) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.#ended.signal.aborted) return;
      this.#draw();
      if (!this.#isWhole) void this.#load();
    });
  }

  /** Loads everything visible; if something was missing, draws one more complete frame. */
  async #load(): Promise<void> {
    this.#isWhole = true;
    const differs = await this.#shown.views.whenLoaded();
    if (differs && this.#isWhole) this.#ask();
  }

  #draw(): void {
    const seen = this.#showOn(this.#shown, this.#followed.takeSteps() * STEP);
    const { running, isPaused: paused } = this.#followed;
    if (running !== null) this.#shown.sound?.show({ ...seen, game: running.game, paused });
    this.onFrame?.();
  }

  /**
   * Draws the current state on the given canvases. @param elapsed Seconds since they were last
   * drawn.
   */
  #showOn({ views, ground, lay }: Shown, elapsed: number): SeenMoment {
    const mode = this.#mode;
    lay(this.#place, mode);
    ground.object.visible = this.#hasGround && mode === "3d";
    return views.show({
      game: this.#game,
      screen: this.#place.screen,
      elapsed,
      pressed: this.#followed.running?.input.pressed ?? [],
      ...(this.#camera !== null && { eye: projectionFrom(this.#camera) }),
    }, mode === "game" ? null : mode);
  }

  #unfollow(): void {
    this.#followed.end();
    this.#shown.sound?.dispose();
    this.#shown.sound = null;
  }
}

function sizeOf({ clientWidth: width, clientHeight: height }: HTMLElement): Viewport {
  return { width, height };
}

async function contentOf(base: string): Promise<WebContent> {
  const url = new URL(base, document.baseURI).href;
  const opened = await openContent(url, (file) => fetch(file));
  if (!opened.ok) throw new Error(`${opened.error.detail}. ${opened.error.hint}`);
  return opened.value.content;
}
