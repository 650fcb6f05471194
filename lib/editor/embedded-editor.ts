import { loadYoga, type Yoga } from "yoga-layout/load";
import type { JsonObject } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { scanAssets } from "./assets.ts";
import { createAuthoring } from "./authoring/authoring.ts";
import { BrokenAssets } from "./broken-assets.ts";
import type { Console } from "./console.ts";
import { diagnose } from "./diagnose.ts";
import type { EntityDocument } from "./document.ts";
import { createEditing, type EmbeddedEditing } from "./editing.ts";
import { type BeforeSave, EditorCore } from "./editor-core.ts";
import type { Touch } from "./file-draft.ts";
import type { FileOutcome } from "./file-steps.ts";
import { freshScene } from "./fresh-scene.ts";
import { NEVER_SAVED } from "./history.ts";
import { computeLayout } from "./layout/layout.ts";
import { LayoutMemory } from "./layout/layout-memory.ts";
import type { Viewport } from "./layout/project3d.ts";
import type {
  Actor,
  Asset,
  AssetAuthoring,
  ConsoleEntry,
  Diagnosis,
  Editor,
  EditorIdentity,
  Entity,
  Journals,
  Layout,
  LayoutOptions,
  Prefabs,
  SceneState,
  TraitSchema,
  View,
  Watches,
  WorldBounds,
  WorldTransform,
} from "./ports.ts";
import { createPlay, type EmbeddedPlay } from "./play/play.ts";
import { createPrefabs } from "./prefabs.ts";
import { BUILT_IN_TRAITS, TraitRegistry } from "./registry.ts";
import { sceneNameOf } from "./scene-files.ts";
import { readSceneFile } from "./scene-source.ts";
import { type FoundPlace, worldPlaces, worldTransform } from "./transforms.ts";
import { createView } from "./view.ts";
import { createWatches } from "./watches.ts";
import { worldBounds } from "./world-bounds.ts";

/** The viewport of a project that names none, in pixels. */
export const DEFAULT_VIEWPORT: Viewport = { width: 1280, height: 720 };

/** What the embedded editor is opened on. */
export interface EmbeddedEditorOptions {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** Stamps the lines of the console. */
  readonly clock: Clock;
  /** The project's folder. */
  readonly root: string;
  /** The project's name. */
  readonly project: string;
  /** The scene to open, relative to the project. */
  readonly scenePath: string;
  /** {@linkcode DEFAULT_VIEWPORT} when absent. */
  readonly viewport?: Viewport;
  /** Traits of the game, beside the built-in ones; their names must be new. */
  readonly traits?: readonly TraitSchema[];
  /** Run before a scene is saved: makes what a project needs beside its scenes. */
  readonly beforeSave?: BeforeSave;
}

/**
 * Opens a scene of a project. Either the scene is whole, or nothing is opened. In a project without
 * any scene one begins at that path, with a camera and a light, and has no file until it is saved.
 *
 * @returns The editor, or why {@linkcode readSceneFile} refused the scene.
 */
export async function openEmbeddedEditor(
  options: EmbeddedEditorOptions,
): Promise<Result<EmbeddedEditor, Problem>> {
  const { viewport = DEFAULT_VIEWPORT, scenePath } = options;
  const traits = new TraitRegistry([...BUILT_IN_TRAITS, ...options.traits ?? []]);
  const scan = await scanAssets(options.files, options.root);
  const read = await readSceneFile({ ...options, traits, assets: scan.assets });
  const isFresh = !read.ok && read.error.code === "scene-missing" &&
    !scan.assets.some(({ type }) => type === "scene");
  if (!read.ok && !isFresh) return read;
  const core = new EditorCore({ ...options, viewport, traits, scan });
  const { scene, mark } = read.ok
    ? read.value
    : { scene: freshScene(sceneNameOf(scenePath), traits), mark: null };
  core.load(scenePath, scene, mark);
  if (mark === null) core.history.markSaved(NEVER_SAVED);
  return ok(new EmbeddedEditor(core));
}

/** How a change of files is told. */
export interface FileStepNote<T> {
  /** What a person reads in the list of steps. */
  readonly label: string;
  /** Who changes them. */
  readonly source: Actor;
  /** The type of the journal's event. */
  readonly type: string;
  /** What the event says of what was done. */
  readonly note: (value: T) => JsonObject;
}

/** The default editor: headless, one open scene. Its producers return everything (spec §1 rule 1). */
export class EmbeddedEditor implements Editor {
  readonly editing: EmbeddedEditing;
  readonly authoring: AssetAuthoring;
  readonly prefabs: Prefabs;
  readonly view: View;
  readonly journals: Journals;
  readonly play: EmbeddedPlay;
  readonly watches: Watches;
  readonly #core: EditorCore;
  #yoga: Promise<Yoga> | null = null;
  #places: {
    readonly of: readonly Entity[];
    readonly value: ReadonlyMap<number, FoundPlace>;
  } | null = null;
  readonly #layoutMemory = new LayoutMemory();
  readonly #broken: BrokenAssets;

  /** Use {@linkcode openEmbeddedEditor}, which loads and checks what goes in here. */
  constructor(core: EditorCore) {
    this.#core = core;
    this.#broken = new BrokenAssets(core);
    this.journals = core.journals;
    const editing = createEditing(core);
    this.editing = editing;
    this.authoring = createAuthoring(core);
    this.prefabs = createPrefabs(core, editing);
    this.view = createView(core);
    const watches = createWatches(core);
    this.watches = watches;
    this.play = createPlay(core, {
      editing: this.editing,
      view: this.view,
      authoring: this.authoring,
      layout: () => this.layoutBounds(),
      afterStep: (tick) => watches.sample(tick),
    });
  }

  /** The entities of the open scene. */
  get document(): EntityDocument {
    return this.#core.document;
  }

  /** The lines that the editor and the game print. */
  get console(): Console {
    return this.#core.console;
  }

  /** Looks at the project's assets again, after files have changed on the disk. */
  async rescanAssets(): Promise<void> {
    await this.#core.rescanAssets();
  }

  /**
   * Changes files of the project that are no assets, such as its settings, as one step of undo.
   *
   * @param step What it is called, and how it is noted in the editor's journal.
   * @param work Names every file before it changes it.
   */
  changeFiles<T>(
    { label, source, type, note }: FileStepNote<T>,
    work: (touch: Touch) => Promise<Result<T, Problem>>,
  ): Promise<Result<FileOutcome<T>, Problem>> {
    const { changes, fileSteps, journals } = this.#core;
    return changes.take(async () => {
      const done = await fileSteps.change({ label, source }, work);
      if (!done.ok) return done;
      const { value, undo } = done.value;
      journals.noteEditor(type, source, { ...note(value), ...(undo !== null && { undo }) });
      return done;
    });
  }

  /** Ends what runs by itself, the playing game, and lets go of what undo keeps on the disk. */
  async close(): Promise<void> {
    await this.play.close();
    await this.#core.fileSteps.close();
  }

  identity(): EditorIdentity {
    const { project, root, scenePath } = this.#core;
    return { editor: "slipway", project, root, scenePath };
  }

  async sceneState(): Promise<SceneState> {
    await this.editing.glance();
    const { world, scenePath } = this.#core;
    return { scenePath, rev: world.rev, entities: world.entities() };
  }

  worldTransforms(): Promise<ReadonlyMap<number, WorldTransform>> {
    const placed = new Map<number, WorldTransform>();
    for (const [id, place] of this.#worldPlaces()) {
      if (place.placed) placed.set(id, worldTransform(place));
    }
    return Promise.resolve(placed);
  }

  worldBounds(): Promise<ReadonlyMap<number, WorldBounds>> {
    const { world, scan } = this.#core;
    return Promise.resolve(worldBounds(world.entities(), this.#worldPlaces(), scan.details));
  }

  async layoutBounds(options: LayoutOptions = {}): Promise<Layout> {
    this.#yoga ??= loadYoga();
    const yoga = await this.#yoga;
    const { world, scan, viewport } = this.#core;
    return computeLayout({
      entities: world.entities(),
      places: this.#worldPlaces(),
      details: scan.details,
      viewport,
      yoga,
      memory: this.#layoutMemory,
    }, options);
  }

  async assets(): Promise<readonly Asset[]> {
    await this.#core.glanceAssets();
    return this.#core.scan.assets;
  }

  traits(): Promise<readonly TraitSchema[]> {
    return Promise.resolve(this.#core.traits.all());
  }

  async consoleEntries(): Promise<readonly ConsoleEntry[]> {
    await this.editing.glance();
    return this.#core.console.entries();
  }

  async diagnose(): Promise<Diagnosis> {
    await this.editing.glance();
    await this.#core.glanceAssets();
    const broken = await this.#broken.find();
    const layout = await this.layoutBounds();
    const { world, traits, scan, clock } = this.#core;
    return diagnose({
      entities: world.entities(),
      traits,
      assets: scan.assets,
      broken,
      layout,
      console: this.#core.console.entries(),
      conflict: this.editing.conflict,
      now: clock.now(),
    });
  }

  #worldPlaces(): ReadonlyMap<number, FoundPlace> {
    const entities = this.#core.world.entities();
    if (this.#places?.of !== entities) {
      this.#places = { of: entities, value: worldPlaces(entities, this.#places?.value) };
    }
    return this.#places.value;
  }
}
