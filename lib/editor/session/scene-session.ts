import { runCooperatively } from "../../core/cooperative.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { EditorCore } from "./editor-core.ts";
import type { SeenScene } from "./seen-scene.ts";
import { NEVER_SAVED } from "../history/history.ts";
import type {
  Actor,
  SceneEditing,
  SceneFileInfo,
  SceneSwitch,
  SceneSwitched,
} from "../ports/mod.ts";
import {
  type EntityDocument,
  type Scene,
  sceneParsing,
  sceneWriting,
} from "../../game/scene/mod.ts";
import {
  checkScenePath,
  errorsIn,
  fileStateOf,
  readSceneAt,
  SCENE_ENDING,
  sceneNameOf,
  writeScene,
} from "./scene-files.ts";
import type { FileMark } from "../scene/scene-source.ts";
import { Turns } from "../../core/turns.ts";

/** Minimum interval between checks of the scene's file, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The reason why a scene with unsaved changes is not loaded again. */
const UNSAVED = "it has unsaved changes here";

/** Options for saving. */
export type SaveOptions = Parameters<SceneEditing["save"]>[0];

/** The file that was saved. */
export interface SavedScene {
  /** Relative to the project. */
  readonly path: string;
  readonly bytes: number;
}

/** A scene that may become the open one. */
interface LoadedScene {
  readonly scene: Scene;
  readonly document: EntityDocument;
  /** Its file; `null` if it has none yet. */
  readonly mark: FileMark | null;
}

/** Opens, begins, saves and watches the file of the one open scene. */
export class SceneSession {
  readonly #core: EditorCore;
  readonly #history: EditorCore["history"];
  /** Serializes saves and loads. */
  readonly #turns = new Turns();
  #lookedAt = -Infinity;
  /** The hash of the foreign version that was noted last, or `missing` or `outside`. */
  #notified = "";
  /** Mark of the saved state whose file was removed. */
  #lost: number | null = null;
  #conflict = false;

  constructor(core: EditorCore) {
    this.#core = core;
    this.#history = core.history;
  }

  /**
   * Whether the scene's file was changed or removed by others and the open scene could not follow.
   */
  get conflict(): boolean {
    return this.#conflict;
  }

  /** {@linkcode SceneEditing.scenes}. */
  async scenes(seen: () => SeenScene): Promise<readonly SceneFileInfo[]> {
    await this.#core.rescanIfChanged();
    const { scenePath } = seen();
    return this.#core.scan.assets.filter(({ type }) => type === "scene")
      .map(({ path, guid, size }) => ({ path, guid, size, open: path === scenePath }));
  }

  /** {@linkcode SceneEditing.openScene}. */
  openScene(
    path: string,
    { discard = false, source }: SceneSwitch,
  ): Promise<Result<SceneSwitched, Problem>> {
    return this.#turns.take(async () => {
      const early = this.#beforeLeaving(discard);
      if (early !== null) return err(early);
      const read = await readSceneAt(this.#core, path);
      if (!read.ok) return read.error.code === "scene-invalid" ? refuseToOpen(path, read) : read;
      const dropped = await this.#replace(path, { ...read.value, discard });
      if (dropped.ok) this.#note("scene-open", source, { path });
      return dropped;
    });
  }

  /** {@linkcode SceneEditing.newScene}. */
  newScene(
    path: string,
    { discard = false, source }: SceneSwitch,
  ): Promise<Result<SceneSwitched, Problem>> {
    return this.#turns.take(async () => {
      const checked = checkScenePath(path);
      if (!checked.ok) return checked;
      const found = await fileStateOf(this.#core, path, { mark: null, thorough: true });
      if (!found.ok) return found;
      if (found.value.state !== "missing") return refuseExisting(path);
      const scene = { name: sceneNameOf(path), entities: [] };
      const dropped = await this.#replace(path, { scene, mark: null, discard });
      if (dropped.ok) this.#note("scene-new", source, { path });
      return dropped;
    });
  }

  /** {@linkcode SceneEditing.save}. */
  save(
    { path, overwrite = false, source }: SaveOptions,
  ): Promise<Result<SavedScene, Problem>> {
    return this.#turns.take(async () => {
      const { scenePath, sceneFile, sceneName } = this.#core;
      const target = path ?? scenePath;
      const isOwn = target === scenePath;
      const checked = isOwn ? ok(target) : checkScenePath(target);
      if (!checked.ok) return checked;
      const mark = isOwn ? sceneFile : null;
      const found = await fileStateOf(this.#core, target, { mark, thorough: true });
      if (!found.ok) return found;
      if (found.value.state === "changed" && !overwrite) {
        return isOwn && sceneFile !== null ? refuseChanged(target) : refuseExisting(target);
      }
      const made = await this.#core.beforeSave(target);
      if (!made.ok) return made;
      for (const file of made.value) this.#note("project-create", source, { path: file });
      // Edits made while the file is being written are not in it and stay unsaved.
      const at = this.#history.mark();
      const written = await writeScene(this.#core, target, sceneName);
      if (!written.ok) return written;
      this.#core.scenePath = target;
      this.#markCurrent(written.value);
      this.#history.markSaved(at);
      this.#note("save", source, { path: target, bytes: written.value.size });
      await this.#core.rescanFiles([target]);
      return ok({ path: target, bytes: written.value.size });
    });
  }

  /** {@linkcode SceneEditing.validate}. */
  async validate(
    path: string | undefined,
    { document, sceneName, scenePath }: SeenScene,
  ): Promise<Result<readonly string[], Problem>> {
    const { traits } = this.#core;
    if (path !== undefined && path !== scenePath) return await errorsIn(this.#core, path);
    const sharing = { now: () => this.#core.clock.monotonic() };
    const writing = sceneWriting(sceneName, document.entities(), traits);
    const written = await runCooperatively(writing, sharing);
    const read = await runCooperatively(sceneParsing(scenePath, written, this.#core), sharing);
    return ok(read.ok ? [] : read.error.errors);
  }

  /** {@linkcode SceneEditing.pickUpChanges}, at most once a second. */
  async reloadIfChanged(may?: () => boolean): Promise<void> {
    const now = this.#core.clock.monotonic();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) await this.pickUpChanges(may);
  }

  /**
   * {@linkcode SceneEditing.pickUpChanges}.
   *
   * @param may Whether the scene may be replaced now; asked again once its file was read.
   */
  async pickUpChanges(
    may: () => boolean = () => true,
  ): Promise<"unchanged" | "reloaded" | "conflict"> {
    if (!may()) return this.#conflict ? "conflict" : "unchanged";
    this.#lookedAt = this.#core.clock.monotonic();
    return await this.#turns.take(() => this.#pickUpChanges(may));
  }

  async #pickUpChanges(may: () => boolean): Promise<"unchanged" | "reloaded" | "conflict"> {
    const { scenePath, sceneFile, playing, document } = this.#core;
    // A playing game depends on this document; the file is checked when it stops.
    if (sceneFile === null || playing !== null) return "unchanged";
    const found = await fileStateOf(this.#core, scenePath, { mark: sceneFile, thorough: false });
    if (!found.ok) {
      if (found.error.code !== "outside-project") return "unchanged";
      return this.#collide("outside", "it links out of the project");
    }
    if (found.value.state === "missing") return await this.#miss();
    const { state, mark } = found.value;
    if (this.#lost !== null) this.#history.markSaved(this.#lost);
    this.#lost = null;
    if (state === "same") {
      this.#conflict = false;
      this.#notified = "";
      this.#core.sceneFile = mark;
      return "unchanged";
    }
    const read = this.#history.unsaved ? null : await readSceneAt(this.#core, scenePath);
    if (read === null) return this.#collide(mark.hash, UNSAVED);
    if (!read.ok) return this.#collide(mark.hash, read.error.detail);
    // Edits, undo and starts of games take the same turns, so none of them sees its document
    // replaced halfway.
    return await this.#core.changes.take(async () => {
      const next = { ...read.value, document: await this.#core.documentOf(read.value.scene) };
      return may() ? this.#follow(document, next, mark.hash) : "unchanged";
    });
  }

  /** Replaces the document with the loaded scene, unless it has been edited or a game plays. */
  #follow(
    document: EntityDocument,
    read: LoadedScene & { readonly mark: FileMark },
    version: string,
  ): "unchanged" | "reloaded" | "conflict" {
    const { scenePath, playing, console } = this.#core;
    if (playing !== null) return "unchanged"; // its stop is soon enough
    if (this.#history.unsaved || this.#core.document !== document) {
      return this.#collide(version, UNSAVED);
    }
    const dropped = this.#load(scenePath, read);
    this.#note("scene-reload", "human", { path: scenePath });
    if (dropped > 0) {
      const text = `"${scenePath}" was changed on the disk and loaded again`;
      console.write("warn", `${text}: its undo steps were dropped (${dropped})`);
    }
    return "reloaded";
  }

  /** Records that the scene's file is missing. */
  async #miss(): Promise<"conflict"> {
    if (this.#notified === "missing") return "conflict";
    const { scenePath } = this.#core;
    if (!this.#history.unsaved) this.#lost = this.#history.mark();
    this.#history.markSaved(NEVER_SAVED);
    const conflict = this.#collide("missing", "it is gone, and save_scene writes it again");
    await this.#core.rescanFiles([scenePath]);
    return conflict;
  }

  #collide(version: string, why: string): "conflict" {
    this.#conflict = true;
    if (this.#notified !== version) {
      this.#notified = version;
      const text = `"${this.#core.scenePath}" was changed on the disk and is not loaded again`;
      this.#core.console.write("warn", `${text}: ${why}`);
    }
    return "conflict";
  }

  /** Opens another scene, unless the open one was edited, or a game started, in the meantime. */
  #replace(
    path: string,
    { scene, mark, discard }: Omit<LoadedScene, "document"> & { readonly discard: boolean },
  ): Promise<Result<SceneSwitched, Problem>> {
    // Edits, undo and starts of games take the same turns.
    return this.#core.changes.take(async () => {
      const late = this.#beforeLeaving(discard);
      if (late !== null) return err(late);
      const document = await this.#core.documentOf(scene);
      return ok({ droppedSteps: this.#load(path, { scene, document, mark }) });
    });
  }

  /** @returns The number of undo and redo steps that it drops. */
  #load(path: string, loaded: LoadedScene): number {
    const { mark } = loaded;
    this.#core.load(path, loaded);
    const dropped = this.#history.clear({ saved: mark !== null });
    this.#markCurrent(mark);
    return dropped;
  }

  #markCurrent(mark: FileMark | null): void {
    this.#core.sceneFile = mark;
    this.#conflict = false;
    this.#notified = "";
    this.#lost = null;
    this.#lookedAt = this.#core.clock.monotonic();
  }

  #beforeLeaving(discard: boolean): Problem | null {
    const playing = refusedWhilePlaying(this.#core);
    if (playing !== null || discard || !this.#history.unsaved) return playing;
    return problem(
      409,
      "unsaved-changes",
      `"${this.#core.scenePath}" has unsaved changes`,
      "save_scene first, or discard=1 to lose them",
    );
  }

  #note(type: string, source: Actor, payload: JsonObject): void {
    noteWithRev(this.#core, type, { source, payload });
  }
}

/** Records an action on the scene, with the resulting revision. */
export function noteWithRev(
  { journals, document: { rev } }: EditorCore,
  type: string,
  { source, payload }: { readonly source: Actor; readonly payload: JsonObject },
): void {
  journals.noteEditor(type, source, { ...payload, rev });
}

/** For a file whose name is not that of a scene, the errors of its content do not matter. */
function refuseToOpen(
  path: string,
  read: { readonly ok: false; readonly error: Problem },
): Result<never, Problem> {
  return path.endsWith(SCENE_ENDING) ? read : refuse(
    422,
    "scene-invalid",
    `Cannot open "${path.slice(0, 120)}": its name is not that of a scene, *${SCENE_ENDING}`,
    "list_scenes names those that there are",
  );
}

/** Returns 409 `playing` while a game plays, because it depends on the scene. */
export function refusedWhilePlaying({ playing }: EditorCore): Problem | null {
  return playing === null ? null : problem(
    409,
    "playing",
    "The scene cannot be edited while the game plays",
    "play_control action=stop",
  );
}

function refuseExisting(path: string): Result<never, Problem> {
  return refuse(
    409,
    "exists",
    `There is a file "${path}" already`,
    "Choose another path, open_scene it, or save_scene with overwrite=1",
  );
}

function refuseChanged(path: string): Result<never, Problem> {
  return refuse(
    409,
    "changed-on-disk",
    `Somebody else has written "${path}" since it was opened`,
    "save_scene overwrite=1 loses their version, open_scene discard=1 loses yours; or save to path=",
  );
}
