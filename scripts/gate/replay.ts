import { join } from "node:path";
import type { Context } from "./context.ts";
import type { Ran } from "./exec.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** Replays all vectors with the TypeScript core, once, however many steps ask. */
export type Reference = () => Promise<Ran>;

/** Creates the replay with which native cores are compared; it starts on the first request. */
export function createReference({ exec, deno, root, memory }: Context): Reference {
  const script = join("scripts", "replay-vectors.ts");
  let replayed: Promise<Ran> | undefined;
  return () =>
    replayed ??= exec([deno, "run", "-A", script, "vectors"], {
      cwd: root,
      env: memory === null ? {} : { TMPDIR: memory }, // each staged file is synced
    });
}

/** Parses the counts in a replay program's last line, `N passed, N failed` (CLI-3). */
export function judgeReplay(code: number | null, output: string): Outcome {
  const match = /(\d+) passed, (\d+) failed\s*$/.exec(output);
  if (match === null) return failed(`${output}\nexpected a last line "N passed, N failed"`);
  const [count, failures] = [Number(match[1]), Number(match[2])];
  if (code === 0 && failures === 0 && count > 0) return passed(count);
  const shown = output.split("\n").filter((line) => !/"ok":\s*true/.test(line)).join("\n");
  return { ...failed(`${shown}\n(exit code ${code})`, Math.max(1, failures)), passed: count };
}
