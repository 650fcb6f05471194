import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { unlessAborted } from "../core/shared-work.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import type { Files, SyncStat } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type { MessageSocket, SocketBounds, WebSockets } from "../ports/web-sockets.ts";
import type { Processes } from "../ports/processes.ts";
import { AdbTransport } from "./adb/adb-transport.ts";
import { AppleTransport } from "./apple/apple-transport.ts";
import type { BridgeOpen } from "./bridge/bridge-access.ts";
import { BRIDGE_BOUNDS, BridgeTransport } from "./bridge/bridge-transport.ts";
import type { BridgeCaller } from "./bridge/open-connections.ts";
import { PairedApps } from "./bridge/paired-apps.ts";
import type { DeviceLog } from "./logs/device-log.ts";
import { scalePng, type SizedPicture } from "./picture/scale-png.ts";
import { namesOf, noDevice, noSuchDevice } from "./refusals.ts";
import {
  onScreen,
  type Point,
  type ScreenInfo,
  screenInfo,
  type ShownScreen,
} from "./screen/screen.ts";
import type {
  AttachedDevice,
  DeviceAction,
  DeviceEntry,
  Evaluated,
  Transport,
  VisibleDevices,
} from "./types/device.ts";

/** The devices of this machine. */
export interface DeviceList {
  /** All visible devices, in a stable order. */
  readonly devices: readonly DeviceEntry[];
  /** Reasons why more devices are not visible, a sentence each. */
  readonly notes: readonly string[];
  /** Number of apps that show a code and wait to be paired. */
  readonly waiting: number;
  /** Why apps may connect now; `null` if none may. */
  readonly open: BridgeOpen | null;
}

/** The device to use, and the caller's cancellation. */
export interface DeviceCall {
  /** Its id; optional if only one device is usable. */
  readonly device?: string | undefined;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** A call about a device's screen. */
export interface ScreenCall extends DeviceCall {
  /** Touches take the pixels of the last picture of the same viewer: `human`, `agent`. */
  readonly viewer: string;
}

/** A picture of a device's screen. */
export interface DevicePicture extends SizedPicture {
  /** The device's id. */
  readonly device: string;
  /** The screen that it shows. */
  readonly screen: ScreenInfo;
  /**
   * Records that the viewer received this picture: its touches are in this picture's pixels from
   * then on.
   */
  given(): void;
}

/** Result of a touch. */
export interface Touched {
  /** The device's id. */
  readonly device: string;
  /** Touched places, in points of the device's screen. */
  readonly at: readonly Point[];
}

/** The phones, tablets and simulators that a game is tried on (DEV-40). */
export interface Devices {
  /** Returns the connected devices. */
  list(signal: AbortSignal): Promise<DeviceList>;
  /** Lets apps connect for 5 minutes, even if the project sets no `devices.bridge`. */
  beginPairing(): void;
  /**
   * Ends pairing, and disconnects apps that wait for it. Apps of `devices.bridge` may reconnect.
   */
  endPairing(): void;
  /**
   * Pairs the app that shows a code. @returns Its id, or `bad-code`, `nothing-to-pair`,
   * `wrong-code`.
   */
  pair(code: string, signal: AbortSignal): Promise<Result<string, Problem>>;
  /**
   * Forgets a paired app: it needs a code again.
   *
   * @returns 404 `no-such-device`; 422 `devices-unreadable` or `devices-unwritable`.
   */
  forget(device: string, signal: AbortSignal): Promise<Result<null, Problem>>;
  /**
   * A picture of the screen. Touches take its pixels once it is {@linkcode DevicePicture.given}.
   *
   * @param longest Pixels of its longer side, at most; as the device has it when absent.
   */
  screenshot(
    call: ScreenCall & { readonly longest?: number | undefined },
  ): Promise<Result<DevicePicture, Problem>>;
  /**
   * A finger along pixels of the viewer's last picture; one alone is a tap.
   *
   * @returns 409 `no-screenshot`, 409 `screen-changed`, 400 `off-picture`.
   */
  touch(
    call: ScreenCall & { readonly path: readonly Point[]; readonly durationMs: number },
  ): Promise<Result<Touched, Problem>>;
  /** The value of an expression in the game's page. @returns 422 `eval-timeout`. */
  evaluate(
    call: DeviceCall & { readonly expression: string },
  ): Promise<Result<Evaluated & { readonly device: string }, Problem>>;
  /** A log, brought up to date: the console of the game's page, or the system's. */
  log(
    call: DeviceCall & { readonly of: "console" | "native" },
  ): Promise<Result<{ readonly device: string; readonly log: DeviceLog }, Problem>>;
  /** Entry for apps that connect themselves. */
  readonly bridge: BridgeDoor;
}

/** Entry for apps that connect themselves. */
export interface BridgeDoor {
  /** Bounds of their connections. */
  readonly bounds: SocketBounds;
  /** Why no app of a page of that `Origin` may connect now: 403; `null` when one may. */
  closedTo(origin: string | null): Promise<Problem | null>;
  /** Why no further one is let in that calls from there: 503; `null` when one may be. */
  refusal(caller: BridgeCaller): Problem | null;
  /** Serves a connection; `null` if its upgrade failed. Resolves when it has ended. */
  accept(coming: Promise<MessageSocket | null>, caller: BridgeCaller): Promise<void>;
}

/** The devices as the service has them. */
export interface DeviceHost extends Devices {
  /** Releases all devices: removes port forwards. */
  close(): Promise<void>;
}

/** Ports of the devices. */
export interface DevicesOptions {
  /** Remembers paired apps. */
  readonly files: Files;
  /** The machine. */
  readonly host: Host;
  /** Runs adb and Xcode's programs. */
  readonly processes: Processes;
  /** Looks at shims. */
  readonly syncStat: SyncStat;
  /** Bounds how long a device may take. */
  readonly clock: Clock;
  /** Asks web views for their pages. */
  readonly fetch: Fetch;
  /** Debugs these. */
  readonly webSockets: WebSockets;
  /** Returns the path of Android's debug bridge; `null` if it is missing. */
  readonly findAdb: () => Promise<string | null>;
  /**
   * Returns `devices.bridge` of the project, read at each connection of an app; `null` if unset.
   */
  readonly bridgeAddress: () => Promise<string | null>;
}

/**
 * Creates the devices that this machine reaches: by adb, by Xcode, and apps that connect
 * themselves.
 */
export function createDevices(options: DevicesOptions): DeviceHost {
  const { host, clock, bridgeAddress } = options;
  const paired = new PairedApps(options, host.userData);
  const bridge = new BridgeTransport({ clock, paired, bridgeAddress });
  const adb = new AdbTransport(options, options);
  return new AllDevices([bridge, adb, new AppleTransport(options)], bridge);
}

class AllDevices implements DeviceHost {
  readonly bridge: BridgeDoor;
  readonly #bridge: BridgeTransport;
  readonly #transports: readonly Transport[];
  /** The last picture that a viewer was given of a device, by {@linkcode shownKey}. */
  readonly #shown = new Map<string, ShownScreen>();

  constructor(transports: readonly Transport[], bridge: BridgeTransport) {
    this.#transports = transports;
    this.#bridge = bridge;
    this.bridge = {
      bounds: BRIDGE_BOUNDS,
      closedTo: (origin) => bridge.closedTo(origin),
      refusal: (caller) => bridge.refusal(caller),
      accept: (coming, caller) => bridge.accept(coming, caller),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }

  async list(signal: AbortSignal): Promise<DeviceList> {
    const [{ devices, notes }, open] = await Promise.all([
      this.#look(signal),
      unlessAborted(this.#bridge.open(), signal),
    ]);
    const entries = devices.map(({ entry }) => entry);
    return { devices: entries, notes, waiting: this.#bridge.waiting, open };
  }

  beginPairing(): void {
    this.#bridge.beginPairing();
  }

  endPairing(): void {
    this.#bridge.endPairing();
  }

  pair(code: string, signal: AbortSignal): Promise<Result<string, Problem>> {
    return this.#bridge.pair(code, signal);
  }

  async forget(id: string, signal: AbortSignal): Promise<Result<null, Problem>> {
    const forgotten = await this.#bridge.forget(id, signal);
    if (!forgotten.ok) return forgotten;
    return forgotten.value ? ok(null) : err(noSuchDevice(id, (await this.list(signal)).devices));
  }

  async screenshot(
    { longest, viewer, ...call }: Parameters<Devices["screenshot"]>[0],
  ): Promise<Result<DevicePicture, Problem>> {
    const found = await this.#deviceFor("screenshot", call);
    if (!found.ok) return found;
    const { id, act } = found.value;
    const shot = await act.screenshot(call.signal);
    if (!shot.ok) return shot;
    const { screen, ...picture } = shot.value;
    // Touches are in pixels of the picture that is shown, so there is only one size.
    const scaled = longest === undefined ? picture : await scalePng(picture, longest) ?? picture;
    const shown = { image: scaled.image, screen };
    const given = () => void this.#shown.set(shownKey(viewer, id), shown);
    return ok({ ...scaled, device: id, screen: screenInfo(shown), given });
  }

  async touch(
    { path, durationMs, viewer, ...call }: Parameters<Devices["touch"]>[0],
  ): Promise<Result<Touched, Problem>> {
    const found = await this.#deviceFor(path.length === 1 ? "tap" : "drag", call);
    if (!found.ok) return found;
    const { id, act } = found.value;
    const key = shownKey(viewer, id);
    const shown = this.#shown.get(key);
    if (shown === undefined) {
      return refuse(
        409,
        "no-screenshot",
        `There is no screenshot of ${id} yet, whose pixels a touch needs`,
        "Call device_screenshot first",
      );
    }
    const { screen } = shown;
    const places: Point[] = [];
    for (const point of path) {
      const place = onScreen(point, shown);
      if (!place.ok) return place;
      places.push(place.value);
    }
    const done = await act.touch({ path: places, durationMs, screen }, call.signal);
    if (!done.ok) {
      if (done.error.code === "screen-changed") this.#shown.delete(key);
      return done;
    }
    const { unitsPerPoint } = screen;
    return ok({
      device: id,
      at: places.map(({ x, y }) => ({ x: x / unitsPerPoint, y: y / unitsPerPoint })),
    });
  }

  async evaluate({ expression, ...call }: Parameters<Devices["evaluate"]>[0]) {
    const found = await this.#deviceFor("eval", call);
    if (!found.ok) return found;
    const { id, act } = found.value;
    const evaluated = await act.evaluate(expression, call.signal);
    return evaluated.ok ? ok({ ...evaluated.value, device: id }) : evaluated;
  }

  async log({ of, ...call }: Parameters<Devices["log"]>[0]) {
    const found = await this.#deviceFor(of === "console" ? "console_logs" : "native_logs", call);
    if (!found.ok) return found;
    const { id, act } = found.value;
    const log = await (of === "console" ? act.consoleLog : act.nativeLog)(call.signal);
    return log.ok ? ok({ device: id, log: log.value }) : log;
  }

  async #look(signal: AbortSignal): Promise<VisibleDevices> {
    const looks = await Promise.all(
      this.#transports.map((one) => unlessAborted(one.devices(signal), signal)),
    );
    return {
      devices: looks.flatMap(({ devices }) => devices),
      notes: looks.flatMap(({ notes }) => notes),
    };
  }

  /** Returns the requested device, after checking that it supports the action. */
  async #deviceFor(
    action: DeviceAction,
    { device: requestedDevice, signal }: DeviceCall,
  ): Promise<Result<{ readonly id: string; readonly act: Able }, Problem>> {
    // Connected apps are known immediately: neither adb, which may be slow or not answer, nor the
    // disk is asked.
    const apps = this.#bridge.connected;
    const isApp = apps.some(({ entry }) => entry.id === requestedDevice);
    const { devices, notes } = isApp ? { devices: apps, notes: [] } : await this.#look(signal);
    const entries = devices.map(({ entry }) => entry);
    const usable = entries.filter(({ state, can }) => state === "ready" && can.length > 0);
    const [only, ...others] = usable;
    const id = requestedDevice ?? only?.id;
    if (id === undefined) return noDevice(entries, notes, this.#bridge.waiting);
    if (requestedDevice === undefined && others.length > 0) {
      return refuse(
        400,
        "which-device",
        `${usable.length} devices could be meant: ${namesOf(usable)}`,
        `Give device=${id}, or another of them`,
      );
    }
    const chosen = devices.find(({ entry }) => entry.id === id);
    if (chosen === undefined) return err(noSuchDevice(id, entries));
    const { state, can, next } = chosen.entry;
    if (state === "ready" && can.includes(action)) return ok({ id, act: ableOf(chosen) });
    const elsewhere = usable.filter((one) => one.can.includes(action));
    return refuse(
      422,
      "device-cannot",
      state === "ready"
        ? `${id} has no ${action} over ${chosen.entry.transport}; it can: ${
          can.join(", ") || "nothing"
        }`
        : `${id} cannot be used: it is ${state}`,
      next ??
        (elsewhere.length > 0 ? `These can: ${namesOf(elsewhere)}` : "device_list says which can"),
    );
  }
}

function shownKey(viewer: string, device: string): string {
  return `${viewer} ${device}`;
}

/** All actions of a device; unsupported ones have been refused before. */
type Able = Required<Omit<AttachedDevice, "entry">>;

function ableOf(device: AttachedDevice): Able {
  const cannot = () =>
    Promise.reject(new TypeError(`${device.entry.id} does not support its own action list`));
  return {
    screenshot: (signal) => device.screenshot?.(signal) ?? cannot(),
    screen: (signal) => device.screen?.(signal) ?? cannot(),
    touch: (touch, signal) => device.touch?.(touch, signal) ?? cannot(),
    evaluate: (expression, signal) => device.evaluate?.(expression, signal) ?? cannot(),
    consoleLog: (signal) => device.consoleLog?.(signal) ?? cannot(),
    nativeLog: (signal) => device.nativeLog?.(signal) ?? cannot(),
  };
}
