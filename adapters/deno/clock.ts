// Timers are the same in both runtimes.
export * from "../node/clock.ts";
