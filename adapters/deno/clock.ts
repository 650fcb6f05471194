// Timers are the same in both runtimes.
export { createClock } from "../node/clock.ts";
