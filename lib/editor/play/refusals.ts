import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";

// Why playing is refused.

/** Refuses because somebody played, paused or stopped in between. */
export function interrupted(done: number, ticks: number): Result<never, Problem> {
  return refuse(
    409,
    "interrupted",
    `Made ${done} of ${ticks} steps: interrupted by play, pause, stop or another step`,
    "Look at the state and step again",
  );
}

/** Refuses because no game runs. */
export function notPlaying(what: string): Result<never, Problem> {
  const detail = `Cannot ${what}: no game is playing`;
  return refuse(409, "not-playing", detail, "play_control action=play, or step_play");
}

/** Refuses an action that the scene does not have; names the nearest ones. */
export function noSuchAction(action: string, known: readonly string[]): Result<never, Problem> {
  const near = nearestNames(action, known);
  const shown = (near.length > 0 ? near : known.slice(0, 10)).join(", ");
  return refuse(
    404,
    "no-such-action",
    `The scene has no action ${JSON.stringify(action.slice(0, 80))}`,
    shown === "" ? "Add a Button, InputAction or ScriptAction" : `It has ${shown}: list_actions`,
  );
}
