/** Who builds a project now, among all processes of this user. */
export { asOnlyBuilder } from "./only-builder.ts";
export { projectAround } from "./project-around.ts";
