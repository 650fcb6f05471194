// Deno.Command cannot make a process group, so it could not kill a tree.
export * from "../node/processes.ts";
