import process from "node:process";
import type { Failure } from "../lib/core/result.ts";
import { printFailure } from "./cli.ts";

/** How a script speaks: to people, or with `--json` to programs (DESIGN §3). */
export interface Output {
  /** The result: one JSON object on stdout, or its text. */
  result(value: object, text: string): void;
  /** What a person should know beside the result; a program does not. */
  advice(text: string): void;
  /** A step that begins. */
  step(name: string): void;
  /** How far the running step is: a bar where a person looks on, nothing in a log. */
  progress(done: number, total: number, unit?: string): void;
  /** What does not stop the work, and should be known. */
  warning(warning: Failure): void;
  /** A failure in words. @returns The exit code, 1. */
  failure(failure: Failure): number;
}

/** A bar of 24 steps. More than `total` may be done: what is counted can grow meanwhile. */
export function progressBar(
  { done, total, unit }: { readonly done: number; readonly total: number; readonly unit: string },
): string {
  const share = Math.min(done / total, 1);
  const filled = Math.round(24 * share);
  const percent = Math.floor(100 * share);
  return `${"█".repeat(filled)}${"░".repeat(24 - filled)} ${percent}% of ${total} ${unit}`;
}

/** Chooses the voice of a script. */
export function createOutput(json: boolean): Output {
  return json ? jsonOutput() : textOutput();
}

function jsonOutput(): Output {
  const tell = (event: object) => console.error(JSON.stringify(event));
  let lastProgress = 0;
  return {
    result: (value) => console.log(JSON.stringify(value)),
    advice: () => undefined,
    step: (name) => tell({ event: "step", name }),
    progress(done, total, unit = "bytes") {
      const now = performance.now();
      if (done < total && now - lastProgress < 200) return;
      lastProgress = now;
      tell({ event: "progress", done, total, unit });
    },
    warning: (warning) => tell({ event: "warning", ...warning }),
    failure(failure) {
      console.log(JSON.stringify({ ok: false, ...failure }));
      return 1;
    },
  };
}

function textOutput(): Output {
  const bar = process.stderr.isTTY === true;
  let open = false;
  const close = () => {
    if (open) process.stderr.write("\r\x1b[K");
    open = false;
  };
  return {
    result(_value, text) {
      close();
      console.log(text);
    },
    advice: (text) => console.error(text),
    step(name) {
      close();
      console.error(`· ${name}`);
    },
    progress(done, total, unit = "bytes") {
      if (!bar || total === 0) return;
      process.stderr.write(`\r\x1b[K  ${progressBar({ done, total, unit })}`);
      open = true;
    },
    warning({ message, next }) {
      close();
      console.error(`warning: ${message}${next === undefined ? "" : `\n  next: ${next}`}`);
    },
    failure(failure) {
      close();
      printFailure(failure);
      return 1;
    },
  };
}
