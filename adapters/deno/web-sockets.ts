// Deno's own client tells no status of a refusal, and bounds no message below 64 MiB.
export * from "../node/web-sockets.ts";
