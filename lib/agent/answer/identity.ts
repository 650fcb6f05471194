import type { EditorIdentity } from "../../editor/ports/mod.ts";
import { wellFormed } from "./compact-json.ts";

/** Identity of the running program that answers: two editors may have the same project open. */
export interface Instance {
  /** Eight hex digits, new at every start. */
  readonly id: string;
  /** The process. */
  readonly pid: number;
  /** Port of its HTTP server; absent over standard input and output. */
  readonly port?: number | undefined;
}

/** Returns one line that identifies the answering editor; every answer includes it (BUDGET-7). */
export function bannerOf(
  { editor, project, root, scenePath, playing }: EditorIdentity,
  instance?: Instance,
): string {
  const game = playing === undefined
    ? ""
    : playing === scenePath
    ? ", playing"
    : `, playing ${playing}`;
  const line = [
    `${editor} | project ${project} | scene ${scenePath}${game} | ${root}`,
    ...(instance?.port === undefined ? [] : [`port ${instance.port}`]),
    ...(instance === undefined ? [] : [`pid ${instance.pid}`, `instance ${instance.id}`]),
  ].join(" | ");
  // Names come from files: a control character must not reach a header or a terminal.
  // deno-lint-ignore no-control-regex
  return wellFormed(line).replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
