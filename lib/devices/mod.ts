/**
 * The phones, tablets and simulators that a game is tried on.
 *
 * @module
 */
export {
  type BridgeDoor,
  createDevices,
  type DeviceCall,
  type DeviceHost,
  type DeviceList,
  type DevicePicture,
  type Devices,
  type DevicesOptions,
  type ScreenCall,
  type Touched,
} from "./devices.ts";
export { PAIR_NEXT } from "./refusals.ts";
export type { BridgeOpen } from "./bridge/bridge-access.ts";
export type { BridgeCaller } from "./bridge/open-connections.ts";
export { type DeviceLog, LOG_LEVELS, type LogLevel, type LogLine } from "./logs/device-log.ts";
export type { SizedPicture } from "./picture/scale-png.ts";
export type { Point, ScreenInfo, ScreenSize } from "./screen/screen.ts";
export type {
  DeviceAction,
  DeviceEntry,
  DeviceReadiness,
  Evaluated,
  TransportName,
} from "./types/device.ts";
