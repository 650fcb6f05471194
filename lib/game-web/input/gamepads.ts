import { GAMEPAD_AXES, GAMEPAD_BUTTONS, MAX_GAMEPADS } from "../../game/play/mod.ts";
import type { Hearing, ScreenListener } from "./screen.ts";

/** Steps of a stick from its middle to its end: equal pushes are equal in every recording. */
const STICK_STEPS = 128;
/** Below this a stick is at rest: it trembles there. */
const AT_REST = 0.1;

/** Polls the gamepads that the browser knows in the standard mapping. */
export function listenToGamepads(
  { take }: Pick<Hearing, "take">,
  signal: AbortSignal,
): ScreenListener {
  // Asking takes as long as all else that a frame does for its player, and most play without one.
  let isAny = known().some((pad) => pad !== null);
  addEventListener("gamepadconnected", () => isAny = true, { signal });
  /** Last reported state by gamepad. */
  const reported = new Map<number, string>();
  const tell = (id: number, buttons: readonly number[], axes: readonly number[]) => {
    const state = JSON.stringify([buttons, axes]);
    if (state === (reported.get(id) ?? AT_EASE)) return;
    reported.set(id, state);
    take({ kind: "gamepad", id, buttons, axes });
  };
  return {
    poll() {
      if (!isAny) return;
      const pads = known();
      isAny = pads.some((pad) => pad !== null);
      for (let id = 0; id < MAX_GAMEPADS; id++) {
        const pad = pads[id];
        const isKnown = pad !== undefined && pad !== null && pad.connected &&
          pad.mapping === "standard";
        if (isKnown) tell(id, buttonsOf(pad), axesOf(pad));
        else tell(id, [], REST);
      }
    },
    release() {
      for (const id of [...reported.keys()]) tell(id, [], REST);
    },
  };
}

const REST: readonly number[] = Array.from({ length: GAMEPAD_AXES }, () => 0);
const AT_EASE = JSON.stringify([[], REST]);

/** Returns the gamepads; empty if the page may not read them. */
function known(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads?.() ?? [];
  } catch {
    return [];
  }
}

function buttonsOf({ buttons }: Gamepad): readonly number[] {
  return buttons.slice(0, GAMEPAD_BUTTONS)
    .flatMap(({ pressed }, button) => pressed ? [button] : []);
}

function axesOf({ axes }: Gamepad): readonly number[] {
  return REST.map((_none, axis) => {
    const push = Math.max(-1, Math.min(1, axes[axis] ?? 0));
    return Math.abs(push) < AT_REST ? 0 : Math.round(push * STICK_STEPS) / STICK_STEPS;
  });
}
