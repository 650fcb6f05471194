import { isFrame } from "./reason-line.ts";

/** Maximum characters of a line; the rest of a longer one continues in the next. */
const MAX_LINE = 2_000;
/** Maximum lines of the tail. */
const TAIL_LINES = 20;
/** Maximum characters of the tail. */
const MAX_TAIL = 1_500;

/** The pipe of a line. */
export type OutputStream = "stdout" | "stderr";

/** Splits chunks of output into lines. */
export interface OutputLines {
  /** Adds a chunk of output. */
  push(text: string, stream: OutputStream): void;
  /** Emits the last line if it has no line end. */
  end(): void;
  /**
   * Returns the last lines that are not blank, at most 1,500 characters. Of consecutive stack frames
   * only the first is kept, so that exceptions and their causes fit.
   */
  tail(): string;
}

/**
 * Splits a program's output into lines of bounded length, without colours, for agents and pages. A
 * single carriage return also ends a line, because progress bars use it.
 */
export function createOutputLines(
  onLine: (line: string, stream: OutputStream) => void,
): OutputLines {
  const open: Record<OutputStream, string> = { stdout: "", stderr: "" };
  const last: string[] = [];
  let isInTrace = false;
  const emit = (raw: string, stream: OutputStream) => {
    const line = plain(raw);
    if (line.trim() !== "") {
      const isNextFrame = isInTrace && isFrame(line);
      isInTrace = isFrame(line);
      if (!isNextFrame) last.push(line);
      if (last.length > TAIL_LINES) last.shift();
    }
    onLine(line, stream);
  };
  return {
    push(text, stream) {
      const joined = open[stream] + text;
      // A carriage return at the end may be the first half of a line end.
      const held = joined.endsWith("\r") ? 1 : 0;
      const lines = joined.slice(0, joined.length - held).split(/\r\n|\n|\r/);
      let rest = (lines.pop() ?? "") + (held === 1 ? "\r" : "");
      for (const line of lines) for (const part of parts(line)) emit(part, stream);
      for (; rest.length > MAX_LINE; rest = rest.slice(MAX_LINE)) {
        emit(rest.slice(0, MAX_LINE), stream);
      }
      open[stream] = rest;
    },
    end() {
      for (const stream of ["stdout", "stderr"] as const) {
        const rest = open[stream].replace(/\r$/, "");
        open[stream] = "";
        if (rest !== "") emit(rest, stream);
      }
    },
    tail: () => last.join("\n").slice(-MAX_TAIL),
  };
}

function parts(line: string): string[] {
  if (line.length <= MAX_LINE) return [line];
  const cut: string[] = [];
  for (let at = 0; at < line.length; at += MAX_LINE) cut.push(line.slice(at, at + MAX_LINE));
  return cut;
}

/** Removes escape sequences and control characters from a line, but keeps tabs. */
function plain(line: string): string {
  // deno-lint-ignore no-control-regex
  return line.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, "")
    // deno-lint-ignore no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
