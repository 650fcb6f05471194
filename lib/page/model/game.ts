import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { Turns } from "../../core/turns.ts";
import { type Answered, call } from "../wire/service.ts";
import { said } from "./actions.ts";
import { isStopped, loadPlay, play } from "./editor.ts";
import { focusOnPicture } from "./regions.ts";

// What a person does to the game, each a call of a tool that agents have too. One follows the other:
// what the next one means depends on how the game stands after the one before.

const turns = new Turns();
/** How long the stream may take to tell what was answered, in milliseconds; the page asks then. */
const SOON_MS = 1_000;

/** How much is asked and not known to be done. */
const asked = signal(0);
/** Whether there is something to stop: a game, or one that was asked for just now. */
export const canStop: ReadonlySignal<boolean> = computed(() => !isStopped.value || asked.value > 0);

/** Asks something of the game once all that was asked before is done; nothing where none is played. */
export function whilePlayed(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  return turns.take(async () => {
    if (!isStopped.value) await call(tool, args); // one that has ended takes no more
  });
}

/** Plays, or goes on, and gives the game the keys; pauses what plays. */
export async function togglePlay(): Promise<boolean> {
  let action = "";
  const isDone = await inTurn(() => {
    action = play.value.state === "playing" ? "pause" : "play";
    return call("play_control", { action });
  });
  if (isDone && action === "play") focusOnPicture();
  return isDone;
}

/** Stops the game: the edited scene is as it was. */
export function stop(): Promise<boolean> {
  return inTurn(() => call("play_control", { action: "stop" }));
}

/** Makes a step of the game, and stays paused. */
export function step(): Promise<boolean> {
  return inTurn(() => call("step_play", { ticks: 1 }));
}

/** Changes how the game stands; ends once the page knows of it. @returns Whether it was done. */
function inTurn(change: () => Promise<Answered>): Promise<boolean> {
  asked.value++;
  return turns.take(async () => {
    const done = said(await change());
    if (done.ok && !(await isToldOf(done.value["state"]))) await loadPlay();
    return done.ok;
  }).finally(() => asked.value--);
}

/** Waits until the stream has told a state of the game. @returns Whether it did soon. */
function isToldOf(state: unknown): Promise<boolean> {
  let stop = () => {};
  return new Promise<boolean>((resolve) => {
    const deadline = setTimeout(resolve, SOON_MS, false);
    stop = effect(() => {
      if (play.value.state !== state) return;
      clearTimeout(deadline);
      resolve(true);
    });
  }).finally(() => stop());
}
