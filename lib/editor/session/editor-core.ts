import { runCooperatively } from "../../core/cooperative.ts";
import { atResolved } from "../../core/inside.ts";
import type { Problem } from "../../core/problem.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import { type AssetScan, rescanFiles, scanAssets } from "../assets/assets.ts";
import { Console } from "../history/console.ts";
import { EntityDocument, MAX_ENTITIES, type Scene, type World } from "../../game/scene/mod.ts";
import { ChangeFeed } from "./change-feed.ts";
import { EditorLock } from "./editor-lock.ts";
import { FileSteps } from "../history/file-steps.ts";
import { History } from "../history/history.ts";
import { JournalRings } from "../history/journals.ts";
import type { Viewport } from "../ports/mod.ts";
import { sceneAtRest, type SeenScene } from "./seen-scene.ts";
import type { TraitRegistry } from "../../game/traits/mod.ts";
import type { FileMark } from "../scene/scene-source.ts";
import { Turns } from "../../core/turns.ts";

/** Minimum interval between checks of the asset files, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** Pause after a slow check, as a multiple of its duration. */
const REST = 10;

/**
 * Creates other files that a project needs, before a scene is saved.
 *
 * @param scenePath Path at which the scene will be.
 * @returns The created files, relative to the project; or why the scene cannot be saved.
 */
export type BeforeSave = (scenePath: string) => Promise<Result<readonly string[], Problem>>;

/** Options of an {@linkcode EditorCore}. */
export interface EditorCoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** The project's folder. */
  readonly root: string;
  /** The project's name. */
  readonly project: string;
  readonly viewport: Viewport;
  readonly traits: TraitRegistry;
  readonly scan: AssetScan;
  /** {@linkcode MAX_ENTITIES} when absent. */
  readonly maxEntities?: number;
  readonly beforeSave?: BeforeSave;
}

/** The state that the parts of the embedded editor share: the open scene, the assets, the journals. */
export class EditorCore implements SeenScene {
  readonly files: Files;
  readonly clock: Clock;
  readonly root: string;
  readonly project: string;
  readonly traits: TraitRegistry;
  /** The most entities of a scene, of a prefab and of a playing world. */
  readonly maxEntities: number;
  /** Parses a file of the project while others have their turns. */
  readonly parsing: typeof jsonFileParsing = jsonFileParsing;
  readonly beforeSave: BeforeSave;
  /** The lines that the editor and the game print. */
  readonly console: Console;
  readonly journals: JournalRings;
  /** Steps of undo: of the open scene, of assets and of settings, in one order. */
  readonly history: History;
  /** Changes of files as steps of the history. */
  readonly fileSteps: FileSteps;
  /**
   * Held by whoever changes the project: others see a batch or a request completely or not at all.
   */
  readonly lock: EditorLock;
  /** Reports changes to listeners. */
  readonly feed: ChangeFeed;
  /**
   * Runs history steps, starts of games and reloads of the scene one at a time, below the lock. Work in a
   * turn must wait neither for the lock nor for a look at the scene's file.
   */
  readonly changes: Turns = new Turns();
  /** The scene before the work that holds the lock; `null` while the lock is free. */
  #before: SeenScene | null = null;
  /** Pixels of the game's view. */
  viewport: Viewport;
  /** The open scene's file, relative to the project. */
  scenePath = "";
  /** The name that people see. */
  sceneName = "";
  /** Its file as this editor read or wrote it last; `null` before a new scene is saved. */
  sceneFile: FileMark | null = null;
  /** The edited entities. Another scene is another document. */
  document: EntityDocument = new EntityDocument();
  /** The world of the game that plays or is paused; `null` when stopped. */
  playing: World | null = null;
  /**
   * The scene to which the playing game has changed, relative to the project; `null` in the open
   * scene.
   */
  playingScene: string | null = null;
  /** Number of started games, and so of the current one. */
  round = 0;
  /** Values saved by the playing game; the editor keeps them until the next one starts. */
  readonly saved: Map<string, number> = new Map();
  /**
   * First revision of the next playing world: beyond every revision of a document, so that a
   * revision read from a game never refers to an edited scene.
   */
  nextPlayRev: number = 2 ** 40;
  #scan: AssetScan;
  /** Serializes scans, so that none loses another one's results. */
  readonly #scans = new Turns();
  #looking: Promise<void> = Promise.resolve();
  #nextLook: number;

  constructor(options: EditorCoreOptions) {
    this.files = atResolved(options.files);
    this.clock = options.clock;
    this.root = options.root;
    this.project = options.project;
    this.viewport = options.viewport;
    this.traits = options.traits;
    this.maxEntities = options.maxEntities ?? MAX_ENTITIES;
    this.beforeSave = options.beforeSave ?? (() => Promise.resolve(ok([])));
    this.#scan = options.scan;
    this.#nextLook = options.clock.monotonic() + LOOK_EVERY_MS;
    this.console = new Console(options.clock, (seq) => this.feed.consoleWritten(seq));
    this.journals = new JournalRings(options.clock, {
      game: (seq) => this.feed.gameNoted(seq),
      editor: (event) => this.feed.editorNoted(event),
    });
    this.lock = new EditorLock(options.clock, {
      begun: () => this.#before = sceneAtRest(this, () => this.playing),
      released: () => {
        this.#before = null;
        this.feed.flush();
      },
    });
    this.history = new History({
      onForget: (steps) =>
        this.console.write(
          "warn",
          `Dropped the ${steps} oldest undo steps: their files became too large`,
        ),
    });
    this.fileSteps = new FileSteps(this);
    this.feed = new ChangeFeed(this);
    this.#tellAssets();
  }

  /** The world that is shown: the playing one, else the document. */
  get world(): World {
    const { document } = this;
    return this.playing ?? { entities: () => document.entities(), rev: document.rev };
  }

  /**
   * The scene for callers that do not hold the lock: never in the middle of a change. A playing
   * game continues.
   */
  get shown(): SeenScene {
    return this.#before ?? this;
  }

  /** The assets as they were found last. */
  get scan(): AssetScan {
    return this.#scan;
  }

  /** Looks at the project's assets again, after files have changed. */
  rescanAssets(): Promise<void> {
    return this.#scans.take(async () => {
      this.#scan = await scanAssets(this.files, this.root);
      this.#tellAssets();
      this.feed.touch();
    });
  }

  /**
   * Finds changes by others below `assets/` and `scenes/`, at most once a second, and less often if
   * that takes long. Reads only files whose size or time differs.
   */
  rescanIfChanged(): Promise<void> {
    const start = this.clock.monotonic();
    if (start < this.#nextLook) return this.#looking;
    this.#nextLook = Infinity;
    this.#looking = this.#rescan((scan) => scanAssets(this.files, this.root, scan)).finally(() => {
      const now = this.clock.monotonic();
      this.#nextLook = Math.max(start + LOOK_EVERY_MS, now + (now - start) * REST);
    });
    return this.#looking;
  }

  /** Scans only these assets again, and reports new warnings in the console. */
  rescanFiles(paths: readonly string[]): Promise<void> {
    return this.#rescan((scan) => rescanFiles(this.files, this.root, { scan, paths }));
  }

  #rescan(next: (scan: AssetScan) => Promise<AssetScan>): Promise<void> {
    return this.#scans.take(async () => {
      const before = new Set(this.#scan.warnings);
      this.#scan = await next(this.#scan);
      for (const warning of this.#scan.warnings) {
        if (!before.has(warning)) this.console.write("warn", warning);
      }
      this.feed.touch();
    });
  }

  /**
   * Creates the document of a scene that replaces the open one. Its revision continues from that
   * one's, and only entities with the same guid keep their id, so that a stored id never refers to
   * a different entity. Neither scene may change until it is loaded.
   */
  documentOf({ entities }: Scene): Promise<EntityDocument> {
    const previous = this.scenePath === "" ? undefined : this.document;
    const { clock, maxEntities } = this;
    const work = EntityDocument.of(entities, previous, { maxEntities });
    return runCooperatively(work, { now: () => clock.monotonic() });
  }

  /**
   * Replaces the open scene.
   *
   * @param document From {@linkcode documentOf}.
   * @param mark Its file as it was read; `null` if it has none yet.
   */
  load(scenePath: string, { scene, document, mark }: {
    readonly scene: Scene;
    readonly document: EntityDocument;
    readonly mark: FileMark | null;
  }): void {
    this.scenePath = scenePath;
    this.sceneName = scene.name;
    this.sceneFile = mark;
    this.document = document;
    const layers = { "3d": 0, "2d": 0, ui: 0 };
    for (const { layer } of scene.entities) layers[layer]++;
    this.console.write(
      "info",
      `${mark === null ? "Began" : "Loaded"} scene "${scene.name}" ` +
        `${mark === null ? "for" : "from"} ${scenePath}: ${scene.entities.length} entities ` +
        `(${layers["3d"]} 3d, ${layers["2d"]} 2d, ${layers.ui} ui)`,
    );
  }

  #tellAssets(): void {
    for (const warning of this.#scan.warnings) this.console.write("warn", warning);
    this.console.write("info", `Found ${this.#scan.assets.length} assets`);
  }
}
