import { failed, type Outcome, passed } from "./outcome.ts";

/** Counts what a replay program says in its last line, `N passed, N failed` (CLI-3). */
export function judgeReplay(code: number | null, output: string): Outcome {
  const match = /(\d+) passed, (\d+) failed\s*$/.exec(output);
  if (match === null) return failed(`${output}\nexpected a last line "N passed, N failed"`);
  const [count, failures] = [Number(match[1]), Number(match[2])];
  if (code === 0 && failures === 0 && count > 0) return passed(count);
  const shown = output.split("\n").filter((line) => !/"ok":\s*true/.test(line)).join("\n");
  return { ...failed(`${shown}\n(exit code ${code})`, Math.max(1, failures)), passed: count };
}
