export { FollowedRound } from "./followed-round.ts";
export { HitTest } from "./hits.ts";
export { GAMEPAD_AXES, GAMEPAD_BUTTONS, MAX_GAMEPADS, MAX_POINTERS } from "./input-event.ts";
export { type LiveRound, readLiveRound, readTakenEvents, type TakenEvents } from "./live-round.ts";
export { playBack, replay, type RoundEnd, roundEnd } from "./play-back.ts";
export {
  type InputListener,
  MAX_RECORDING_BYTES,
  parseRecording,
  type Recording,
  recordingParsing,
  serializeRecording,
} from "./recording.ts";
export { RunningGame } from "./running-game.ts";
export { SceneHost } from "./scene-host.ts";
export { worldHash } from "./world-hash.ts";
