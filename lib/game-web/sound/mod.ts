export { createSound } from "./sound.ts";
