// Deno's own API cannot send the signal that does nothing.
export { createIsAlive } from "../node/is-alive.ts";
