import type { EditorIdentity } from "../../editor/ports/mod.ts";
import { wellFormed } from "./compact-json.ts";

/** Which running program answers: two editors may have the same project open. */
export interface Instance {
  /** Eight hex digits, new at every start. */
  readonly id: string;
  /** The process. */
  readonly pid: number;
  /** Where it serves HTTP; absent over standard input and output. */
  readonly port?: number | undefined;
}

/** One line saying which editor answers, told with every answer (BUDGET-7). */
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
  // Names come from files: no control character may reach a header or a terminal.
  // deno-lint-ignore no-control-regex
  return wellFormed(line).replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
