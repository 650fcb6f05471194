/** Ensures that one process of this user builds a project at a time. */
export { asOnlyBuilder } from "./only-builder.ts";
export { projectAround } from "./project-around.ts";
