// Code that a view needs only to follow a game, most of the game's world and its sound; a page
// loads it at that time.

export { FollowedRound, readLiveRound, readTakenEvents } from "../game/play/mod.ts";
export { createSound } from "./sound/mod.ts";
