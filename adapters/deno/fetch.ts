// So is fetch.
export * from "../node/fetch.ts";
