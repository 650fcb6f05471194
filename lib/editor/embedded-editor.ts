import { runCooperatively } from "../core/cooperative.ts";
import { compareCodeUnits, type JsonObject } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { scanAssets } from "./assets/assets.ts";
import { EmbeddedAuthoring } from "./authoring/authoring.ts";
import { UsedAssets } from "./diagnose/used-assets.ts";
import type { Console } from "./history/console.ts";
import { diagnoseWork } from "./diagnose/diagnose.ts";
import type { EntityDocument } from "../game/scene/mod.ts";
import { type EmbeddedEditing, InnerEditing } from "./editing/editing.ts";
import { type BeforeSave, EditorCore } from "./session/editor-core.ts";
import { inTurn } from "./session/editor-lock.ts";
import type { SeenScene } from "./session/seen-scene.ts";
import type { TouchFiles } from "./history/file-draft.ts";
import type { FileOutcome } from "./history/file-steps.ts";
import { freshScene } from "./scene/fresh-scene.ts";
import { NEVER_SAVED } from "./history/history.ts";
import type {
  Actor,
  Asset,
  AssetAuthoring,
  Changes,
  ConsoleEntry,
  Diagnosis,
  Editor,
  EditorIdentity,
  ExclusiveOptions,
  Journals,
  Layout,
  LayoutOptions,
  Poses,
  Prefabs,
  ProducerOptions,
  SceneState,
  TraitSchema,
  View,
  Viewport,
  Watches,
  WorldBounds,
  WorldTransform,
} from "./ports/mod.ts";
import { Measures } from "./measures/measures.ts";
import { type EmbeddedPlay, ScenePlay } from "./play/play.ts";
import { ScenePoses } from "./play/poses.ts";
import { EmbeddedPrefabs } from "./editing/prefabs.ts";
import { DEFAULT_VIEWPORT } from "../game/assets/mod.ts";
import { BUILT_IN_TRAITS, TraitRegistry } from "../game/traits/mod.ts";
import { sceneNameOf } from "./session/scene-files.ts";
import { readSceneFile } from "./scene/scene-source.ts";
import { EmbeddedView } from "./session/view.ts";
import { EmbeddedWatches } from "./session/watches.ts";

/** The project and the runtime that the embedded editor is opened on. */
export interface EmbeddedEditorOptions {
  /** File system of the project. */
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
  /** Traits of the game in addition to the built-in ones; their names must be new. */
  readonly traits?: readonly TraitSchema[];
  /** The most entities of a scene and of a playing world; 100,000 when absent. */
  readonly maxEntities?: number;
  /** Called before a scene is saved, to create other files that the project needs. */
  readonly beforeSave?: BeforeSave;
}

/**
 * Opens a scene of a project, completely or not at all. A project without any scene gets one at
 * that path, with a camera and a light; it has no file until it is saved.
 *
 * @returns The editor, or 404 `scene-missing`, 413 `scene-too-large`, 422 `scene-path`,
 * `scene-unreadable` or `scene-invalid`, 403 `outside-project`.
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
  core.load(scenePath, { scene, document: await core.documentOf(scene), mark });
  if (mark === null) core.history.markSaved(NEVER_SAVED);
  return ok(new EmbeddedEditor(core));
}

/** The label and the note of a change of files. */
export interface FileStepNote<T> {
  /** Its name in the list of steps, for people. */
  readonly label: string;
  /** Author of the change. */
  readonly source: Actor;
  /** The type of the journal's event. */
  readonly type: string;
  /** The payload of the event. */
  readonly note: (value: T) => JsonObject;
}

/** The parts of the editor. */
interface Parts {
  readonly editing: EmbeddedEditing;
  readonly authoring: AssetAuthoring;
  readonly prefabs: Prefabs;
  readonly view: View;
  readonly play: EmbeddedPlay;
  readonly watches: Watches;
}

/** The same parts, for the holder of its lock. */
interface InnerParts extends Parts {
  readonly editing: InnerEditing;
  readonly authoring: EmbeddedAuthoring;
  readonly view: EmbeddedView;
  readonly play: ScenePlay;
  readonly watches: EmbeddedWatches;
}

function partsOf(core: EditorCore): InnerParts {
  const measures = new Measures(core, () => core.world);
  const editing = new InnerEditing(core);
  const authoring = new EmbeddedAuthoring(core);
  const view = new EmbeddedView(core);
  const watches = new EmbeddedWatches(core);
  const play = new ScenePlay(core, {
    editing,
    view,
    authoring,
    layout: (entities) => measures.layoutBounds({}, entities),
    afterStep(tick) {
      watches.sample(tick);
      core.feed.stepped();
    },
  });
  core.feed.observe({
    view: () => view.state(core.shown),
    play: () => play.state(),
    isStepping: () => play.isStepping,
  });
  return { editing, authoring, prefabs: new EmbeddedPrefabs(core, editing), view, play, watches };
}

/** Wraps the parts for all other callers: each change waits for the lock, each read is of the shown scene. */
function partsInTurn(core: EditorCore, parts: InnerParts): Parts {
  const { lock } = core;
  const { editing, authoring, prefabs, view, play, watches } = parts;
  const isFree = () => !lock.isHeld;
  return {
    editing: inTurn<EmbeddedEditing>(editing, lock, {
      changes: ["edit", "undo", "redo", "takeBackSteps", "openScene", "newScene", "save"],
      instead: {
        get unsaved() {
          return core.shown.history.unsaved;
        },
        history: () => core.shown.history.state(),
        changedSince: (rev) => editing.changedSince(rev, core.shown),
        scenes: () => editing.scenes(() => core.shown),
        validate: (path) => editing.validate(path, core.shown),
        reloadIfChanged: () => editing.reloadIfChanged(isFree),
        pickUpChanges: () => editing.pickUpChanges(isFree),
      },
    }),
    authoring: inTurn<AssetAuthoring>(authoring, lock, {
      changes: ["create", "write", "writeMeta", "move", "remove", "importFile"],
      instead: {
        uses: (name) => authoring.uses(name, () => core.shown),
        unused: () => authoring.unused(() => core.shown),
      },
    }),
    prefabs: inTurn(prefabs, lock, { changes: ["instantiate", "create", "detach"] }),
    view: inTurn<View>(view, lock, {
      changes: [],
      instead: {
        state: () => view.state(core.shown),
        change: (change, source) => view.change(change, source, core.shown),
      },
    }),
    play: inTurn<EmbeddedPlay>(play, lock, {
      changes: ["dragHandle"],
      instead: {
        actions: () => play.actions(core.shown),
        handles: () => play.handles(core.shown),
      },
    }),
    watches: inTurn<Watches>(watches, lock, {
      changes: [],
      instead: { start: (request) => watches.start(request, core.shown) },
    }),
  };
}

/** The default editor: headless, one open scene. Its producers return everything (BUDGET-1). */
export class EmbeddedEditor implements Editor {
  readonly editing: EmbeddedEditing;
  readonly authoring: AssetAuthoring;
  readonly prefabs: Prefabs;
  readonly view: View;
  readonly journals: Journals;
  readonly play: EmbeddedPlay;
  readonly poses: Poses;
  readonly watches: Watches;
  readonly changes: Changes;
  readonly #core: EditorCore;
  /** The scene as it is seen here. */
  readonly #seen: () => SeenScene;
  readonly #measures: Measures;
  readonly #usedAssets: UsedAssets;
  /** The same editor for the holder of the lock; `null` in that editor itself. */
  readonly #inside: EmbeddedEditor | null;

  /**
   * Use {@linkcode openEmbeddedEditor}, which loads and checks the arguments.
   *
   * @param held Its parts, for a caller that holds the lock already.
   */
  constructor(core: EditorCore, held?: InnerParts) {
    const raw = held ?? partsOf(core);
    const parts = held ?? partsInTurn(core, raw);
    this.#core = core;
    this.#seen = held === undefined ? () => core.shown : () => core;
    this.#measures = new Measures(core, () => this.#seen().world);
    this.#usedAssets = new UsedAssets(core);
    this.#inside = held === undefined ? new EmbeddedEditor(core, raw) : null;
    this.journals = core.journals;
    this.editing = parts.editing;
    this.authoring = parts.authoring;
    this.prefabs = parts.prefabs;
    this.view = parts.view;
    this.play = parts.play;
    this.poses = new ScenePoses(core, parts.authoring, this.#seen);
    this.watches = parts.watches;
    this.changes = core.feed;
  }

  /** {@linkcode Editor.exclusive}. */
  exclusive<T>(
    name: string,
    work: (editor: Editor) => Promise<Result<T, Problem>>,
    { signal }: ExclusiveOptions = {},
  ): Promise<Result<T, Problem>> {
    const inside = this.#inside;
    if (inside === null) return work(this);
    return this.#core.lock.hold(name, () => work(inside), signal);
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
   * Changes files of the project other than assets, such as its settings, as one undo step. Does
   * not wait for the lock: tools call it while they hold the lock.
   *
   * @param step Its label, and its entry in the editor's journal.
   * @param work Names every file before it changes it.
   */
  changeFiles<T>(
    { label, source, type, note }: FileStepNote<T>,
    work: (touch: TouchFiles) => Promise<Result<T, Problem>>,
  ): Promise<Result<FileOutcome<T>, Problem>> {
    const { changes, fileSteps, journals } = this.#core;
    return changes.take(async () => {
      const done = await fileSteps.change({ label, source }, work);
      if (!done.ok) return done;
      const { value, undo } = done.value;
      if (undo !== null) this.#core.feed.noteSettings();
      journals.noteEditor(type, source, { ...note(value), ...(undo !== null && { undo }) });
      return done;
    });
  }

  /** Stops all background work and the playing game, and releases the files kept for undo. */
  async close(): Promise<void> {
    await this.play.close();
    await this.#core.fileSteps.close();
  }

  identity(): EditorIdentity {
    const { project, root, playing, playingScene } = this.#core;
    const { scenePath } = this.#seen();
    return {
      editor: "slipway",
      project,
      root,
      scenePath,
      ...(playing !== null && { playing: playingScene ?? scenePath }),
    };
  }

  async sceneState(): Promise<SceneState> {
    await this.#reloadIfChanged();
    const { playing, playingScene } = this.#core;
    const { world, scenePath } = this.#seen();
    return {
      scenePath: playingScene ?? scenePath,
      rev: world.rev,
      entities: world.entities(),
      ...(playing !== null && { playing: true }),
    };
  }

  worldTransforms(options: ProducerOptions = {}): Promise<ReadonlyMap<number, WorldTransform>> {
    return this.#measures.worldTransforms(options);
  }

  worldBounds(options: ProducerOptions = {}): Promise<ReadonlyMap<number, WorldBounds>> {
    return this.#measures.worldBounds(options);
  }

  layoutBounds(options: LayoutOptions = {}): Promise<Layout> {
    return this.#measures.layoutBounds(options);
  }

  async assets(): Promise<readonly Asset[]> {
    await this.#core.rescanIfChanged();
    return this.#core.scan.assets;
  }

  traits(): Promise<readonly TraitSchema[]> {
    const all = this.#core.traits.all();
    return Promise.resolve(all.toSorted((a, b) => compareCodeUnits(a.name, b.name)));
  }

  async consoleEntries(): Promise<readonly ConsoleEntry[]> {
    await this.#reloadIfChanged();
    return this.#core.console.entries();
  }

  async diagnose(options: ProducerOptions = {}): Promise<Diagnosis> {
    await this.#reloadIfChanged();
    await this.#core.rescanIfChanged();
    const entities = this.#seen().world.entities();
    const used = await this.#usedAssets.find(entities);
    const { traits, scan, clock } = this.#core;
    const layout = await this.#measures.layoutBounds(options, entities);
    const work = diagnoseWork({
      entities,
      traits,
      assets: scan.assets,
      ...used,
      layout,
      console: this.#core.console.entries(),
      conflict: this.editing.conflict,
      now: clock.now(),
    });
    return await runCooperatively(work, { now: () => clock.monotonic(), ...options });
  }

  /** Picks up changes that others wrote, unless a change of the project is in progress. */
  async #reloadIfChanged(): Promise<void> {
    await this.editing.reloadIfChanged();
  }
}
