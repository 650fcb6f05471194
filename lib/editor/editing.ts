import type { JsonObject } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { type Change, subjectOf } from "./document.ts";
import { type Applied, applyOps } from "./edit-ops.ts";
import { labelOf } from "./edit-label.ts";
import type { EditorCore } from "./editor-core.ts";
import { freshGuid } from "./guid.ts";
import { History } from "./history.ts";
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
} from "./ports.ts";
import {
  noteWithRev,
  refusedWhilePlaying,
  type SavedScene,
  type SaveOptions,
  SceneDesk,
} from "./scene-desk.ts";

/** Ids that the journal keeps of one edit. */
const JOURNAL_IDS = 20;

/** Editing the open scene of the embedded editor. */
export interface EmbeddedEditing extends SceneEditing {
  /** {@linkcode SceneEditing.joinSteps}, which this editor can do. */
  joinSteps(after: number | null, label: string): number | null;
  /** {@linkcode SceneEditing.takeBackSteps}, which this editor can do. */
  takeBackSteps(after: number | null): void;
  /** {@linkcode SceneEditing.pickUpChanges}, at most once a second. */
  glance(): Promise<void>;
  /** Whether somebody else has written the open scene's file and this editor has unsaved changes. */
  readonly conflict: boolean;
}

/** What may be exchanged. */
export interface EditingOptions {
  /** Makes the guids of what is created; random ones when absent. */
  readonly newGuid?: () => string;
}

/** Makes the part of the embedded editor that edits its scene. */
export function createEditing(core: EditorCore, options: EditingOptions = {}): EmbeddedEditing {
  return new Editing(core, options.newGuid ?? freshGuid);
}

class Editing implements EmbeddedEditing {
  readonly #core: EditorCore;
  readonly #newGuid: () => string;
  readonly #history = new History();
  readonly #desk: SceneDesk;

  constructor(core: EditorCore, newGuid: () => string) {
    this.#core = core;
    this.#newGuid = newGuid;
    this.#desk = new SceneDesk(core, this.#history);
  }

  get unsaved(): boolean {
    return this.#history.unsaved;
  }

  get conflict(): boolean {
    return this.#desk.conflict;
  }

  edit(request: EditRequest): Promise<Result<Result<EditOutcome, EditRefusal>, Problem>> {
    const refused = refusedWhilePlaying(this.#core) ?? this.#atAnotherRev(request.ifRev);
    return Promise.resolve(refused === null ? ok(this.#edit(request)) : err(refused));
  }

  #edit(request: EditRequest): Result<EditOutcome, EditRefusal> {
    const { document, traits, scan: { assets } } = this.#core;
    const { ops, source, dryRun = false } = request;
    const label = request.label ?? labelOf(ops, document);
    const scene = { document, traits, assets, newGuid: this.#newGuid };
    const applied = applyOps(scene, ops, { dryRun });
    if (!applied.ok) return applied;
    const { changes, tried } = applied.value;
    const undo = changes.length === 0 ? null : this.#record({ label, source }, changes);
    return ok(outcomeOf(applied.value, tried, { rev: document.rev, undo }));
  }

  #record(step: Pick<HistoryStep, "label" | "source">, changes: readonly Change[]): number {
    const undo = this.#history.push({ ...step, t: this.#core.clock.now() }, changes);
    this.#note("edit", step.source, { label: step.label, undo, ids: idsOf(changes) });
    return undo;
  }

  undo(steps: number, source: Actor): Promise<Result<readonly HistoryStep[], Problem>> {
    return Promise.resolve(this.#travel("undo", steps, source));
  }

  redo(steps: number, source: Actor): Promise<Result<readonly HistoryStep[], Problem>> {
    return Promise.resolve(this.#travel("redo", steps, source));
  }

  #travel(
    way: "undo" | "redo",
    steps: number,
    source: Actor,
  ): Result<readonly HistoryStep[], Problem> {
    const refused = refusedWhilePlaying(this.#core);
    if (refused !== null) return err(refused);
    const done: HistoryStep[] = [];
    while (done.length < steps) {
      const taken = way === "undo" ? this.#history.undo() : this.#history.redo();
      if (taken === null) break;
      this.#core.document.replay(taken.changes);
      done.push(taken.step);
      this.#note(way, source, { label: taken.step.label, undo: taken.step.id });
    }
    return ok(done);
  }

  history(): HistoryState {
    return this.#history.state();
  }

  joinSteps(after: number | null, label: string): number | null {
    return this.#history.join(after, label);
  }

  takeBackSteps(after: number | null): void {
    const changes = this.#history.takeBack(after);
    this.#core.document.replay(changes);
    if (changes.length > 0) this.#note("take-back", "agent", { ids: idsOf(changes) });
  }

  changedSince(rev: number): { readonly known: boolean; readonly ids: readonly number[] } {
    // A playing world counts for itself and changes everywhere.
    return this.#core.playing === null
      ? this.#core.document.changedSince(rev)
      : { known: false, ids: [] };
  }

  scenes(): Promise<readonly SceneFileInfo[]> {
    return this.#desk.scenes();
  }

  openScene(path: string, options: SceneSwitch): Promise<Result<null, Problem>> {
    return this.#desk.openScene(path, options);
  }

  newScene(path: string, options: SceneSwitch): Promise<Result<null, Problem>> {
    return this.#desk.newScene(path, options);
  }

  save(options: SaveOptions): Promise<Result<SavedScene, Problem>> {
    return this.#desk.save(options);
  }

  validate(path?: string): Promise<Result<readonly string[], Problem>> {
    return this.#desk.validate(path);
  }

  glance(): Promise<void> {
    return this.#desk.glance();
  }

  pickUpChanges(): Promise<"unchanged" | "reloaded" | "conflict"> {
    return this.#desk.pickUpChanges();
  }

  #atAnotherRev(ifRev: number | undefined): Problem | null {
    const { document } = this.#core;
    if (ifRev === undefined || ifRev === document.rev) return null;
    const { known, ids } = document.changedSince(ifRev);
    const what = known ? `; ${ids.length} entities changed since` : "";
    return problem(
      409,
      "rev-moved",
      `The scene is at revision ${document.rev}, expected ${ifRev}${what}`,
      `svc_get_scene_state since=${ifRev} shows what changed; then use if_rev=${document.rev}`,
    );
  }

  #note(type: string, source: Actor, payload: JsonObject): void {
    noteWithRev(this.#core, type, { source, payload });
  }
}

function outcomeOf(
  { changed, warnings, created }: Applied,
  changes: readonly Change[],
  now: { readonly rev: number; readonly undo: number | null },
): EditOutcome {
  const before = new Map<number, Entity | null>();
  const after = new Map<number, Entity | null>();
  for (const change of changes) {
    const { id } = subjectOf(change);
    if (!before.has(id)) before.set(id, change.kind === "insert" ? null : change.before);
    after.set(id, change.kind === "remove" ? null : change.after);
  }
  const present = (entities: ReadonlyMap<number, Entity | null>) =>
    [...entities.values()].filter((entity) => entity !== null);
  return { changed, warnings, ...now, created, before: present(before), after: present(after) };
}

function idsOf(changes: readonly Change[]): number[] {
  return [...new Set(changes.map((change) => subjectOf(change).id))].slice(0, JOURNAL_IDS);
}
