import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { Turns } from "../../core/turns.ts";
import { type Answered, callService } from "../wire/service.ts";
import { said } from "./actions.ts";
import { gameState, isStopped, loadPlay } from "./editor.ts";
import { focusOnPicture } from "./regions.ts";

// Commands of the user to the game: each calls a tool that agents have too. They run one after
// another, because a command's meaning depends on the state after the previous one.

const turns = new Turns();
/** Time in milliseconds that the stream has to report a new state; after it the page asks. */
const SOON_MS = 1_000;

/** Number of commands that are not known to be done. */
const pending = signal(0);
/** Whether there is something to stop: a game, or the request of one. */
export const canStop: ReadonlySignal<boolean> = computed(() =>
  !isStopped.value || pending.value > 0
);

/** Calls a tool after all earlier commands; does nothing if no game is being played. */
export function whilePlayed(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  return turns.take(async () => {
    if (!isStopped.value) await callService(tool, args); // a game that has ended takes no input
  });
}

/** Starts or resumes the game and gives it the keyboard; pauses it while it plays. */
export async function togglePlay(): Promise<boolean> {
  let action = "";
  const isDone = await inTurn(() => {
    action = gameState.value.state === "playing" ? "pause" : "play";
    return callService("play_control", { action });
  });
  if (isDone && action === "play") focusOnPicture();
  return isDone;
}

/** Stops the game; the edited scene is as it was before. */
export function stop(): Promise<boolean> {
  return inTurn(() => callService("play_control", { action: "stop" }));
}

/** Runs one step of the game, which stays paused. */
export function step(): Promise<boolean> {
  return inTurn(() => callService("step_play", { ticks: 1 }));
}

/**
 * Changes the state of the game, and resolves once the page shows it. @returns Whether it
 * succeeded.
 */
function inTurn(change: () => Promise<Answered>): Promise<boolean> {
  pending.value++;
  return turns.take(async () => {
    const done = said(await change());
    if (done.ok && !(await isReported(done.value["state"]))) await loadPlay();
    return done.ok;
  }).finally(() => pending.value--);
}

/** Waits for the stream to report a state of the game. @returns Whether it did in time. */
function isReported(state: unknown): Promise<boolean> {
  let stop = () => {};
  return new Promise<boolean>((resolve) => {
    const deadline = setTimeout(resolve, SOON_MS, false);
    stop = effect(() => {
      if (gameState.value.state !== state) return;
      clearTimeout(deadline);
      resolve(true);
    });
  }).finally(() => stop());
}
