// What a view needs only once a game is followed, most of the game's world and its sound: a page loads it then.

export { FollowedRound, readLiveRound, readTakenEvents } from "../game/play/mod.ts";
export { createSound } from "./sound/mod.ts";
