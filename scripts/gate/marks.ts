import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Context } from "./context.ts";
import { failed, fromViolations, type Outcome } from "./outcome.ts";

// Runs the plugin of words.ts. What is never right fails; words of comments that are seldom right
// are counted per room, and each number may only become smaller.

const ALLOWED = "scripts/gate/marks.json";
const CONFIG = "scripts/gate/words.json";

/** A finding of `deno lint --json`. */
export interface Diagnostic {
  /** The URL or path of the file. */
  readonly filename: string;
  readonly range: { readonly start: { readonly line: number } };
  readonly message: string;
  readonly code: string;
}

/** Room → number of words. */
type Marks = Readonly<Record<string, number>>;

/** Looks for words that a reader of the field would have to translate. */
export async function checkWords(
  { exec, deno, root }: Pick<Context, "exec" | "deno" | "root">,
  paths: readonly string[],
): Promise<Outcome> {
  const ran = await exec([deno, "lint", "--json", "-c", CONFIG, ...paths], { cwd: root });
  const report = parseReport(ran.stdout);
  if (report === null) return failed(ran.output);
  const { found, problems } = report;
  if (problems.length > 0) return fromViolations(problems);
  const allowed: Marks = JSON.parse(readFileSync(join(root, ALLOWED), "utf8"));
  const marks = countMarks(found, root);
  if (process.env["SLIPWAY_UPDATE"] === "1") {
    writeFileSync(join(root, ALLOWED), JSON.stringify(fewer(marks, allowed), null, 2) + "\n");
  }
  return fromViolations(judgeWords(found, allowed, root));
}

/**
 * Judges what was found: one sentence for each word, and for each room with too many marks, followed
 * by their places.
 */
export function judgeWords(
  found: readonly Diagnostic[],
  allowed: Marks,
  root: string,
): readonly string[] {
  const sentence = (one: Diagnostic) =>
    `${pathOf(one, root)}:${one.range.start.line}: ${one.message}`;
  const marks = found.filter(isMark);
  const words = found.filter((one) => !isMark(one)).map(sentence);
  const rooms = Object.entries(countMarks(found, root)).flatMap(([room, count]) => {
    const most = Object.hasOwn(allowed, room) ? allowed[room] ?? 0 : 0;
    return count <= most ? [] : [
      `${room}: comments have ${count} words like "tell", "nobody" or "lies", expected at most ${most} ` +
      `(${ALLOWED}): name the actor, and use the field's verb. They are:`,
      ...marks.filter((one) => roomOf(pathOf(one, root)) === room).map(sentence),
    ];
  });
  return [...words, ...rooms];
}

/** Room → the number of its marks, by name. */
export function countMarks(found: readonly Diagnostic[], root: string): Marks {
  const counts: Record<string, number> = {};
  for (const one of found) {
    if (!isMark(one)) continue;
    const room = roomOf(pathOf(one, root));
    counts[room] = (counts[room] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** The smaller numbers, of rooms that still have marks; a new room has what it has. */
function fewer(marks: Marks, allowed: Marks): Marks {
  return Object.fromEntries(
    Object.entries(marks).map((
      [room, count],
    ) => [room, Math.min(count, Object.hasOwn(allowed, room) ? allowed[room] ?? count : count)]),
  );
}

function isMark({ code }: Diagnostic): boolean {
  return code === "slipway/marks";
}

function roomOf(path: string): string {
  const [area = "", room = ""] = path.split("/");
  return area === "lib" ? `${area}/${room}` : area;
}

function pathOf({ filename }: Diagnostic, root: string): string {
  const path = filename.startsWith("file:") ? fileURLToPath(filename) : filename;
  return relative(root, path).replaceAll("\\", "/");
}

/** A report of `deno lint --json`; `problems` are of files that it could not check. */
interface Report {
  readonly found: readonly Diagnostic[];
  readonly problems: readonly string[];
}

/** Reads a report; `null` if the text is not one. */
export function parseReport(text: string): Report | null {
  try {
    const { diagnostics, errors }: {
      readonly diagnostics: readonly Diagnostic[];
      readonly errors: readonly { readonly file_path: string; readonly message: string }[];
    } = JSON.parse(text);
    const problems = errors.map(({ file_path: path, message }) => `${path}: ${message}`);
    return { found: diagnostics, problems };
  } catch {
    return null;
  }
}
