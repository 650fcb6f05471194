import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  type DeviceList,
  type DeviceLog,
  type DevicePicture,
  type Devices,
  LOG_LEVELS,
  PAIR_NEXT,
  type Point,
} from "../../devices/mod.ts";
import type { ActorKind } from "../../editor/ports/mod.ts";
import type { Capture, KeptPicture } from "../../project/mod.ts";
import { countBy, lastPageOf, pageOf } from "../answer/lists.ts";
import { gap } from "../answer/rings.ts";
import {
  after,
  anyNumber,
  choice,
  flag,
  limit,
  numbers,
  text,
  wholeNumber,
} from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { authorOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool, type ToolAnnotations } from "../declaration/tool.ts";
import { INLINE, pictureUrl } from "./captured.ts";

/** Default number of log lines (DEV-45). */
const LOG_LIMIT = 50;
/** Longest side, in pixels, of a picture for a model: clients scale down larger ones silently. */
const INLINE_SIDE = 1_568;
/** Default duration of a drag, in milliseconds; the maximum is below. */
const DRAG_MS = 300;
const MAX_DRAG_MS = 10_000;
const MAX_EXPRESSION = 20_000;

/** Annotations of tools that only read a device. */
const LOOKS: ToolAnnotations = { readOnlyHint: true };
/** Annotations of tools that act on a device as a player does. */
const PLAYS: ToolAnnotations = { destructiveHint: false };

/** Not pairing codes: these words contain letters that codes never have. */
const [OPEN, CLOSE] = ["open", "close"];

/** Documentation of the parameter that selects a device. */
const DEVICE = "id, if there are several";

/**
 * The simulated phone runs the players' build of the game, which has no bridge, so these tools
 * cannot reach it.
 */
const SIMULATED = "The simulated phone is not among them: phone_do drives it (tools call=phone_do)";

/** `device_list` (DEV-40). */
const deviceList: Tool = defineTool({
  name: "device_list",
  route: "/api/devices",
  routeKind: "both",
  purpose: "Connected phones and simulators (adb, bridge, Xcode), and what each can do",
  defaultShape: "all, with next steps for unusable ones",
  parameters: z.object({
    pair: text("an app's code; open: lets apps in for 5 minutes; close", { max: 40 }),
    forget: text("id of an app to be forgotten"),
  }),
  drillDown: { pair: "an app's code, open, close", forget: "an id" },
  annotations: { destructiveHint: false },

  async produce(services, { pair, forget }, { signal }): Promise<Result<Listed, Problem>> {
    const devices = servicePart(services, "devices");
    if (!devices.ok) return devices;
    if (pair !== undefined && forget !== undefined) {
      const detail = "Cannot call device_list: found pair and forget, expected one of them";
      return refuse(400, "bad-argument", detail, "Call it once for each");
    }
    if (pair === OPEN) devices.value.beginPairing();
    if (pair === CLOSE) devices.value.endPairing();
    const paired = pair === undefined || pair === OPEN || pair === CLOSE
      ? null
      : await devices.value.pair(pair, signal);
    if (paired !== null && !paired.ok) return paired;
    const forgotten = forget === undefined ? null : await devices.value.forget(forget, signal);
    if (forgotten !== null && !forgotten.ok) return forgotten;
    const list = await devices.value.list(signal);
    return ok({
      ...list,
      ...(paired !== null && { paired: paired.value }),
      ...(forget !== undefined && { forgotten: forget }),
      ...(services.phone !== undefined && { simulated: SIMULATED }),
    });
  },

  summarize: ({ devices, notes, waiting, open, ...done }) =>
    ok({
      ...done,
      count: devices.length,
      devices,
      ...(notes.length > 0 && { notes }),
      ...(open !== null && { open }),
      ...(waiting > 0 && { waiting, next: PAIR_NEXT }),
    }),
});

interface Listed extends DeviceList {
  readonly paired?: string;
  readonly forgotten?: string;
  readonly simulated?: string;
}

/** `device_screenshot` (DEV-43). */
const deviceScreenshot: Tool = defineTool({
  name: "device_screenshot",
  route: "/api/devices/screenshot",
  routeKind: "body",
  purpose: "A device's screen; device_tap and device_drag take its pixels",
  defaultShape: "a PNG's path and size, the screen",
  parameters: z.object({
    device: text(DEVICE),
    savePath: text("a .png in the project"),
    inline: flag(INLINE),
  }),
  drillDown: { savePath: "path", inline: "shows it" },
  annotations: {},

  async produce(
    services,
    { device, savePath, inline },
    { signal },
  ): Promise<Result<Pictured, Problem>> {
    const devices = servicePart(services, "devices");
    if (!devices.ok) return devices;
    const captures = servicePart(services, "captures");
    if (!captures.ok) return captures;
    const place = savePath === undefined ? ok(null) : await captures.value.checkPlace(savePath);
    if (!place.ok) return place;
    const longest = inline === true ? INLINE_SIDE : undefined;
    const viewer = viewerOf(services);
    const picture = await devices.value.screenshot({ device, viewer, longest, signal });
    if (!picture.ok) return picture;
    const { bytes, image, given } = picture.value;
    const what = viewer === "human" ? "watched" : "device";
    const kept = await captures.value.keep(what, { ...image, bytes }, savePath);
    if (!kept.ok) return kept;
    if (!signal.aborted) given();
    return ok({ picture: picture.value, kept: kept.value, inline: inline === true });
  },

  summarize({ picture: { device, image, screen }, kept }) {
    const { width, height } = image;
    const size = `${width} × ${height} pixels`;
    return ok({ path: kept.path, width, height, size, url: pictureUrl(kept), screen, device });
  },
  attach: ({ picture: { bytes }, inline }) => inline ? [{ mimeType: "image/png", bytes }] : [],
});

interface Pictured {
  readonly picture: DevicePicture;
  readonly kept: Capture | KeptPicture;
  readonly inline: boolean;
}

/**
 * People and agents receive pictures of different sizes, so a touch is scaled by its caller's
 * picture.
 */
function viewerOf(services: Pick<Services, "caller">): ActorKind {
  return authorOf(services).source;
}

/** `device_tap` (DEV-43). */
const deviceTap: Tool = defineTool({
  name: "device_tap",
  route: "/api/devices/tap",
  routeKind: "body",
  purpose: "Taps a device's screen",
  defaultShape: "the point; needs x= and y=, pixels of the last device_screenshot",
  parameters: z.object({
    device: text(DEVICE),
    x: anyNumber("pixels from the left of the last screenshot"),
    y: anyNumber("pixels from its top"),
  }),
  drillDown: {},
  annotations: PLAYS,

  async produce(services, { device, x, y }, { signal }) {
    const devices = servicePart(services, "devices");
    if (!devices.ok) return devices;
    if (x === undefined || y === undefined) {
      const missing = x === undefined ? "x" : "y";
      return refuseMissing("device_tap", missing, "x=, y= in pixels of the last device_screenshot");
    }
    return await devices.value.touch({
      device,
      viewer: viewerOf(services),
      path: [{ x, y }],
      durationMs: 0,
      signal,
    });
  },

  summarize: ({ device, at: [at] }) => ok({ tapped: at, device }),
});

/** `device_drag` (DEV-43). */
const deviceDrag: Tool = defineTool({
  name: "device_drag",
  route: "/api/devices/drag",
  routeKind: "body",
  purpose: "Drags a finger over a device's screen",
  defaultShape: "from and to; needs from= and to=, pixels of the last device_screenshot",
  parameters: z.object({
    device: text(DEVICE),
    from: numbers("x, y", { length: 2 }),
    to: numbers("x, y", { length: 2 }),
    durationMs: wholeNumber(`milliseconds; ${DRAG_MS}`, { min: 1, max: MAX_DRAG_MS }),
  }),
  drillDown: { from: "x,y", to: "x,y", durationMs: `${DRAG_MS}` },
  annotations: PLAYS,

  async produce(services, { device, from, to, durationMs = DRAG_MS }, { signal }) {
    const devices = servicePart(services, "devices");
    if (!devices.ok) return devices;
    const [begin, end] = [pointOf(from), pointOf(to)];
    if (begin === null || end === null) {
      const missing = begin === null ? "from" : "to";
      return refuseMissing(
        "device_drag",
        missing,
        "from=x,y to=x,y in pixels of the last device_screenshot",
      );
    }
    return await devices.value.touch({
      device,
      viewer: viewerOf(services),
      path: [begin, end],
      durationMs,
      signal,
    });
  },

  summarize: ({ device, at: [from, to] }) => ok({ from, to, device }),
});

function pointOf(given: readonly number[] | undefined): Point | null {
  const [x, y] = given ?? [];
  return x === undefined || y === undefined ? null : { x, y };
}

/** `device_eval` (DEV-44). */
const deviceEval: Tool = defineTool({
  name: "device_eval",
  route: "/api/devices/eval",
  routeKind: "body",
  purpose: "Evaluates JavaScript in the game's page on a device; awaits a promise, 5 s at most",
  defaultShape: "its value as compact JSON; needs expression=",
  parameters: z.object({
    device: text(DEVICE),
    expression: text("JavaScript", { max: MAX_EXPRESSION }),
  }),
  drillDown: { expression: "JavaScript" },
  annotations: {},

  async produce(services, { device, expression }, { signal }) {
    const devices = servicePart(services, "devices");
    if (!devices.ok) return devices;
    if (expression === undefined) {
      return refuseMissing("device_eval", "expression", "expression=document.title");
    }
    return await devices.value.evaluate({ device, expression, signal });
  },

  summarize({ value, truncated, threw, device }) {
    if (threw) {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      return refuse(
        422,
        "eval-threw",
        `The expression threw ${shown}`,
        "Correct it, and call again; statements that return go in (() => { … })()",
      );
    }
    return ok({ value, ...(truncated && { truncated }), device });
  },
});

/** Creates a tool that reads a log of a device (DEV-45). */
function logTool(
  { name, route, purpose, of }: {
    readonly name: string;
    readonly route: string;
    readonly purpose: string;
    readonly of: "console" | "native";
  },
): Tool {
  return defineTool({
    name,
    route,
    purpose,
    defaultShape: `last ${LOG_LIMIT}, counts by level`,
    parameters: z.object({
      device: text(DEVICE),
      level: choice(LOG_LEVELS, "lines of this level only"),
      since: wholeNumber("the oldest lines after this seq", { min: 0 }),
      limit: limit(`${LOG_LIMIT}`),
      after: after(),
    }),
    drillDown: { level: "one", since: "after a seq" },
    annotations: LOOKS,
    fills: ({ since }) => since !== undefined ? "entries" : null,

    produce: (services, { device }, { signal }) => logOf(services, { device, of, signal }),

    summarize({ device, log }, { level, since, limit = LOG_LIMIT, after }) {
      const ring = log.all();
      const matched = ring.filter((line) =>
        (level === undefined || line.level === level) && (since === undefined || line.seq > since)
      );
      const { shown, cut } = (since === undefined ? lastPageOf : pageOf)(matched, { limit, after });
      return ok({
        entries: shown.map(({ seq, t, level, tag, text }) => ({
          seq,
          t,
          level,
          ...(tag !== undefined && { tag }),
          text,
        })),
        total: matched.length,
        byLevel: countBy(ring, (line) => line.level),
        ...cut,
        ...gap(ring, since),
        device,
      });
    },
  });
}

async function logOf(
  services: Services,
  call: Parameters<Devices["log"]>[0],
): Promise<Result<{ readonly device: string; readonly log: DeviceLog }, Problem>> {
  const devices = servicePart(services, "devices");
  return devices.ok ? await devices.value.log(call) : devices;
}

/** `device_console_logs`. */
const deviceConsoleLogs: Tool = logTool({
  name: "device_console_logs",
  route: "/api/devices/console-logs",
  purpose: "Console of the game's page on a device",
  of: "console",
});

/** `device_native_logs`. */
const deviceNativeLogs: Tool = logTool({
  name: "device_native_logs",
  route: "/api/devices/native-logs",
  purpose: "System log of a device (logcat), of the game's app where it is known",
  of: "native",
});

export const DEVICE_TOOLS: readonly Tool[] = [
  deviceList,
  deviceScreenshot,
  deviceTap,
  deviceDrag,
  deviceEval,
  deviceConsoleLogs,
  deviceNativeLogs,
];
