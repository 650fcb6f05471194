import { createPaceMeter, type Pace, type PaceMeter } from "./pace.ts";
import { cut, widthOf } from "./columns.ts";
import { amountText, sizeText } from "../../lib/core/sizes.ts";

/** How far a step is. */
export interface Step {
  /** What is done; a new name is a new step. Empty where something above says it. */
  readonly name: string;
  /** Whether it comes from elsewhere: then it is told when nothing comes any more. */
  readonly isTransfer: boolean;
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
  /** `bytes`, or what is counted. */
  readonly unit: string;
}

/** A line of progress that is written again and again. */
export interface ProgressLine {
  show(step: Step): void;
  /** Writes a line of its own; the progress goes on below it. */
  log(text: string): void;
  /** Leaves the step as it is now in a line of its own. */
  end(): void;
}

/** What the line is written with. */
export interface ProgressDependencies {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Calls again and again, until the answer is called. */
  readonly every: (ms: number, call: () => void) => () => void;
}

/** Where progress is told, and as what. */
export interface ProgressTarget extends ProgressDependencies {
  readonly write: (text: string) => void;
  /** Of the terminal, asked again: windows are resized. */
  readonly columns: () => number;
}

/** A name of which less is shown tells nothing. */
const MIN_NAME = 12;
/** How often a line is written at most, in milliseconds: more flickers. */
const FRAME_MS = 100;
/** A line is written again without news, so that a stall is told. */
const TICK_MS = 1_000;

/** A line on a terminal. */
export function createProgressLine({ now, every, write, columns }: ProgressTarget): ProgressLine {
  let open: { readonly step: Step; readonly meter: PaceMeter } | null = null;
  let shown = "";
  let drawn = -Infinity;
  let stop = () => {};
  const draw = (pace = open?.meter.pace(open.step.total, now())) => {
    if (open === null || pace === undefined) return;
    const { step } = open;
    const room = columns() - 1; // a full row would wrap
    const text = cut(`  ${stepText(step, pace, room - 2)}`, room);
    drawn = now();
    if (text === shown) return;
    shown = text;
    write(`\r${text}\x1b[K`);
  };
  const end = () => {
    if (open === null) return;
    shown = ""; // a terminal writes ^C into the line
    draw({}); // how fast it went tells nothing any more
    write("\n");
    stop();
    open = null;
    shown = "";
  };
  return {
    end,
    show(step) {
      if (open !== null && open.step.name !== step.name) end();
      const begins = open === null;
      if (begins) stop = every(TICK_MS, () => draw());
      const meter = open?.meter ?? createPaceMeter();
      meter.see(step.done, now());
      open = { step, meter };
      const isDone = step.total > 0 && step.done >= step.total;
      if (begins || isDone || now() - drawn >= FRAME_MS) draw();
    },
    log(text) {
      if (open === null) return write(`${text}\n`);
      write(`\r\x1b[K${text}\n`);
      shown = "";
      draw();
    },
  };
}

/** A pipe is told of a step at its beginning, at its end, and so often between, in milliseconds. */
const PIPE_MS = 5_000;

/** Lines in a pipe: of each step its beginning, its end, and one now and then. */
export function createProgressLog(
  { now, every }: ProgressDependencies,
  tell: (step: Step, pace: Pace) => void,
  { paceMs = PIPE_MS }: { readonly paceMs?: number } = {},
): Pick<ProgressLine, "show" | "end"> {
  let open: { readonly step: Step; readonly meter: PaceMeter } | null = null;
  let shownAt = -Infinity;
  let ended = false;
  let stop = () => {};
  const say = () => {
    if (open === null || ended) return;
    const { step, meter } = open;
    shownAt = now();
    ended = step.total > 0 && step.done >= step.total;
    tell(step, meter.pace(step.total, shownAt));
  };
  const end = () => {
    stop();
    stop = () => {};
    open = null;
    ended = false;
  };
  return {
    end,
    show(step) {
      if (open !== null && (open.step.name !== step.name || step.done < open.step.done)) end();
      const begins = open === null;
      if (begins) {
        stop = every(paceMs, () => {
          if (now() - shownAt >= paceMs) say();
        });
      }
      const meter = open?.meter ?? createPaceMeter();
      meter.see(step.done, now());
      open = { step, meter };
      const isDone = step.total > 0 && step.done >= step.total;
      if (begins || isDone || now() - shownAt >= paceMs) say();
    },
  };
}

/**
 * A step as people read it: `download JDK  123 / 205 MB  4.1 MB/s  20 s left`.
 *
 * @param columns Where there are no more, the name is cut: the figures are what one waits for.
 */
export function stepText(
  { name, isTransfer, done, total, unit }: Step,
  pace: Pace,
  columns: number | null = null,
): string {
  const far = unit === "bytes"
    ? amountText(done, total)
    : total > 0
    ? `${Math.min(done, total)} / ${total} ${unit}`
    : done > 0
    ? `${done} ${unit}`
    : "";
  const { perSecond, secondsLeft, stalledSeconds } = pace;
  const figures = [
    far,
    ...(perSecond !== undefined && unit === "bytes" ? [`${sizeText(perSecond)}/s`] : []),
    // Packages and files differ too much in size for their number to tell a time.
    ...(secondsLeft !== undefined && unit === "bytes" ? [`${timeText(secondsLeft)} left`] : []),
    ...(stalledSeconds !== undefined && isTransfer
      // Between two packages npm asks about others: that none came is no silence of the line.
      ? [`${unit === "bytes" ? "no data" : "none"} for ${timeText(stalledSeconds)}`]
      : []),
  ].filter((part) => part !== "").join("  ");
  const room = columns && Math.max(MIN_NAME, columns - widthOf(figures) - 2);
  return [cut(name, room), figures].filter((part) => part !== "").join("  ");
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
