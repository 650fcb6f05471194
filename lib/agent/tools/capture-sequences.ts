import { z } from "zod";
import type { JobContext } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { InputEvent, Play } from "../../editor/ports/mod.ts";
import type { Capture, Captured } from "../../project/mod.ts";
import { flag, numbers, texts, wholeNumber } from "../declaration/parameters.ts";
import { editorPart, servicePart } from "../declaration/parts.ts";
import { authorOf, callerOf, type Services } from "../declaration/services.ts";
import { type Started, startedJob } from "../declaration/started-job.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { type Attachment, type CallContext, defineTool, type Tool } from "../declaration/tool.ts";
import { attached, INLINE, shownCapture, standOf } from "./captured.ts";
import { PLAYS, stepGame } from "./play.ts";

/** Simulation steps per second. */
const STEPS = 60;
/** Default frames of a sequence, default frames per second, and maximum frames. */
const [FRAMES, FPS, MAX_FRAMES] = [8, 10, 120];
/** Maximum frames for which the caller waits; a longer sequence becomes a job. */
const AT_ONCE = 16;
/** Maximum fingers of a gesture. */
const MAX_FINGERS = 10;

/** Frames of a game, combined into one picture. */
interface Sequence extends Captured {
  readonly frames: readonly Capture[];
  /** Columns of the picture's grid. */
  readonly columns: number;
  /** The step of the last frame. */
  readonly tick: number;
}

interface SequenceRequest {
  readonly what: "sequence" | "gesture";
  readonly frames: number;
  readonly fps: number;
  readonly inline: boolean | undefined;
  /** Returns the player's input at each frame. */
  readonly input?: (frame: number) => readonly InputEvent[];
}

/** Options for drawing a sequence: cancellation and progress. */
interface SequenceContext {
  readonly signal: AbortSignal;
  readonly drawn: (count: number, frame: Capture) => void;
  /** Receives the status of the next frame. */
  readonly tell: (count: number, stage: string) => void;
}

/** Draws a game frame by frame, as an awaited call or as a job. */
async function sequenceOf(
  services: Services,
  play: Play,
  request: SequenceRequest,
  { signal, progress }: CallContext,
): Promise<Result<Sequence | Started, Problem>> {
  const captures = servicePart(services, "captures");
  if (!captures.ok) return captures;
  const { what, frames, fps } = request;
  if (frames <= AT_ONCE) {
    const drawn = (count: number) => progress(count, frames, "frames");
    const tell = (count: number, stage: string) => progress(count, frames, stage);
    return await drawSequence(services, play, request, { signal, drawn, tell });
  }
  const work = async (job: JobContext): Promise<Result<JsonObject, Problem>> => {
    const done = await drawSequence(services, play, request, {
      signal: job.signal,
      drawn(count, { path }) {
        job.log(path);
        job.progress(count, frames, "frames", path);
      },
      tell: (count, stage) => job.progress(count, frames, "frames", stage),
    });
    return done.ok ? ok(sequenceJson(done.value)) : done;
  };
  const job = captures.value.start(`${what} of ${frames} frames, ${fps} a second`, work, {
    author: authorOf(services),
  });
  return job.ok ? ok({ job: job.value }) : job;
}

/** Draws a game frame by frame; between two frames the game steps as fast as it can. */
async function drawSequence(
  services: Services,
  play: Play,
  { what, frames, fps, inline, input = () => [] }: SequenceRequest,
  { signal, drawn, tell }: SequenceContext,
): Promise<Result<Sequence, Problem>> {
  const captures = servicePart(services, "captures");
  if (!captures.ok) return captures;
  const ready = await captures.value.ready();
  if (!ready.ok) return ready;
  const sequence = crypto.randomUUID();
  const kept: Capture[] = [];
  let made = 0;
  let isBegun = play.state().state !== "stopped"; // the first step starts a stopped game
  for (let frame = 0; frame < frames; frame++) {
    if (signal.aborted) return err(stoppedAfter(kept, "the drawing was cancelled"));
    if (frame > 0) {
      const isStopped = play.state().state === "stopped";
      if (isStopped && isBegun) return err(stoppedAfter(kept, "the game was stopped"));
      const ticks = Math.round(frame * STEPS / fps) - made;
      made += ticks;
      const context = { signal, progress: () => {} };
      const stepped = await stepGame(services, play, { ticks, context });
      if (!stepped.ok) return stepped;
      isBegun = true;
    }
    for (const event of input(frame)) {
      const sent = await play.input(event, callerOf(services));
      if (!sent.ok) return sent;
    }
    const { snapshot } = await standOf(services);
    const options = {
      signal,
      what: `${what}-${frame}`,
      tell: (stage: string) => tell(frame, stage),
    };
    const one = await captures.value.draw({ ...snapshot, sequence }, options);
    if (!one.ok) return one;
    kept.push(one.value.capture);
    drawn(frame + 1, one.value.capture);
  }
  const columns = Math.ceil(Math.sqrt(frames));
  const strip = await captures.value.strip({ captures: kept, columns }, {
    signal,
    what,
    inline,
  });
  return strip.ok ? ok({ ...strip.value, frames: kept, columns, tick: play.state().tick }) : strip;
}

function stoppedAfter(kept: readonly Capture[], why: string): Problem {
  const last = kept.at(-1)?.path;
  const detail =
    `${kept.length} ${kept.length === 1 ? "frame was" : "frames were"} drawn when ${why}` +
    (last === undefined ? "" : `; the last is ${last}`);
  return problem(409, "cancelled", detail, "Call it again while the game plays");
}

function sequenceJson({ frames, columns, tick, ...captured }: Sequence): JsonObject {
  const paths = frames.map(({ path }) => path);
  return { ...shownCapture(captured), columns, tick, frames: paths };
}

function shownSequence(done: Sequence | Started) {
  return ok("job" in done ? startedJob(done, "draws") : sequenceJson(done));
}

function attachedTo(done: Sequence | Started): readonly Attachment[] {
  return "job" in done ? [] : attached(done);
}

/** `render_sequence`. */
const renderSequence: Tool = defineTool({
  name: "render_sequence",
  route: "/api/capture/sequence",
  routeKind: "body",
  purpose: "Plays on and draws each frame, and all in one picture",
  defaultShape: `paths; ${FRAMES} frames, ${FPS} a second; over ${AT_ONCE} a job for job_get`,
  parameters: z.object({
    frames: wholeNumber("how many", { min: 1, max: MAX_FRAMES }),
    fps: wholeNumber("a second", { min: 1, max: STEPS }),
    inline: flag(INLINE),
  }),
  drillDown: {},
  annotations: PLAYS,

  async produce(services, { frames = FRAMES, fps = FPS, inline }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    const request = { what: "sequence", frames, fps, inline } as const;
    return await sequenceOf(services, play.value, request, context);
  },

  summarize: shownSequence,
  attach: attachedTo,
});

/** `capture_gesture`. */
const captureGesture: Tool = defineTool({
  name: "capture_gesture",
  route: "/api/capture/gesture",
  routeKind: "body",
  purpose: "Drags fingers and holds keys in the game, frame by frame",
  defaultShape: "as render_sequence; needs points= or keys=",
  parameters: z.object({
    points: numbers("x,y of each finger in viewport pixels, frame by frame"),
    fingers: wholeNumber("how many points are of one frame; 1 when absent", {
      min: 1,
      max: MAX_FINGERS,
    }),
    keys: texts("codes of keys, held to the last frame"),
    inline: flag(INLINE),
  }),
  drillDown: { points: "x,y,x,y,… frame by frame", keys: "codes" },
  annotations: PLAYS,

  async produce(services, { points, fingers = 1, keys = [], inline }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (points === undefined && keys.length === 0) {
      return refuseMissing("capture_gesture", "points", "points=100,400,200,400, or keys=ArrowUp");
    }
    const ways = points === undefined ? ok(null) : waysOf(points, fingers);
    if (!ways.ok) return ways;
    if (play.value.state().state === "stopped") {
      const detail = "Cannot capture a gesture: no game is playing";
      return refuse(409, "not-playing", detail, "play_control action=play, or step_play");
    }
    const count = ways.value?.length ?? FRAMES;
    return await sequenceOf(services, play.value, {
      what: "gesture",
      frames: count,
      fps: FPS,
      inline,
      input(frame) {
        const phase = frame === 0 ? "down" : frame === count - 1 ? "up" : "move";
        const moved = ways.value?.[frame] ?? [];
        return [
          ...moved.map((at, id) => ({ kind: "pointer", phase, ...at, id }) as const),
          ...(phase === "move" ? [] : keys.map((code) => ({ kind: "key", code, phase }) as const)),
        ];
      },
    }, context);
  },

  summarize: shownSequence,
  attach: attachedTo,
});

/** Position of a finger. */
interface At {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns the position of each finger by frame. @returns 400 `bad-argument` for fewer than two
 * positions or incomplete ones.
 */
function waysOf(
  points: readonly number[],
  fingers: number,
): Result<readonly (readonly At[])[], Problem> {
  const count = points.length / 2 / fingers;
  if (!Number.isInteger(count) || count < 2 || count > MAX_FRAMES) {
    const detail = `Cannot call capture_gesture: points: expected 2 to ${MAX_FRAMES} frames of ` +
      `x,y for ${
        fingers === 1 ? "a finger" : `${fingers} fingers`
      }, found ${points.length} numbers`;
    return refuse(400, "bad-argument", detail, "points=100,400,200,400");
  }
  return ok(
    Array.from(
      { length: count },
      (_none, frame) =>
        Array.from({ length: fingers }, (_one, finger) => {
          const at = 2 * (frame * fingers + finger);
          return { x: points[at] ?? 0, y: points[at + 1] ?? 0 };
        }),
    ),
  );
}

export const SEQUENCE_TOOLS: readonly Tool[] = [renderSequence, captureGesture];
