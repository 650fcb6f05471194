import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Rect, SceneState, Vec3, Viewport } from "../../editor/ports/mod.ts";
import type { CameraView, Captured, Snapshot } from "../../project/mod.ts";
import { anyNumber, flag, numbers, text, wholeNumber } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import {
  type Attachment,
  defineTool,
  refuseMissing,
  type Tool,
  type ToolAnnotations,
} from "../declaration/tool.ts";
import { resolveEntity } from "../scene/entities.ts";

/** Adds a file to the captures, and nothing to the project. */
const CAPTURES: ToolAnnotations = { destructiveHint: false, openWorldHint: false };
/** Pixels along a side of the largest picture. */
const MAX_SIDE = 8_192;
/** Degrees, where a camera is given without. */
const FOV = 60;
/** Pixels around an entity. */
const MARGIN = 8;
/** How far a channel may be off: rounding differs between graphics cards, and no eye sees it. */
const THRESHOLD = 8;
/** Pixels of a picture where an editor has no view. */
const DEFAULT_SCREEN: Viewport = { width: 1280, height: 720 };

/** The scene as it stands now. */
interface Stand {
  readonly snapshot: Snapshot;
  readonly scene: Pick<SceneState, "scenePath" | "playing">;
}

/** The scene as it stands, at a size. */
async function standOf(
  { editor }: Services,
  screen: Partial<{ readonly [side in keyof Viewport]: number | undefined }> = {},
): Promise<Stand> {
  const scene = await editor.sceneState();
  const viewport = editor.view?.state().viewport ?? DEFAULT_SCREEN;
  const { width = viewport.width, height = viewport.height } = screen;
  const tick = scene.playing === true ? editor.play?.state().tick ?? 0 : 0;
  return { snapshot: { entities: scene.entities, tick, screen: { width, height } }, scene };
}

/** What a caller sees of a capture. */
function shownCapture({ capture, warnings, inline }: Captured): object {
  const { name, path, width, height } = capture;
  return {
    path,
    width,
    height,
    url: `/api/captures/${name}`,
    ...(inline !== undefined && inline.scale < 1 && { inlineScale: inline.scale }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The picture beside it. */
function attached({ inline }: Captured): readonly Attachment[] {
  return inline === undefined ? [] : [{ mimeType: "image/png", bytes: inline.bytes }];
}

const INLINE = "shows it, scaled to 1568 px";

/** What a capture is, and of which moment. */
interface Drawn extends Captured, Stand {}

function shownDrawn({ scene: { scenePath, playing }, snapshot: { tick }, ...captured }: Drawn) {
  return ok({ ...shownCapture(captured), scene: scenePath, ...(playing === true && { tick }) });
}

/** `capture_viewport`. */
const captureViewport: Tool = defineTool({
  name: "capture_viewport",
  route: "/api/capture/viewport",
  routeKind: "body",
  purpose: "Draws the scene, or the playing game, as the game's view shows it",
  defaultShape: "path and size of a PNG",
  parameters: z.object({ inline: flag(INLINE) }),
  drillDown: { inline: INLINE },
  annotations: CAPTURES,

  async produce(services, { inline }, { signal }): Promise<Result<Drawn, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const stand = await standOf(services);
    const drawn = await captures.value.draw(stand.snapshot, { signal, what: "viewport", inline });
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
  purpose: "Draws the scene, or the playing game, from a camera at a size",
  defaultShape: "path and size of a PNG, by the scene's camera",
  parameters: z.object({
    width: wholeNumber("pixels", { min: 1, max: MAX_SIDE }),
    height: wholeNumber("pixels", { min: 1, max: MAX_SIDE }),
    position: numbers("x,y,z of another camera, m", { length: 3 }),
    target: numbers("x,y,z that it looks at; the origin", { length: 3 }),
    fov: anyNumber(`degrees; ${FOV}`, { min: 1, max: 170 }),
    inline: flag(INLINE),
  }),
  drillDown: { position: "another camera's", target: "looks at", inline: INLINE },
  annotations: CAPTURES,

  async produce(services, args, { signal }): Promise<Result<Drawn, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const camera = cameraOf(args);
    if (!camera.ok) return camera;
    const { snapshot, scene } = await standOf(services, args);
    const seen = { ...snapshot, camera: camera.value };
    const { inline } = args;
    const drawn = await captures.value.draw(seen, { signal, what: "scene", inline });
    return drawn.ok ? ok({ ...drawn.value, snapshot, scene }) : drawn;
  },

  summarize: shownDrawn,
  attach: attached,
});

function cameraOf(
  { position, target, fov }: {
    readonly position?: readonly number[] | undefined;
    readonly target?: readonly number[] | undefined;
    readonly fov?: number | undefined;
  },
): Result<CameraView | undefined, Problem> {
  if (position === undefined) {
    return target === undefined && fov === undefined
      ? ok(undefined)
      : refuseMissing("render_scene", "position", "position=0,5,10 target=0,0,0");
  }
  return ok({ position: vectorOf(position), target: vectorOf(target ?? []), fov: fov ?? FOV });
}

function vectorOf([x = 0, y = 0, z = 0]: readonly number[]): Vec3 {
  return [x, y, z];
}

/** `capture_region`. */
const captureRegion: Tool = defineTool({
  name: "capture_region",
  route: "/api/capture/region",
  routeKind: "body",
  purpose: "Draws a part of the view: a rectangle, or where an entity is",
  defaultShape: "path and size of a PNG; needs rect=, id= or guid=",
  parameters: z.object({
    rect: numbers("x,y,w,h in viewport pixels", { length: 4 }),
    id: wholeNumber("the entity", { min: 0 }),
    guid: text("the entity"),
    margin: wholeNumber(`pixels around an entity; ${MARGIN}`, { min: 0, max: MAX_SIDE }),
    inline: flag(INLINE),
  }),
  drillDown: { rect: "x,y,w,h", margin: "around an entity", inline: INLINE },
  annotations: CAPTURES,

  async produce(services, args, { signal }): Promise<Result<Region, Problem>> {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const stand = await standOf(services);
    const { screen } = stand.snapshot;
    const wanted = await rectOf(services, args);
    if (!wanted.ok) return wanted;
    const region = within(wanted.value, screen);
    if (region === null) {
      const { x, y, w, h } = wanted.value;
      const detail = `The rectangle ${x},${y},${w},${h} lies outside the view of ` +
        `${screen.width} × ${screen.height} pixels`;
      return refuse(422, "off-screen", detail, "svc_get_layout_bounds ids= says where things are");
    }
    const { inline } = args;
    const snapshot = { ...stand.snapshot, region };
    const drawn = await captures.value.draw(snapshot, { signal, what: "region", inline });
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

/** The rectangle that is asked for, which may reach beyond the view. */
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

/** Whole pixels of a rectangle that lie in the view; `null` for none. */
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
  purpose: "Says what differs between two captures, where and by how much",
  defaultShape: "counts, boxes, path of a picture of it; needs before= and after=",
  parameters: z.object({
    before: text("path of a capture"),
    after: text("path of another"),
    threshold: wholeNumber(`how far a channel may be off, 0 to 255; ${THRESHOLD}`, {
      min: 0,
      max: 255,
    }),
    inline: flag(INLINE),
  }),
  drillDown: { threshold: "tolerance", inline: INLINE },
  annotations: CAPTURES,

  async produce(services, { before, after, threshold = THRESHOLD, inline }, { signal }) {
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    if (before === undefined || after === undefined) {
      const name = before === undefined ? "before" : "after";
      return refuseMissing("compare_captures", name, "The path that a capture answered");
    }
    const request = { before, after, threshold };
    return await captures.value.compare(request, { signal, what: "difference", inline });
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
];
