import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { InputEvent, Play } from "../../editor/ports/mod.ts";
import type { Capture, Captured } from "../../project/mod.ts";
import { flag, numbers, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart, servicePart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { type CallContext, defineTool, refuseMissing, type Tool } from "../declaration/tool.ts";
import { attached, INLINE, shownCapture, standOf } from "./captured.ts";
import { PLAYS, stepGame } from "./play.ts";

/** Steps of a second. */
const STEPS = 60;
/** Frames of a sequence, and in a second of it. */
const [FRAMES, FPS, MAX_FRAMES] = [8, 10, 120];

/** Frames of a game, and all of them in one picture. */
interface Sequence extends Captured {
  readonly frames: readonly Capture[];
  /** Frames in a row of the picture. */
  readonly columns: number;
  /** The step of the last frame. */
  readonly tick: number;
}

interface SequenceRequest {
  readonly what: string;
  readonly frames: number;
  readonly fps: number;
  readonly inline: boolean | undefined;
  /** What the player does before each frame but the first. */
  readonly input?: (frame: number) => InputEvent | null;
}

/** Draws a game frame by frame; it makes its steps between them, as fast as it can. */
async function sequenceOf(
  services: Services,
  play: Play,
  { what, frames, fps, inline, input = () => null }: SequenceRequest,
  context: CallContext,
): Promise<Result<Sequence, Problem>> {
  const captures = servicePart(services, "captures");
  if (!captures.ok) return captures;
  const drawn: Capture[] = [];
  let made = 0;
  for (let frame = 0; frame < frames; frame++) {
    if (frame > 0) {
      const ticks = Math.round(frame * STEPS / fps) - made;
      made += ticks;
      const stepped = await stepGame(services, play, {
        ticks,
        context: { ...context, progress: () => {} },
      });
      if (!stepped.ok) return stepped;
    }
    const event = input(frame);
    const sent = event === null ? ok(null) : await play.input(event, "agent");
    if (!sent.ok) return sent;
    const { snapshot } = await standOf(services);
    const options = { signal: context.signal, what: `${what}-${frame}` };
    const one = await captures.value.draw(snapshot, options);
    if (!one.ok) return one;
    drawn.push(one.value.capture);
    context.progress(frame + 1, frames, "frames");
  }
  const columns = Math.ceil(Math.sqrt(frames));
  const strip = await captures.value.strip({ captures: drawn, columns }, {
    signal: context.signal,
    what,
    inline,
  });
  return strip.ok ? ok({ ...strip.value, frames: drawn, columns, tick: play.state().tick }) : strip;
}

function shownSequence({ frames, columns, tick, ...captured }: Sequence) {
  const paths = frames.map(({ path }) => path);
  return ok({ ...shownCapture(captured), columns, tick, frames: paths });
}

/** `render_sequence`. */
const renderSequence: Tool = defineTool({
  name: "render_sequence",
  route: "/api/capture/sequence",
  routeKind: "body",
  purpose: "Plays on and draws each frame, and all in one picture",
  defaultShape: `paths; ${FRAMES} frames, ${FPS} a second`,
  parameters: z.object({
    frames: wholeNumber("how many", { min: 1, max: MAX_FRAMES }),
    fps: wholeNumber("a second", { min: 1, max: STEPS }),
    inline: flag(INLINE),
  }),
  drillDown: { frames: "how many", fps: "a second" },
  annotations: PLAYS,

  async produce(services, { frames = FRAMES, fps = FPS, inline }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    const request = { what: "sequence", frames, fps, inline };
    return await sequenceOf(services, play.value, request, context);
  },

  summarize: shownSequence,
  attach: attached,
});

/** `capture_gesture`. */
const captureGesture: Tool = defineTool({
  name: "capture_gesture",
  route: "/api/capture/gesture",
  routeKind: "body",
  purpose: "Drags a finger or holds a key in the game, frame by frame",
  defaultShape: "as render_sequence; needs points= or code=",
  parameters: z.object({
    points: numbers("x,y,x,y,… in viewport pixels, a frame each"),
    code: text("a key, held to the last frame"),
    inline: flag(INLINE),
  }),
  drillDown: { points: "x,y,x,y,…", code: "key" },
  annotations: PLAYS,

  async produce(services, { points, code, inline }, context) {
    const play = editorPart(services, "play");
    if (!play.ok) return play;
    if (points === undefined && code === undefined) {
      return refuseMissing("capture_gesture", "points", "points=100,400,200,400, or code=ArrowUp");
    }
    const path = points === undefined ? null : pathOf(points);
    if (path?.ok === false) return path;
    if (play.value.state().state === "stopped") {
      const detail = "Cannot capture a gesture: no game is playing";
      return refuse(409, "not-playing", detail, "play_control action=play, or step_play");
    }
    const count = path?.value.length ?? FRAMES;
    return await sequenceOf(services, play.value, {
      what: "gesture",
      frames: count,
      fps: FPS,
      inline,
      input(frame) {
        const phase = frame === 0 ? "down" : frame === count - 1 ? "up" : "move";
        const point = path?.value[frame];
        if (point !== undefined) return { kind: "pointer", phase, ...point };
        return code === undefined || phase === "move" ? null : { kind: "key", code, phase };
      },
    }, context);
  },

  summarize: shownSequence,
  attach: attached,
});

/** The points of a finger's way. @returns 400 `bad-argument` for fewer than two, or half a one. */
function pathOf(
  points: readonly number[],
): Result<readonly { readonly x: number; readonly y: number }[], Problem> {
  const count = points.length / 2;
  if (!Number.isInteger(count) || count < 2 || count > MAX_FRAMES) {
    const detail = `Cannot call capture_gesture: points: expected 2 to ${MAX_FRAMES} pairs of ` +
      `numbers, found ${points.length} numbers`;
    return refuse(400, "bad-argument", detail, "points=100,400,200,400");
  }
  return ok(Array.from({ length: count }, (_none, index) => {
    return { x: points[2 * index] ?? 0, y: points[2 * index + 1] ?? 0 };
  }));
}

export const SEQUENCE_TOOLS: readonly Tool[] = [renderSequence, captureGesture];
