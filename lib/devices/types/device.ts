import type { JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { DeviceLog } from "../logs/device-log.ts";
import type { Point, Screen, Size } from "../screen/screen.ts";

// What devices of all transports are: those above know no adb and no bridge.

/** What can be done with a device; each transport says which of these it can. */
export type DeviceAction = "screenshot" | "tap" | "drag" | "eval" | "console_logs" | "native_logs";

/** How a device is reached. */
export type TransportName = "adb" | "bridge" | "simctl" | "devicectl";

/** How a device stands. */
export type DeviceState = "ready" | "unauthorized" | "offline" | "unavailable";

/** A device, as lists show it. */
export interface DeviceEntry {
  /** What calls name it by. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** How it is reached. */
  readonly transport: TransportName;
  /** Whether it can be used. */
  readonly state: DeviceState;
  /** What can be done with it now. */
  readonly can: readonly DeviceAction[];
  /** What to do first, where it cannot be used. */
  readonly next?: string;
}

/** A picture of a device's screen. */
export interface Shot {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its pixels. */
  readonly image: Size;
  /** The screen at that moment. */
  readonly screen: Screen;
}

/** A finger along a path, in the screen's own units. */
export interface Touch {
  /** One point for a tap. */
  readonly path: readonly Point[];
  /** How long it takes; 0 for a tap. */
  readonly durationMs: number;
  /** The screen that the path is meant for. */
  readonly screen: Screen;
}

/** The value of an expression on a device. */
export interface Evaluated {
  /** What is no JSON stands there as text; at most some 20,000 characters. */
  readonly value: JsonValue;
  /** Whether something was left out. */
  readonly truncated: boolean;
  /** Whether it was thrown rather than answered. */
  readonly threw: boolean;
}

type Answer<T> = Promise<Result<T, Problem>>;

/** A device that can be used: what it cannot do is absent. */
export interface Device {
  /** How lists show it. */
  readonly entry: DeviceEntry;
  screenshot?(signal: AbortSignal): Answer<Shot>;
  /** The screen now. */
  screen?(signal: AbortSignal): Answer<Screen>;
  /** @returns 409 `screen-changed` where it sees that the screen is another by now. */
  touch?(touch: Touch, signal: AbortSignal): Answer<null>;
  evaluate?(expression: string, signal: AbortSignal): Answer<Evaluated>;
  /** The console of its page, brought up to date. */
  consoleLog?(signal: AbortSignal): Answer<DeviceLog>;
  /** The log of its system, brought up to date. */
  nativeLog?(signal: AbortSignal): Answer<DeviceLog>;
}

/** The devices that a transport sees, and what keeps it from seeing more. */
export interface Look {
  /** In the order in which lists show them. */
  readonly devices: readonly Device[];
  /** Sentences for people. */
  readonly notes: readonly string[];
}

/** A way to reach devices. */
export interface Transport {
  /** The devices that it sees now. Rejects only when aborted. */
  devices(signal: AbortSignal): Promise<Look>;
  /** Lets go of all that it holds on devices. */
  close(): Promise<void>;
}
