import { eachOf, runAtOnce, runCooperatively, type Work } from "../../core/cooperative.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type Change, subjectOf } from "../../game/scene/mod.ts";
import { type Applied, applyOps } from "./edit-ops.ts";
import { labelOf } from "./edit-label.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import { type FileStep, joinFiles, NO_FILES, release } from "../files/file-changes.ts";
import { freshGuid } from "../../core/guid.ts";
import { isAssetFile } from "../history/file-steps.ts";
import { noted } from "../history/journals.ts";
import type { RecordedStep } from "../history/history.ts";
import type {
  Actor,
  EditOutcome,
  EditRefusal,
  EditRequest,
  Entity,
  HistoryState,
  HistoryStep,
  SceneEditing,
  SceneFileInfo,
  SceneSwitch,
  SceneSwitched,
  TakenStep,
  TravelOptions,
} from "../ports/mod.ts";
import {
  noteWithRev,
  refusedWhilePlaying,
  type SavedScene,
  type SaveOptions,
  SceneSession,
} from "../session/scene-session.ts";

/** Editing the open scene of the embedded editor. */
export interface EmbeddedEditing extends SceneEditing {
  /** {@linkcode SceneEditing.joinSteps}, which this editor can do. */
  joinSteps(after: number | null, label: string): number | null;
  /** {@linkcode SceneEditing.takeBackSteps}, which this editor can do. */
  takeBackSteps(after: number | null): Promise<Result<null, Problem>>;
  /** {@linkcode SceneEditing.pickUpChanges}, at most once a second. */
  reloadIfChanged(): Promise<void>;
  /**
   * Whether the open scene's file was changed or removed by others while this editor has unsaved
   * changes.
   */
  readonly conflict: boolean;
}

/** Editing as the other parts of the embedded editor need it. */
export class InnerEditing implements EmbeddedEditing {
  readonly #core: EditorCore;
  readonly #session: SceneSession;

  constructor(core: EditorCore) {
    this.#core = core;
    this.#session = new SceneSession(core);
  }

  get unsaved(): boolean {
    return this.#core.history.unsaved;
  }

  get conflict(): boolean {
    return this.#session.conflict;
  }

  edit(request: EditRequest): Promise<Result<Result<EditOutcome, EditRefusal>, Problem>> {
    return this.#core.changes.take(() => this.#run(this.#editing(request, NO_FILES)));
  }

  /**
   * Runs {@linkcode SceneEditing.edit} for a caller that holds the turn of {@linkcode
   * EditorCore.changes}.
   *
   * @param files Changes already made to files, as part of the same undo step.
   */
  editNow(
    request: EditRequest,
    files: FileStep = NO_FILES,
  ): Result<Result<EditOutcome, EditRefusal>, Problem> {
    return runAtOnce(this.#editing(request, files));
  }

  *#editing(
    request: EditRequest,
    files: FileStep,
  ): Work<Result<Result<EditOutcome, EditRefusal>, Problem>> {
    const refused = refusedWhilePlaying(this.#core) ?? this.#atAnotherRev(request.ifRev);
    return refused === null ? ok(yield* this.#edit(request, files)) : err(refused);
  }

  *#edit(request: EditRequest, files: FileStep): Work<Result<EditOutcome, EditRefusal>> {
    const { document, traits, scan: { assets } } = this.#core;
    const { ops, source, dryRun = false } = request;
    const label = request.label ?? labelOf(ops, document);
    const scene = { document, traits, assets, newGuid: freshGuid };
    const applied = yield* applyOps(scene, ops, { dryRun });
    if (!applied.ok) return applied;
    const { changes, tried } = applied.value;
    const isStep = changes.length > 0 || files.changes.length > 0;
    // In the turn in which the scene changed.
    const t = this.#core.clock.now();
    const undo = isStep ? this.#core.history.push({ label, source, t }, changes, files) : null;
    const outcome = yield* outcomeOf(applied.value, tried, { rev: document.rev, undo });
    if (isStep) this.#note("edit", source, { label, undo, ...yield* notedIds(changes) });
    return ok(outcome);
  }

  #run<T>(work: Work<T>): Promise<T> {
    return runCooperatively(work, { now: () => this.#core.clock.monotonic() });
  }

  undo(
    steps: number,
    source: Actor,
    options: TravelOptions = {},
  ): Promise<Result<readonly TakenStep[], Problem>> {
    return this.#core.changes.take(() => this.#travel("undo", { ...options, steps, source }));
  }

  redo(
    steps: number,
    source: Actor,
    options: TravelOptions = {},
  ): Promise<Result<readonly TakenStep[], Problem>> {
    return this.#core.changes.take(() => this.#travel("redo", { ...options, steps, source }));
  }

  /** Takes that many steps, or none if one of them fails. */
  async #travel(
    way: "undo" | "redo",
    { steps, source, leave = false }: TravelOptions & {
      readonly steps: number;
      readonly source: Actor;
    },
  ): Promise<Result<readonly TakenStep[], Problem>> {
    const refused = refusedWhilePlaying(this.#core);
    if (refused !== null) return err(refused);
    const done: (RecordedStep & { readonly left: readonly string[] })[] = [];
    while (done.length < steps) {
      const next = this.#core.history.next(way);
      if (next === null) break;
      const taken = await this.#takeStep(next, way, { leave });
      if (!taken.ok) {
        for (const one of done.toReversed()) {
          await this.#takeStep(one, way === "undo" ? "redo" : "undo");
        }
        return err(ofStep(taken.error, next.step, { way, before: done.length }));
      }
      done.push({ ...next, left: taken.value });
    }
    for (const { step: { label, id }, files: { changes }, left } of done) {
      const files = changes.map(({ path }) => path).filter((path) => !left.includes(path));
      this.#noteSettings(files);
      this.#note(way, source, { label, undo: id, ...(files.length > 0 && noted("files", files)) });
    }
    return ok(done.map(({ step, left }) => left.length > 0 ? { ...step, left } : step));
  }

  /**
   * Takes the next step: first its files, which may be refused, then the scene.
   *
   * @returns Its files that were left unchanged.
   */
  async #takeStep(
    { files }: RecordedStep,
    way: "undo" | "redo",
    options: TravelOptions = {},
  ): Promise<Result<readonly string[], Problem>> {
    const { history, fileSteps } = this.#core;
    const early = refusedWhilePlaying(this.#core);
    if (early !== null) return err(early);
    let kept = files;
    if (files.changes.length + files.folders.length > 0) {
      // The next step may have been taken back and forth since the caller read it.
      const swapped = await fileSteps.swap(history.next(way)?.files ?? files, way, options);
      if (!swapped.ok) return swapped;
      kept = swapped.value;
      // A game may have started while files were written.
      const late = refusedWhilePlaying(this.#core);
      if (late !== null) {
        const back = await fileSteps.swap(kept, way === "undo" ? "redo" : "undo");
        if (back.ok) history.refresh(way, back.value);
        return err(late);
      }
    }
    await this.#run(this.#replaying(way, kept));
    const swapped = new Set(kept.changes.map(({ path }) => path));
    return ok(files.changes.map(({ path }) => path).filter((path) => !swapped.has(path)));
  }

  /**
   * Applies the next step to the scene and moves it in the history. Readers see the former scene
   * until both are done.
   */
  *#replaying(way: "undo" | "redo", files: FileStep): Work<void> {
    const { document, history } = this.#core;
    const changes = history.changesOf(way);
    // Another scene may have been opened: the step then concerns only files.
    if (changes.length > 0) yield* document.replaying(changes);
    if (way === "undo") history.undo(files);
    else history.redo(files);
  }

  history(): HistoryState {
    return this.#core.history.state();
  }

  joinSteps(after: number | null, label: string): number | null {
    return this.#core.history.join(after, label);
  }

  takeBackSteps(after: number | null): Promise<Result<null, Problem>> {
    return this.#core.changes.take(async () => {
      const { history, fileSteps, document } = this.#core;
      const { step } = joinFiles(history.after(after).map(({ files }) => files));
      const swapped = await fileSteps.swap(step, "undo");
      if (!swapped.ok) return swapped;
      release(swapped.value);
      const changes = history.takeBack(after);
      if (changes.length > 0) await this.#run(document.replaying(changes));
      const files = step.changes.map(({ path }) => path);
      this.#noteSettings(files);
      if (changes.length + files.length > 0) {
        this.#note("take-back", "agent", {
          ...await this.#run(notedIds(changes)),
          ...(files.length > 0 && noted("files", files)),
        });
      }
      return ok(null);
    });
  }

  /** @param seen The scene as the reader sees it. */
  changedSince(
    rev: number,
    seen: SeenScene = this.#core,
  ): { readonly known: boolean; readonly ids: readonly number[] } {
    // A playing world counts for itself and changes everywhere.
    return this.#core.playing === null
      ? seen.document.changedSince(rev)
      : { known: false, ids: [] };
  }

  /** @param seen The scene as the reader sees it. */
  scenes(seen: () => SeenScene = () => this.#core): Promise<readonly SceneFileInfo[]> {
    return this.#session.scenes(seen);
  }

  openScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>> {
    return this.#session.openScene(path, options);
  }

  newScene(path: string, options: SceneSwitch): Promise<Result<SceneSwitched, Problem>> {
    return this.#session.newScene(path, options);
  }

  save(options: SaveOptions): Promise<Result<SavedScene, Problem>> {
    return this.#session.save(options);
  }

  /** @param seen The scene as the reader sees it. */
  validate(
    path?: string,
    seen: SeenScene = this.#core,
  ): Promise<Result<readonly string[], Problem>> {
    return this.#session.validate(path, seen);
  }

  /** @param may As for {@linkcode pickUpChanges}. */
  reloadIfChanged(may?: () => boolean): Promise<void> {
    return this.#session.reloadIfChanged(may);
  }

  /** @param may Whether the scene may be replaced now; asked again once its file was read. */
  pickUpChanges(may?: () => boolean): Promise<"unchanged" | "reloaded" | "conflict"> {
    return this.#session.pickUpChanges(may);
  }

  #atAnotherRev(ifRev: number | undefined): Problem | null {
    const { document } = this.#core;
    if (ifRev === undefined || ifRev === document.rev) return null;
    const { known, ids } = document.changedSince(ifRev);
    const count = ids.length === 1 ? "1 entity" : `${ids.length} entities`;
    const what = known ? `; ${count} changed since` : "";
    return problem(
      409,
      "rev-moved",
      `The scene is at revision ${document.rev}, expected ${ifRev}${what}`,
      `svc_get_scene_state since=${ifRev} shows what changed; then use if_rev=${document.rev}`,
    );
  }

  /** Notifies listeners that files other than assets were changed. */
  #noteSettings(files: readonly string[]): void {
    if (!files.every(isAssetFile)) this.#core.feed.noteSettings();
  }

  #note(type: string, source: Actor, payload: JsonObject): void {
    noteWithRev(this.#core, type, { source, payload });
  }
}

function* outcomeOf(
  { changed, warnings, created }: Applied,
  changes: readonly Change[],
  now: { readonly rev: number; readonly undo: number | null },
): Work<EditOutcome> {
  const before = new Map<number, Entity | null>();
  const after = new Map<number, Entity | null>();
  yield* eachOf(changes, (change) => {
    const { id } = subjectOf(change);
    if (!before.has(id)) before.set(id, change.kind === "insert" ? null : change.before);
    after.set(id, change.kind === "remove" ? null : change.after);
  });
  const present = (entities: ReadonlyMap<number, Entity | null>) =>
    [...entities.values()].filter((entity) => entity !== null);
  return { changed, warnings, ...now, created, before: present(before), after: present(after) };
}

/** Returns why several steps were not taken, naming the one that failed. */
function ofStep(
  why: Problem,
  { label }: HistoryStep,
  { way, before }: { readonly way: "undo" | "redo"; readonly before: number },
): Problem {
  if (why.code === "playing") return why;
  const others = before === 0 ? "" : ` (steps=${before} ${way}es the steps before it)`;
  return { ...why, detail: `Cannot ${way} "${label}": ${why.detail}${others}` };
}

function* notedIds(changes: readonly Change[]): Work<JsonObject> {
  const ids = new Set<number>();
  yield* eachOf(changes, (change) => ids.add(subjectOf(change).id));
  return noted("ids", [...ids]);
}
