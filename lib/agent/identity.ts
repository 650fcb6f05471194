import type { EditorIdentity } from "../editor/ports.ts";
import { wellFormed } from "./compact-json.ts";

/** One line saying which editor answers, told with every answer (spec §4.2). */
export function bannerOf({ editor, project, root, scenePath }: EditorIdentity): string {
  const line = `${editor} | project ${project} | scene ${scenePath} | ${root}`;
  // Names come from files: no control character may reach a header or a terminal.
  // deno-lint-ignore no-control-regex
  return wellFormed(line).replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
