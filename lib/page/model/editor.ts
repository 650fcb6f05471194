import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import { Turns } from "../../core/turns.ts";
import type {
  Entity,
  HistoryStep,
  PlayState,
  TraitSchema,
  ViewState,
} from "../../editor/ports/mod.ts";
import type { Connection, ReceivedChange } from "../wire/changes.ts";
import {
  listOf,
  memberOf,
  playOf,
  readHistoryStep,
  readView,
  textOrEmpty,
  traitOf,
} from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { say } from "./notices.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { byId } from "./scene.ts";

// The editor's state apart from the scene: selection, play, undo, traits. All clients share one
// editor: a selection by an agent is also selected here.

const VIEW: ViewState = {
  selection: [],
  asset: null,
  gizmo: { mode: "translate", space: "world" },
  mode: "3d",
  viewport: { width: 1280, height: 720 },
  focus: null,
};
const STOPPED: PlayState = { state: "stopped", tick: 0, time: 0, timeScale: 1, rate: 0 };

/** State of the stream of changes. */
export const connection: Signal<Connection> = signal("connecting");
/** Selection and view. */
export const view: Signal<ViewState> = signal(VIEW);
/** State of the game. */
export const gameState: Signal<PlayState> = signal(STOPPED);
/** The state without the tick: it changes rarely, while ticks arrive ten times a second. */
export const playState: ReadonlySignal<PlayState["state"]> = computed(() => gameState.value.state);
/** Whether there is no game, playing or paused, so that the scene can be edited. */
export const isStopped: ReadonlySignal<boolean> = computed(() => playState.value === "stopped");
/** Speed of the game, as a multiple of real time. */
export const timeScale: ReadonlySignal<number> = computed(() => gameState.value.timeScale);
/** Every trait, by name. */
export const traits: Signal<ReadonlyMap<string, TraitSchema>> = signal(new Map());
/** Steps to undo and to redo, oldest first. */
export const history: Signal<{
  readonly undo: readonly HistoryStep[];
  readonly redo: readonly HistoryStep[];
}> = signal({ undo: [], redo: [] });
/** Increases whenever settings of the project change. */
export const settingsStamp: Signal<number> = signal(0);
/** The project's name. */
export const projectName: Signal<string> = signal("");
/** Whether the open scene has changes that are not saved. */
export const unsaved: Signal<boolean> = signal(false);

/** The selected entities, the primary one first. */
export const selected: ReadonlySignal<readonly Entity[]> = computed(() =>
  view.value.selection.map((id) => byId.value.get(id)).filter((entity) => entity !== undefined)
);

/** Loads everything again. */
export async function loadEditor(): Promise<void> {
  await Promise.all([
    loadView(),
    loadPlay(),
    load("traits", (value) => {
      const list = listOf(memberOf(value, "traits"), traitOf);
      traits.value = new Map(list.map((trait) => [trait.name, trait]));
    }),
    loadProject(),
    loadHistory(),
  ]);
}

const loadProject = oneAtATime(async () => {
  const answer = await callService("get_project");
  if (answer.ok) projectName.value = textOrEmpty(answer.value["name"]);
  settingsStamp.value++;
});

/** Loads the undo steps, and whether anything is unsaved. */
const loadHistory = oneAtATime(() =>
  load("history", (value) => {
    const { undo, redo, unsaved: isUnsaved } = isRecord(value) ? value : {};
    history.value = { undo: listOf(undo, readHistoryStep), redo: listOf(redo, readHistoryStep) };
    unsaved.value = isUnsaved === true;
  })
);

/** Number of changes of the view by this page that are not answered yet. */
let underWay = 0;
/** The last view that was received while such changes were pending: it may be older than they are. */
let setAside: ViewState | null = null;
/** Whether one of them was refused, so that the page shows a wrong view. */
let isRefused = false;
/** Views that the stream has not confirmed yet, oldest first: until then its reports may be older. */
let ahead: readonly string[] = [];
/** Number of changes that this page has started: a response requested before one may be older than it. */
let begun = 0;
/** Maximum number of unconfirmed views to remember. */
const MAX_AHEAD = 100;
/** Serializes requests, because concurrent ones may arrive in either order. */
const viewTurns = new Turns();

/**
 * Shows the user's change of the view immediately, and sends it to the service after earlier ones.
 */
export async function changeView(now: ViewState, ask: () => Promise<boolean>): Promise<void> {
  if (!isShown(now)) ahead = [...ahead, JSON.stringify(now)].slice(-MAX_AHEAD); // no report of an equal view
  view.value = now;
  begun++;
  underWay++;
  const isDone = await viewTurns.take(ask);
  underWay--;
  isRefused ||= !isDone;
  if (underWay > 0) return;
  if (isRefused) ahead = []; // no report matches a refused view, or one that was made from it
  const isWrong = isRefused || (setAside !== null && !isShown(setAside));
  [setAside, isRefused] = [null, false];
  if (isWrong) await loadView();
}

function isShown(now: ViewState): boolean {
  return JSON.stringify(now) === JSON.stringify(view.value);
}

function takeView(now: ViewState): void {
  if (underWay > 0) setAside = now;
  else view.value = now;
}

/** Applies a view from the stream; asks the service if this page may be ahead of it. */
function hearView(now: ViewState): void {
  const wasAhead = ahead.length > 0;
  // The first equal one: a view that is left and shown again is reported twice.
  ahead = ahead.slice(ahead.indexOf(JSON.stringify(now)) + 1);
  if (underWay > 0 || !wasAhead) takeView(now);
  else if (!isShown(now)) void loadView();
}

async function loadView(): Promise<void> {
  const before = begun;
  let isOld = false;
  await loadUnlessTold("view", (value) => {
    isOld = begun > before && underWay === 0;
    if (!isOld) takeView(readView(value) ?? VIEW);
  });
  if (isOld) await loadView();
}

/** Loads the state of the game. */
export function loadPlay(): Promise<void> {
  return loadUnlessTold("play", (value) => gameState.value = playOf(value) ?? STOPPED);
}

/** Number of complete values that the stream has sent. */
const reported = { view: 0, play: 0 };

/**
 * Loads a value that the stream also sends complete; discards the answer if the stream has sent a
 * newer one.
 */
async function loadUnlessTold(
  name: keyof typeof reported,
  take: (value: unknown) => void,
): Promise<void> {
  const before = reported[name];
  await load(name, (value) => {
    if (reported[name] === before) take(value);
  });
}

async function load(producer: string, take: (value: unknown) => void): Promise<void> {
  const answer = await fetchProducer(producer);
  if (answer.ok) take(answer.value);
  else if (answer.error.status !== 503) say("error", answer.error.detail, answer.error.hint);
}

/** Applies a change from the stream. */
export function takeEditor({ kind, values }: ReceivedChange): void {
  switch (kind) {
    case "view":
      reported.view++;
      hearView(readView(values) ?? view.value);
      break;
    case "play":
      reported.play++;
      gameState.value = playOf(values) ?? gameState.value;
      break;
    case "history":
      void loadHistory();
      break;
    case "settings":
      void loadProject();
      break;
  }
}
