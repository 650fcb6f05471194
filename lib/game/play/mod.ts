export { HitTest } from "./hits.ts";
export { GAMEPAD_AXES, GAMEPAD_BUTTONS, MAX_GAMEPADS, MAX_POINTERS } from "./input-event.ts";
export { playBack, replay, type RoundEnd, roundEnd } from "./play-back.ts";
export {
  MAX_RECORDING_BYTES,
  parseRecording,
  type Recording,
  serializeRecording,
} from "./recording.ts";
export { RunningGame } from "./running-game.ts";
export { SceneHost } from "./scene-host.ts";
export { worldHash } from "./world-hash.ts";
