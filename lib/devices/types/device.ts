import type { JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { DeviceLog } from "../logs/device-log.ts";
import type { Point, Screen, ScreenSize } from "../screen/screen.ts";

// Types of devices of all transports: callers do not depend on adb or the bridge.

/** Actions on a device; each transport lists those that it supports. */
export type DeviceAction = "screenshot" | "tap" | "drag" | "eval" | "console_logs" | "native_logs";

/** The connection to a device. */
export type TransportName = "adb" | "bridge" | "simctl" | "devicectl";

/** The state of a device. */
export type DeviceReadiness = "ready" | "unauthorized" | "offline" | "unavailable";

/** A device, as lists show it. */
export interface DeviceEntry {
  /** Its id in calls. */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** The connection to it. */
  readonly transport: TransportName;
  /** Whether it can be used. */
  readonly state: DeviceReadiness;
  /** Actions that it supports now. */
  readonly can: readonly DeviceAction[];
  /** The first step for the user if it cannot be used. */
  readonly next?: string;
}

/** A picture of a device's screen. */
export interface Shot {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its pixels. */
  readonly image: ScreenSize;
  /** The screen at that moment. */
  readonly screen: Screen;
}

/** A finger along a path, in the screen's own units. */
export interface Touch {
  /** One point for a tap. */
  readonly path: readonly Point[];
  /** Duration in milliseconds; 0 for a tap. */
  readonly durationMs: number;
  /** The screen for which the path is meant. */
  readonly screen: Screen;
}

/** The value of an expression on a device. */
export interface Evaluated {
  /** Values that are not JSON are text; about 20,000 characters at most. */
  readonly value: JsonValue;
  /** Whether anything was omitted. */
  readonly truncated: boolean;
  /** Whether it was thrown rather than answered. */
  readonly threw: boolean;
}

type Answer<T> = Promise<Result<T, Problem>>;

/** A usable device; unsupported actions are absent. */
export interface AttachedDevice {
  /** Its entry in lists. */
  readonly entry: DeviceEntry;
  screenshot?(signal: AbortSignal): Answer<Shot>;
  /** The screen now. */
  screen?(signal: AbortSignal): Answer<Screen>;
  /** @returns 409 `screen-changed` if it detects that the screen has changed. */
  touch?(touch: Touch, signal: AbortSignal): Answer<null>;
  evaluate?(expression: string, signal: AbortSignal): Answer<Evaluated>;
  /** The console of its page, brought up to date. */
  consoleLog?(signal: AbortSignal): Answer<DeviceLog>;
  /** The log of its system, brought up to date. */
  nativeLog?(signal: AbortSignal): Answer<DeviceLog>;
}

/** The devices that a transport sees, and reasons why it does not see more. */
export interface VisibleDevices {
  /** In display order. */
  readonly devices: readonly AttachedDevice[];
  /** Sentences for people. */
  readonly notes: readonly string[];
}

/** A way to reach devices. */
export interface Transport {
  /** Returns the visible devices. Rejects only when aborted. */
  devices(signal: AbortSignal): Promise<VisibleDevices>;
  /** Releases everything that it holds on devices. */
  close(): Promise<void>;
}
