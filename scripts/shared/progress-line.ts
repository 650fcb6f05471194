import { createPaceMeter, type Pace, type PaceMeter } from "./pace.ts";
import { cut, widthOf } from "./columns.ts";
import { amountText, sizeText } from "../../lib/core/sizes.ts";

/** Progress of a step. */
export interface Step {
  /** Name of the work; a new name is a new step. Empty if a line above states it. */
  readonly name: string;
  /** Whether it is a transfer: then a stall is reported. */
  readonly isTransfer: boolean;
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
  /** `bytes`, or the counted things. */
  readonly unit: string;
}

/** A line of progress that is written again and again. */
export interface ProgressLine {
  show(step: Step): void;
  /** Writes a line; the progress continues below it. */
  log(text: string): void;
  /** Leaves the step as it is now in a line of its own. */
  end(): void;
}

/** Dependencies of the line. */
export interface ProgressDependencies {
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Calls again and again, until the answer is called. */
  readonly every: (ms: number, call: () => void) => () => void;
}

/** Output of progress, and its format. */
export interface ProgressTarget extends ProgressDependencies {
  readonly write: (text: string) => void;
  /** Width of the terminal, read each time because windows are resized. */
  readonly columns: () => number;
}

/** Minimum characters of a name: fewer are useless. */
const MIN_NAME = 12;
/** Minimum interval of redraws, in milliseconds: more flickers. */
const FRAME_MS = 100;
/** Interval of redraws without news, so that a stall shows. */
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
    draw({}); // the final speed is not shown
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

/** A pipe gets a line at the start and the end of a step, and at this interval, in milliseconds. */
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
 * Formats a step for people: `download JDK  123 / 205 MB  4.1 MB/s  20 s left`.
 *
 * @param columns If there are too few, the name is cut, because the figures matter more.
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
    // Packages and files differ too much in size for their number to predict a time.
    ...(secondsLeft !== undefined && unit === "bytes" ? [`${timeText(secondsLeft)} left`] : []),
    ...(stalledSeconds !== undefined && isTransfer
      // Between two packages npm requests others, so no new package does not mean a stalled
      // connection.
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
