import { effect, type Signal, signal } from "@preact/signals";
import type { SceneView } from "../../game-web/mod.ts";
import { gameState, isStopped } from "../model/editor.ts";
import { onChange } from "../model/following.ts";
import { say } from "../model/notices.ts";
import { oneAtATime } from "../model/one-at-a-time.ts";
import { loadScene } from "../model/scene.ts";
import { memberOf, numberOf } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";
import { nextTick } from "./pace.ts";

// Plays a copy of the editor's game from its input alone. Reports are processed in order.

/** Whether the game cannot be reproduced; the scene's producer is then shown instead. */
export const offRecord: Signal<boolean> = signal(false);

/** From one look at a game that is not played along to the next, in milliseconds. */
const LOOKS_APART_MS = 300;

/** Plays the editor's games along in a view, until the returned function is called. */
export function playAlong(view: SceneView): () => void {
  let work = Promise.resolve();
  let isEnded = false;
  /** The followed round, or `null`. */
  let followed: number | null = null;
  /** Steps that are made here, and where between two of them the picture is. */
  let [made, at] = [0, 0];
  let isMaking = false;
  /** The time of the last frame, and whether another is due: a paused game needs none. */
  let before: number | null = null;
  let isDue = false;

  const then = (take: () => Promise<void>) => {
    work = work.then(() => isEnded ? undefined : take()).catch((thrown) =>
      say("error", `${thrown}`)
    );
  };
  const giveUp = (why: string) => {
    if (!offRecord.value) say("info", why, "Stop and play again to see it in full");
    offRecord.value = true;
    followed = null;
    void look();
  };
  /** Reads the complete scene from the producer, which may be large. */
  const look = oneAtATime(async () => {
    if (isEnded) return;
    await loadScene();
    await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
  });
  const open = async () => {
    const answer = await fetchProducer("round");
    if (isStopped.value || isEnded) return;
    if (!answer.ok) return giveUp(`The game is not played along: ${answer.error.detail}`);
    const opened = await view.follow(answer.value);
    if (!opened.ok) return giveUp(opened.error.message);
    if (view.isLost) {
      return giveUp("The game cannot be reproduced from its input: its reported state is shown");
    }
    followed = numberOf(memberOf(answer.value, "round"));
    offRecord.value = false;
    made = at = await view.advanceTo(0);
  };
  /** The state of play as the newest change has it. */
  const keepUp = async () => {
    const { state, tick, round } = gameState.value;
    if (state === "stopped") {
      followed = null;
      offRecord.value = false;
      return;
    }
    if (offRecord.value && round === lostRound) return void look();
    if (followed === null || view.isLost || round !== followed || !view.isFollowing) {
      lostRound = round;
      await open();
    }
    if (state === "paused" && followed !== null) {
      made = at = await view.advanceTo(tick, { paused: true });
    }
    moveOn();
  };
  let lostRound: number | undefined;

  const isMoving = () => !isEnded && followed !== null && gameState.value.state === "playing";
  const moveOn = () => {
    if (isDue) return;
    isDue = isMoving();
    if (isDue) requestAnimationFrame(frame);
    else before = null;
  };
  const frame = (now: number) => {
    isDue = false;
    const seconds = Math.min(0.25, (now - (before ?? now)) / 1_000);
    before = now;
    moveOn();
    if (!isDue || isMaking) return;
    at = nextTick(at, gameState.value, seconds);
    if (Math.floor(at) <= made) return;
    isMaking = true;
    void view.advanceTo(Math.floor(at)).then((now) => {
      made = now;
      isMaking = false;
      if (view.isLost) then(keepUp);
    });
  };

  const ends = [
    onChange(({ kind, values }) => {
      if (kind === "input") then(() => Promise.resolve(view.take(values)));
      else if (kind === "reset") {
        then(() => {
          followed = null;
          return keepUp();
        });
      } else if (kind === "off-record") {
        then(() =>
          Promise.resolve(
            giveUp("Assets have changed during the game: its reported state is shown"),
          )
        );
      }
    }),
    effect(() => {
      void gameState.value;
      then(keepUp);
    }),
  ];
  return () => {
    isEnded = true;
    offRecord.value = false;
    ends.forEach((end) => end());
  };
}
