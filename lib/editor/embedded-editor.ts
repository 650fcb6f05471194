import { loadYoga, type Yoga } from "yoga-layout/load";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { scanAssets } from "./assets.ts";
import { createAuthoring } from "./authoring/authoring.ts";
import type { Console } from "./console.ts";
import { diagnose } from "./diagnose.ts";
import type { EntityDocument } from "./document.ts";
import { createEditing, type EmbeddedEditing } from "./editing.ts";
import { EditorCore } from "./editor-core.ts";
import { computeLayout } from "./layout/layout.ts";
import type { Viewport } from "./layout/project3d.ts";
import type {
  Asset,
  AssetAuthoring,
  ConsoleEntry,
  Diagnosis,
  Editor,
  EditorIdentity,
  Entity,
  Journals,
  Layout,
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
import { readSceneFile } from "./scene-source.ts";
import { type WorldPlace, worldPlaces, worldTransform } from "./transforms.ts";
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
}

/**
 * Opens a scene of a project. Either the scene is whole, or nothing is opened.
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
  if (!read.ok) return read;
  const core = new EditorCore({ ...options, viewport, traits, scan });
  core.load(scenePath, read.value.scene, read.value.mark);
  return ok(new EmbeddedEditor(core));
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
    readonly value: ReadonlyMap<number, WorldPlace>;
  } | null = null;

  /** Use {@linkcode openEmbeddedEditor}, which loads and checks what goes in here. */
  constructor(core: EditorCore) {
    this.#core = core;
    this.journals = core.journals;
    this.editing = createEditing(core);
    this.authoring = createAuthoring(core);
    this.prefabs = createPrefabs(core, this.editing);
    this.view = createView(core);
    const watches = createWatches(core);
    this.watches = watches;
    this.play = createPlay(core, {
      editing: this.editing,
      view: this.view,
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

  /** Ends what runs by itself: the playing game. */
  async close(): Promise<void> {
    await this.play.close();
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

  async layoutBounds(options: { readonly overlaps?: boolean } = {}): Promise<Layout> {
    this.#yoga ??= loadYoga();
    const yoga = await this.#yoga;
    const { world, scan, viewport } = this.#core;
    return computeLayout({
      entities: world.entities(),
      places: this.#worldPlaces(),
      details: scan.details,
      viewport,
      yoga,
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
    const layout = await this.layoutBounds();
    const { world, traits, scan, clock } = this.#core;
    return diagnose({
      entities: world.entities(),
      traits,
      assets: scan.assets,
      layout,
      console: this.#core.console.entries(),
      conflict: this.editing.conflict,
      now: clock.now(),
    });
  }

  #worldPlaces(): ReadonlyMap<number, WorldPlace> {
    const entities = this.#core.world.entities();
    if (this.#places?.of !== entities) {
      this.#places = { of: entities, value: worldPlaces(entities) };
    }
    return this.#places.value;
  }
}
