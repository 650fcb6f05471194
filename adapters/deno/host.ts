// node:os and node:process tell the same.
export * from "../node/host.ts";
