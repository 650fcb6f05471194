import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { InputEvent, InputOutcome, Play } from "../../editor/ports/mod.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import type { CallContext } from "../declaration/tool.ts";
import { stepGame } from "./play.ts";

/** The effect of input, and the step of the game afterwards. */
export interface SentInput extends InputOutcome {
  readonly tick: number;
}

/** Sends input, and runs that many steps with it. */
export async function send(
  services: Services,
  play: Play,
  { event, ticks = 0, context }: {
    readonly event: InputEvent;
    readonly ticks?: number | undefined;
    readonly context: CallContext;
  },
): Promise<Result<SentInput, Problem>> {
  const hit = await play.input(event, callerOf(services));
  if (!hit.ok) return hit;
  if (ticks > 0) {
    const stepped = await stepGame(services, play, { ticks, context });
    if (!stepped.ok) return stepped;
  }
  return ok({ ...hit.value, tick: play.state().tick });
}

/** Returns the answer for sent input. */
export function outcome({ target, actions, occludedBy, tick }: SentInput): object {
  return {
    ...(target !== null && { target }),
    actions,
    ...(occludedBy !== null && { occludedBy }),
    tick,
  };
}
