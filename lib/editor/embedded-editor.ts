import { loadYoga, type Yoga } from "yoga-layout/load";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { type AssetScan, scanAssets } from "./assets.ts";
import { Console } from "./console.ts";
import { diagnose } from "./diagnose.ts";
import { EntityDocument } from "./document.ts";
import { computeLayout } from "./layout/layout.ts";
import type { Viewport } from "./layout/project3d.ts";
import type {
  Asset,
  ConsoleEntry,
  Diagnosis,
  Editor,
  EditorIdentity,
  Layer,
  Layout,
  SceneState,
  TraitSchema,
  WorldTransform,
} from "./ports.ts";
import { BUILT_IN_TRAITS, TraitRegistry } from "./registry.ts";
import type { Scene } from "./scene-file.ts";
import { readScene } from "./scene-source.ts";
import { type WorldPlace, worldPlaces, worldTransform } from "./transforms.ts";

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
 * @returns The editor, or why {@linkcode readScene} refused the scene.
 */
export async function openEmbeddedEditor(
  options: EmbeddedEditorOptions,
): Promise<Result<EmbeddedEditor, Problem>> {
  const traits = new TraitRegistry([...BUILT_IN_TRAITS, ...options.traits ?? []]);
  const scan = await scanAssets(options.files, options.root);
  const scene = await readScene({ ...options, traits, assets: scan.assets });
  return scene.ok ? ok(new EmbeddedEditor(options, { scene: scene.value, scan, traits })) : scene;
}

/** What was loaded before the editor stands. */
interface Loaded {
  readonly scene: Scene;
  readonly scan: AssetScan;
  readonly traits: TraitRegistry;
}

/** The default editor: headless, one open scene. Its producers return everything (spec §1 rule 1). */
export class EmbeddedEditor implements Editor {
  /** The entities of the open scene. */
  readonly document: EntityDocument;
  /** The lines that the editor and the game print. */
  readonly console: Console;
  readonly #options: EmbeddedEditorOptions;
  readonly #traits: TraitRegistry;
  readonly #viewport: Viewport;
  #scan: AssetScan;
  #yoga: Promise<Yoga> | null = null;
  #places: { readonly rev: number; readonly value: ReadonlyMap<number, WorldPlace> } | null = null;

  /** Use {@linkcode openEmbeddedEditor}, which loads and checks what goes in here. */
  constructor(options: EmbeddedEditorOptions, { scene, scan, traits }: Loaded) {
    this.#options = options;
    this.#traits = traits;
    this.#viewport = options.viewport ?? DEFAULT_VIEWPORT;
    this.#scan = scan;
    this.console = new Console(options.clock);
    this.document = new EntityDocument(scene.entities);
    this.#tellAssets();
    const layers = { "3d": 0, "2d": 0, ui: 0 } satisfies Record<Layer, number>;
    for (const { layer } of scene.entities) layers[layer]++;
    this.console.write(
      "info",
      `Loaded scene "${scene.name}" from ${options.scenePath}: ${scene.entities.length} entities ` +
        `(${layers["3d"]} 3d, ${layers["2d"]} 2d, ${layers.ui} ui)`,
    );
  }

  /** Looks at the project's assets again, after files have changed on the disk. */
  async rescanAssets(): Promise<void> {
    this.#scan = await scanAssets(this.#options.files, this.#options.root);
    this.#tellAssets();
  }

  #tellAssets(): void {
    for (const warning of this.#scan.warnings) this.console.write("warn", warning);
    this.console.write("info", `Found ${this.#scan.assets.length} assets`);
  }

  identity(): EditorIdentity {
    const { project, root, scenePath } = this.#options;
    return { editor: "slipway", project, root, scenePath };
  }

  sceneState(): Promise<SceneState> {
    const { document } = this;
    return Promise.resolve({
      scenePath: this.#options.scenePath,
      rev: document.rev,
      entities: document.entities(),
    });
  }

  worldTransforms(): Promise<ReadonlyMap<number, WorldTransform>> {
    const placed = new Map<number, WorldTransform>();
    for (const [id, place] of this.#worldPlaces()) {
      if (place.placed) placed.set(id, worldTransform(place));
    }
    return Promise.resolve(placed);
  }

  async layoutBounds(options: { readonly overlaps?: boolean } = {}): Promise<Layout> {
    this.#yoga ??= loadYoga();
    const yoga = await this.#yoga;
    return computeLayout({
      entities: this.document.entities(),
      places: this.#worldPlaces(),
      details: this.#scan.details,
      viewport: this.#viewport,
      yoga,
    }, options);
  }

  assets(): Promise<readonly Asset[]> {
    return Promise.resolve(this.#scan.assets);
  }

  traits(): Promise<readonly TraitSchema[]> {
    return Promise.resolve(this.#traits.all());
  }

  consoleEntries(): Promise<readonly ConsoleEntry[]> {
    return Promise.resolve(this.console.entries());
  }

  async diagnose(): Promise<Diagnosis> {
    const layout = await this.layoutBounds();
    return diagnose({
      entities: this.document.entities(),
      traits: this.#traits,
      assets: this.#scan.assets,
      layout,
      console: this.console.entries(),
      now: this.#options.clock.now(),
    });
  }

  #worldPlaces(): ReadonlyMap<number, WorldPlace> {
    const { rev } = this.document;
    if (this.#places?.rev !== rev) {
      this.#places = { rev, value: worldPlaces(this.document.entities()) };
    }
    return this.#places.value;
  }
}
