import { messageOf } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InputListener } from "../../game/play/mod.ts";
import type { EntityDocument, World } from "../../game/scene/mod.ts";
import type { SeenScene } from "./seen-scene.ts";
import { type AssetScan, isSameScan } from "../assets/assets.ts";
import type { Console } from "../history/console.ts";
import {
  type ChangeListener,
  type Changes,
  type EditorChange,
  type EditorEvent,
  type Entity,
  type HistoryState,
  type InputEvent,
  MAX_CHANGED_CHARACTERS,
  MAX_CHANGED_ENTITIES,
  type PlayState,
  type SceneChange,
  type ViewState,
} from "../ports/mod.ts";

/** Interval of progress reports of a playing game, in milliseconds. */
const PACE_MS = 100;
/** Maximum events held back while the project is being changed. */
const MAX_KEPT_BACK = 1_000;

/** The members of the editor's core that are looked at for changes. */
export interface Observed {
  readonly clock: Clock;
  readonly console: Console;
  readonly lock: { readonly isHeld: boolean };
  readonly document: EntityDocument;
  readonly playing: World | null;
  readonly playingScene: string | null;
  readonly round: number;
  readonly scan: AssetScan;
  /** The scene as listeners see it. */
  readonly shown: SeenScene;
}

/** State that the parts of an editor provide for comparison. */
export interface ObservedParts {
  view(): ViewState;
  play(): PlayState;
  /** Whether steps are made now, one after another. */
  isStepping(): boolean;
}

/** The last reported state. */
interface Reported {
  document: EntityDocument;
  rev: number;
  playing: World | null;
  scenePath: string;
  history: string;
  view: string;
  scan: AssetScan;
  settings: number;
}

/**
 * Reports changes of the embedded editor as they happen. Callers do not describe their changes: the
 * shared state is compared with the last reported one wherever a change may be complete, so that no
 * change is missed or reported twice. Without listeners nothing is compared.
 */
export class ChangeFeed implements Changes {
  readonly #core: Observed;
  readonly #listeners = new Set<ChangeListener>();
  #parts: ObservedParts | null = null;
  #reported: Reported | null = null;
  #settings = 0;
  /** Events of the lock's holder, reported together with its changes. */
  #keptBack: EditorEvent[] = [];
  /** Reported at the pace of a playing game. */
  #paced: {
    console: number | null;
    journal: number | null;
    input: {
      readonly round: number;
      readonly first: number;
      readonly events: (readonly [tick: number, event: InputEvent])[];
    } | null;
  } = { console: null, journal: null, input: null };
  #pacedAt = 0;
  #isScheduled = false;

  constructor(core: Observed) {
    this.#core = core;
  }

  /** The parts that are looked at, once they are there. */
  observe(parts: ObservedParts): void {
    this.#parts = parts;
  }

  subscribe(listen: ChangeListener): () => void {
    const own: ChangeListener = (change) => listen(change); // the same function may listen twice
    if (this.#listeners.size === 0) this.#reported = this.#now();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#reported = null;
      this.#keptBack = [];
      this.#paced = { console: null, journal: null, input: null };
    };
  }

  /** Something may have changed: reports it now, or when the lock is released. */
  touch(): void {
    if (!this.#core.lock.isHeld) this.flush();
  }

  /** Reports the differences from the last reported state. */
  flush(): void {
    const before = this.#reported;
    if (before === null) return;
    const now = this.#now();
    const changes: EditorChange[] = [];
    const scene = sceneChange(before, now, this.#core);
    if (scene !== null) changes.push(scene);
    if (now.view !== before.view) changes.push(...this.#viewChange());
    if (now.history !== before.history) changes.push({ kind: "history" });
    if (!isSameScan(now.scan, before.scan)) {
      changes.push({ kind: "assets" });
      // The game may have read the old values, or may read the new ones later.
      const { playing, round } = this.#core;
      if (playing !== null) changes.push({ kind: "off-record", round });
    }
    if (now.settings !== before.settings) changes.push({ kind: "settings" });
    for (const event of this.#keptBack) changes.push({ kind: "editor-event", ...event });
    this.#keptBack = [];
    this.#reported = now;
    this.#tell(changes);
  }

  /** Reports changes of the view, which never wait for the lock. */
  touchView(): void {
    if (this.#reported === null) return;
    const changes = this.#viewChange();
    const view = JSON.stringify(changes[0]);
    if (view === this.#reported.view) return;
    this.#reported.view = view;
    this.#tell(changes);
  }

  /** A file of the project that is not an asset has changed. */
  noteSettings(): void {
    this.#settings++;
  }

  /** The game started, paused, stopped or changed its course. */
  played(): void {
    if (this.#reported === null) return;
    this.touch();
    this.#tellPaced();
    this.#tellPlay();
  }

  /** A step was made. */
  stepped(): void {
    if (this.#reported === null) return;
    const now = this.#core.clock.monotonic();
    if (now - this.#pacedAt < PACE_MS) return;
    const shown = shownScene(this.#core);
    if (this.#core.playing !== this.#reported.playing || shown !== this.#reported.scenePath) {
      this.touch();
    }
    this.#tellPaced();
    this.#tellPlay();
  }

  /** {@linkcode Console} has a new line. */
  consoleWritten(seq: number): void {
    if (this.#reported === null) return;
    this.#paced.console = seq;
    this.#schedule();
  }

  /** The game's journal has a new event. */
  gameNoted(seq: number): void {
    if (this.#reported === null) return;
    this.#paced.journal = seq;
    this.#schedule();
  }

  /** The editor's journal has a new event. */
  editorNoted(event: EditorEvent): void {
    if (this.#reported === null) return;
    this.#keptBack.push(event);
    if (this.#keptBack.length > MAX_KEPT_BACK) this.#keptBack.shift();
    this.touch();
  }

  /** The game was given something. */
  inputTaken(round: number, { index, tick, event }: Parameters<InputListener>[0]): void {
    if (this.#reported === null) return;
    if (this.#paced.input?.round !== round) this.#tellPaced();
    this.#paced.input ??= { round, first: index, events: [] };
    this.#paced.input.events.push([tick, event]);
    this.#schedule();
  }

  #now(): Reported {
    const { document, playing, scan, shown } = this.#core;
    return {
      document,
      rev: shown.document.rev,
      playing,
      scenePath: shownScene(this.#core),
      history: historyKey(shown.history.state(), shown.history.unsaved),
      view: JSON.stringify(this.#viewChange()[0]),
      scan,
      settings: this.#settings,
    };
  }

  #viewChange(): EditorChange[] {
    return this.#parts === null ? [] : [{ kind: "view", ...this.#parts.view() }];
  }

  #tellPlay(): void {
    if (this.#parts !== null) this.#tell([{ kind: "play", ...this.#parts.play() }]);
  }

  /** Changes between two steps are reported after the second one; all others together, soon. */
  #schedule(): void {
    if (this.#isScheduled || this.#parts?.isStepping() === true) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#tellPaced();
    });
  }

  #tellPaced(): void {
    const { console, journal, input } = this.#paced;
    this.#paced = { console: null, journal: null, input: null };
    this.#pacedAt = this.#core.clock.monotonic();
    const changes: EditorChange[] = [];
    if (input !== null) changes.push({ kind: "input", ...input });
    if (console !== null) changes.push({ kind: "console", seq: console });
    if (journal !== null) changes.push({ kind: "journal", seq: journal });
    this.#tell(changes);
  }

  #tell(changes: readonly EditorChange[]): void {
    for (const change of changes) {
      for (const listen of [...this.#listeners]) {
        try {
          listen(change);
        } catch (thrown) { // a failing listener neither undoes the change nor keeps others from hearing of it
          this.#listeners.delete(listen);
          const why = messageOf(thrown);
          this.#core.console.write("error", `A listener of changes failed and was removed: ${why}`);
        }
      }
    }
  }
}

function shownScene({ playing, playingScene, shown: { scenePath } }: Observed): string {
  return playing === null ? scenePath : playingScene ?? scenePath;
}

/**
 * Returns the differences of the entities; `null` if there are none. A playing world changes all
 * the time.
 */
function sceneChange(before: Reported, now: Reported, { playing }: Observed): SceneChange | null {
  const { document, scenePath } = now;
  const rev = playing?.rev ?? now.rev;
  const change = { kind: "scene", scenePath, rev } as const;
  const full: SceneChange = { ...change, entities: null, removed: [] };
  if (now.playing !== before.playing || scenePath !== before.scenePath) return full;
  if (document !== before.document) return full;
  if (playing !== null || now.rev === before.rev) return null;
  const { known, ids } = document.changedSince(before.rev);
  const isMany = !known || ids.length > MAX_CHANGED_ENTITIES;
  if (isMany || !document.keptOrderSince(before.rev)) return full;
  const removed = ids.filter((id) => document.get(id) === undefined);
  const partial: SceneChange = { ...change, entities: inOrder(document, ids), removed };
  return JSON.stringify(partial).length > MAX_CHANGED_CHARACTERS ? full : partial;
}

function inOrder(document: EntityDocument, ids: readonly number[]): readonly Entity[] {
  const found = ids.map((id) => document.get(id)).filter((entity) => entity !== undefined);
  if (found.length < 2) return found;
  const requestedIds = new Set(ids);
  return document.entities().filter(({ id }) => requestedIds.has(id));
}

/** Returns a key that changes with the steps and with whether the scene is saved. */
function historyKey({ undo, redo }: HistoryState, unsaved: boolean): string {
  return [undo, redo].map((steps) => {
    const last = steps.at(-1);
    return `${steps.length} ${steps[0]?.id} ${last?.id} ${last?.label}`;
  }).concat(String(unsaved)).join("\n");
}
