// Deno's own API has no test for the execute permission.
export { createSyncStat } from "../node/sync-stat.ts";
