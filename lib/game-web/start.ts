import { startGame } from "./first-script.ts";

// The script that the page of a built game runs. It is bundled without the game, which needs a newer
// engine than it does (decision 110).

startGame(() => import("./play.ts"));
