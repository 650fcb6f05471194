import { z } from "zod";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Rect, Vec3, Viewport } from "../../editor/ports/mod.ts";
import type { CameraView, Captured } from "../../project/mod.ts";
import { flag, jsonObject, numbers, text, wholeNumber } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool, type ToolAnnotations } from "../declaration/tool.ts";
import { resolveEntity } from "../scene/entities.ts";
import { posedEntities } from "../scene/poses.ts";
import { SEQUENCE_TOOLS } from "./capture-sequences.ts";
import { attached, INLINE, shownCapture, type Stand, standOf, waiting } from "./captured.ts";

/** Annotations of tools that add a capture file, and nothing to the project. */
const CAPTURES: ToolAnnotations = { destructiveHint: false, openWorldHint: false };
/** Default field of view of a camera, in degrees. */
const FOV = 60;
/** Margin around an entity, in pixels. */
const MARGIN = 8;
/** Allowed difference per channel: rounding differs between graphics cards, invisibly. */
const THRESHOLD = 8;

/** A capture, and the state of the scene that it shows. */
interface Drawn extends Captured, Stand {}

function shownDrawn({ scene: { scenePath, playing }, snapshot: { tick }, ...captured }: Drawn) {
  return ok({ ...shownCapture(captured), scene: scenePath, ...(playing === true && { tick }) });
}

/** `capture_viewport`. */
const captureViewport: Tool = defineTool({
  name: "capture_viewport",
  route: "/api/capture/viewport",
  routeKind: "body",
  purpose: "Draws the scene or the playing game as its view shows it",
  defaultShape: "a PNG's path and size",
  parameters: z.object({ inline: flag(INLINE) }),
  drillDown: {},
  annotations: CAPTURES,

  async produce(services, { inline }, context): Promise<Result<Drawn, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const stand = await standOf(services);
    const drawn = await captures.value.draw(stand.snapshot, {
      ...waiting(context),
      what: "viewport",
      inline,
    });
    return drawn.ok ? ok({ ...drawn.value, ...stand }) : drawn;
  },

  summarize: shownDrawn,
  attach: attached,
});

/** `render_scene`. */
const renderScene: Tool = defineTool({
  name: "render_scene",
  route: "/api/capture/scene",
  routeKind: "body",
  purpose: "Draws the scene or the playing game at a size, from a camera",
  defaultShape: "a PNG by the scene's camera",
  parameters: z.object({
    width: wholeNumber("pixels", { min: 1 }),
    height: wholeNumber("pixels", { min: 1 }),
    camera: jsonObject("another one"),
    pose: jsonObject("a moment of an animation or timeline"),
    inline: flag(INLINE),
  }),
  drillDown: {
    camera: "{position:[x,y,z],target,fov}",
    pose: "{guid or id, t, asset?}",
  },
  annotations: CAPTURES,

  async produce(services, args, context): Promise<Result<Drawn, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const camera = cameraOf(args.camera);
    if (!camera.ok) return camera;
    const { snapshot, scene } = await standOf(services, args);
    const posed = await posedEntities(services, snapshot.entities, args.pose);
    if (!posed.ok) return posed;
    const seen = { ...snapshot, entities: posed.value, camera: camera.value };
    const { inline } = args;
    const drawn = await captures.value.draw(seen, { ...waiting(context), what: "scene", inline });
    return drawn.ok ? ok({ ...drawn.value, snapshot, scene }) : drawn;
  },

  summarize: shownDrawn,
  attach: attached,
});

/** Returns the camera of an argument. @returns 400 `bad-argument`. */
function cameraOf(given: JsonObject | undefined): Result<CameraView | undefined, Problem> {
  if (given === undefined) return ok(undefined);
  const { position, target = [0, 0, 0], fov = FOV, ...others } = given;
  const [at, towards] = [vectorOf(position), vectorOf(target)];
  const isGood = at !== null && towards !== null && typeof fov === "number" && fov >= 1 &&
    fov <= 170 && Object.keys(others).length === 0;
  if (isGood) return ok({ position: at, target: towards, fov });
  const expected = "{position:[x,y,z],target:[x,y,z],fov} with a fov of 1 to 170 degrees";
  const detail = `Cannot call render_scene: camera: expected ${expected}, found ` +
    JSON.stringify(given).slice(0, 200);
  return refuse(400, "bad-argument", detail, 'camera={"position":[0,5,10],"target":[0,0,0]}');
}

function vectorOf(value: JsonValue | undefined): Vec3 | null {
  const [x, y, z, ...more] = Array.isArray(value) ? value : [];
  const isVector = typeof x === "number" && typeof y === "number" && typeof z === "number" &&
    more.length === 0;
  return isVector ? [x, y, z] : null;
}

/** `capture_region`. */
const captureRegion: Tool = defineTool({
  name: "capture_region",
  route: "/api/capture/region",
  routeKind: "body",
  purpose: "Draws a rectangle of the view, or an entity",
  defaultShape: "a PNG; needs rect=, id= or guid=",
  parameters: z.object({
    rect: numbers("x,y,w,h in viewport pixels", { length: 4 }),
    id: wholeNumber("the entity", { min: 0 }),
    guid: text("the entity"),
    margin: wholeNumber(`pixels around an entity; ${MARGIN}`, { min: 0 }),
    inline: flag(INLINE),
  }),
  drillDown: { rect: "x,y,w,h", margin: "around an entity" },
  annotations: CAPTURES,

  async produce(services, args, context): Promise<Result<Region, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const stand = await standOf(services);
    const { screen } = stand.snapshot;
    const area = await rectOf(services, args);
    if (!area.ok) return area;
    const region = within(area.value, screen);
    if (region === null) {
      const { x, y, w, h } = area.value;
      const detail = `The rectangle ${x},${y},${w},${h} lies outside the view of ` +
        `${screen.width} × ${screen.height} pixels`;
      return refuse(422, "off-screen", detail, "svc_get_layout_bounds ids= returns rectangles");
    }
    const { inline } = args;
    const snapshot = { ...stand.snapshot, region };
    const drawn = await captures.value.draw(snapshot, {
      ...waiting(context),
      what: "region",
      inline,
    });
    return drawn.ok ? ok({ ...drawn.value, ...stand, region }) : drawn;
  },

  summarize: ({ region, ...drawn }) => {
    const { x, y } = region;
    return ok({ ...shownDrawn(drawn).value, x, y });
  },
  attach: attached,
});

/** A capture, and the part of the view that it shows. */
interface Region extends Drawn {
  readonly region: Rect;
}

/** Returns the requested rectangle, which may reach beyond the view. */
async function rectOf(
  { editor }: Services,
  { rect, id, guid, margin = MARGIN }: {
    readonly rect?: readonly number[] | undefined;
    readonly id?: number | undefined;
    readonly guid?: string | undefined;
    readonly margin?: number | undefined;
  },
): Promise<Result<Rect, Problem>> {
  if (rect !== undefined) {
    const [x = 0, y = 0, w = 0, h = 0] = rect;
    return ok({ x, y, w, h });
  }
  if (id === undefined && guid === undefined) {
    return refuseMissing("capture_region", "rect", "rect=0,0,200,100, or id= of an entity");
  }
  const entity = resolveEntity((await editor.sceneState()).entities, { id, guid });
  if (!entity.ok) return entity;
  const { entries } = await editor.layoutBounds();
  const found = entries.find((entry) => entry.id === entity.value.id)?.rect ?? null;
  if (found === null) {
    const detail =
      `"${entity.value.name}" (id ${entity.value.id}) is not seen: it has no rectangle`;
    return refuse(422, "not-seen", detail, "Give rect=, or an entity that is drawn");
  }
  const { x, y, w, h } = found;
  return ok({ x: x - margin, y: y - margin, w: w + 2 * margin, h: h + 2 * margin });
}

/** Returns the integer part of a rectangle that is inside the view, or `null` if empty. */
function within({ x, y, w, h }: Rect, { width, height }: Viewport): Rect | null {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const right = Math.min(width, Math.ceil(x + w));
  const bottom = Math.min(height, Math.ceil(y + h));
  if (!(right > left && bottom > top)) return null;
  return { x: left, y: top, w: right - left, h: bottom - top };
}

/** `compare_captures`. */
const compareCaptures: Tool = defineTool({
  name: "compare_captures",
  route: "/api/capture/compare",
  routeKind: "body",
  purpose: "Differences between two captures, with their places",
  defaultShape: "pixels, boxes, a PNG of it",
  parameters: z.object({
    before: text("path of a capture"),
    after: text("path of another"),
    threshold: wholeNumber(`how far a channel may be off, 0 to 255; ${THRESHOLD}`, {
      min: 0,
      max: 255,
    }),
    inline: flag(INLINE),
  }),
  drillDown: { before: "path", after: "path", threshold: "of a channel" },
  annotations: CAPTURES,

  async produce(services, { before, after, threshold = THRESHOLD, inline }, context) {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    if (before === undefined || after === undefined) {
      const name = before === undefined ? "before" : "after";
      return refuseMissing("compare_captures", name, "The path that a capture answered");
    }
    const request = { before, after, threshold };
    return await captures.value.compare(request, {
      ...waiting(context),
      what: "difference",
      inline,
    });
  },

  summarize({ comparison: { width, height, different, boxes }, ...captured }) {
    const percent = 100 * different / (width * height);
    return ok({ same: different === 0, different, percent, boxes, ...shownCapture(captured) });
  },
  attach: attached,
});

export const CAPTURE_TOOLS: readonly Tool[] = [
  captureViewport,
  renderScene,
  captureRegion,
  compareCaptures,
  ...SEQUENCE_TOOLS,
];
