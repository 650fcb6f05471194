/** The reference device: the boot watchdog as a pure function, and staging over real files. */
export * from "./boot.ts";
export { createDevice, type Device, type DeviceOptions, type LaunchResult } from "./device.ts";
