import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { Turns } from "../../core/turns.ts";
import { DeviceLog } from "../logs/device-log.ts";
import { type DevtoolsPorts, listPages, PageSession } from "../devtools/page-session.ts";
import { pngSize } from "../../core/png.ts";
import {
  hasShapeOf,
  type Point,
  sameScreen,
  type Screen,
  screenChanged,
} from "../screen/screen.ts";
import type { AttachedDevice, DeviceEntry, Evaluated, Shot, Touch } from "../types/device.ts";
import type { Adb } from "./adb.ts";
import { parseDebugSockets, parseLogcat, screenOf } from "./parse.ts";

const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** `exec-out` has one pipe for both outputs: phones that fold would warn in the middle of the picture. */
const SCREENCAP = "screencap -p 2>/dev/null";
/** One command line, because the screen may turn during each further run of adb. */
const SCREEN = "dumpsys window displays; wm size; wm density; true";
/** Lines that are read of a phone's log at a time. */
const LOG_LINES = 1_000;
/** Maximum inspected web views, more than are ever in use at once. */
const MAX_WEB_VIEWS = 8;
/** Minimum duration of a drag, in milliseconds: a shorter one is not a drag to Android. */
const SHORTEST_DRAG_MS = 100;

type Answer<T> = Promise<Result<T, Problem>>;

/** A web view that is debugged, over a port of this machine that leads to it. */
interface DebuggedPage {
  readonly session: PageSession;
  readonly port: number;
}

/** An Android phone that adb may use (DEV-46). */
export class AdbPhone implements AttachedDevice {
  entry: DeviceEntry;
  readonly #adb: Adb;
  readonly #ports: DevtoolsPorts;
  readonly #console = new DeviceLog();
  readonly #native = new DeviceLog();
  readonly #turns = new Turns();
  #page: DebuggedPage | null = null;

  constructor(entry: DeviceEntry, adb: Adb, ports: DevtoolsPorts) {
    this.entry = entry;
    this.#adb = adb;
    this.#ports = ports;
  }

  async screenshot(signal: AbortSignal): Answer<Shot> {
    // Between two looks: a phone that was being turned has a picture of neither.
    const before = await this.screen(signal);
    if (!before.ok) return before;
    const bytes = await this.#adb.bytes(this.entry.id, SCREENCAP, {
      maxBytes: MAX_PICTURE_BYTES,
      signal,
    });
    if (!bytes.ok) return bytes;
    const after = await this.screen(signal);
    if (!after.ok) return after;
    const image = pngSize(bytes.value);
    if (image === null) {
      const detail = `The phone gave ${bytes.value.length} bytes, expected a PNG file`;
      return refuse(422, "no-picture", detail, "Wake and unlock the phone, and call it again");
    }
    const screen = after.value;
    const isTurned = image.width > image.height !== screen.width > screen.height &&
      image.width !== image.height;
    if (!sameScreen(before.value, screen)) {
      const detail = "The phone was turned while its picture was taken";
      return refuse(409, "screen-changed", detail, "Call it again");
    }
    if (isTurned) {
      const detail = `The picture is ${image.width} × ${image.height} pixels, ` +
        `the screen ${screen.width} × ${screen.height}`;
      const next = "Call it again; if it persists, turn the phone, or run adb shell wm size reset";
      return refuse(409, "screen-changed", detail, next);
    }
    if (!hasShapeOf(image, screen)) {
      const detail =
        `The phone gave a picture of ${image.width} × ${image.height} pixels of a screen of ${screen.width} × ${screen.height}`;
      return refuse(422, "no-picture", detail, "Remove an override of wm size: wm size reset");
    }
    return ok({ bytes: bytes.value, image, screen });
  }

  async screen(signal: AbortSignal): Answer<Screen> {
    const printed = await this.#adb.order(this.entry.id, ["shell", SCREEN], signal);
    if (!printed.ok) return printed;
    const screen = screenOf(printed.value);
    return screen === null ? noScreen() : ok(screen);
  }

  async touch({ path, durationMs, screen }: Touch, signal: AbortSignal): Answer<null> {
    const now = await this.screen(signal);
    if (!now.ok) return now;
    if (!sameScreen(screen, now.value)) {
      const { width, height, rotation } = now.value;
      return screenChanged(`${width} × ${height} at ${rotation}° now`);
    }
    const [from, to] = [path[0], path.at(-1)];
    if (from === undefined || to === undefined) throw new RangeError("Cannot touch along no path");
    const order = path.length === 1
      ? ["tap", ...pixels(from)]
      : ["swipe", ...pixels(from), ...pixels(to), `${Math.max(SHORTEST_DRAG_MS, durationMs)}`];
    const done = await this.#adb.order(this.entry.id, ["shell", "input", ...order], signal);
    return done.ok ? ok(null) : done;
  }

  async evaluate(expression: string, signal: AbortSignal): Answer<Evaluated> {
    const session = await this.#session(signal);
    return session.ok ? await session.value.evaluate(expression, signal) : session;
  }

  async consoleLog(signal: AbortSignal): Answer<DeviceLog> {
    const session = await this.#session(signal);
    if (!session.ok) return session;
    const answer = await session.value.settle(signal);
    return answer.ok ? ok(this.#console) : answer;
  }

  async nativeLog(signal: AbortSignal): Answer<DeviceLog> {
    const sockets = await this.#sockets(signal);
    if (!sockets.ok) return sockets;
    // Restricted to the app, if only one app has a page: a phone logs a thousand lines a minute.
    const [only, ...others] = sockets.value;
    const ofApp = only !== undefined && others.length === 0 ? [`--pid=${only.pid}`] : [];
    const args = ["shell", "logcat", "-d", "-v", "epoch", "-t", `${LOG_LINES}`, ...ofApp];
    const read = { most: LOG_LINES, read: parseLogcat, signal };
    const lines = await this.#adb.lines(this.entry.id, args, read);
    if (!lines.ok) return lines;
    this.#native.merge(lines.value);
    return ok(this.#native);
  }

  /** Releases its page. */
  async close(): Promise<void> {
    await this.#turns.take(() => this.#release(new AbortController().signal));
  }

  /** Returns a session with the game's page, a visible one; reused while it lives. */
  #session(signal: AbortSignal): Answer<PageSession> {
    return this.#turns.take(async () => {
      if (this.#page !== null) return ok(this.#page.session);
      const sockets = await this.#sockets(signal);
      if (!sockets.ok) return sockets;
      let why: Problem = noPage();
      for (const { name } of sockets.value.slice(0, MAX_WEB_VIEWS)) {
        const opened = await this.#open(name, signal);
        if (opened.ok) return opened;
        why = opened.error;
      }
      return err(why);
    });
  }

  async #open(socket: string, signal: AbortSignal): Answer<PageSession> {
    const args = ["forward", "tcp:0", `localabstract:${socket}`];
    const forwarded = await this.#adb.order(this.entry.id, args, signal);
    if (!forwarded.ok) return forwarded;
    const port = Number(/^\d{1,5}$/m.exec(forwarded.value)?.[0] ?? 0);
    const pages = port === 0 ? [] : await listPages(port, this.#ports, signal);
    const page = pages.find(({ isSeen }) => isSeen) ?? pages[0];
    const opened = page === undefined ? err(noPage()) : await PageSession.open(port, page.path, {
      ports: this.#ports,
      log: this.#console,
      signal,
    });
    if (!opened.ok) {
      await this.#removeForward(port, signal);
      return opened;
    }
    const debugged = { session: opened.value, port };
    this.#page = debugged;
    opened.value.ended.then(() =>
      this.#turns.take(async () => {
        if (this.#page === debugged) await this.#release(new AbortController().signal);
      })
    );
    return opened;
  }

  async #release(signal: AbortSignal): Promise<void> {
    const page = this.#page;
    this.#page = null;
    if (page === null) return;
    page.session.close();
    await this.#removeForward(page.port, signal);
  }

  async #removeForward(port: number, signal: AbortSignal): Promise<void> {
    // The forward of a disconnected phone has already been removed.
    await this.#adb.order(this.entry.id, ["forward", "--remove", `tcp:${port}`], signal);
  }

  async #sockets(signal: AbortSignal): Answer<ReturnType<typeof parseDebugSockets>> {
    const printed = await this.#adb.order(
      this.entry.id,
      ["shell", "cat", "/proc/net/unix"],
      signal,
    );
    return printed.ok ? ok(parseDebugSockets(printed.value)) : printed;
  }
}

/**
 * Formats coordinates for `input`, in hundredths, at the centre of a pixel. Web views convert them
 * to points in single precision, in which the edge of a pixel may fall into its neighbour.
 */
function pixels({ x, y }: Point): readonly string[] {
  return [x, y].map((pixel) => `${Math.floor(pixel * 100) / 100}`);
}

function noScreen(): Result<never, Problem> {
  const detail = "The phone does not say how large its screen is";
  return refuse(422, "no-screen", detail, "Wake and unlock the phone, and call it again");
}

function noPage(): Problem {
  return problem(
    422,
    "no-web-view",
    "No app on the phone has a page that may be debugged",
    "Open the game on the phone; its build must be a debug build, or one with the device bridge",
  );
}
