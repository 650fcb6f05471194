/** Who builds a project now, among all processes of this user. */
export { asOnlyBuilder, type BuilderDependencies, type BuilderWork } from "./only-builder.ts";
