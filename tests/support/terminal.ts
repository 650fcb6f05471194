import { spawn } from "node:child_process";
import { findProgram, type Skip } from "./needs.ts";

/** A terminal's size. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Computes the screen of a terminal from the written characters: its rows without trailing spaces,
 * without the empty rows at the end. Understands what Slipway and a line editor write (ECMA-48: CR,
 * LF, BS, ED, EL, CUP, CHA, CUU, CUD, CUF, CUB, SGR) and refuses anything else, so that a test
 * cannot pass by not looking.
 */
export function screenOf(written: string, { columns, rows }: TerminalSize): readonly string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = () => lines[row] ??= [];
  const down = () => {
    row++;
    line();
    if (lines.length > rows) {
      lines.shift();
      row--;
    }
  };
  // deno-lint-ignore no-control-regex
  const control = /\x1b\[(\??)([\d;]*)([A-Za-z])/y;
  for (let i = 0; i < written.length; i++) {
    const character = String.fromCodePoint(written.codePointAt(i) ?? 0);
    if (character.length > 1) i++;
    if (character === "\x1b") {
      control.lastIndex = i;
      const [sequence, isPrivate, parameters = "", final = ""] = control.exec(written) ?? [];
      if (sequence === undefined) {
        throw new Error(`unknown control: ${JSON.stringify(written.slice(i, i + 8))}`);
      }
      i += sequence.length - 1;
      if (isPrivate === "?" || final === "m") continue; // modes and colours
      const [first = "", second = ""] = parameters.split(";");
      const count = Number(first) || 1;
      if (final === "K" && (first === "" || first === "0")) line().length = column;
      else if (final === "K" && first === "2") line().length = 0;
      else if (final === "J" && (first === "" || first === "0")) {
        line().length = column;
        lines.length = row + 1;
      } else if (final === "J") lines.forEach((each) => each.length = 0);
      else if (final === "G") column = count - 1;
      else if (final === "H") {
        row = count - 1;
        column = (Number(second) || 1) - 1;
        while (lines.length <= row) lines.push([]);
      } else if (final === "A") row = Math.max(0, row - count);
      else if (final === "B") row = Math.min(lines.length - 1, row + count);
      else if (final === "C") column = Math.min(columns - 1, column + count);
      else if (final === "D") column = Math.max(0, column - count);
      else throw new Error(`unknown control: ${JSON.stringify(sequence)}`);
    } else if (character === "\r") column = 0;
    else if (character === "\n") down();
    else if (character === "\b") column = Math.max(0, column - 1);
    else if (character !== "\x07" && character !== "\0") {
      const width = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/.test(character)
        ? 2
        : 1;
      if (column + width > columns) {
        column = 0;
        down();
      }
      while (line().length < column) line().push(" ");
      line().splice(column, width, character, ...(width === 2 ? [""] : []));
      column += width;
    }
  }
  const shown = lines.map((each) => each.join("").trimEnd());
  while (shown.at(-1) === "") shown.pop();
  return shown;
}

/** A program on a terminal of its own. */
export interface OnTerminal {
  /** Returns everything written to this point, with its controls. */
  readonly written: () => string;
  /** Returns the visible rows. */
  readonly screen: () => readonly string[];
  /** Waits until the visible rows match. @returns The rows. */
  readonly shows: (pattern: RegExp) => Promise<readonly string[]>;
  /** Types; `\x03` is Ctrl-C. */
  readonly type: (keys: string) => void;
  /** Closes the terminal. */
  readonly close: () => void;
  /** The exit code, as a shell sees it; `null` if the terminal was closed. */
  readonly ended: Promise<number | null>;
}

/** Tests that run a program on a terminal: BSD's script has other options, some containers no pty. */
export function withoutTerminal(): Skip {
  return findProgram({
    name: "script",
    asks: ["-qefc", "stty rows 24 cols 80 && stty size", "/dev/null"],
    answers: /^24 80\r?$/m,
    from: "script of util-linux (Debian's package bsdutils), and /dev/ptmx",
  }).skip;
}

/** Runs a program on a terminal, by script(1). */
export function onTerminal(
  command: readonly string[],
  { env, columns, rows }: TerminalSize & { readonly env: Readonly<Record<string, string>> },
): OnTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const line = `stty rows ${rows} cols ${columns}; exec ${quoted}`;
  const child = spawn("script", ["-qefc", line, "/dev/null"], {
    env: { TERM: "xterm", ...env, SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  const looks = new Set<() => void>();
  const screen = () => screenOf(written, { columns, rows });
  const look = () => looks.forEach((call) => call());
  child.stdout.setEncoding("utf8").on("data", (text) => {
    written += text;
    look();
  });
  let isOver = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      isOver = true;
      resolve(code);
      look();
    });
  });
  return {
    written: () => written,
    screen,
    ended,
    type: (keys) => void child.stdin.write(keys),
    close: () => void child.kill("SIGKILL"),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const call = () => {
          const seen = screen();
          if (pattern.test(seen.join("\n"))) resolve(seen);
          else if (isOver) reject(new Error(`ended without ${pattern}:\n${seen.join("\n")}`));
          else return;
          looks.delete(call);
        };
        looks.add(call);
        call();
      }),
  };
}
