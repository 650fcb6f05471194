import process from "node:process";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import { createDevice as createReference, type Device } from "../../lib/ota-device/device.ts";
import { buildNative, createNativeDevice, type NativeOptions } from "./native-device.ts";

/**
 * Creates the device under test: the reference, or the one that `SLIPWAY_DEVICE` names (`ios`,
 * `android`, `program`).
 */
export function createDevice(options: DeviceOptions, native?: NativeOptions): Device {
  const program = process.env["SLIPWAY_DEVICE"] ?? "";
  if (program === "") return createReference(options);
  if (program === "ios" || program === "android" || program === "program") {
    return createNativeDevice(program, options, native);
  }
  throw new Error(`SLIPWAY_DEVICE is ${program}: expected ios, android or program`);
}

/** The core of another language that is under test; `null` for the reference. */
export const nativeCore: "ios" | "android" | null = coreOf(process.env["SLIPWAY_DEVICE"]);

/** Whether a core of another language is under test, which has a network of its own. */
export const isNative: boolean = nativeCore !== null;

if (nativeCore !== null) await buildNative(nativeCore);

function coreOf(name: string | undefined): typeof nativeCore {
  return name === "ios" || name === "android" ? name : null;
}
